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
//     cancelled for it. A cancellation under way is not begun again (51410), and of
//     amendments of an order three may be under way (51513).
//   - Orders that were cancelled without a fill are gone after two hours of the
//     venue's clock.
//   - Stops live behind the algo endpoints with ids of their own; what is
//     attached to an order goes live when the order is filled. They watch the last,
//     the mark or the index price. Their margin is looked at when they trigger.
//   - An account must back its cross positions with their maintenance margin, at
//     the rate of the tier for all of a position, and the fee of closing them. One
//     that cannot loses positions of the third tier and above by two tiers at a
//     time (partial_liquidation) as long as the lowest tier would be backed, and
//     else all of them (full_liquidation).
//   - The orders channels begin without a snapshot, positions and account with
//     one, in pages of Options.SnapshotRowsMax rows. Positions and account are told
//     by the clock as well, as often as the client asks. Books are snapshots of 400 levels and differences every 100 ms,
//     chained by seqId and prevSeqId; the checksum is 0.
//   - A private socket takes orders, amends and cancels, alone and in batches, by
//     instIdCode alone; attached protection travels with them. Their limits and
//     their address's ban are those of the REST calls. Faults find operations,
//     logins and answers by the socket's path and names such as op:order and
//     op:login.
//   - A connection that was told nothing for 30 s is closed with 4004; the text
//     ping keeps it. One that lived for ConnLifetime is told that it will be
//     closed, the business ones apart, and is closed a minute later. One may ask
//     480 times an hour for logins and subscriptions (60014), listen to as many
//     channels as RateLimits says (4009), and log in once (60031). To a channel of
//     an account 30 connections may listen, which are told their count; the one too
//     many is acknowledged and told channel-conn-count-error.
//   - The dead-man switch cancels orders, and leaves stops alone.
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
// positions of both margin modes in one swap (the exchange's owner sets the mode),
// iceberg and chase orders, deleveraging, bills and the history of positions. Tiers
// are bounded by value, the venue's by contracts. Candles of six hours and more are
// aligned to UTC under both names. Batches of amendments and cancellations are done
// one by one. Public trades are not aggregated.
package okxsim
