// Package okx connects to the linear perpetuals and futures of OKX (API v5).
//
// # Shape
//
// A Connector is the venue without credentials: clock, instruments, books,
// candles, public streams. An Account is one customer there. Both speak the port
// of package venues; nothing of the venue's own words leaves this package.
//
//	venue.go        the connector and what it can
//	options.go      hosts and limits; the environments live, demo and sim
//	sign.go         signatures
//	rest.go         one request: lanes, deadline, clock, judgement
//	entry.go        the connection for orders
//	login.go        how a connection of an account is signed in
//	rest_orders.go  place, amend, cancel; rest_queries.go what became of orders;
//	                rest_algo.go the same of stops; rest_models.go how the venue
//	                shows them; rest_closed.go those that ended
//	rest_*.go       market data, account, modes, positions, leverage, fills, pages
//	attachment.go   protection that travels with orders; protect.go its changes
//	link.go         what all connections have in common, and when none is made
//	stream*.go      protocols of the public feed (kept by venues/internal/feed) and
//	                of the private stream (kept by venues/internal/session)
//	book_*.go       order book messages to fixed-point numbers
//	push.go         what every push of a stream carries
//	parse.go        the venue's times, flags and enumerations
//	symbol.go       names and instruments; contract.go their quantities
//	errors.go       the venue's refusals in the service's words; error_table.go
//	faults.go       why an order ended; maintenance.go why the venue is away
//
// # Quantities
//
// The venue counts contracts of ctVal*ctMult base coins each; the service counts
// base coins. Every quantity is converted at this package's boundary and nowhere
// else, by multiplication on the way in and by whole steps on the way out, so
// that none is ever altered. What is no whole number of steps is refused with its
// valid neighbours and not sent. The size of a contract stands in the venue's list and
// nowhere else: what was done in an instrument that has left the list is read with the
// size that it had there, as long as the service has seen it (Connector.Remember).
//
// # Orders
//
// Market and limit orders live at the order endpoints and carry their stop loss
// and take profit with them. Everything with a trigger lives at the algo
// endpoints, in a name space of its own: an order that may only reduce becomes a
// conditional order, whose kind says from which side the price comes; any other
// becomes a trigger order, which the venue fires when the price crosses. Once
// triggered a stop has a child order; its reports carry the child's id as
// VenueOrderID, which is what fills are joined by, and the stop's client id.
//
// An answer to a change means that the venue took the request. A placed order is
// therefore told as pending, while amends and cancels are read back.
//
// An order carries its deadline as expTime, stops too, although the venue
// documents it for orders and amends alone. After a clock refusal (50102, 50036:
// definitely not executed) the clock is measured again and the request signed
// once more under the same deadline; after a refusal of posSide the position mode
// is read again and the order sent once more. But for the change of carriers below
// nothing else is ever repeated.
//
// With OrderEntry "websocket" orders, amends and cancels go over a private socket
// of their own, under the same limits, deadlines and judgement; algo orders have no
// words there and go by REST, as does protection that travels with an order. So does
// what the socket has not taken: because it is not up, because nothing was written,
// or because the venue refused the message and not the order. Instruments are named
// there by instIdCode.
//
// What the venue does not find by its name is looked for in its lists of what ended:
// only they can show that it does not exist. They are long, so one reading answers
// all questions that were put before it began (restclient.Shared).
//
// The position mode is the account's; the margin mode of an order is that of the
// instrument's open position, cross where there is none. Neither is ever changed.
//
// # Streams
//
// The venue splits its streams by path: /public has books, trades and mark
// prices, /business candles and algo orders, /private the account. Books bring
// their own snapshots and a chain of sequence numbers; the checksum they once had
// is dead and not looked at. The order channels bring no snapshot: after each
// connect the account reads its orders.
package okx
