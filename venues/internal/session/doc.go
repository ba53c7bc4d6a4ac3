// Package session runs an account's private stream: one connection or several that are
// connected only together, from login to loss. A venue implements a [Protocol] for each
// of them: the first message, and the meaning of the messages received.
//
// # Notifications
//
// The sink's Connected is called once every connection is served, which an answer of the
// venue shows (Connection.Ready): what is read by REST after that misses no event. Lost
// is called when one of the connections ends. It is also called, followed immediately by
// Connected, when an event cannot be decoded: the event might concern orders or positions,
// so the account reads its state again. Renewing a connection is not a loss. The protocol
// can skip messages that the previous connection has already brought
// (Connection.Repeated).
//
// # Monitoring
//
// A connection that does not become ready within ackTimeout is replaced. Where a venue
// gives no reliable answer it is assumed ready after Options.AssumeReadyAfter. A stream
// without an event for an order for Options.EventSilenceMax after the venue has
// acknowledged it is stalled, and all of its connections are replaced.
//
// # Goroutines and locks
//
// The connections belong to package wsclient. One lock covers the whole session: calls of
// the sink and of the protocols are serialized.
package session
