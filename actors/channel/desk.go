package channel

import (
	"context"
	"errors"

	"venuegate/persistence"
	"venuegate/venues"
)

// Desk is what a channel trades through: Trading, or Rehearsal in test mode.
// Errors of the first three are those of the account's client.
type Desk interface {
	Place(ctx context.Context, o venues.PlaceOrder) (venues.Order, error)
	Close(ctx context.Context, c venues.ClosePosition) (venues.Order, error)
	CancelAll(ctx context.Context, c venues.CancelOrders) ([]venues.CancelResult, error)
	Reader
}

// Reader is what can be read of a customer's accounts and orders.
type Reader interface {
	Positions(ctx context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error)
	Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error)
	UnfinishedOrders(ctx context.Context, customer string, exchange venues.Venue) ([]persistence.OrderRecord, error)
	Idempotency(ctx context.Context, customer, scope, requestID string) (persistence.IdempotencyRecord, error)
}

// Trader carries orders out.
type Trader interface {
	Place(ctx context.Context, o venues.PlaceOrder) (venues.Order, error)
	Close(ctx context.Context, c venues.ClosePosition) (venues.Order, error)
	CancelAll(ctx context.Context, c venues.CancelOrders) ([]venues.CancelResult, error)
}

// Trading is the desk of a channel that trades.
type Trading struct {
	Trader
	Reader
}

// Rehearsal is the desk of a channel in test mode. It has no way to a venue but
// to read.
type Rehearsal struct{ Reader }

// ErrRehearsal is the answer to whoever would trade in test mode.
var ErrRehearsal = errors.New("channel: in test mode nothing is sent")

// Place places nothing.
func (Rehearsal) Place(context.Context, venues.PlaceOrder) (venues.Order, error) {
	return venues.Order{}, ErrRehearsal
}

// Close closes nothing.
func (Rehearsal) Close(context.Context, venues.ClosePosition) (venues.Order, error) {
	return venues.Order{}, ErrRehearsal
}

// CancelAll cancels nothing.
func (Rehearsal) CancelAll(context.Context, venues.CancelOrders) ([]venues.CancelResult, error) {
	return nil, ErrRehearsal
}
