// Package actortest tests actors in virtual time.
//
// Run gives a test a Kit: an actors.System in a testing/synctest bubble, in which
// a retry schedule of hours passes in milliseconds and Settle waits until nothing is left
// to do at this instant. A failure of an actor, or a message that is not handled, fails the
// test unless it is expected (ExpectFailures, ExpectUnhandled).
//
//	actortest.Run(t, func(k *actortest.Kit) {
//		probe := k.Probe("venue/binance")
//		account := account.NewClient(k.Start(actors.Child{Name: "account/1", Producer: ...}))
//		account.Observe(fill)
//		got := actortest.Expect[*venues.Order](probe)
//		k.Advance(10 * time.Second)
//		...
//	})
//
// By default actors run on goroutines, in any order. With Seeded they run one at a time
// in an order that the seed decides, so that a failing order of events can be repeated;
// see Scheduler for the conditions.
//
// Traces runs scripts of inputs and expected outputs against a pure state
// machine; go test -rewrite updates the files, and the difference is reviewed.
//
// There are no sockets within a bubble: a test of a connection uses net.Pipe or an
// in-memory listener. The file system may be used. Timers that are due immediately
// (time.AfterFunc(0, ...)) must be avoided: under the race detector they can crash the
// runtime of Go 1.26 (golang/go#78156).
package actortest
