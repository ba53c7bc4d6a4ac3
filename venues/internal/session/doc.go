// Package session keeps an account's private stream: one connection or several
// that are up only together, from the login to the loss. A venue fills in a
// [Protocol] for each: what is said first, what the messages mean.
//
// # What the owner hears
//
// Connected comes once every connection is served, which a venue's own answer
// shows (Wire.Ready): what is read by REST after that misses no event. Lost comes
// when one of them ends, and also, with Connected right after it, when an event
// cannot be understood: it might concern orders or positions, so the account reads
// its state anew. A renewed connection is no loss; what it tells again that the one before
// has told, the protocol can leave out (Wire.Repeated).
//
// # Watching
//
// A connection that does not become ready within ackTimeout is replaced; where a
// venue gives no sure answer it is believed after Options.BelievedAfter. A stream
// that tells nothing of an order for Options.EventSilenceMax after the venue has
// acknowledged it is mute, and all of its connections are replaced.
//
// # Goroutines and locks
//
// The connections belong to package wsclient. One lock covers the whole session: the
// sink and the protocols hear one thing at a time.
package session
