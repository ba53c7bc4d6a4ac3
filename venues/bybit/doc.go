// Package bybit connects to Bybit v5, category linear, with a unified account.
//
// # Shape
//
// A Connector is the venue without credentials: clock, instruments, books,
// candles, public streams. An Account is one customer there. Both speak the port
// of package venues; nothing of the venue's own words leaves this package.
//
//	venue.go        the connector and what it can
//	options.go      hosts and limits; the environments live, testnet, demo and sim
//	sign.go         signatures
//	rest.go         one request: lanes, deadline, clock, judgement
//	entry.go        the connection for orders, and the choice between it and REST
//	login.go        how a connection of an account is signed in
//	rest_orders.go  place, amend, cancel; rest_queries.go what became of orders;
//	                rest_models.go how the venue shows them
//	rest_*.go       market data, account, modes, positions, leverage, fills, pages
//	attachment.go   protection that travels with orders; protect.go its changes
//	link.go         what all connections have in common, and when none is made
//	stream*.go      protocols of the public feed (kept by venues/internal/feed) and
//	                of the private stream (kept by venues/internal/session)
//	book_*.go       order book messages to fixed-point numbers
//	parse.go        the venue's numbers and enumerations
//	symbol.go       names and instruments
//	errors.go       the venue's refusals in the service's words; error_table.go
//	faults.go       why an order ended; maintenance.go why the venue is away
//
// # Orders
//
// An answer to a change of an order says only that the venue has received it: its
// report is Pending and holds no terms but the ids. The private stream, or a
// query, tells what became of it. Stops are orders with a trigger price; they keep
// their ids when they trigger. OrderRequest.TriggerWhen says which way the price
// must go to the trigger; without it the newest price at the moment of sending
// decides. Triggers compare with the last price. Stop loss and take profit travel
// with the order; the venue makes orders of its own of them once there is a
// position.
//
// An order carries its deadline as the receive window. After a clock refusal
// (10002: definitely not executed) the clock is measured again and the request
// signed once more under the same deadline; after a parameter refusal (10001) of
// an order whose instrument turns out to be in another position mode, the order is
// sent once more. Nothing else is ever repeated. Position mode belongs to an
// instrument here: it is read, learned and honoured, never changed.
//
// With Options.OrderEntry "websocket" orders are placed, amended and cancelled over
// the trade socket that the private feed keeps: the same bodies under the same
// deadlines, judged by the same tables, within the same limits. What that socket
// proves not sent goes by REST.
//
// A client id is accepted once and never again. A refusal because of a known one
// proves that an earlier request arrived; it counts as an unknown outcome.
//
// # Fills
//
// The venue tells of a fill twice: an execution with price and fee, and the order
// with its new state. An execution that completes an order waits for the order's
// own message, so that one report brings both.
//
// # Streams
//
// Books come with their own snapshots, 200 levels a side, and every change has the
// number after that of the one before. Public and private streams are different
// hosts in the demo environment. Liveness is a matter of pings: a quiet book is
// quiet. The private stream is believed dead when an order was acknowledged and no
// event followed.
package bybit
