// Package simulation plays the whole tree of actors through bad days. One seed
// decides everything: what two customers ask for, how three kinds of venue
// answer, which messages are lost, doubled, late or out of order, when the
// process dies and how much of its last writes survive, and in which order the
// actors take their turns. The same seed gives the same run, so a failure is
// found again by its number.
//
// # What is real and what is not
//
// Real: root, customer, account, private, channel, lane, delivery and journal, with
// their clients, on the seeded scheduler of actortest in virtual time. The store is
// storetest.Memory, which loses what was not durable when it crashes. A venue is
// simcore's engine with its ledger of truth behind the venue port; the wire between
// the two is simulated, because sockets would take turns as the operating system
// likes. Signals come in as their edge would hand them over, deliveries end at their
// sender.
//
// A third of the seeds have a channel that trades and one in test mode, a quarter
// an endpoint a customer, a sixth accounts in hedge mode.
//
// # Files
//
// plan draws a seed's workload and faults, signals and deliveries those of channels
// and endpoints; rules and venue are the venues, wire the way of requests, reads
// what they answer, feed the private streams, words the translation; disk watches
// the store, client the customers, world runs it all, checks, checksignals, alarms,
// positions and protection hold what must be true, coverage counts what was met.
//
// # Invariants and what holds them
//
//	I-1   one request id, one order            checkRequests, world.sent
//	I-2   nothing accepted is lost             checkTruth, checkPlaced, checkBeep, world.sent
//	I-3   nothing late in silence              checkTruth, checkSignalOrder
//	I-5   unknown is said as unknown           checkPresent, checkPlaced
//	I-6   each change has its event            checkEvents, checkJournal, checkDeliveries
//	I-7   retries come at their times          checkTries, checkRetry
//	I-8   all views agree                      checkOrder, checkAdopted, checkScreen, disk.step
//	I-10  no hole in a private stream          session.Deliver
//	I-11  nothing of another customer          checkTruth, checkOperation, session.Deliver
//	I-13  a channel's limit, also in a race    checkExposure
//	I-14  nothing increasing after the lock    world.sent
//	I-15  test mode sends nothing              checkSignal, checkSignalOrder, world.sent
//	I-16  a signal is carried out once         checkRequests
//	I-23  cancel-all cancels all               checkCancelled, world.clear
//	I-24  an orderly stop                      world.stop
//	positions   each end once, with its own    checkPositions
//	            quantity and result
//	alarm       a fill without live protection checkGuarded
//	            is said in time
//	protection  no stop outlives its position  checkFlat
//	quiet       everything becomes certain     checkOrder, checkSignal, closePositions
//
// Held elsewhere, because their layer is not in this world: I-12 (scopes) by
// TestScopeMatrix of transport/rest and TestRevokeKey of transport/stream, I-21
// (rates) by TestLimiterIsExact of transport/auth and TestRateLimits of
// transport/rest, what identifies a signed body of I-16 by
// TestRequestIDsAreImpliedBySignatures of transport/hooks, I-9 by actors/book, and
// I-4 by the damaged stores of cmd/venuegate/chaos. Package cmd/venuegate/chaos/planted
// shows that the checkers bite.
//
// # How to use it
//
//	go test ./actors/simulation                       # 2000 seeds; with -race 200
//	VENUEGATE_SEEDS=100000 go test ./actors/simulation -run TestSeeds -timeout 0
//	go test ./actors/simulation -run TestSeeds -seed 1234 -v
//
// The last one replays one seed and prints its trace.
package simulation
