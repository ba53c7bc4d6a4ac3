// Package book is the actor that owns one instrument's market data: the local
// order book, its views by depth, the candles, the trades, the newest prices.
//
// # The book
//
// A sequencer applies messages of the venue to the book according to the sequence rules
// of venues.BookUpdate. A book is in one of four phases:
//
//	waiting ── first message ──▶ syncing ── joined ──▶ live ──▶ stale ──┐
//	                                                    ▲               │
//	                                                    └── joined ─────┘
//
// What breaks the sequence - a gap, an interruption of the connection, a crossed
// book, an inbox that overflowed, a comparison that failed - makes a live book stale
// immediately. A book that is not live is never published; when it is live again, its
// subscribers get a snapshot. If the venue's stream has snapshots, it is resubscribed;
// otherwise updates are kept, up to a limit, until a snapshot is fetched over REST.
// Attempts are made immediately, after 250 ms, then at doubling intervals up to 30 s.
//
// Prices and quantities are fixed-point int64 of the instrument's Scale. A side
// is a sorted slice with the best level last.
//
// # Topics
//
// book:<venue>:<symbol>:<depth> begins with a snapshot; deltas follow. A level that
// leaves the first depth levels is sent with quantity zero, so that a subscriber that
// applies the deltas has exactly the view. One batch of venue messages results in at
// most one message per topic. When the book is no longer live, one "stale" follows, and
// later a snapshot.
//
// kline:<venue>:<symbol>:<timeframe> begins with a snapshot, the current candle;
// updates follow, each a whole candle. A candle that closed while the
// connection was interrupted is fetched and sent.
//
// trades:<venue>:<symbol> has no snapshot; each message is an update. Trades lost in an
// interruption are not repeated. The newest ones since then are kept for Client.Trades.
//
// Seq of a topic increases by one with each message while the book exists. No two
// messages have the same Seq, except for the snapshot that Resync requests. A message is
// encoded once for all subscribers.
//
// Client.Snapshot returns the snapshot of a depth for one reader, with the Seq of the topic.
// Without subscribers of the topic it is its next message.
//
// # Price conditions
//
// A condition is compared with every trade or every mark price, and reported when it
// begins to hold. Watching one keeps its topic subscribed. After an interruption it is
// compared with the next price.
//
// # Life
//
// A book subscribes the feed topics that its subscribers need, and unsubscribes them
// lingerFor after the last subscriber has left. Without any it ends, unless it is
// resident. Reading its quote or a snapshot keeps it for WatchFor.
package book
