package account

import (
	"strings"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// clientIDs converts between order ids and client order ids. A client order id is the
// prefix of the installation (ClientIDPrefixLength characters) followed by the order's ULID
// in lower case, `[a-z0-9]{30}`. All venues accept it, and it can be converted back without
// the store.
type clientIDs struct {
	prefix   string
	customer string
	exchange venues.Venue
}

// ClientIDPrefixLength is the length of an installation's prefix.
const ClientIDPrefixLength = 4

// orderIDPrefix is the prefix of every order id.
const orderIDPrefix = "ord"

const ulidLength = 26

// of returns the client order id of an order id.
func (c clientIDs) of(orderID string) string {
	return c.prefix + strings.ToLower(strings.TrimPrefix(orderID, orderIDPrefix+"_"))
}

// orderID returns the order id of a client order id; false if this installation has not
// made it.
func (c clientIDs) orderID(clientID string) (string, bool) {
	if !c.isOurs(clientID) {
		return "", false
	}
	return orderIDPrefix + "_" + strings.ToUpper(clientID[len(c.prefix):]), true
}

// isOurs reports whether a client order id was made by this installation.
func (c clientIDs) isOurs(clientID string) bool {
	return len(clientID) == len(c.prefix)+ulidLength && strings.HasPrefix(clientID, c.prefix)
}

// identityOf returns the identity under which a reported order is adopted if it was made
// outside this service. It follows from the venue order id.
func (c clientIDs) identityOf(r *venues.ExecutionReport) string {
	number, conditional := r.VenueOrderID, r.ConditionalID
	if r.ParentID != "" {
		number, conditional = r.ParentID, true
	}
	return persistence.AdoptedIdentity(c.exchange, c.customer, r.Symbol, number, conditional)
}

// adoptedAt returns the order id of a reported order that is adopted and was made at a time:
// the one in its client order id or, if it was made outside this service, a new one.
func (c clientIDs) adoptedAt(r *venues.ExecutionReport, made time.Time) string {
	if id, ours := c.orderID(r.ClientOrderID); ours {
		return id
	}
	return persistence.AdoptedOrderID(c.identityOf(r), made)
}

// isAbout reports whether a report with the client order id of an order is about that
// order: other clients may use an id again, for any instrument. The venue order id of a stop
// changes when it is triggered, that of another order never.
func (c clientIDs) isAbout(o *persistence.OrderRecord, r *venues.ExecutionReport) bool {
	if c.isOurs(r.ClientOrderID) {
		return true
	}
	isAnother := o.VenueOrderID != r.VenueOrderID && o.VenueOrderID != "" && o.ConditionalID == r.ConditionalID
	return o.Exchange == c.exchange && o.Symbol == r.Symbol && !isAnother
}
