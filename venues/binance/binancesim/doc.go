// Package binancesim is a simulated Binance USD-M futures venue. It speaks the
// venue's REST and WebSocket protocols with wire structs of its own over the
// exchange of package simcore.
//
// # Use
//
//	sim, err := binancesim.New(binancesim.Options{Setup: simnet.Setup{Seed: 1}})
//	venue, _ := net.Listen("tcp", "127.0.0.1:0")
//	control, _ := net.Listen("tcp", "127.0.0.1:0")
//	sim.Serve(venue, control)
//	defer sim.Close()
//	demo := sim.DemoAccount()           // key, secret, 100 000 USDT
//	endpoints := sim.Endpoints()        // restUrl, wsUrl, controlUrl
//
// One listener serves REST under /fapi, the streams under /public, /market and
// /private, each as /ws and /stream, and the WebSocket API under /ws-fapi/v1. The
// other serves the control API of
// package simnet. Listeners may be in memory; with a synthetic clock the whole
// simulator runs in virtual time.
//
// # What it simulates
//
//   - Checks in this order: address (429, 418), key, signature, timestamp, then
//     symbol, mandatory parameters, enumerations, precision, price filter, lot
//     size, percent price, minimum notional, position side, reduce-only,
//     duplicate client id, symbol status, margin, post-only and fill-or-kill.
//   - The receive window is checked on arrival (-1021) and again at matching, after
//     any injected delay (-5028).
//   - A client order id is unique among open orders only. An order that filled
//     frees its id: a blind resend of a market order doubles the position.
//   - Answers to orders acknowledge (NEW, nothing executed) unless RESULT is
//     requested; average price and quote are left out of them by default.
//   - Conditional orders live behind the algo endpoints with ids of their own.
//     Their margin is checked when they trigger.
//   - Order ids are above 2^53 for ETHUSDT only, as in the recorded messages. OMGUSDT
//     is halted (TRADING_HALT).
//   - /sapi/v1/system/status shows the maintenance of an injected fault.
//   - Orders that ended without a fill are purged after three days of the venue's
//     clock.
//   - Subscriptions to a stream of another category are accepted and deliver nothing.
//   - REST decimals are padded, event decimals trimmed.
//   - Connections of a banned address are rejected too, with the answer of REST.
//
// # WebSocket API
//
// order.place, order.modify, order.cancel, order.status, algoOrder.place and
// algoOrder.cancel are the REST calls under the same checks and limits; connecting
// costs a weight of five. session.logon is rejected, because it takes an Ed25519
// key: every request is signed individually. Injected faults match a request by the
// path /ws-fapi/v1 and the method's name.
//
// # Pace
//
// [simnet.Pace] sets how many instruments the venue lists and how often books and trades
// change. With steps below 100 ms a change is sent with its step, faster than the venue
// would.
//
// # Recordings
//
// [Sim.Replay] plays a recording as the streams of its symbols: recorded streams
// byte by byte, other speeds derived, depth snapshots from the current state of the
// recorded book, orders matched against it.
//
// # What it does not simulate
//
// Multi-assets mode, portfolio margin, delivery contracts, RSA and Ed25519 keys;
// in the WebSocket API, market data, account queries and the user data stream.
package binancesim
