package channel

import (
	"context"
	"errors"

	"venuegate/persistence"
	"venuegate/venues"
)

// Executor is what a channel trades through: Live, or DryRun in test mode. Errors of
// the first three methods are those of the account's client.
type Executor interface {
	Place(ctx context.Context, o venues.PlaceOrder) (venues.Order, error)
	Close(ctx context.Context, c venues.ClosePosition) (venues.Order, error)
	CancelAll(ctx context.Context, c venues.CancelOrders) ([]venues.CancelResult, error)
	Reader
}

// PositionReader reads a customer's positions.
type PositionReader interface {
	Positions(ctx context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error)
}

// Reader reads a customer's accounts and orders.
type Reader interface {
	PositionReader
	Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error)
	UnfinishedOrders(ctx context.Context, customer string, exchange venues.Venue) ([]persistence.OrderRecord, error)
	Idempotency(ctx context.Context, customer, scope, requestID string) (persistence.IdempotencyRecord, error)
}

// Trader carries out orders.
type Trader interface {
	Place(ctx context.Context, o venues.PlaceOrder) (venues.Order, error)
	Close(ctx context.Context, c venues.ClosePosition) (venues.Order, error)
	CancelAll(ctx context.Context, c venues.CancelOrders) ([]venues.CancelResult, error)
}

// Live is the executor of a channel that trades.
type Live struct {
	Trader
	Reader
}

// DryRun is the executor of a channel in test mode. It can read, and has no access to
// the trading methods of a venue.
type DryRun struct{ Reader }

// ErrDryRun is returned by the trading methods of DryRun.
var ErrDryRun = errors.New("channel: in test mode nothing is sent")

// Place returns ErrDryRun.
func (DryRun) Place(context.Context, venues.PlaceOrder) (venues.Order, error) {
	return venues.Order{}, ErrDryRun
}

// Close returns ErrDryRun.
func (DryRun) Close(context.Context, venues.ClosePosition) (venues.Order, error) {
	return venues.Order{}, ErrDryRun
}

// CancelAll returns ErrDryRun.
func (DryRun) CancelAll(context.Context, venues.CancelOrders) ([]venues.CancelResult, error) {
	return nil, ErrDryRun
}
