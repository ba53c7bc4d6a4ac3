// Package simulation plays the whole tree of actors through bad days. One seed
// decides everything: what two customers ask for, how three kinds of venue
// answer, which messages are lost, doubled, late or out of order, when the
// process dies and how much of its last writes survive, and in which order the
// actors take their turns. The same seed gives the same run, so a failure is
// found again by its number.
//
// # What is real and what is not
//
// Real: root, customer, account, private and journal, with their clients, on the
// seeded scheduler of actortest in virtual time. The store is storetest.Memory,
// which loses what was not durable when it crashes. A venue is simcore's engine
// with its ledger of truth behind the venue port; the wire between the two is
// simulated, because sockets would take turns as the operating system likes.
//
// # Files
//
// plan draws a seed's workload and faults; rules and venue are the venues, wire
// the way of requests, reads what they answer, feed the private streams, words
// the translation; disk watches the store, client the customers, world runs it
// all, checks and checks_protection hold what must be true, coverage counts what
// was met.
//
// # How to use it
//
//	go test ./actors/simulation                       # 2000 seeds; with -race 200
//	VENUEGATE_SEEDS=100000 go test ./actors/simulation -run TestSeeds -timeout 0
//	go test ./actors/simulation -run TestSeeds -seed 1234 -v
//
// The last one replays one seed and prints its trace.
package simulation
