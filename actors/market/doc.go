// Package market is the actor that owns one set of public connections to a
// venue: a venues.Feed. It keeps which channels are subscribed and leads what
// the feed brings to the books.
//
// Data does not pass through the actor. The feed's readers look the book up in
// an immutable table and hand the message over where they stand: no copy, no
// wait, no hop. The actor is for what is rare: subscriptions, interruptions, and
// a fresh feed after a failure, on which everything is subscribed again.
//
// An interruption reaches each book whose channel it concerns, in order with
// that channel's messages.
package market
