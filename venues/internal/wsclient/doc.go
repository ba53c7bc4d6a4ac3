// Package wsclient keeps one WebSocket connection to a venue alive: it dials,
// authenticates, answers and sends pings, notices silence, reconnects with
// jitter, and replaces a connection before the venue cuts it.
//
// A Link is the lasting thing, a Conn one connection of it. The Handler says what
// to do when a connection is up (subscribe), with each message, and when
// everything is lost. Subscriptions belong to the handler, because their
// messages differ from venue to venue.
//
// # Reconnecting
//
// After a loss the link waits between BackoffMin and a bound that doubles with
// each failure up to BackoffMax, at random, and dials again: never at once, never
// in step with others. A connection that lived longer than BackoffMax starts the
// count anew. What is wrong with a connection is said of that one (Conn.GiveUp), and
// costs no other: its successor may be up already. Dials that fail alike in a row are warned of once. What a venue allows
// one address is kept by Options.Dials, which the links to it share: after an outage
// that hit them all they come back one after the other. While a venue wants silence
// Options.Silence keeps the links from dialling, and what a refused handshake says of
// it is told to Options.Refused; a connection that there is goes on.
//
// # Renewal
//
// Venues cut connections after a day. At Lifetime (or at Renew) the link dials a
// successor, lets the handler subscribe on it, keeps reading the old one for
// RenewOverlap, closes it and only then reads the successor, whose messages have
// waited in its socket. Nothing is missed; what both received comes twice, and
// the handler tells by the Conn which message opens the new connection.
//
// # Goroutines
//
// A link owns a supervisor, and per connection a reader and a writer. Close ends
// them all and waits. Message is called from the reader, one call at a time over
// the whole link; its bytes are valid only during the call, for the buffer is
// reused. The other methods are called from the supervisor and may coincide with
// Message.
//
// # Limits
//
// Messages are read up to ReadBytesMax, control messages are queued up to
// sendQueueMax and leave at SendsPerSecond. What is sent by Conn.Write is not
// paced: its sender keeps the venue's limits.
package wsclient
