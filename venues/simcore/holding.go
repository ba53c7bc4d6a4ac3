package simcore

import "github.com/shopspring/decimal"

// defaultLeverage is the leverage of a new holding where the brackets allow it.
const defaultLeverage = 20

// holding is everything that one account has in one symbol.
type holding struct {
	*symbol
	owner     *account
	leverage  int
	isolated  bool
	positions [3]position
	// orders is the value of resting orders that may open, by position side and then
	// by order side (0 bids, 1 asks).
	orders [3][2]decimal.Decimal
	open   int
}

func newHolding(a *account, s *symbol) *holding {
	h := &holding{symbol: s, owner: a, leverage: DefaultLeverage(s.Instrument)}
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

// reserve adds the value of lots of a resting order to the open orders; a sign of -1
// subtracts it.
func (h *holding) reserve(o *Order, lots, sign int64) {
	if o.ReduceOnly {
		return
	}
	at := &h.orders[o.PosSide][bidAsk(o.Side)]
	*at = at.Add(h.quote(o.ticks, lots*sign))
}

func (h *holding) position(side PositionSide) *position { return &h.positions[side] }

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

// DefaultLeverage returns the leverage of a symbol until the account changes it.
func DefaultLeverage(i *Instrument) int { return min(defaultLeverage, i.LeverageMax()) }
