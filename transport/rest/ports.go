package rest

import (
	"context"
	"net/netip"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/venues"
)

// Trader carries out commands. Errors are *venues.Error where a client may see
// them; details may hold a venues.Order under "order". Implementations are safe
// for concurrent use and honour the context.
type Trader interface {
	// Place and Close: no error means that the order is recorded; its status
	// says whether the venue has acknowledged it.
	Place(ctx context.Context, c venues.PlaceOrder) (venues.Order, error)
	Close(ctx context.Context, c venues.ClosePosition) (venues.Order, error)
	Amend(ctx context.Context, c venues.AmendOrder) (venues.Order, error)
	Cancel(ctx context.Context, c venues.CancelOrder) (venues.Order, error)
	CancelAll(ctx context.Context, c venues.CancelOrders) ([]venues.CancelResult, error)
	SetLeverage(ctx context.Context, c venues.ChangeLeverage) (venues.LeverageChange, error)
}

// Accounts reads the customer's accounts over the venues asked for. Venues that
// did not answer are named beside the records of those that did. An exchange
// that is asked for but not connected is a *venues.Error not_found.
type Accounts interface {
	Balances(ctx context.Context, q venues.ReadAccount) ([]venues.Balance, []venues.VenueFailure, error)
	Positions(ctx context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error)
}

// Catalogue has the instruments of each venue; false is a venue that this
// installation does not know. The sets are immutable.
type Catalogue interface {
	Instruments(exchange venues.Venue) (*venues.InstrumentSet, bool)
}

// Records is what is read from the store; persistence.Reader has it.
type Records interface {
	VenueAccounts(ctx context.Context, customer string) ([]persistence.VenueAccount, error)
	Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error)
	Orders(ctx context.Context, q persistence.OrderQuery) (persistence.Page[persistence.OrderRecord], error)
	Fills(ctx context.Context, q persistence.FillQuery) (persistence.Page[persistence.FillRecord], error)
	Events(ctx context.Context, customer, after string, limit int) ([]persistence.Event, error)
}

// Authenticator finds who sends a request; *auth.Authenticator is one.
type Authenticator interface {
	Authenticate(ctx context.Context, key string, source netip.Addr) (auth.Principal, error)
}

// Readiness says whether the service can serve; nil is yes.
type Readiness interface {
	Ready() error
}
