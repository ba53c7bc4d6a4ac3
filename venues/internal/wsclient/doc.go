// Package wsclient keeps a WebSocket connection to a venue: it dials, authenticates,
// answers and sends pings, detects silence, reconnects with jitter, and replaces a
// connection before the venue closes it.
//
// A Link is the persistent connection, a Conn one network connection of it. The Handler
// subscribes when a connection is up and receives the messages and losses. Subscriptions
// belong to the handler, because their messages differ from venue to venue.
//
// # Reconnecting
//
// After a loss the link waits for a random time between BackoffMin and a bound that doubles
// with each failure up to BackoffMax, and dials again: never immediately, and never in step
// with others. A connection that lasted longer than BackoffMax resets the bound. Conn.Abort
// closes one connection without affecting its successor, which may be up already.
// Consecutive failures to dial with the same error are logged as a warning once. Links that
// share Options.Dials stay together within the venue's limit of connections per address, so
// after an outage of all of them they reconnect one after the other. While Options.DialPause
// is positive the link does not dial; Options.HandshakeRejected receives the answer to a
// rejected handshake, which may be the reason for a pause. Existing connections continue.
//
// # Renewal
//
// Venues close connections after a day. At Lifetime (or at Renew) the link dials a
// successor, lets the handler subscribe on it, continues reading the old connection for
// RenewOverlap, closes it and only then reads the successor, whose messages have waited in
// its socket. Nothing is missed. Messages that both received arrive twice; the handler
// recognizes the first message of the new connection by its Conn.
//
// # Goroutines
//
// A link has a supervisor, and a reader and a writer per connection. Close ends them all
// and waits. Message is called from the reader, one call at a time over the whole link; its
// bytes are valid only during the call, because the buffer is reused. The other methods are
// called from the supervisor and may run at the same time as Message.
//
// # Limits
//
// Messages are read up to ReadBytesMax. Control messages are queued up to sendQueueMax and
// sent at SendsPerSecond. Messages of Conn.Write are not paced: the caller observes the
// venue's limits.
package wsclient
