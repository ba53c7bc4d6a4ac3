// Package feed keeps a venue's public streams: it spreads channels over
// connections, subscribes them, watches over each, and tells the owner what comes
// and what may have been missed. A venue fills in a [Protocol]: what its topics,
// requests and answers look like, and how its messages are decoded. Everything
// else is the same everywhere and is here.
//
//	func (c *Connector) OpenFeed(sink venues.FeedSink) venues.Feed {
//		return feed.Open(feed.Options{Protocol: protocol{c}, Sink: sink, ...})
//	}
//
// # Connections
//
// Channels of equal [Group] share connections, so many on each as the group says;
// a connection that breaks should not take too much with it. One is made when a
// channel finds no room and closed when its last channel leaves. It is a
// wsclient.Link with all that this does: pings, silence of the whole connection,
// backoff, renewal.
//
// # Subscriptions
//
// Topics are asked for in requests of so many. A request that is not answered
// within ackTimeout costs the connection. One that is refused is taken apart: its
// topics are asked for one by one, so that one bad name spoils nothing but itself.
// A topic that is refused alone is asked for again after refusedRetry, and ever more
// rarely up to Options.RefusedRetryMax: a new listing begins to speak some day.
//
// # Watching
//
// A channel of a trading instrument that should have spoken (see
// Options.BookSilenceMax) is interrupted and subscribed anew; while it stays silent,
// its patience doubles up to strikesMax times. When more than half of what is
// watched on a connection is silent for a second time, the connection itself is to
// blame and is replaced.
//
// A message that cannot be decoded breaks its channel alone: what follows is dropped
// until the channel is mended, at the next tick, and later and later if the next
// message is no better. Where the venue begins a book with a snapshot
// (Options.StreamSnapshots) mending is subscribing anew, which brings one; elsewhere
// the owner reads a snapshot by itself when it hears that the channel is resumed.
//
// # What the owner hears
//
// A channel is interrupted or it is not, and begins interrupted. Interrupted comes
// when messages may have been lost, or when the venue refuses the topic; Resumed
// when it is subscribed again. A renewed connection interrupts nothing: what both
// connections bring is told once, by the sequence numbers of books and trades.
//
// # Goroutines and locks
//
// A connection's messages come from its reader, one at a time; ticks and changes of
// connection from its supervisor (see package wsclient). Two locks for each
// connection: mu guards the tables, deliver makes sure that the sink hears one thing
// at a time and in the order in which it was decided. deliver is taken before mu, never
// after. A message takes each once and allocates nothing; what its decoder allocates is
// the venue's business.
package feed
