package simcore

import "github.com/shopspring/decimal"

// tiersLost is how many tiers a partial liquidation takes off a position. One in a
// lower tier is lost as a whole.
const tiersLost = 2

// stake is a position that a margin backs.
type stake struct {
	*holding
	position *position
}

// crossStakes are the positions that the cross margin backs.
func (a *account) crossStakes() []stake {
	var stakes []stake
	a.each(func(h *holding) {
		for i := range h.positions {
			if !h.isolated && h.positions[i].lots != 0 {
				stakes = append(stakes, stake{h, &h.positions[i]})
			}
		}
	})
	return stakes
}

// excess is how much of a position a partial liquidation closes: what lies above
// the tier two below its own.
func (s stake) excess() int64 {
	lots := abs(s.position.lots)
	tier := s.tier(s.notional(s.mark, lots))
	if tier < tiersLost {
		return 0
	}
	return lots - s.Brackets[tier-tiersLost].NotionalCap.Div(s.notional(s.mark, 1)).IntPart()
}

// least is what a position would have to be backed with in the lowest tier.
func (s stake) least(fee decimal.Decimal) decimal.Decimal {
	rate := s.Brackets[0].MaintenanceRate.Add(fee)
	return s.notional(s.mark, abs(s.position.lots)).Mul(rate)
}

// takeDown closes a part of the position that asks for the most margin among those
// in higher tiers. It does nothing, and says so, where there is none and where the
// equity would not even bear all of them in the lowest tier.
func (x *Exchange) takeDown(a *account, equity decimal.Decimal, stakes []stake) bool {
	if !x.options.LiquidationByTiers {
		return false
	}
	var largest stake
	least, most := decimal.Zero, decimal.Zero
	for _, one := range stakes {
		least = least.Add(one.least(a.keepingFee()))
		if need := a.needed(one.holding, one.position.side); one.excess() > 0 && need.GreaterThan(most) {
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
