package simcore

import "github.com/shopspring/decimal"

// tiersReduced is by how many tiers a partial liquidation reduces a position. A
// position in a lower tier is liquidated in full.
const tiersReduced = 2

// backedPosition is an open position with its holding.
type backedPosition struct {
	*holding
	position *position
}

// crossPositions returns the open positions in cross margin.
func (a *account) crossPositions() []backedPosition {
	var open []backedPosition
	a.each(func(h *holding) {
		for i := range h.positions {
			if !h.isolated && h.positions[i].lots != 0 {
				open = append(open, backedPosition{h, &h.positions[i]})
			}
		}
	})
	return open
}

// excess returns the lots that a partial liquidation closes: those above the cap of
// the tier two below the position's own.
func (s backedPosition) excess() int64 {
	lots := abs(s.position.lots)
	tier := s.tier(s.notional(s.mark, lots))
	if tier < tiersReduced {
		return 0
	}
	return lots - s.Brackets[tier-tiersReduced].NotionalCap.Div(s.notional(s.mark, 1)).IntPart()
}

// lowestTierMargin returns the required margin at the rate of the lowest tier.
func (s backedPosition) lowestTierMargin(fee decimal.Decimal) decimal.Decimal {
	rate := s.Brackets[0].MaintenanceRate.Add(fee)
	return s.notional(s.mark, abs(s.position.lots)).Mul(rate)
}

// reduceByTiers closes a part of the position that requires the most margin among
// those in higher tiers. It closes nothing and returns false where there is none, and
// where the equity would not suffice for all positions in the lowest tier.
func (x *Exchange) reduceByTiers(a *account, equity decimal.Decimal, positions []backedPosition) bool {
	if !x.options.LiquidationByTiers {
		return false
	}
	var largest backedPosition
	least, most := decimal.Zero, decimal.Zero
	for _, one := range positions {
		least = least.Add(one.lowestTierMargin(a.closeFeeRate()))
		if need := a.requiredMargin(one.holding, one.position.side); one.excess() > 0 && need.GreaterThan(most) {
			largest, most = one, need
		}
	}
	if most.IsZero() || equity.LessThanOrEqual(least) {
		return false
	}
	largest.marginsDue = true
	x.liquidate(a, largest, largest.excess())
	return true
}
