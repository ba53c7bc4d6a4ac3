// Package connectortest is the kit of the connectors' own tests, which look at
// single requests and messages where the conformance suite (package venuetest)
// looks at a venue as a whole.
//
// A [Server] is a venue that answers as it is told: it knows no venue's rules,
// which its user holds each request against. It is reached over pipes, so that what
// depends on time is tested in a bubble of testing/synctest, where it is certain
// however busy the machine is. [Streams] serve its stream
// connections. A [Heard] is a sink of public and private streams that keeps what it
// hears and can be waited on. [Refusals] holds decoders against what they must not
// understand.
//
//	server := connectortest.NewServer(t)
//	server.On("GET /v5/account/info", 200, `{"retCode":0}`)
//	...
//	h := &connectortest.Heard{}
//	feed := account.OpenPrivate(h)
//	...
//	h.Await(t, "the fill", func() bool { return len(h.Reports) == 2 })
package connectortest
