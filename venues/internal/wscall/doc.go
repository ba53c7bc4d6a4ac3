// Package wscall sends calls over a persistent WebSocket connection: a request with an id,
// and the answer with the same id.
//
// # Outcomes
//
// Call returns whatever the venue answered; the connector classifies it. As in package
// restclient, an error states the outcome. A call was certainly not sent
// (venues.ErrNotSent) if there was no connection, if callsMax calls were pending, or if its
// context or the connection ended before the first byte was written. After that byte its
// outcome is unknown (venues.ErrOutcomeUnknown) until the answer arrives: after half a
// message, a lost connection, the end of the context or a time-out it may have been
// executed. Nothing is sent twice. A call that was not sent may be sent another way.
//
// An answer belongs to the connection of its call. An answer without a pending call,
// because the call has ended, the answer is a duplicate or its id is unknown, is dropped
// and logged.
//
// # Connections
//
// The connection is a wsclient.Link with its pings, detection of silence and reconnects
// with jitter. When a connection is lost its pending calls fail immediately. A connection
// is replaced only when it is idle: at its Lifetime, when the venue announces its end, or
// when a call had no answer for Timeout (a connection that answers pings may have no server
// behind it), it accepts no more calls, waits for the pending answers and is dialled again.
// Calls are not sent in the meantime. After a rejection that names no call it waits for one
// second only. Close does not wait.
//
// # Pace
//
// A call is sent immediately. The caller observes the venue's rate limits, because they are
// shared with REST.
package wscall
