// Package venuetest is a conformance suite for connectors. Each of its numbered cases
// uses a connector through the interfaces of package venues, as the service does,
// against the simulator of its venue; package simcore provides injected faults and the
// ledger. No case depends on a venue.
//
// # Use
//
// The test of a connector describes its venue and runs the suite:
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
// The log of the test ends with a table: number, verdict and name of each case, and
// the reason where a case does not apply to the venue. To run a single case:
//
//	go test -run 'TestConformance/cases/C-081' ./venues/...
//
// # Numbers
//
// A case keeps its number, and the number of a deleted case is not used again.
//
//	C-001  instruments, candles, units
//	C-020  placing orders of every type and flag
//	C-050  attached protection
//	C-060  amendments
//	C-080  cancellations and their races
//	C-100  client ids
//	C-110  fills
//	C-130  positions
//	C-150  leverage
//	C-160  balances and keys
//	C-170  private stream
//	C-200  public streams and books
//	C-240  faults of requests and their outcomes
//	C-280  clock and deadlines
//	C-300  rate limits, bans, maintenance
//	C-320  bad input
//	C-340  order entry connection
//	C-360  price band
//	C-370  isolated margin
//	C-380  bad input on the private stream
//	C-390  bad input on the public streams
//	C-400  prices that trigger stops
//
// # Order entry connections
//
// Where a venue accepts orders over a WebSocket, a second test runs the cases of orders
// there:
//
//	func TestConformanceWebSocket(t *testing.T) {
//		venuetest.RunWebSocket(t, harness(), venuetest.OrderEntry{ ... })
//	}
//
// The connector receives [Conditions] with OrderEntry set, every case waits until the
// connection is open, and faults of orders apply to its operations. The cases from
// C-340 on run only there.
//
// # Bans
//
// A venue that bans addresses has a third test, in virtual time: a ban lasts minutes.
//
//	func TestBans(t *testing.T) { venuetest.RunBans(t, harness(), up) }
//
// # Capabilities
//
// A case may need a [Capability]. A venue that does not have it gives the reason in
// [Harness.Lacks], and the case is n/a for it. The table must agree with
// venues.Capabilities, which case C-001 checks.
//
// # Bad input
//
// The cases from C-320 and C-380 on corrupt messages of the venue: HTML, truncated
// messages, error codes with status 200, unrelated JSON, and each member with a wrong
// type, unknown, empty or missing. A read must then fail, a change have an unknown
// outcome and be found later, and a stream report a loss or an interruption and publish
// nothing else. Members without influence on decisions must fall back to empty values.
//
// [Wire.Answers] and [Wire.Events] list the answers and messages of the venue, with
// what the connector does with their members. The suite logs how often each row was
// corrupted in each way. The test fails for a request or message without a row, and for
// a row that was not corrupted.
//
// # Environment of a case
//
// Every case has a simulator with a still market at round prices (BTCUSDT at 65000), a
// connector, one funded account and its private stream. Proxies between connector and
// simulator cut connections and change messages. The sink of the private stream fails a
// case in which the status of an order changes in an invalid way. A limited number of
// cases run at the same time; they mostly wait.
package venuetest
