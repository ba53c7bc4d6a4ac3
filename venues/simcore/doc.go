// Package simcore is the exchange behind every simulated venue: price-time
// matching, margin accounts, conditional orders, funding, liquidation, an order flow
// of its own, scripted faults and a ledger of all orders. It opens no socket and
// starts no goroutine; the simulator of a venue adds the venue's protocol.
//
// # Terms
//
//   - An [Instrument] is a linear perpetual. Prices are multiples of its tick size,
//     quantities multiples of its step size. A quantity is in the venue's units;
//     [Instrument.ContractSize] is the base coin in one unit.
//   - The house is the market maker that fills the books. It has liquidity but no
//     account, no margin and no order events.
//   - An [Order] is open in a book or closed. A [Conditional] is outside the book
//     until its trigger, which places an order.
//   - A [WalletChange] is one change of an account's wallet, with the balance after it.
//   - A [Rejection] is the error of a request that changed nothing. The simulator
//     records rejected orders in the ledger, with the venue's error text.
//
// # Time and randomness
//
// The exchange reads no clock but [Options.Clock] and draws random numbers only from
// generators seeded by [Options.Seed]: equal seeds, clocks and calls give equal
// results, including the events. The owner calls [Exchange.Tick] often (every 50 ms);
// between calls nothing changes.
//
// Every change is published to the subscribers as an [Event], in one total order with
// a sequence number, before the call that caused it returns.
//
// [Options.FlowStep] and [Options.TradesPerSecond] set the pace of the order flow. Steps
// that are missed by more than 400 ms are not made up for.
//
// # Candles
//
// [Exchange.Candles] begin a year before the opening of a market. Those before it are
// generated from the seed when they are read and end at the price of the opening. A candle
// of any interval is the sum of its minutes, also where the market opened in it.
//
// # State
//
// [Exchange.KeepState] restores the state of an earlier exchange from a file and writes
// every later change to it before the call that caused it returns: accounts with their
// credentials and settings, balances, positions, orders, conditional orders, fills, changes
// of wallets, candles, payments of funding, and the counters of ids. What one call changes
// is one record, so that a kill of the process leaves all of a call or nothing; a record
// without an end is cut. The file is not synced to disk. It is written again with the
// present state at the start and when it has grown by 32 MiB. A file that is damaged, or of
// another version, venue or seed, is renamed and reported as a [StateError].
//
// A restored market continues at its last price, which is at most a second old, with new
// liquidity of the house, which is placed around the open orders and behind them in their
// queues. Public trades, levels that a script has set, faults, rejected orders of the ledger
// and the offset of the clock are not kept. Prices do not move while the exchange is closed:
// no conditional order triggers and no account is liquidated for that time. At the first
// tick orders past their time expire, conditional orders that had triggered are placed,
// funding is paid once however many times have passed, and the pause has flat candles.
//
// # Concurrency
//
// All methods of [Exchange], [Ledger], [FaultInjector] and [Control] may be called from
// any goroutine, except [Exchange.List]. A subscriber is called with the exchange's
// lock held: it must be quick and must not call the exchange.
//
// # Exactness
//
// Inside a book, prices are integers of ticks and quantities integers of steps. Money
// is decimal. No floating point number is used. A position keeps its cost instead of
// its entry price, so that the realised profit of a position is exact even where the
// entry price is a rounded quotient.
//
// # Scripts
//
// [Control] is the control API as plain calls. [FaultInjector] decides which scripted
// fault applies to a request or a message. [Ledger] records every order in memory and,
// opened with [OpenLedger], in a file that survives a kill of the process; several
// exchanges may share one. Package simnet serves them over HTTP and WebSocket.
//
// A quiet exchange has a fixed ladder of liquidity around each start price, which
// takers use up. [Exchange.MovePrice] and [Exchange.SetDepth] place it again. With a
// depth of zero the book consists of the orders of accounts and the levels set by
// [Exchange.HouseLevel].
//
// # Example
//
//	exchange, err := simcore.New(simcore.Options{Instruments: listing, Seed: 1})
//	account, err := exchange.CreateAccount(simcore.AccountRequest{})
//	order, err := exchange.Place(simcore.OrderRequest{
//		Account: account.ID, Symbol: "BTCUSDT", Side: simcore.Buy,
//		Type: simcore.Market, Qty: decimal.RequireFromString("0.01"),
//	})
package simcore
