package account

import "strings"

// clientIDs makes the id under which a venue knows an order: the prefix of the
// installation (ClientIDPrefixLength characters) and the order's ULID in lower
// case, `[a-z0-9]{30}`. All three venues take it, nothing has to be remembered
// for it, and the order id can be read back out of it.
type clientIDs struct{ prefix string }

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
