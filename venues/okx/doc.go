// Package okx connects to the linear perpetuals and futures of OKX (API v5).
//
// # Structure
//
// A Connector gives access without credentials: clock, instruments, books, candles,
// public streams. An Account is one customer's account. Both implement the interfaces of
// package venues; the venue's own names and enums are not visible outside this package.
//
//	venue.go           the connector and its capabilities; account.go the account
//	instrument.go      an instrument, and the conversion of its quantities
//	instruments.go     the list of instruments, also of those that are delisted
//	options.go         hosts and limits; the environments live, demo and sim
//	sign.go            signatures
//	rest.go            one request: rate limits, signature, deadline
//	entry.go           the connection for orders (order entry); the entry of a position,
//	                   in contrast, is the order that opened it
//	login.go           the login of an account's connections
//	rest_orders.go     place, amend, cancel
//	rest_queries.go    reading orders
//	rest_algo.go       stops
//	rest_models.go     the venue's order records
//	rest_closed.go     closed orders and stops, for orders that are not found by id
//	rest_*.go          market data, account, modes, positions, leverage, fills, pages
//	attachment.go      protection attached to orders; protect.go changes it
//	link.go            options of all WebSocket connections; the pause after a rejected handshake
//	stream.go          the public feed (see venues/internal/feed), and the control messages
//	                   of all stream connections
//	stream_models.go   paths of all streams; channels of the feed; trades, marks, candles
//	stream_deliver.go  the decoder of one topic of the feed
//	push.go            topic and rows of a push of the feed
//	book_*.go          order book messages to fixed-point numbers
//	stream_private.go  the private stream (see venues/internal/session): its connections
//	stream_events.go   its orders, stops and balances
//	stream_positions.go  its positions, which come in pages
//	parse.go           the venue's times, flags and enums
//	symbol.go          symbols, and which of them are supported
//	errors.go          errors of answers; error_table.go classifies the venue's codes
//	reject_reasons.go  why the venue ended an order
//	maintenance.go     whether the venue is under maintenance
//
// # Quantities
//
// The venue counts contracts of ctVal*ctMult base coins each; the service counts base
// coins. Quantities are converted only at the boundary of this package, by multiplication
// on the way in and by whole steps on the way out, so that none is ever altered. A quantity
// that is not a multiple of the step is rejected with its valid neighbours and not sent.
// Only the list of instruments contains the size of a contract: executions in a delisted
// instrument are converted with the size that it had, if the service has seen it in the
// list (see Connector.Seed).
//
// # Orders
//
// Market and limit orders use the order endpoints and contain their stop loss and take
// profit. Stops, the orders with a trigger, use the algo endpoints, with ids of their own: a
// reduce-only stop becomes a conditional order, with a stop loss or a take profit trigger
// according to the direction of the price; any other stop becomes a trigger order, which the
// venue turns around if it is amended to a trigger past the price: the connector rejects that.
// Once it has triggered, a stop (algo order) has a child: the order that it has become. Its reports
// have the child's id as VenueOrderID, by which fills are attributed, and the client id of
// the stop.
//
// The answer to a change means that the venue has received the request. A placed order is
// therefore reported as pending, and a placed stop as untriggered: its margin is checked
// only at the trigger. Amended and cancelled orders are read back.
//
// An order is sent with its deadline as expTime. So is a stop, although the venue documents
// expTime for orders and amends only. After a rejected timestamp (50102, 50112, 50036:
// certainly not executed) the clock is measured again and the request signed once more
// under the same deadline. After a rejection of posSide the position mode is read again and
// the order sent once more. A request that the connection for orders did not accept is sent
// by REST. Nothing else is ever repeated.
//
// With OrderEntry "websocket" orders, amends and cancels are sent on a private WebSocket
// connection of their own, under the same rate limits, deadlines and error classes. Algo
// orders have no operation there and go by REST, as do orders with attached protection.
// REST is also used if the connection is not up, if nothing was written to it, or if the
// venue rejected the message and not the order. On this connection instruments are
// identified by instIdCode.
//
// An order that the venue does not find by its id is searched in its lists of closed
// orders: only they can confirm that it does not exist. The lists are long, so one read
// answers all queries that were made before it began (see restclient.SharedRead).
//
// The position mode belongs to the account. The margin mode of an order is that of the
// instrument's open position, cross if there is none. Neither is ever changed.
//
// # Streams
//
// The venue splits its streams by path: /public has books, trades and mark prices,
// /business candles and algo orders, /private the account. Books begin with a snapshot,
// and each update names its predecessor (prevSeqId). Their checksum is ignored: since 2026
// the venue sends zero. The order channels have no snapshot: the caller reads the orders
// after each connect.
package okx
