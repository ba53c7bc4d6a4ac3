// Package bybitsim is a simulated Bybit v5 venue: category linear, unified
// trading account. It speaks the venue's REST and WebSocket protocols with wire
// structs of its own over the exchange of package simcore.
//
// # Use
//
//	sim, err := bybitsim.New(bybitsim.Options{Setup: simnet.Setup{Seed: 1}})
//	venue, _ := net.Listen("tcp", "127.0.0.1:0")
//	control, _ := net.Listen("tcp", "127.0.0.1:0")
//	sim.Serve(venue, control)
//	defer sim.Close()
//	demo := sim.DemoAccount()           // key, secret, 100 000 USDT
//	endpoints := sim.Endpoints()        // restUrl, wsUrl, controlUrl
//
// One listener serves REST under /v5 and the sockets /v5/public/linear,
// /v5/private, /v5/trade and /v5/public/misc/status. The other serves the control
// API of package simnet.
//
// # What it copies
//
//   - Errors are codes in an envelope with HTTP 200; the limit of an address is
//     a bare 403 for ten minutes, to handshakes too.
//   - A timestamp more than one second ahead is refused (10002) whatever the
//     window. A GET with a body is refused with 403.
//   - Limits are rolling seconds of each account and endpoint (10006), shared by
//     REST and the order entry socket. That socket takes create, amend and cancel
//     with a timestamp each, answers under the client's reqId, which must not
//     repeat on a connection (20006), and is limited by address (10403).
//   - Answers to orders are acknowledgements. What cannot be done after all is
//     cancelled: post-only that would take, fill-or-kill that cannot be filled.
//   - An amendment or a cancellation, of one order or of all, is acknowledged
//     before it is done, by Options.EngineDelay. An order that fills meanwhile is
//     told as Filled once more, with EC_OrigClOrdIDDoesNotExist and, for a
//     cancellation, CancelByUser. Another amendment that the engine refuses after
//     all is told in the order as it stays, with a reason in rejectReason; that is
//     an inference, as no recording shows one.
//   - A conditional order is told as Triggered before it is New or what else becomes
//     of it.
//   - A reduce-only order is cut to the position when it is placed.
//   - orderLinkId is unique for ever (110072).
//   - The private stream tells executions first, then orders, positions and the
//     wallet. An order that filled at once is told once, as Filled.
//   - Limit prices outside the band are moved to its edge, unless the account
//     asked for an error. The band follows mark price, index and premium; a market
//     order takes up to the near edge of it.
//   - Margins hold the estimated fees: of closing a position at its bankruptcy
//     price, and of opening and closing what an order opens. Fees are rounded, the
//     half up.
//   - Stops that an order brings along are set on the position when the order
//     first fills; the twin of one that fired is deactivated, and so are both
//     when the position is closed.
//   - Orders that ended without an execution are gone from history after a day;
//     realtime knows the last 500 closed ones.
//   - Book streams begin with a snapshot and count u up by one for each delta
//     within a window of fixed size.
//   - Last pages have a cursor, instruments excepted.
//   - A maintenance that a fault plays is told by /v5/system/status and by the
//     topic system.status.
//
// # What it does not
//
// Batches, spot, inverse, options, portfolio margin, partial and trailing stops,
// fractions of a leverage, a position mode for each symbol, RSA keys. A market order
// needs margin for the best price and a little more, not for its cap.
package bybitsim
