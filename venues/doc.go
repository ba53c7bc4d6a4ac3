// Package venues holds the trading words of the service and the port through
// which it reaches a venue. It imports nothing else of the service, so every
// room can speak its language.
//
// # Words
//
// The wire uses the specification's words, Go the field's:
//
//	wire          Go                   meaning
//	exchange      Venue                trading venue, a code such as "binance"
//	requestId     RequestID            the client's idempotency key
//	orderId       OrderID              the service's own id, made before anything is sent
//	-             ClientOrderID        what the venue is told as our id, a pure function of OrderID
//	venueOrderId  VenueOrderID         the venue's id
//	filledQty     FilledQty            cumulative filled quantity
//	avgPrice      AvgPrice             average price of the fills
//	book          BookUpdate           snapshot or absolute level changes
//	seq           Seq                  position in a stream topic
//
// "Channel" is an integration channel (hook); a stream channel is a Topic.
//
// # Units
//
// Quantities are in base coin on every venue; a contract of the interface is
// one base coin, and a venue's multiplier never leaves its connector. Prices
// are in quote currency. All are decimals: there is no float for money or size
// anywhere. Unknown is unknown (Optional), never a made-up zero.
//
// # Outcomes
//
// A call that changes something at a venue ends in one of four ways: a report;
// an explicit refusal (an *Error); an error joined with ErrNotSent, when it is
// proved that no byte left; or an error joined with ErrOutcomeUnknown, for
// everything else. Connectors send each such call at most once.
//
// # Adding a venue
//
// A connector lives in venues/<venue> with the same files as the others, a
// simulator that speaks the venue's protocol beside it in <venue>sim, and
// passes the suite of venues/venuetest. It implements Connector and Account and
// states its Capabilities.
//
// What venues have in common is below venues/internal, so that a connector holds its
// venue's protocol and nothing else: restclient sends requests under the venue's
// limits, wsclient keeps a connection alive, feed keeps the public streams and session
// the private one over such connections, wscall sends orders over one, payload and
// scan read what comes, refusal turns a no into the service's words, openpositions
// knows which positions have an end to be told.
package venues
