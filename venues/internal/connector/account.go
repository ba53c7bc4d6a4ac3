package connector

import (
	"context"
	"sync/atomic"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wscall"
)

// OrderEntry is an account's WebSocket connection for orders. The zero value has none, and
// orders go by REST. It is safe for concurrent use.
type OrderEntry struct {
	calls atomic.Pointer[wscall.Client]
}

// Open makes the connection. close ends it; orders go by REST from then on.
func (e *OrderEntry) Open(o wscall.Options) (closeEntry func()) {
	calls := wscall.New(o)
	e.calls.Store(calls)
	return func() {
		e.calls.CompareAndSwap(calls, nil)
		calls.Close()
	}
}

// Up reports whether an order would be sent on the connection now.
func (e *OrderEntry) Up() bool { return e.Calls() != nil }

// Calls returns the connection; nil if an order cannot be sent on it now.
func (e *OrderEntry) Calls() *wscall.Client {
	if calls := e.calls.Load(); calls != nil && calls.Up() {
		return calls
	}
	return nil
}

// Leverage is how a venue changes the leverage of an instrument.
type Leverage struct {
	// Read reads the leverage; unknown is an error of its own after a change.
	Read func() (venues.Optional, error)
	// Write changes it. Its error is the caller's.
	Write func() error
	// Unreadable is the error for a leverage that is unknown after the change.
	Unreadable func() error
}

// Change changes the leverage and reads it back.
func (l Leverage) Change(change venues.LeverageChange) (venues.LeverageChange, error) {
	before, err := l.Read()
	if err != nil {
		return change, restclient.NotSent(err)
	}
	change.PreviousLeverage = before
	if err := l.Write(); err != nil {
		return change, err
	}
	after, err := l.Read()
	if err == nil && !after.Valid {
		err = l.Unreadable()
	}
	if err != nil {
		return change, restclient.OutcomeUnknown(err)
	}
	change.Leverage = after.Decimal
	return change, nil
}

// FreeMargin returns the available balance of a currency as read now.
func FreeMargin(ctx context.Context, a venues.AccountReader, currency string) (decimal.Decimal, error) {
	balances, err := a.Balances(ctx)
	if err != nil {
		return decimal.Decimal{}, err
	}
	return rejection.Available(balances, currency), nil
}

// marginDecimals are the digits of an estimated margin.
const marginDecimals = 8

// RequiredMargin estimates what an order needs: notional divided by leverage, plus the
// taker fee. The leverage must be known.
func RequiredMargin(qty, price, leverage, takerFee decimal.Decimal) decimal.Decimal {
	notional := qty.Mul(price)
	return notional.DivRound(leverage, marginDecimals).Add(notional.Mul(takerFee)).RoundCeil(marginDecimals)
}

// ExplainReduction distinguishes the two meanings of a rejected reduce-only order by the
// positions as read now; see rejection.WithReduction. If they cannot be read the rejection
// is returned as it is.
func ExplainReduction(ctx context.Context, a venues.AccountReader, r *venues.OrderRequest, rejected error) error {
	positions, err := a.Positions(ctx)
	if err != nil {
		return rejected
	}
	return rejection.WithReduction(rejected, r, positions)
}
