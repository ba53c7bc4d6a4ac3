package account

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// realized is the P&L of an execution at the average cost of what is open before
// it; it serves where the venue tells none. It is unknown if that cost is.
func (b *book) realized(e execution) venues.Optional {
	side := e.position
	if side == "" {
		side = e.side.Reduces()
	} else if side == e.side.Opens() {
		return venues.Some(decimal.Zero)
	}
	l := b.now.of(side)
	open := openQty(l)
	qty := decimal.Min(e.qty, open)
	switch {
	case !qty.IsPositive():
		return venues.Some(decimal.Zero)
	case !l.OpenCost.IsPositive():
		return venues.Optional{}
	}
	gain := e.price.Mul(qty).Sub(l.OpenCost.Mul(qty).DivRound(open, avgPriceDecimals))
	if side == venues.Short {
		gain = gain.Neg()
	}
	return venues.Some(gain)
}

// costWithEntry is what is open of a position has cost once an execution has
// entered. It stays unknown, which is zero, if it was before.
func costWithEntry(l *holding, e execution) decimal.Decimal {
	open := openQty(l)
	switch {
	case open.IsNegative(): // an exit became known first
		return e.price.Mul(decimal.Max(decimal.Zero, open.Add(e.qty)))
	case open.IsPositive() && l.OpenCost.IsZero():
		return decimal.Zero
	}
	return l.OpenCost.Add(e.price.Mul(e.qty))
}

// costOfPart is the cost of a quantity at the average of what is open.
func costOfPart(l *holding, qty decimal.Decimal) decimal.Decimal {
	open := openQty(l)
	if !open.IsPositive() || !qty.IsPositive() {
		return decimal.Zero
	}
	return l.OpenCost.Mul(qty).DivRound(open, avgPriceDecimals)
}
