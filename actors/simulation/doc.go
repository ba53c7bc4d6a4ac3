// Package simulation runs the whole actor tree under simulated faults. A seed
// determines everything: what two customers request, how three kinds of venue respond,
// which messages are lost, repeated, late or out of order, when the process dies and
// how much of its last writes survive, and in which order the actors run. The same seed
// gives the same run, so a failure is reproduced by its number.
//
// # What is real and what is simulated
//
// Real: root, customer, account, private, channel, signalqueue, delivery and journal,
// with their clients, on the seeded scheduler of actortest in virtual time. The store is
// storetest.Memory, which loses what was not durable when it crashes. A venue is
// simcore's engine with its ledger behind the venue interfaces; the network between the
// two is simulated, because the operating system would schedule sockets. Signals enter
// as from their edge, deliveries end at their sender.
//
// A third of the seeds have a channel that trades and one in test mode, a quarter an
// endpoint per customer, a sixth accounts in hedge mode.
//
// # Files
//
// plan draws a seed's workload and faults, signals and deliveries those of channels and
// endpoints; rules and venue are the venues, wire the transport of requests, reads the
// queries, feed the private streams, translate the terms of the engine; disk checks the
// store, client is the customers, world runs everything; checks, checksignals, alarms,
// positions and protection check the invariants, coverage counts what was covered.
//
// # Invariants and their checks
//
//	I-1   one request id, one order            checkRequests, world.sent
//	I-2   nothing accepted is lost             checkTruth, checkPlaced, checkSignalCall, world.sent
//	I-3   nothing is executed late             checkTruth, checkSignalOrder
//	I-5   unknown outcomes are reported so     checkPresent, checkPlaced
//	I-6   each change has its event            checkEvents, checkJournal, checkDeliveries
//	I-7   retries are made at their times      checkTries, checkRetry
//	I-8   all views agree                      checkOrder, checkAdopted, checkScreen, disk.step
//	I-10  no gap in a private stream           session.Deliver
//	I-11  nothing of another customer          checkTruth, checkOperation, session.Deliver
//	I-13  a channel's limit, also in a race    checkExposure
//	I-14  nothing increasing after the lock    world.sent
//	I-15  test mode sends nothing              checkSignal, checkSignalOrder, world.sent
//	I-16  a signal is executed once            checkRequests
//	I-23  cancel-all cancels all               checkCancelled, world.clear
//	I-24  a clean stop                         world.stop
//	positions   one close event each, with     checkPositions
//	            its quantity and result
//	alarm       a fill without protection is   checkGuarded
//	            reported in time
//	protection  no stop outlives its position  checkFlat
//	quiet       every outcome becomes known    checkOrder, checkSignal, closePositions
//
// Checked elsewhere, because their layer is not simulated: I-12 (scopes) by
// TestScopeMatrix of transport/rest and TestRevokeKey of transport/stream, I-21
// (rates) by TestLimiterIsExact of transport/auth and TestRateLimits of
// transport/rest, the identity of a signed body of I-16 by
// TestRequestIDIsImpliedByTheSignature of transport/hooks, I-9 by actors/book, and
// I-4 by the damaged stores of cmd/venuegate/chaos. Package cmd/venuegate/chaos/planted
// shows that the checkers detect bugs.
//
// # How to use it
//
//	go test ./actors/simulation                       # 600 seeds; with -race 25
//	VENUEGATE_SEEDS=100000 go test ./actors/simulation -run TestSeeds -timeout 0
//	go test ./actors/simulation -run TestSeeds -seed 1234 -v
//
// The last one replays one seed and prints its trace.
package simulation
