// Package okxsim is a simulated OKX venue for linear perpetual swaps settled in
// USDT. It speaks the venue's v5 REST and WebSocket protocols with wire structs
// of its own over the exchange of package simcore.
//
// # Use
//
//	sim, err := okxsim.New(okxsim.Options{Setup: simnet.Setup{Seed: 1}})
//	venue, _ := net.Listen("tcp", "127.0.0.1:0")
//	control, _ := net.Listen("tcp", "127.0.0.1:0")
//	sim.Serve(venue, control)
//	defer sim.Close()
//	demo := sim.DemoAccount()           // key, secret, passphrase, 100 000 USDT
//	endpoints := sim.Endpoints()        // restUrl, wsUrl, controlUrl
//
// One listener serves REST under /api/v5 and the streams under /ws/v5/public,
// /ws/v5/private and /ws/v5/business. The other serves the control API of
// package simnet. Listeners may be in memory.
//
// # What it simulates
//
//   - Sizes are contracts; ctVal says how much base coin one contract is. The
//     smallest order is a fraction of a contract.
//   - Rejections of orders come with HTTP 200, code 1 and the reason in sCode; other
//     rejections at the top level with the HTTP status of the venue's table. A
//     successful order has "Order placed" in sMsg.
//   - A clOrdId is unique among open orders only, and a query by it returns the
//     latest. A blind resend of a market order doubles the position.
//   - The header expTime is checked on arrival (50036) and again at matching, after
//     any injected delay (50037).
//   - A post-only order that would take and a fill-or-kill order that cannot be
//     filled are accepted and then cancelled, with cancelSource 31 and 13.
//   - Amendments and cancellations are acknowledged Options.EngineDelay before they
//     are done. An order that fills first stays filled, and a failed amendment is
//     published with amendResult -1, or 1 where the order was cancelled for it. A
//     pending cancellation is not started again (51410), and three amendments of an
//     order may be pending (51513).
//   - Orders that were cancelled without a fill are purged after two hours of the
//     venue's clock.
//   - Stops have their own endpoints (algo) and ids; those attached to an order
//     become live when the order is filled. They watch the last, the mark or the
//     index price. Their margin is checked when they trigger.
//   - The equity of an account must cover the maintenance margin of its cross
//     positions, at the rate of the tier for the whole position, and their closing
//     fees. Otherwise positions of the third tier and above are reduced by two tiers
//     at a time (partial_liquidation) as long as the equity covers the lowest tier,
//     and else closed (full_liquidation).
//   - The orders channels begin without a snapshot, positions and account with
//     one, in pages of Options.SnapshotRowsMax rows. Positions and account are also
//     published periodically, at the interval that the client requests. Books are
//     snapshots of 400 levels and differences every 100 ms, chained by seqId and
//     prevSeqId; the checksum is 0.
//   - A private socket takes orders, amendments and cancellations, single and in
//     batches, by instIdCode only, with attached protection. Their limits and bans
//     are those of the REST calls. Faults match operations, logins and answers by
//     the socket's path and names such as op:order and op:login.
//   - A connection without outgoing messages for 30 s is closed with 4004; the text
//     ping keeps it open. After ConnLifetime a public or private connection gets a
//     notice and is closed a minute later. A connection may send 480 logins and
//     subscriptions an hour (60014), subscribe to as many channels as RateLimits
//     allows (4009), and log in once: another login is rejected (60031) and changes
//     nothing. A channel of an account may have 30 connections, each of which receives
//     their count; one more is acknowledged and gets channel-conn-count-error.
//   - Bills are the changes of the balance, and the history of positions has those
//     that were closed, in part or in full. Members of other products, which the venue
//     always sends, are empty.
//   - The dead-man switch cancels orders, but not stops.
//
// # Pace
//
// [simnet.Pace] sets how many instruments the venue lists and how often books and trades
// change. With steps below 100 ms a change is sent with its step, faster than the venue
// would.
//
// # Recordings
//
// [Sim.Replay] plays a recording of the venue's public streams as the market of the
// listed swaps: the exchange follows the recorded books and trades, and the streams
// publish them under their own sequence numbers.
//
// # What it does not simulate
//
// Spot, inverse and expiry contracts, multi-currency and portfolio margin,
// positions of both margin modes in one swap (the mode is a setting of the exchange),
// iceberg and chase orders, deleveraging. Tiers are bounded by value, the venue's by
// contracts. Candles of six hours and more are aligned to UTC under both names.
// Batches of amendments and cancellations are executed one by one. Public trades are
// not aggregated.
package okxsim
