// Package wscall carries calls over a kept WebSocket connection: a request with
// an id of its own, and the answer that names the id.
//
// # Outcomes
//
// Call answers with whatever the venue said; judging that is the connector's
// business. Without an answer its error tells apart what is proved from what is
// not, like that of package restclient. A call is proved not sent
// (venues.ErrNotSent) when there was no connection, when callsMax calls were
// under way, or when its context or the connection ended before the first byte
// of it was written. From that byte on its outcome is unknown
// (venues.ErrOutcomeUnknown) until the answer is there: half a message, a lost
// connection, a context or a time-out that ended, all may have been executed.
// Nothing is sent twice. What is proved not sent may go another way.
//
// An answer belongs to the connection that its call went over. One that nobody
// waits for, because its call has ended, because it came a second time or because
// its id is unknown, is dropped and logged.
//
// # Connections
//
// The connection is a wsclient.Link with all that it does: ping, silence,
// reconnect with jitter. A lost connection ends the calls that are under way on
// it at once. A connection is replaced only when it is idle: at its Lifetime, when
// the venue says that it will end, or when a call has had no answer for Timeout
// (what still pings may have nobody behind it), it takes no more calls, waits for
// the answers that it owes and is dialled anew. Calls are proved not sent meanwhile.
// Behind a refusal that names no call it waits for a second only. Close waits for
// nothing.
//
// # Pace
//
// A call leaves at once. Whoever calls keeps the venue's limits, because they are
// shared with REST.
package wscall
