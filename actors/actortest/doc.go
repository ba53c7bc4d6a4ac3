// Package actortest tests actors in virtual time.
//
// Run gives a test a Kit: an actors.System in a testing/synctest bubble, in which
// a retry schedule of hours passes in milliseconds and Settle means that nothing
// is left to do at this instant. A failure of an actor and a message that no
// Receive knows fail the test, unless it says that it expects them.
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
// By default actors run on goroutines, in whatever order comes. With Seeded they
// run one at a time in an order that the seed decides, so that a failing order
// of events can be repeated; see Scheduler for what that covers.
//
// Traces runs scripts of inputs and expected outputs against a pure state
// machine; go test -rewrite renews the files, and the difference is reviewed.
//
// Within a bubble there are no sockets: a test of a connection uses net.Pipe or
// an in-memory listener. The file system may be used. A timer that is due at
// once (time.AfterFunc(0, ...)) is to be avoided there: under the race detector
// it can crash the runtime of Go 1.26 (golang/go#78156).
package actortest
