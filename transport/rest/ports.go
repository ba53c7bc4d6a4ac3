package rest

import (
	"context"
	"net/netip"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/venues"
)

// Trader executes commands. Errors that a client may see are *venues.Error; their
// details may hold a venues.Order under "order". Implementations are safe for
// concurrent use and honour the context.
type Trader interface {
	// Place and Close return no error once the order is recorded; its status shows
	// whether the venue has acknowledged it.
	Place(ctx context.Context, c venues.PlaceOrder) (venues.Order, error)
	// CheckOrder places nothing.
	CheckOrder(ctx context.Context, c venues.PlaceOrder) (venues.OrderCheck, error)
	Close(ctx context.Context, c venues.ClosePosition) (venues.Order, error)
	Amend(ctx context.Context, c venues.AmendOrder) (venues.Order, error)
	Cancel(ctx context.Context, c venues.CancelOrder) (venues.Order, error)
	CancelAll(ctx context.Context, c venues.CancelOrders) ([]venues.CancelResult, error)
	SetLeverage(ctx context.Context, c venues.ChangeLeverage) (venues.LeverageChange, error)
}

// Accounts reads the customer's accounts on the requested venues. It returns the
// records of the venues that responded and a failure for each of the others, or the error
// of one if none responded. For a requested exchange that is not connected it returns a
// *venues.Error not_found.
type Accounts interface {
	Balances(ctx context.Context, q venues.ReadAccount) ([]venues.Balance, []venues.VenueFailure, error)
	Positions(ctx context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error)
}

// InstrumentSource returns the instruments of each venue, and false for a venue that
// this installation does not know. The sets are immutable.
type InstrumentSource interface {
	Instruments(exchange venues.Venue) (*venues.InstrumentSet, bool)
}

// Market reads public market data of the venues, by canonical symbols. Errors that a client
// may see are *venues.Error.
type Market interface {
	// BookSnapshot returns the message with which a subscription of the book begins. Books
	// that it opens count for the customer.
	BookSnapshot(ctx context.Context, customer string, exchange venues.Venue, symbol string, depth int) (venues.Frame, error)
	// Tickers returns the ticker of a symbol, or of all if it is empty, sorted by symbol.
	Tickers(ctx context.Context, exchange venues.Venue, symbol string) ([]venues.Ticker, error)
	// Trades returns the newest public trades, newest first, at most limit.
	Trades(ctx context.Context, exchange venues.Venue, symbol string, limit int) ([]venues.Trade, error)
	// Candles returns the candles of a period. The error is rate_limited if the venue's rate
	// limits leave no request for candles.
	Candles(ctx context.Context, q venues.ReadCandles) ([]venues.Candle, error)
}

// Records reads from the store; persistence.Reader implements it.
type Records interface {
	VenueAccounts(ctx context.Context, customer string) ([]persistence.VenueAccount, error)
	Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error)
	Orders(ctx context.Context, q persistence.OrderQuery) (persistence.Page[persistence.OrderRecord], error)
	Fills(ctx context.Context, q persistence.FillQuery) (persistence.Page[persistence.FillRecord], error)
	Events(ctx context.Context, customer, after string, limit int) ([]persistence.Event, error)
	EventsSince(ctx context.Context, customer string, seq uint64, limit int) ([]persistence.Event, error)
}

// Authenticator identifies the sender of a request; *auth.Authenticator implements
// it.
type Authenticator interface {
	Authenticate(ctx context.Context, key string, source netip.Addr) (auth.Principal, error)
}

// Health reports whether trading is possible.
type Health interface {
	Readiness() api.Readiness
	// Venues returns the state of each venue; Connected is not set.
	Venues() []api.VenueState
}
