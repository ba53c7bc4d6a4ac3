package simcore

import "github.com/shopspring/decimal"

// Margins. Let V be a position's value at entry and M its value at the mark price, L
// the leverage, f the taker fee with [Options.MarginIncludesFees] and otherwise zero,
// and d 1 for a purchase and -1 for a sale. The margin of a position is M/L and the fee
// of closing it at its bankruptcy price, V x (1 - d/L) x f. The margin of the opening
// part of an order is its value over L and both fees, value x (2 - d/L) x f.

// marginFee returns the fee rate that margins include.
func (a *account) marginFee() decimal.Decimal {
	if a.rules.MarginIncludesFees {
		return a.feeTaker
	}
	return decimal.Zero
}

// divideByLeverage returns an amount divided by the leverage, rounded as the venue
// rounds margins.
func (h *holding) divideByLeverage(amount decimal.Decimal) decimal.Decimal {
	if amount.IsZero() { // as most are: two of three position sides are never used
		return decimal.Zero
	}
	const guardDigits = 8
	margin := amount.DivRound(decimal.NewFromInt(int64(h.leverage)), moneyDigits+guardDigits)
	return h.owner.roundMargin(margin)
}

func (a *account) roundMargin(margin decimal.Decimal) decimal.Decimal {
	if a.rules.MarginIncludesFees {
		return margin.RoundCeil(moneyDigits)
	}
	return margin.Truncate(moneyDigits)
}

// closingFee returns the fee of closing a position that was opened for a value, times
// the leverage.
func (h *holding) closingFee(direction int64, value decimal.Decimal) decimal.Decimal {
	return value.Mul(h.owner.marginFee()).Mul(decimal.NewFromInt(int64(h.leverage) - direction))
}

// openingFees returns the fees of opening and closing a value, times the leverage.
func (h *holding) openingFees(direction int64, value decimal.Decimal) decimal.Decimal {
	return value.Mul(h.owner.marginFee()).Mul(decimal.NewFromInt(2*int64(h.leverage) - direction))
}

// openingMargin returns the margin of a position that is opened for a value.
func (h *holding) openingMargin(direction int64, value decimal.Decimal) decimal.Decimal {
	return h.divideByLeverage(value.Add(h.closingFee(direction, value)))
}

// initialMargin returns the margin of the position and the open orders of one position
// side at the mark price: the larger of those after filling all bids and after filling
// all asks.
func (h *holding) initialMargin(side PositionSide) decimal.Decimal {
	return h.initialMarginWith(side, decimal.Zero, decimal.Zero)
}

// initialMarginWith returns initialMargin with additional bids or asks.
func (h *holding) initialMarginWith(side PositionSide, bid, ask decimal.Decimal) decimal.Decimal {
	long, short := h.growth(side, bid, ask)
	long, short = long.Add(h.openingFees(1, long)), short.Add(h.openingFees(-1, short))
	return h.divideByLeverage(h.heldValue(side).Add(decimal.Max(long, short)))
}

// exposureWith returns the position value on which initialMarginWith is based.
func (h *holding) exposureWith(side PositionSide, bid, ask decimal.Decimal) decimal.Decimal {
	return h.notional(h.mark, abs(h.positions[side].lots)).Add(decimal.Max(h.growth(side, bid, ask)))
}

// growth returns by how much filling all bids, and filling all asks, would increase
// the value of a position. One of the two may be negative.
func (h *holding) growth(side PositionSide, bid, ask decimal.Decimal) (long, short decimal.Decimal) {
	bids, asks := h.orders[side][bidAsk(Buy)].Add(bid), h.orders[side][bidAsk(Sell)].Add(ask)
	if side != PositionBoth {
		// A closing order of hedge mode reserves nothing, so only the opening
		// direction is included here.
		return bids, asks
	}
	held := h.notional(h.mark, h.positions[side].lots)
	return held.Add(bids).Abs().Sub(held.Abs()), held.Sub(asks).Abs().Sub(held.Abs())
}

// heldValue returns the margin of a position at the mark price, times the leverage.
func (h *holding) heldValue(side PositionSide) decimal.Decimal {
	p := &h.positions[side]
	return h.notional(h.mark, abs(p.lots)).Add(h.closingFee(sign(p.lots), p.cost))
}

func (h *holding) positionMargin(side PositionSide) decimal.Decimal {
	return h.divideByLeverage(h.heldValue(side))
}

func (h *holding) maintenanceMargin(side PositionSide) decimal.Decimal {
	lots := abs(h.positions[side].lots)
	if lots == 0 {
		return decimal.Zero
	}
	value := h.notional(h.mark, lots)
	tier := h.bracket(value)
	return h.owner.roundMargin(value.Mul(tier.MaintenanceRate).Sub(tier.MaintenanceCum).Add(h.feeToClose(side)))
}

// feeToClose returns the part of a position's margin for its closing fee.
func (h *holding) feeToClose(side PositionSide) decimal.Decimal {
	p := &h.positions[side]
	return h.divideByLeverage(h.closingFee(sign(p.lots), p.cost))
}

// isolatedAfter returns the isolated wallet of a position after a change: opening
// adds margin, closing releases the closed share.
func (h *holding) isolatedAfter(p *position, before int64, quote decimal.Decimal) decimal.Decimal {
	switch {
	case p.lots == 0:
		return decimal.Zero
	case before == 0 || !sameSign(before, p.lots):
		return h.openingMargin(sign(p.lots), p.cost)
	case abs(p.lots) > abs(before):
		return p.isolated.Add(h.openingMargin(sign(p.lots), quote))
	default:
		return share(p.isolated, abs(p.lots), abs(before))
	}
}
