package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// PositionSide tells the three books of positions apart: one per symbol in
// one-way mode, a long and a short one in hedge mode.
type PositionSide uint8

// Position sides.
const (
	PositionBoth PositionSide = iota
	PositionLong
	PositionShort
)

func (p PositionSide) String() string {
	return [...]string{"both", "long", "short"}[p]
}

// moneyDigits is the precision to which the venue keeps money.
const moneyDigits = 8

// position is one account's holding in one symbol and position side.
type position struct {
	side PositionSide
	// lots is signed: below zero is short.
	lots int64
	// cost is the entry value of the open lots, always positive.
	cost decimal.Decimal
	// realized is the profit taken since the position side was first used,
	// before fees.
	realized  decimal.Decimal
	isolated  decimal.Decimal
	openedAt  time.Time
	updatedAt time.Time
}

// apply executes change lots (signed) worth quote and returns the realised
// profit. A change through zero closes and opens anew.
func (p *position) apply(change int64, quote decimal.Decimal, now time.Time) decimal.Decimal {
	p.updatedAt = now
	if p.lots == 0 || sameSign(p.lots, change) {
		if p.lots == 0 {
			p.openedAt = now
		}
		p.lots += change
		p.cost = p.cost.Add(quote)
		return decimal.Zero
	}
	closing := min(abs(change), abs(p.lots))
	proceeds := share(quote, closing, abs(change))
	realized := p.reduce(closing, proceeds)
	if rest := abs(change) - closing; rest > 0 {
		p.lots = rest * sign(change)
		p.cost = quote.Sub(proceeds)
		p.openedAt = now
	}
	return realized
}

// reduce closes lots against proceeds.
func (p *position) reduce(lots int64, proceeds decimal.Decimal) decimal.Decimal {
	cost := share(p.cost, lots, abs(p.lots))
	profit := proceeds.Sub(cost).Mul(decimal.NewFromInt(sign(p.lots)))
	p.lots -= lots * sign(p.lots)
	p.cost = p.cost.Sub(cost)
	p.realized = p.realized.Add(profit)
	return profit
}

// share is part/whole of amount, to the venue's precision; the whole of it is
// exact, so that nothing is lost when shares are subtracted one by one.
func share(amount decimal.Decimal, part, whole int64) decimal.Decimal {
	if part == whole {
		return amount
	}
	return amount.Mul(decimal.NewFromInt(part)).DivRound(decimal.NewFromInt(whole), moneyDigits)
}

func (p *position) entryPrice(t *terms) decimal.Decimal {
	if p.lots == 0 {
		return decimal.Zero
	}
	return p.cost.DivRound(t.baseQty(abs(p.lots)), avgPriceDigits)
}

// unrealized is the profit at the mark price.
func (p *position) unrealized(t *terms, mark decimal.Decimal) decimal.Decimal {
	if p.lots == 0 {
		return decimal.Zero
	}
	value := t.notional(mark, abs(p.lots))
	return value.Sub(p.cost).Mul(decimal.NewFromInt(sign(p.lots))).Truncate(moneyDigits)
}

// reducible is how many lots an order of this side may close.
func (p *position) reducible(side Side) int64 {
	if p.lots*int64(side) >= 0 {
		return 0
	}
	return abs(p.lots)
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

func sign(n int64) int64 {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	default:
		return 0
	}
}

func sameSign(a, b int64) bool { return (a > 0) == (b > 0) }
