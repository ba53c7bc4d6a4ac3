// Package venue is the actor of one exchange: its list of instruments, its clock, its
// health, and the supervision of its public connections and books.
//
// # Instruments and clock
//
// The instruments are read at the start, every instrumentsEvery, and soon after Refresh: a
// rejected price or quantity means that the venue may have changed a tick size or quantity
// step. While the list has no leverage, as at Binance until an account has requested it,
// it is read more often. The clock is compared every clockEvery. A failed request is
// repeated after 1 s, doubling to 30 s; meanwhile the last list stays in use. An instrument
// keeps its UpdatedAt as long as nothing about it changes.
//
// # Health
//
//	down      the instruments are not known yet, or failuresDown requests in a row failed
//	degraded  a request failed and was not repeated yet; topics are interrupted; the
//	          clocks differ by more than skewMax
//	up        none of that
//
// # Books
//
// A book is created at the first request for its symbol, up to BooksMax, and ends on its
// own when it has no users. Its subscribers survive failures: a book that was given up is
// started again after bookRestartWait, and a restarted venue restarts its books.
//
// Books and connections are known to this package through interfaces that it declares;
// actors/root provides them.
package venue
