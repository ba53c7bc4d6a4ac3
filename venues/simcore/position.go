package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// PositionSide is the side of a position: PositionBoth in one-way mode, PositionLong
// or PositionShort in hedge mode.
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

// moneyDigits is the number of decimal places of amounts of money.
const moneyDigits = 8

// position is the position of one account in one symbol and position side.
type position struct {
	side PositionSide
	// lots is signed: negative is short.
	lots int64
	// cost is the entry value of the open lots, always positive.
	cost decimal.Decimal
	// realized is the realised profit since the position side was first used,
	// before fees.
	realized  decimal.Decimal
	isolated  decimal.Decimal
	openedAt  time.Time
	updatedAt time.Time
}

// apply changes the position by signed lots of the value quote and returns the
// realised profit. A change through zero closes the position and opens the opposite
// one.
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

// reduce closes lots for their proceeds and returns the realised profit.
func (p *position) reduce(lots int64, proceeds decimal.Decimal) decimal.Decimal {
	cost := share(p.cost, lots, abs(p.lots))
	profit := proceeds.Sub(cost).Mul(decimal.NewFromInt(sign(p.lots)))
	p.lots -= lots * sign(p.lots)
	p.cost = p.cost.Sub(cost)
	p.realized = p.realized.Add(profit)
	return profit
}

// share returns part/whole of amount, rounded to the digits of money. Where part is
// the whole it is exact, so that shares that are subtracted one by one add up.
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

// unrealized returns the unrealised profit at the mark price.
func (p *position) unrealized(t *terms, mark decimal.Decimal) decimal.Decimal {
	if p.lots == 0 {
		return decimal.Zero
	}
	value := t.notional(mark, abs(p.lots))
	return value.Sub(p.cost).Mul(decimal.NewFromInt(sign(p.lots))).Truncate(moneyDigits)
}

// reducible returns how many lots an order of a side may close.
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
