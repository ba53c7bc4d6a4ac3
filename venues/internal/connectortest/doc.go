// Package connectortest supports the connectors' own tests, which examine single requests
// and messages, where the conformance suite (package venuetest) examines a venue as a whole.
//
// A [Server] is a venue with scripted answers. It knows no venue's rules; its user checks
// each request. It is reached over pipes, so that tests that depend on time run in a bubble
// of testing/synctest, independent of the machine's load. [Streams] serves its stream
// connections. A [Recorder] is a sink of public and private streams that records every
// call and can be waited on. [RejectMalformed] checks that decoders reject malformed
// messages.
//
//	server := connectortest.NewServer(t)
//	server.On("GET /v5/account/info", 200, `{"retCode":0}`)
//	...
//	r := &connectortest.Recorder{}
//	feed := account.OpenPrivate(r)
//	...
//	r.Await(t, "fill", func() bool { return len(r.Reports) == 2 })
package connectortest
