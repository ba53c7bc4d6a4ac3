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
// # What it simulates
//
//   - Errors are codes in an envelope with HTTP 200; the limit of an address is
//     a bare 403 for ten minutes, to handshakes too.
//   - A timestamp more than one second ahead is rejected (10002) whatever the
//     window. A GET with a body is rejected with 403.
//   - Limits are rolling seconds of each account and endpoint (10006), shared by
//     REST and the order entry socket. That socket takes create, amend and cancel
//     with a timestamp each, answers under the client's reqId, which must not
//     repeat on a connection (20006), and is limited by address (10403).
//   - A batch over either is a success in which every order has its own code. Its
//     orders count against the limit of the batch endpoint one by one; that those
//     beyond it are rejected alone is an inference.
//   - Answers to orders are acknowledgements. Orders that the engine cannot accept
//     are cancelled: post-only that would take, fill-or-kill that cannot be filled.
//   - An amendment or a cancellation, of one order or of all, is acknowledged
//     Options.EngineDelay before it is done. An order that fills meanwhile is
//     published as Filled once more, with EC_OrigClOrdIDDoesNotExist and, for a
//     cancellation, CancelByUser. After any other amendment that the engine rejects
//     the unchanged order is published with a rejectReason; that is an inference, as
//     no recording shows one.
//   - A conditional order is published as Triggered before its next state.
//   - A reduce-only order is cut to the position when it is placed.
//   - orderLinkId is unique permanently (110072).
//   - The private stream publishes executions first, then orders, positions and the
//     wallet. An order that filled immediately is published once, as Filled.
//   - Limit prices outside the band are moved to its edge, unless the account
//     has chosen an error. The band follows mark price, index and premium; a market
//     order takes up to the near edge of it.
//   - Margins hold the estimated fees: of closing a position at its bankruptcy
//     price, and of opening and closing what an order opens. Fees are rounded half
//     up.
//   - Stops attached to an order are set on the position when the order first
//     fills. When one triggers the other is deactivated; both are when the position
//     is closed.
//   - The transaction log has a row for every change of the wallet: a trade, a
//     funding, a transfer, or a liquidation. Closed profits have one for every order
//     that closed a position, the latest first.
//   - Orders that ended without an execution are purged from history after a day;
//     realtime returns the last 500 closed ones.
//   - Book streams begin with a snapshot and count u up by one for each delta
//     within a window of fixed size.
//   - Last pages have a cursor, instruments excepted.
//   - A maintenance made by an injected fault is shown by /v5/system/status and
//     published under the topic system.status.
//
// # Pace
//
// [simnet.Pace] sets how many instruments the venue lists and how often books and trades
// change. With steps below 100 ms a change is sent with its step, faster than the venue
// would.
//
// # What it does not simulate
//
// Spot, inverse, options, portfolio margin, partial and trailing stops,
// fractional leverage, a position mode for each symbol, RSA keys. A market order
// requires margin for slightly more than the best price, not for its cap.
package bybitsim
