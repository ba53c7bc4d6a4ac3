package okx

import (
	"context"
	"net/http"
	"sync"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/openpositions"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/session"
)

// Account is one customer's trading account. It is safe for concurrent use.
type Account struct {
	c           *Connector
	credentials venues.Credentials
	limits      rateLimits
	mode        connector.ModeCache
	// lastAck is when the last acknowledged change of an order began; the private stream
	// must report an event after it.
	lastAck   session.LastAck
	positions openpositions.Tracker
	// closedAlgos and, by venue symbol, closedOrders share one read of the closed stops
	// and orders among concurrent queries; see rest_closed.go.
	closedAlgos  *restclient.SharedRead[closedAlgos]
	closedOrders sync.Map
	// entry is the connection for orders while the private stream is open, if OrderEntry
	// selects it.
	entry connector.OrderEntry
	// codeRejected has the venue symbols of instruments whose code the venue rejects on
	// that connection. It is bounded by the number of instruments.
	codeRejected sync.Map
}

func newAccount(c *Connector, credentials venues.Credentials) *Account {
	return &Account{c: c, credentials: credentials, closedAlgos: restclient.NewSharedRead[closedAlgos]()}
}

// get sends a signed read.
func (a *Account) get(ctx context.Context, path string, query restclient.Params, perWindow int, out any) error {
	return a.c.call(ctx, a.signedRead(path, query, perWindow), out)
}

// signedRead returns the request of a signed read. perWindow is the venue's rate limit of the
// path per account.
func (a *Account) signedRead(path string, query restclient.Params, perWindow int) request {
	return request{
		method: http.MethodGet, path: path, query: query, account: a,
		priority: restclient.PriorityReconcile, limit: rateLimit{name: path, requests: perWindow},
	}
}
