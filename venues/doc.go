// Package venues defines the trading terms of the service and the interfaces through
// which it reaches a venue. It imports no other package of the service, so every package
// can use its terms.
//
// # Glossary
//
// Names on the wire are those of the public interface; Go uses the terms of the field.
//
//	absence check      query that confirms that an order with an unknown outcome does not exist at the venue
//	adopted order      order placed outside the service and found by reconciliation (SourceVenue)
//	book               order book of one instrument
//	bracket            order with its protection: entry, stop loss and take profit
//	channel            integration channel: a customer's webhook or chart hook. On the wire also a stream topic
//	client order id    id of an order that the service gives the venue, a pure function of the order id (ClientOrderID)
//	deadline           time after which an order must not be sent or executed
//	delivery           one event on its way to one endpoint, with its attempts
//	delta              message that changes levels of a book; contrast snapshot
//	dry run            trading against the live market without sending orders
//	endpoint           customer's URL that receives events by webhook
//	epoch              period in which a topic's seq counts without a break; a new one begins with a snapshot
//	event              record of something that happened, published to customers and to endpoints
//	exchange           Venue on the wire: a code such as "binance"
//	execution          see fill
//	fence              number that makes the writes of an earlier owner of some state fail
//	fill               one execution of an order against the market (Fill, filledQty, avgPrice)
//	gap                missing sequence number in a stream, or a price that jumps over a level
//	hedge mode         account mode in which an instrument has a long and a short position at the same time
//	instrument         one contract of a venue with its trading rules
//	intent             record of a request, stored before it is sent to the venue
//	journal            ordered log of the changes of stored state
//	leg                one of the orders of a protection: stop loss or take profit
//	mark price         price at which the venue values positions
//	netting            computing a position from fills
//	notional           quantity times price, in quote currency
//	order              request to buy or sell, with its status at the venue
//	order id           the service's own id, made before anything is sent (orderId)
//	position           quantity held in one instrument, long or short
//	post-only          order that is cancelled rather than taking liquidity
//	protection         stop loss and take profit that close a position
//	quantity step      smallest difference between two quantities (qtyStep)
//	rate limit         number of requests or their weight that a venue accepts within a time
//	reconciliation     comparing the service's state with what the venue returns, and adopting the difference
//	reduce-only        order that can only make a position smaller
//	requestId          the client's idempotency key (RequestID)
//	snapshot           complete state of a topic, such as a book
//	stale              state that may miss messages and is not trustworthy until the next snapshot
//	tick size          smallest difference between two prices
//	topic              named stream to which clients subscribe, such as book:binance:BTCUSDT:20
//	trigger            price at which a stop becomes an order of the matching engine
//	unknown outcome    request without an answer: the venue may or may not have executed it (ErrOutcomeUnknown)
//	venue              trading venue (exchange)
//	venue order id     the venue's id of an order (venueOrderId)
//	view               copy of the best levels of a book at one time
//	weight             cost of a request under a venue's rate limit
//
// # Units
//
// Quantities are in base coin on every venue. A contract of the public interface is one
// base coin; a venue's contract multiplier is not visible outside its connector. Prices
// are in quote currency. All are decimals: money and sizes are never floats. An unknown
// value is an unknown Optional, never zero.
//
// # Outcomes
//
// A call that changes something at a venue ends in one of four ways: a report; an explicit
// rejection (an *Error); an error joined with ErrNotSent, if certainly no byte was sent; or
// an error joined with ErrOutcomeUnknown in all other cases. Connectors send each such call
// at most once.
//
// # Adding a venue
//
// A connector is a package venues/<venue> with the same files as the others. Next to it, in
// <venue>sim, is a simulator that speaks the venue's protocol. The connector implements
// Connector and Account, states its Capabilities and passes the conformance suite of
// venues/venuetest.
// Outside its folder a venue has two more places: its code in All (venue.go) and its row in
// cmd/venuegate/venuetable.go; the API documents, the configuration, the command line and
// the simulators derive from them.
//
// The packages below venues/internal hold what venues have in common, so that a connector
// contains its venue's protocol and nothing else: connector has the settings, the call loop
// and what venues compute alike, restclient sends requests under the venue's rate limits,
// exchange sends those of order entry once, over connections of its own, wsclient maintains
// a connection, feed the public streams and session the private stream over such
// connections, wscall sends orders over one, payload and scan decode messages, rejection
// classifies the venue's error codes, and openpositions tracks which positions are known to
// be open.
package venues
