// Package lane is the actor that keeps the order of one customer's signals: those
// of one account and symbol are carried out one after the other, in the order in
// which they were received, whichever channel they came by.
//
// Whoever has something to carry out takes a ticket. It is called when every
// earlier ticket that could touch the same has been given back. A ticket for all
// symbols, or for all accounts, overlaps with each of them.
//
//	ticket 1  binance BTCUSDT    called
//	ticket 2  binance ETHUSDT    called
//	ticket 3  binance *          waits for 1 and 2
//	ticket 4  binance BTCUSDT    waits for 1 and 3
//	ticket 5  okx     BTCUSDT    called
//
// A holder that starts anew keeps its places: it says which tickets it still
// needs (Retain), and the others are given back. At the start of the service
// nobody is called before each holder has said so, so that what was left by one
// is not overtaken by what is new to another.
package lane
