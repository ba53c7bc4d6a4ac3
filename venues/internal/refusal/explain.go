package refusal

import (
	"errors"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// WithMargin adds to a refusal for lack of margin the free margin as read now, and an
// estimate of what the order needs. Venues tell neither. What cannot be read is left
// out.
func WithMargin(refused error, free, needed func() (decimal.Decimal, error)) error {
	e, ok := errors.AsType[*venues.Error](refused)
	if !ok {
		return refused
	}
	if available, err := free(); err == nil {
		e = e.With("available", venues.FormatDecimal(available))
	}
	if required, err := needed(); err == nil {
		e = e.With("required", venues.FormatDecimal(required))
	}
	return e
}

// Available is the free balance of a currency.
func Available(balances []venues.Balance, currency string) decimal.Decimal {
	for _, b := range balances {
		if b.Currency == currency {
			return b.Available
		}
	}
	return decimal.Zero
}

// WithReduction tells apart what venues have one code for: there is nothing to reduce,
// or, where the positions have what the order reduces, other orders reduce it already.
func WithReduction(refused error, r *venues.OrderRequest, positions []venues.Position) error {
	e, ok := errors.AsType[*venues.Error](refused)
	if !ok {
		return refused
	}
	for _, p := range positions {
		if p.Symbol == r.Symbol && p.Side == r.Side.Reduces() {
			covered := e.With("reason", "exceeds_position")
			covered.Message = "other orders reduce the position already"
			return covered
		}
	}
	return refused
}

// WithLeverage is a refused change of leverage, with the reason and the highest
// leverage where they are known.
func WithLeverage(refused error, reason string, high venues.Optional) error {
	e, ok := errors.AsType[*venues.Error](refused)
	if !ok || !isDefinite(refused) {
		return refused
	}
	told := *e
	told.Code, told.Message = venues.CodeLeverageChangeRejected, "the venue refuses this leverage"
	e = &told
	if reason != "" {
		e = e.With("reason", reason)
	}
	if high.Valid {
		e = e.With("maxLeverage", venues.FormatDecimal(high.Decimal))
	}
	return e
}
