// Package binance connects to Binance USD-M futures.
//
// # Structure
//
// A Connector gives access without credentials: clock, instruments, books, candles,
// public streams. An Account is one customer's account. Both implement the interfaces of
// package venues; the venue's own names and enums are not visible outside this package.
//
//	venue.go           the connector and its capabilities
//	options.go         hosts and limits; the environments live, testnet and sim
//	sign.go            signatures
//	rest.go            one request: rate limits, signature, deadline
//	entry.go           the connection for orders, the WebSocket API
//	rest_orders.go     place, amend, cancel
//	rest_queries.go    reading orders
//	rest_algo.go       stops
//	rest_models.go     the venue's order records
//	rest_*.go          market data, account, modes, positions, leverage, fills
//	leverage_cache.go  leverages for position events, which lack them
//	link.go            options of all connections, and when none is made
//	stream*.go         protocols of the public feed (see venues/internal/feed) and of the
//	                   private stream (see venues/internal/session)
//	book_*.go          order book messages to fixed-point numbers
//	parse.go           the venue's enums
//	symbol.go          symbols and instruments
//	errors.go          errors of answers; error_table.go classifies the venue's codes
//	reject_reasons.go  why the venue ended an order
//	maintenance.go     whether the venue is under maintenance
//
// # Orders
//
// Market and limit orders use the order endpoints, everything with a trigger the algo
// endpoints; the two have separate ids. The client id of a stop identifies both the algo
// order and the engine order that it becomes when it triggers. Reports of a triggered stop
// therefore have the engine's order id as VenueOrderID, by which fills are joined.
//
// A stop is sent as STOP if the price must still move in the direction of the order to
// reach the trigger, else as TAKE_PROFIT. OrderRequest.TriggerDirection decides; without it
// the newest price at the time of sending does.
//
// An order contains its deadline as recvWindow. After a rejected timestamp (-1021, -5028:
// certainly not executed) the clock is measured again and the request signed once more
// under the same deadline. After a position mode rejection (-4061) the mode is read again
// and the order sent once more. Nothing else is ever repeated.
//
// The venue reports orders as EXPIRED that end immediately without an error (IOC, FOK,
// post-only amended into the market, the rest of a market order). Here they are cancelled,
// as on the other venues, with the reason.
//
// With OrderEntry "websocket" market and limit orders, their amends and cancels are sent on
// the WebSocket API while the private stream is open: signed one by one, under the same rate
// limits and error classes. What certainly was not sent on that connection goes by REST, and
// so do stops.
//
// # Streams
//
// The venue splits its streams by path: /public has the books, /market the trades, candles
// and mark prices, /private the account. A subscription on the wrong path stays silent, so
// streams are monitored: a silent topic that should have messages is reported as interrupted
// and subscribed again, and a connection that is mostly silent is replaced. The private
// stream is considered stalled if no event follows an acknowledged order.
package binance
