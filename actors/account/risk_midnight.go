package account

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// carried is what the baseline of the day holds of a position that was open when the
// day began.
type carried struct {
	gain, qty decimal.Decimal
	// asOf is up to when executions are part of qty by their own time; zero if those
	// that were known then are.
	asOf time.Time
}

// gainOf is the unrealized P&L of an open position. If an execution has reduced it
// since the venue told it, the part that is left counts: the rest is realized.
func (s *state) gainOf(key string, p *venues.Position) carried {
	c := carried{p.UnrealizedPnl.Decimal, p.Qty, s.funds.asOf[key]}
	b := s.ledger.books[p.Symbol]
	if b == nil || !b.heardAt.After(c.asOf) {
		return c
	}
	c.asOf = time.Time{}
	if left := decimal.Max(decimal.Zero, openQty(b.now.of(p.Side))); left.LessThan(p.Qty) {
		c.gain, c.qty = c.gain.Mul(left).DivRound(p.Qty, avgPriceDecimals), left
	}
	return c
}

// takeBaseline notes the unrealized P&L with which the day begins.
func (s *state) takeBaseline() {
	sum := decimal.Zero
	s.risk.carried = make(map[string]carried, len(s.funds.positions))
	for key, p := range s.funds.positions {
		c := s.gainOf(key, &p)
		s.risk.carried[key] = c
		sum = sum.Add(c.gain)
	}
	s.risk.record.Baseline = venues.Some(sum)
}

// rebase follows an execution from before midnight that has become known after it.
// What it has realized belongs to the day before, so the baseline must not hold what
// the part that it closed had gained by then.
func (s *state) rebase(symbol string, e execution) {
	if !e.at.Before(s.risk.day) || e.position == e.side.Opens() {
		return
	}
	side := e.position
	if side == "" {
		side = e.side.Reduces()
	}
	key := (&venues.Position{Symbol: symbol, Side: side}).Key()
	c, open := s.risk.carried[key]
	if !open || !c.qty.IsPositive() || !e.at.After(c.asOf) {
		return
	}
	qty := decimal.Min(e.qty, c.qty)
	gain := c.gain.Mul(qty).DivRound(c.qty, avgPriceDecimals)
	c.gain, c.qty = c.gain.Sub(gain), c.qty.Sub(qty)
	s.risk.carried[key] = c
	s.risk.record.Baseline.Decimal = s.risk.record.Baseline.Decimal.Sub(gain)
	s.putRisk()
}
