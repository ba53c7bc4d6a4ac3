// Package bybit connects to Bybit v5, category linear, with a unified account.
//
// # Structure
//
// A Connector gives access without credentials: clock, instruments, books, candles,
// public streams. An Account is one customer's account. Both implement the interfaces of
// package venues; the venue's own names and enums are not visible outside this package.
//
//	venue.go           the connector and its capabilities
//	options.go         hosts and limits; the environments live, testnet, demo and sim
//	sign.go            signatures
//	rest.go            one request: rate limits, signature, deadline
//	entry.go           the connection for orders
//	login.go           the login of an account's connections
//	rest_orders.go     place, amend, cancel
//	rest_queries.go    reading orders
//	rest_models.go     the venue's order records
//	rest_*.go          market data, account, modes, positions, leverage, fills, pages
//	attachment.go      protection attached to orders; protect.go changes it
//	link.go            options of all connections, and when none is made
//	stream*.go         protocols of the public feed (see venues/internal/feed) and of the
//	                   private stream (see venues/internal/session)
//	book_*.go          order book messages to fixed-point numbers
//	parse.go           the venue's numbers and enums
//	symbol.go          symbols and instruments
//	errors.go          errors of answers; error_table.go classifies the venue's codes
//	reject_reasons.go  why the venue ended an order
//	maintenance.go     whether the venue is under maintenance
//
// # Orders
//
// The answer to a change of an order means only that the venue has received it: its report
// is Pending and has ids but no terms. The private stream, or a query, reports the result.
// Stops are orders with a trigger price; they keep their ids when they trigger.
// OrderRequest.TriggerDirection is the direction in which the price reaches the trigger;
// without it the newest price at the time of sending decides. Triggers refer to the last
// price. Stop loss and take profit are attached to the order; the venue creates orders of
// its own for them once there is a position.
//
// An order contains its deadline as the receive window. After a rejected timestamp (10002:
// certainly not executed) the clock is measured again and the request signed once more
// under the same deadline. After a parameter error (10001) of an order whose instrument
// turns out to be in another position mode the order is sent once more. Nothing else is
// ever repeated. The position mode belongs to an instrument here: it is read, kept and
// respected, never changed.
//
// With OrderEntry "websocket" orders are placed, amended and cancelled on a connection that
// the private feed keeps: with the same bodies, deadlines, error classes and rate limits.
// What certainly was not sent on that connection goes by REST.
//
// A client id is accepted only once. A rejection because of a known one means that an
// earlier request has arrived; it counts as an unknown outcome.
//
// # Fills
//
// The venue reports a fill twice: an execution with price and fee, and the order with its
// new state. An execution that completes an order waits for the order's own message, so
// that one report contains both.
//
// # Streams
//
// Books have their own snapshots, 200 levels a side, and consecutive numbers. Public and
// private streams are on different hosts in the demo environment. Connections are monitored
// by pings, because a quiet book has no messages. The private stream is considered stalled
// if no event follows an acknowledged order.
package bybit
