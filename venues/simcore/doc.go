// Package simcore is the exchange behind every simulated venue: price-time
// matching, margin accounts, conditional orders, funding, liquidation, a market
// that moves by itself, scripted faults and a ledger of truth. It opens no
// socket and starts no goroutine; a simulator of one venue puts that venue's
// wire around it.
//
// # Words
//
//   - An [Instrument] is a linear perpetual. Prices are multiples of its tick,
//     quantities multiples of its step. A quantity is in the venue's units;
//     [Instrument.ContractSize] says how much base coin one unit is.
//   - The house is the counterparty that keeps the books alive. It owns
//     liquidity but no account, no margin and no events of its own.
//   - An [Order] works in a book or is closed. A [Conditional] waits outside the
//     book for its trigger and then becomes an order.
//   - A refusal is an order that never existed; it is answered as a [Refusal]
//     and noted in the ledger by the simulator, which knows the venue's words.
//
// # Time, chance and order of things
//
// The exchange never reads a clock but [Options.Clock] and draws no number but
// from generators seeded by [Options.Seed]: equal seeds, clocks and calls give
// equal results, the events included. The owner calls [Exchange.Tick] often
// (every 50 ms); nothing happens by itself in between.
//
// Everything that happens is told to the subscribers as an [Event], in one total
// order with a sequence number, before the call that caused it returns.
//
// # Concurrency
//
// All methods of [Exchange], [Ledger], [Faults] and [Control] may be called from
// any goroutine. A subscriber is called under the exchange's lock: it must be
// quick and must not call back.
//
// # Exactness
//
// Inside a book, prices are integers of ticks and quantities integers of steps.
// Money is decimal. No floating point number is used anywhere. The cost of a
// position is kept instead of its entry price, so that the profit realised over
// the life of a position is exact to the last digit whatever the entry price
// divides into.
//
// # For scripts
//
// [Control] is the control API as plain calls, [Faults] decides which scripted
// fault a request or a message meets, [Ledger] records every order in memory
// and, opened with [OpenLedger], in a file that outlives a kill; several
// exchanges may share one. Package simnet puts them on a wire.
//
// A quiet exchange has a still ladder of liquidity around each start price. It
// is used up by those who take it; [Exchange.MovePrice] and [Exchange.SetDepth]
// lay it anew, and with a depth of zero only the orders of accounts and
// [Exchange.HouseLevel] make the book.
//
// # Example
//
//	exchange, err := simcore.New(simcore.Options{Instruments: listing, Seed: 1})
//	account := exchange.CreateAccount(simcore.AccountRequest{})
//	order, err := exchange.Place(simcore.OrderRequest{
//		Account: account.ID, Symbol: "BTCUSDT", Side: simcore.Buy,
//		Type: simcore.Market, Qty: decimal.RequireFromString("0.01"),
//	})
package simcore
