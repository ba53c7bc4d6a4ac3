package rejection

import (
	"errors"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// WithMargin adds the free margin as read now and an estimate of what the order requires
// to a rejection for lack of margin. Venues report neither. A value that cannot be read
// is left out.
func WithMargin(rejected error, free, needed func() (decimal.Decimal, error)) error {
	e, ok := errors.AsType[*venues.Error](rejected)
	if !ok {
		return rejected
	}
	if available, err := free(); err == nil {
		e = e.With("available", venues.FormatDecimal(available))
	}
	if required, err := needed(); err == nil {
		e = e.With("required", venues.FormatDecimal(required))
	}
	return e
}

// Available returns the available balance of a currency.
func Available(balances []venues.Balance, currency string) decimal.Decimal {
	for _, b := range balances {
		if b.Currency == currency {
			return b.Available
		}
	}
	return decimal.Zero
}

// WithReduction distinguishes two cases that have one code at the venue: there is no
// position to reduce, or other orders already reduce the whole position.
func WithReduction(rejected error, r *venues.OrderRequest, positions []venues.Position) error {
	e, ok := errors.AsType[*venues.Error](rejected)
	if !ok {
		return rejected
	}
	for _, p := range positions {
		if p.Symbol == r.Symbol && p.Side == r.Side.Reduces() {
			covered := e.With("reason", "exceeds_position")
			covered.Message = "other orders reduce the position already"
			return covered
		}
	}
	return rejected
}

// WithLeverage returns a rejected change of leverage, with the reason and the maximum
// leverage if they are known.
func WithLeverage(rejected error, reason string, maxLeverage venues.Optional) error {
	e, ok := errors.AsType[*venues.Error](rejected)
	if !ok || !isRejection(rejected) {
		return rejected
	}
	changed := *e
	changed.Code, changed.Message = venues.CodeLeverageChangeRejected, "the venue rejects this leverage"
	e = &changed
	if reason != "" {
		e = e.With("reason", reason)
	}
	if maxLeverage.Valid {
		e = e.With("maxLeverage", venues.FormatDecimal(maxLeverage.Decimal))
	}
	return e
}
