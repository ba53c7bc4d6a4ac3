// Package venuetest is one numbered conformance suite for every connector. Each
// case drives a connector through the port of package venues, as the service
// does, against the simulator of its venue; scripts and the ledger of truth come
// through package simcore. No case knows a venue.
//
// # Use
//
// A connector's own test describes its venue once and runs the suite:
//
//	func TestConformance(t *testing.T) {
//		venuetest.Run(t, venuetest.Harness{
//			Simulate: func(c venuetest.Conditions) (venuetest.Simulator, error) { ... },
//			Connect:  func(restURL, streamURL string, c venuetest.Conditions) venuetest.Connector { ... },
//			Wire:     venuetest.Wire{ ... },
//			Lacks:    map[venuetest.Capability]string{ ... },
//		})
//	}
//
// The test's log ends with a table: number, verdict and name of each case, and
// for what does not apply to the venue the reason. One case runs alone with
//
//	go test -run 'TestConformance/cases/C-081' ./venues/...
//
// # Numbers
//
// A number names its case for ever and is never given again.
//
//	C-001  catalogue, candles, units
//	C-020  placing orders of every type and flag
//	C-050  attached protection
//	C-060  amending
//	C-080  cancelling and its races
//	C-100  client ids
//	C-110  fills
//	C-130  positions
//	C-150  leverage
//	C-160  balances and keys
//	C-170  private stream
//	C-200  public streams and books
//	C-240  faults of requests and their outcomes
//	C-280  clock and deadlines
//	C-300  limits, bans, maintenance
//	C-320  bad input
//	C-340  a connection for orders
//	C-360  the band of prices
//	C-370  isolated margin
//	C-380  bad input on the private stream
//	C-390  bad input on the public streams
//	C-400  what triggers look at
//
// # Connections for orders
//
// Where a venue takes orders over a WebSocket, a second test runs the cases of
// orders there:
//
//	func TestConformanceWebSocket(t *testing.T) {
//		venuetest.RunWebSocket(t, harness(), venuetest.OrderEntry{ ... })
//	}
//
// The connector gets [Conditions] with OrderEntry set, every case waits until the
// connection is up, and faults of orders strike its operations. The cases from
// C-340 on run there alone.
//
// # Bans
//
// A venue that bans addresses has a third test, in virtual time: a ban lasts minutes.
//
//	func TestBans(t *testing.T) { venuetest.RunBans(t, harness(), up) }
//
// # Capabilities
//
// A case may need a [Capability]. A venue that lacks it says why in
// [Harness.Lacks], and the case is n/a there. What the port itself tells of a
// venue (venues.Capabilities) must agree with that table; case C-001 sees to it.
//
// # Bad input
//
// Cases from C-320 and C-380 on spoil what a venue says on its way: HTML, halves,
// error codes with status 200, JSON of another kind, and member by member what is
// of a wrong type, unknown, empty or missing. A read must fail plainly, a change be
// unknown and then found, a stream tell of a loss or an interruption and nothing in
// the place of what was said; what only describes falls back.
//
// Which answers and messages there are, and what the connector makes of their
// members, is a table of the venue: [Wire.Answers], [Wire.Events]. The suite logs it
// with how often each row was spoilt in which way. Whatever a connector asks or a
// venue tells in any case of the suite and is not in the table fails the test, and
// so does a row that was not spoilt.
//
// # What a case has
//
// Every case gets a simulator of its own with a still market at round prices
// (BTCUSDT at 65000), a connector, one funded account and its private stream.
// Between connector and simulator stand relays, which cut, refuse and tamper.
// The sink of the private stream fails a case whose order takes a step that no
// order may take. Cases run at once, a bounded number of them: they wait more
// than they work.
package venuetest
