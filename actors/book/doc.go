// Package book is the actor that owns one instrument's market data: the local
// order book, its views by depth, the candles, the trades, the newest prices.
//
// # The book
//
// Messages of the venue become a book by the sequence rules of
// venues.BookUpdate, which a sequencer holds every message to. A book is in one
// of four phases:
//
//	waiting ── first message ──▶ syncing ── joined ──▶ live ──▶ stale ──┐
//	                                                    ▲               │
//	                                                    └── joined ─────┘
//
// What breaks the sequence - a gap, an interruption of the connection, a crossed
// book, a mailbox that overflowed, a comparison that failed - makes a live book
// stale at once. Nothing of a book that is not live is ever shown; what comes
// back is a snapshot. Venues whose stream brings snapshots are resubscribed; for
// the others updates wait, up to a limit, for a snapshot by REST. Attempts are
// spaced: at once, 250 ms, doubling to 30 s.
//
// Prices and quantities are fixed-point int64 of the instrument's Scale. A side
// is a sorted slice with the best level last.
//
// # Topics
//
// book:<venue>:<symbol>:<depth> begins with a snapshot; deltas follow. A level
// that leaves the first depth levels is sent with quantity zero, so whoever
// applies the deltas holds exactly the view. One batch of venue messages makes
// at most one message a topic. While the book is not live: one "stale", then a
// snapshot.
//
// kline:<venue>:<symbol>:<timeframe> begins with a snapshot, the current candle;
// updates follow, each a whole candle. A candle that closed while the
// connection was interrupted is fetched and sent.
//
// trades:<venue>:<symbol> has no snapshot; each message is an update. Trades that
// were lost in an interruption are not repeated.
//
// Seq of a topic rises by one with each message for as long as the book lives,
// and is never told for two messages but for the snapshot that Resync asks for.
// Topics are encoded once, whoever listens.
//
// # Price conditions
//
// A condition is compared with every trade or every mark price, whichever it is
// on, and told when it comes to hold. Watching one keeps its channel subscribed.
// What happened while the channel was interrupted shows with the next price.
//
// # Life
//
// A book subscribes the feed channels that its subscribers need and lets them
// go lingerFor after the last of them has left. With nothing left to do it ends
// itself, unless it is resident. Reading its quote keeps it for watchFor.
package book
