package simcore

import "github.com/shopspring/decimal"

// defaultLeverage is what DefaultLeverage answers where the brackets allow it.
const defaultLeverage = 20

// holding is everything that one account has in one symbol.
type holding struct {
	*symbol
	leverage  int
	isolated  bool
	positions [3]position
	// orders counts the value of resting orders that may open, by position
	// side and then by order side (0 bids, 1 asks).
	orders [3][2]decimal.Decimal
	open   int
}

func newHolding(s *symbol) *holding {
	h := &holding{symbol: s, leverage: DefaultLeverage(s.Instrument)}
	for side := range h.positions {
		h.positions[side].side = PositionSide(side)
	}
	return h
}

func bidAsk(side Side) int {
	if side == Buy {
		return 0
	}
	return 1
}

// reserve adds the open value of a resting order; sign -1 gives it back.
func (h *holding) reserve(o *Order, lots, sign int64) {
	if o.ReduceOnly {
		return
	}
	at := &h.orders[o.PosSide][bidAsk(o.Side)]
	*at = at.Add(h.quote(o.ticks, lots*sign))
}

func (h *holding) position(side PositionSide) *position { return &h.positions[side] }

// initialMargin is the margin of position and open orders of one position side
// at the mark price: the larger of what filling all bids and what filling all
// asks would leave, over the leverage.
func (h *holding) initialMargin(side PositionSide) decimal.Decimal {
	return h.initialMarginWith(side, decimal.Zero, decimal.Zero)
}

func (h *holding) initialMarginWith(side PositionSide, bid, ask decimal.Decimal) decimal.Decimal {
	held := h.notional(h.mark, h.positions[side].lots)
	long := held.Add(h.orders[side][0]).Add(bid).Abs()
	short := held.Sub(h.orders[side][1]).Sub(ask).Abs()
	if side != PositionBoth {
		// A closing order of hedge mode reserves nothing, so only the opening
		// direction is ever counted here.
		long, short = held.Abs().Add(h.orders[side][0]).Add(h.orders[side][1]).Add(bid).Add(ask), decimal.Zero
	}
	return quotient(decimal.Max(long, short), int64(h.leverage))
}

func (h *holding) positionMargin(side PositionSide) decimal.Decimal {
	held := h.notional(h.mark, abs(h.positions[side].lots))
	return quotient(held, int64(h.leverage))
}

func (h *holding) maintenanceMargin(side PositionSide) decimal.Decimal {
	lots := abs(h.positions[side].lots)
	if lots == 0 {
		return decimal.Zero
	}
	value := h.notional(h.mark, lots)
	tier := h.bracket(value)
	return value.Mul(tier.MaintenanceRate).Sub(tier.MaintenanceCum).Truncate(moneyDigits)
}

func (h *holding) unrealized(side PositionSide) decimal.Decimal {
	return h.positions[side].unrealized(h.terms, h.mark)
}

func (h *holding) flat() bool {
	for i := range h.positions {
		if h.positions[i].lots != 0 {
			return false
		}
	}
	return true
}

// DefaultLeverage is the leverage of a symbol that an account never touched.
func DefaultLeverage(i *Instrument) int { return min(defaultLeverage, i.LeverageMax()) }
