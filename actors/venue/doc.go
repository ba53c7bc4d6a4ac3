// Package venue is the actor of one exchange: its list of instruments, its clock, its
// health, and the supervision of its public connections and books.
//
// # Instruments and clock
//
// The instruments are read at the start, every instrumentsEvery, and soon after Refresh: a
// rejected price or quantity means that the venue may have changed a tick size or quantity
// step. While the list has no leverage, as at Binance until an account has requested it,
// it is read more often. A failed read is repeated after 1 s, doubling to 30 s, and as soon
// as the venue responds again; meanwhile the last list stays in use. An instrument keeps its
// UpdatedAt as long as nothing about it changes. The clock is compared every clockEvery, and
// every clockRetry while that fails.
//
// # Health
//
//	down      the instruments are not known yet; failuresDown comparisons of the clocks in
//	          a row failed; all streams, public and private, are lost for streamsLostMax
//	degraded  a request failed and was not repeated yet; topics are interrupted; no
//	          private stream is connected and no topic is subscribed; the clocks differ by
//	          more than skewMax
//	up        none of that
//
// A venue that refuses connections is therefore down within five seconds, and up within
// five seconds after it responds again: its streams are dialled at least every three seconds
// (package wsclient).
//
// # Books
//
// A book is created at the first request for its symbol, up to BooksMax, and ends on its
// own when it has no users. Its subscribers survive failures: a book that was given up is
// started again after bookRestartWait, and a restarted venue restarts its books.
//
// Client.BookSnapshot reads a book and opens it if necessary. The books that reads keep open are
// bounded, for each customer and in all. Client.Trades answers from a book that is open anyway,
// or, as Client.Tickers does, reads the venue once for all callers, with the lowest priority.
//
// Books and connections are known to this package through interfaces that it declares;
// actors/root provides them.
package venue
