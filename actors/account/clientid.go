package account

import (
	"strings"

	"venuegate/persistence"
	"venuegate/venues"
)

// clientIDs makes the id under which a venue knows an order: the prefix of the
// installation (ClientIDPrefixLength characters) and the order's ULID in lower
// case, `[a-z0-9]{30}`. All three venues take it, nothing has to be remembered
// for it, and the order id can be read back out of it.
type clientIDs struct {
	prefix   string
	customer string
	exchange venues.Venue
}

// ClientIDPrefixLength is the length of an installation's prefix.
const ClientIDPrefixLength = 4

// orderIDPrefix begins every order id.
const orderIDPrefix = "ord"

const ulidLength = 26

func (c clientIDs) of(orderID string) string {
	return c.prefix + strings.ToLower(strings.TrimPrefix(orderID, orderIDPrefix+"_"))
}

// orderID reads the order id out of a client id of this installation.
func (c clientIDs) orderID(clientID string) (string, bool) {
	if len(clientID) != len(c.prefix)+ulidLength || !strings.HasPrefix(clientID, c.prefix) {
		return "", false
	}
	return orderIDPrefix + "_" + strings.ToUpper(clientID[len(c.prefix):]), true
}

// orderOf is the id of the order that a report is about: the one that we gave it,
// or, for an order made outside this service, one that its venue's numbers decide.
func (c clientIDs) orderOf(r *venues.ExecutionReport) string {
	if id, ours := c.orderID(r.ClientOrderID); ours {
		return id
	}
	number, conditional := r.VenueOrderID, r.ConditionalID
	if r.ParentID != "" {
		number, conditional = r.ParentID, true
	}
	return persistence.ForeignOrderID(c.exchange, c.customer, r.Symbol, number, conditional)
}

// isAbout says whether a report that carries the client id of an order is about
// it: whoever trades outside this service may use an id again, there or elsewhere.
// The number of a stop changes with its trigger, that of an order never.
func (c clientIDs) isAbout(o *persistence.OrderRecord, r *venues.ExecutionReport) bool {
	if _, ours := c.orderID(r.ClientOrderID); ours {
		return true
	}
	isAnother := o.VenueOrderID != r.VenueOrderID && o.VenueOrderID != "" && o.ConditionalID == r.ConditionalID
	return o.Exchange == c.exchange && o.Symbol == r.Symbol && !isAnother
}
