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
// # What it copies
//
//   - Sizes are contracts; ctVal says how much base coin one contract is. The
//     smallest order is a fraction of a contract.
//   - Refusals of orders come with HTTP 200, code 1 and the reason in sCode;
//     refusals of the gate at the top level with the HTTP status of the venue's
//     table. A successful order says "Order placed" in sMsg.
//   - A clOrdId is unique among open orders only, and a query by it finds the
//     latest. A blind resend of a market order doubles the position.
//   - The header expTime is checked at the gate (50036) and again at the moment
//     of matching, after any injected delay (50037).
//   - A post-only order that would take and a fill-or-kill order that cannot be
//     filled are accepted and then cancelled, with cancelSource 31 and 13.
//   - Amendments and cancellations are acknowledged before they are done, by
//     Options.EngineDelay: one that an order's fill overtook leaves it filled, and
//     an amendment that failed is told as amendResult -1, or 1 where the order was
//     cancelled for it.
//   - Orders that were cancelled without a fill are gone after two hours of the
//     venue's clock.
//   - Stops live behind the algo endpoints with ids of their own; what is
//     attached to an order goes live when the order is filled. Their margin is
//     looked at when they trigger.
//   - The orders channels begin without a snapshot, positions and account with
//     one. Books are snapshots of 400 levels and differences every 100 ms,
//     chained by seqId and prevSeqId; the checksum is 0.
//   - A private socket takes orders, amends and cancels, alone and in batches, by
//     instIdCode alone; attached protection travels with them. Their limits and
//     their address's ban are those of the REST calls. Faults find operations,
//     logins and answers by the socket's path and names such as op:order and
//     op:login.
//   - A connection that was told nothing for 30 s is closed with 4004; the text
//     ping keeps it. One that lived for ConnLifetime is told that it will be
//     closed, the business ones apart, and is closed a minute later. One may ask
//     480 times an hour for logins and subscriptions (60014).
//
// # Recordings
//
// Replay plays a recording of the venue's public streams as the market of the
// listed swaps: the exchange follows the recorded books and trades, and the
// streams tell of them in numbers of their own.
//
// # What it does not
//
// Spot, inverse and expiry contracts, multi-currency and portfolio margin,
// positions of both margin modes in one swap (the exchange's owner sets the mode), iceberg and chase orders. An index trigger watches the mark
// price. Candles of six hours and more are aligned to UTC under both names.
// Batches of amendments and cancellations are done one by one. Public trades are
// not aggregated. The limits on the number of connections and of their channels
// are left out; of the public channels price-limit, funding-rate, index-tickers,
// open-interest and status are accepted and silent.
package okxsim
