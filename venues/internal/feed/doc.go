// Package feed runs a venue's public streams: it distributes topics over connections,
// subscribes and monitors them, and passes messages and interruptions to the owner. A venue
// implements a [Protocol]: the form of its topics, requests and answers, and the decoding
// of its messages. Everything else is the same for all venues and is here.
//
//	func (c *Connector) OpenFeed(sink venues.FeedSink) venues.Feed {
//		return feed.Open(feed.Options{Protocol: protocol{c}, Sink: sink, ...})
//	}
//
// # Connections
//
// Topics of equal [Group] share connections, up to a number of topics that the group
// states, so that a broken connection does not affect too many. A connection is made when a
// topic finds no space on the others and closed when its last topic is removed. It is a
// wsclient.Link with its pings, detection of silence, backoff and renewal.
//
// # Subscriptions
//
// Topics are requested in batches. A connection on which a request is not answered within
// ackTimeout is replaced. The topics of a rejected request are requested again one by one,
// so that one bad name affects no other. A topic that is rejected alone is requested again
// after rejectedRetry, and less and less often up to Options.RejectedRetryMax: it may be a
// new listing that starts later.
//
// # Monitoring
//
// A topic of a trading instrument that is silent for too long (see Options.BookSilenceMax)
// is interrupted and subscribed again. While it stays silent the limit doubles, up to
// doublingsMax times. When more than half of the monitored topics of a connection are
// silent for a second time, the connection itself is replaced.
//
// A message that cannot be decoded breaks its topic only: its messages are dropped until the
// topic is restored, at the next tick, and after growing waits if the next message cannot
// be decoded either. Where a subscription of a book begins with a snapshot
// (Options.StreamSnapshots) restoring means subscribing again; elsewhere the owner reads a
// snapshot when it is notified that the topic is resumed.
//
// # Notifications
//
// A topic is interrupted or not, and begins interrupted. Interrupted is called when messages
// may have been lost or the venue rejects the topic, Resumed when it is subscribed again.
// Renewing a connection interrupts nothing: messages that both connections bring are passed
// on once, by the sequence numbers of books and trades.
//
// # Goroutines and locks
//
// The messages of a connection come from its reader, one at a time; ticks and changes of
// connection from its supervisor (see package wsclient). Each connection has two locks: mu
// guards the tables, deliver serializes the calls of the sink in the order of their causes.
// deliver is locked before mu, never after. A message locks each once and allocates nothing
// besides what its decoder allocates.
package feed
