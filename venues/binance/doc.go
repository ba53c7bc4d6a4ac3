// Package binance connects to Binance USD-M futures.
//
// # Shape
//
// A Connector is the venue without credentials: clock, instruments, books,
// candles, public streams. An Account is one customer there. Both speak the port
// of package venues; nothing of the venue's own words leaves this package.
//
//	venue.go        the connector and what it can
//	options.go      hosts and limits; the environments live, testnet and sim
//	sign.go         signatures
//	rest.go         one request: lanes, deadline, clock, judgement
//	entry.go        the connection for orders, the WebSocket API
//	rest_orders.go  place, amend, cancel; rest_queries.go what became of orders;
//	                rest_algo.go the same of stops; rest_models.go how the venue
//	                shows them
//	rest_*.go       market data, account, modes, positions, leverage, fills
//	link.go         what all connections have in common, and when none is made
//	stream*.go      protocols of the public feed (kept by venues/internal/feed) and
//	                of the private stream (kept by venues/internal/session)
//	book_*.go       order book messages to fixed-point numbers
//	parse.go        the venue's enumerations
//	symbol.go       names and instruments
//	errors.go       the venue's refusals in the service's words; error_table.go
//	faults.go       why an order ended; maintenance.go why the venue is away
//
// # Orders
//
// Market and limit orders live at the order endpoints, everything with a trigger
// at the algo endpoints; the two have ids of their own. The client id of a stop
// names both: the algo order, and the engine order that it becomes once
// triggered. Reports of a triggered stop therefore carry the engine's order id as
// VenueOrderID, which is what fills are joined by.
//
// A stop is sent as STOP when the price must still move in the order's own
// direction to reach the trigger, else as TAKE_PROFIT. OrderRequest.TriggerWhen
// says which; without it the newest price at the moment of sending decides.
//
// An order carries its deadline as recvWindow. After a clock refusal (-1021,
// -5028: definitely not executed) the clock is measured again and the request
// signed once more under the same deadline; after a position mode refusal (-4061)
// the mode is read again and the order sent once more. Nothing else is ever
// repeated.
//
// What ends an order at once without its being a fault of the venue (IOC, FOK,
// post-only amended into the market, the rest of a market order) the venue calls
// EXPIRED; here it is cancelled, as on the other venues, with the reason.
//
// Options.OrderEntry sends market and limit orders, their amendments and cancels
// over the WebSocket API while the private stream is open: signed one by one, under
// the same limits, judged by the same rules. Whatever that connection proves not
// sent goes by REST, and so do stops.
//
// # Streams
//
// The venue splits its streams by host path: /public has the books, /market the
// trades, candles and mark prices, /private the account. A subscription on the
// wrong path is silent, so streams are watched: one that should speak and does not
// is reported as interrupted and subscribed again, and a connection that is mostly
// silent is replaced. The private stream is believed dead when an order was
// acknowledged and no event followed.
package binance
