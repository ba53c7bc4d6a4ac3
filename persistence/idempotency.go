package persistence

import (
	"time"

	"venuegate/venues"
)

// ScopeREST is the idempotency scope of POST /v1/orders. The scope of a channel's
// signals is the id of the channel.
const ScopeREST = "rest"

// IdempotencyWindow is the time from the first receipt for which a request id is bound
// to its order.
const IdempotencyWindow = 24 * time.Hour

// IdempotencyRecord binds a request id to the order that it has created. If certainly
// nothing was placed, or the window has passed, the request id can be used again, for
// another attempt with a new order id.
type IdempotencyRecord struct {
	Customer  string `json:"customer"`
	Scope     string `json:"scope"`
	RequestID string `json:"requestId"`
	// Attempt numbers the uses of the request id from 1.
	Attempt int    `json:"attempt"`
	OrderID string `json:"orderId"`
	// BodyHash is the SHA-256 of the canonical body.
	BodyHash      []byte      `json:"bodyHash"`
	FirstReceived venues.Time `json:"firstReceived"`
	// FreedAt is the time from which the request id can be used again, because nothing
	// was placed; zero if it is bound for the whole window.
	FreedAt venues.Time `json:"freedAt"`
}

// Holds reports whether the record still binds its request id at time now.
func (r *IdempotencyRecord) Holds(now time.Time) bool {
	return r.FreedAt.IsZero() && now.Before(r.FirstReceived.Add(IdempotencyWindow))
}
