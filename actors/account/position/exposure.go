package position

import (
	"iter"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// Realized returns the realized P&L of an execution at the average cost of the open position,
// for venues that do not report it. It is unknown if that cost is unknown.
func (s *State) Realized(symbol string, e Execution) venues.Optional {
	return s.ledger(symbol).now.realized(e)
}

// IsHedged reports whether both sides of an instrument can be open at once: the account is in
// hedge mode, or the newest execution has the side of its position.
func (s *State) IsHedged(symbol string) bool {
	l := s.ledgers[symbol]
	return s.HedgeMode || (l != nil && l.hedged)
}

// Qty returns the open quantity of a position by its executions or, if none is known, by the
// venue's list.
func (s *State) Qty(symbol string, side venues.PositionSide) decimal.Decimal {
	if l, known := s.ledgers[symbol]; known {
		return decimal.Max(decimal.Zero, OpenQty(l.now.of(side)))
	}
	return s.listed.open[key(symbol, side)].Qty
}

// Reducible returns the smaller of a position's open quantities by the venue's list and by the
// executions; false if no execution is known. It is negative while executions that entered the
// position are missing.
func (s *State) Reducible(symbol string, side venues.PositionSide) (decimal.Decimal, bool) {
	l := s.ledgers[symbol]
	if l == nil {
		return decimal.Zero, false
	}
	return decimal.Min(s.listed.open[key(symbol, side)].Qty, OpenQty(l.now.of(side))), true
}

// NewerListed returns the quantity of a position by the venue's list; false if the list is
// older than the newest execution, or no execution is known.
func (s *State) NewerListed(symbol string, side venues.PositionSide) (decimal.Decimal, bool) {
	l, known := s.ledgers[symbol]
	k := key(symbol, side)
	if !known || !s.listed.asOf[k].After(l.knownAt) {
		return decimal.Zero, false
	}
	return s.listed.open[k].Qty, true
}

// IsUnconfirmed reports whether executions that seem to have closed a position may have opened
// one: the instrument is in one-way mode, and the venue's list has not confirmed the open
// quantities since the newest execution.
func (s *State) IsUnconfirmed(symbol string) bool {
	l, known := s.ledgers[symbol]
	return known && !l.hedged && (!s.listed.reportedAt(symbol).After(l.knownAt) || !l.agrees(s.listed.open))
}

// ExecutedSince returns the total quantity of the recent executions of a side that became
// known at since or later.
func (s *State) ExecutedSince(symbol string, side venues.Side, since time.Time) decimal.Decimal {
	sum := decimal.Zero
	if l := s.ledgers[symbol]; l != nil {
		for i := range l.recent {
			if l.recent[i].Side == side && !l.recent[i].KnownAt.Before(since) {
				sum = sum.Add(l.recent[i].Qty)
			}
		}
	}
	return sum
}

// Unrealized is the unrealized P&L of an open position.
type Unrealized struct {
	Gain, Qty decimal.Decimal
	// AsOf is the time up to which executions are included in Qty; zero if all known ones
	// are.
	AsOf time.Time
}

// Unrealized iterates over the unrealized P&L of the open positions by their keys. If an
// execution has reduced a position since the venue reported it, only the open part counts:
// the rest is realized.
func (s *State) Unrealized() iter.Seq2[string, Unrealized] {
	return func(yield func(string, Unrealized) bool) {
		for k, p := range s.listed.open {
			if !yield(k, s.unrealized(k, &p)) {
				return
			}
		}
	}
}

// IsValued reports whether the unrealized P&L of every open position is known.
func (s *State) IsValued() bool {
	for _, p := range s.listed.open {
		if !p.UnrealizedPnl.Valid {
			return false
		}
	}
	return true
}

func (s *State) unrealized(k string, p *venues.Position) Unrealized {
	u := Unrealized{p.UnrealizedPnl.Decimal, p.Qty, s.listed.asOf[k]}
	l := s.ledgers[p.Symbol]
	if l == nil || !l.knownAt.After(u.AsOf) {
		return u
	}
	u.AsOf = time.Time{}
	if left := decimal.Max(decimal.Zero, OpenQty(l.now.of(p.Side))); left.LessThan(p.Qty) {
		u.Gain, u.Qty = u.Gain.Mul(left).DivRound(p.Qty, AvgPriceDecimals), left
	}
	return u
}
