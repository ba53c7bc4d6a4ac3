package connector

import (
	"context"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/rejection"
)

// marginDecimals is the number of decimals of an estimated margin.
const marginDecimals = 8

// MarginEstimate has what an estimate of an order's margin requires.
type MarginEstimate struct {
	// Currency is the settlement currency of the instrument; empty if it is unknown.
	Currency string
	// LastPrice reads the last traded price, for an order without a price.
	LastPrice func() (decimal.Decimal, error)
	// Leverage reads the leverage of the instrument.
	Leverage func() (venues.Optional, error)
	// Required returns the margin for a notional.
	Required func(notional, leverage decimal.Decimal) decimal.Decimal
}

// ExplainMargin adds free and required margin to a rejection for lack of margin; see
// rejection.WithMargin.
func ExplainMargin(ctx context.Context, a venues.AccountReader, r *venues.OrderRequest, rejected error, m MarginEstimate) error {
	free := func() (decimal.Decimal, error) { return m.free(ctx, a) }
	required := func() (decimal.Decimal, error) { return m.required(r) }
	return rejection.WithMargin(rejected, free, required)
}

// free returns the available balance as read now.
func (m MarginEstimate) free(ctx context.Context, a venues.AccountReader) (decimal.Decimal, error) {
	if m.Currency == "" {
		return decimal.Decimal{}, payload.Missing("settlement currency")
	}
	balances, err := a.Balances(ctx)
	if err != nil {
		return decimal.Decimal{}, err
	}
	return rejection.Available(balances, m.Currency), nil
}

func (m MarginEstimate) required(r *venues.OrderRequest) (decimal.Decimal, error) {
	price := r.Price.Decimal
	if !r.Price.Valid {
		var err error
		if price, err = m.LastPrice(); err != nil {
			return decimal.Decimal{}, err
		}
	}
	leverage, err := m.Leverage()
	if err == nil && !leverage.Valid {
		err = payload.Missing("leverage")
	}
	if err != nil {
		return decimal.Decimal{}, err
	}
	return m.Required(r.Qty.Mul(price), leverage.Decimal).RoundCeil(marginDecimals), nil
}

// MarginWithFee returns the estimate of venues that require notional divided by leverage,
// plus the taker fee.
func MarginWithFee(takerFee decimal.Decimal) func(notional, leverage decimal.Decimal) decimal.Decimal {
	return func(notional, leverage decimal.Decimal) decimal.Decimal {
		return notional.DivRound(leverage, marginDecimals).Add(notional.Mul(takerFee))
	}
}

// ExplainReduction distinguishes the two meanings of a rejected reduce-only order by the
// positions as read now; see rejection.WithReduction. If they cannot be read the rejection
// is returned unchanged.
func ExplainReduction(ctx context.Context, a venues.AccountReader, r *venues.OrderRequest, rejected error) error {
	positions, err := a.Positions(ctx)
	if err != nil {
		return rejected
	}
	return rejection.WithReduction(rejected, r, positions)
}
