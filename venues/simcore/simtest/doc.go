// Package simtest provides the client for tests of the simulated venues: it starts a
// simulator, calls it over HTTP, reads its streams and scripts it by the control API.
// It is independent of the venue. The tests of each simulator add the venue's paths,
// signatures, logins and envelopes, written against the venue's documentation and
// without the simulator's code.
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
// Every wait is bounded by [WaitMax], past which the test fails.
package simtest
