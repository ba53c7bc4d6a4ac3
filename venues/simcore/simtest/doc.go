// Package simtest is the client with which the simulated venues are tested: it
// starts a simulator, calls it over HTTP, listens to its streams and scripts it by
// the control API. It knows no venue. What a venue asks of its clients (paths,
// signatures, logins, envelopes) each simulator's tests add, written against the
// venue's documentation and not with the simulator's code.
//
//	sim, err := bybitsim.New(options)
//	client := simtest.Start(t, sim)             // on loopback, ends with the test
//	client.Script("POST", "/faults", `{...}`)
//	stream := client.Dial("/v5/public/linear")
//	stream.Send(`{"op":"subscribe","args":["orderbook.50.BTCUSDT"]}`)
//	message := stream.Where(func(m simtest.Object) bool { return m["op"] == "subscribe" })
//
// [StartInMemory] does the same inside a bubble of testing/synctest, where hours
// take no time.
//
// A wait that is over fails the test: [Patience] bounds it, and only a test that
// fails spends it.
package simtest
