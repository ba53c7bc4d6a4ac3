// Package venue is the actor that stands for one exchange: its catalogue of
// instruments, its clock, its health, and the supervisor of its public
// connections and books.
//
// # What it keeps up
//
// The catalogue is read at the start and again every catalogueEvery, and soon
// after Refresh: a refused precision means that the venue has changed a step. While
// it tells no leverage, as Binance until an account was asked, it is read more often.
// The clock is compared every clockEvery. What fails is tried again after 1 s,
// doubling to 30 s; the last catalogue stays in use meanwhile. An instrument
// keeps its UpdatedAt for as long as nothing about it changes.
//
// # Health
//
//	down      no catalogue yet, or failuresDown requests in a row went unanswered
//	degraded  a request failed and was not repeated yet; channels are
//	          interrupted; the clocks differ by more than skewMax
//	up        none of that
//
// # Books
//
// A book is made for the first who asks for anything of its symbol, up to
// BooksMax, and ends by itself when nobody needs it. Its subscribers survive
// failures: a book that was given up is started again after bookRestartWait, and
// a venue that restarts takes its books with it.
//
// The venue knows books and connections as what their own packages offer through
// interfaces declared here; actors/root joins the three.
package venue
