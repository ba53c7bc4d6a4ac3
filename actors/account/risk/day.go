package risk

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/position"
	"venuegate/persistence"
	"venuegate/venues"
)

const day = 24 * time.Hour

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(day) }

// Day has the sums of the executions of one day.
type Day struct {
	// Start is 00:00 UTC.
	Start time.Time
	// Earned is the realized P&L less Fees, the fees that are counted.
	Earned, Fees decimal.Decimal
	// uncounted has the fees in other currencies without a known price, by currency.
	uncounted map[string]uncounted
}

// NewDay returns the Day that includes t, without executions.
func NewDay(t time.Time) Day { return Day{Start: dayOf(t)} }

// Add counts an execution of the day.
func (d *Day) Add(r *persistence.FillRecord) {
	fee := countedFee(r)
	d.Earned = venues.Sum(d.Earned, venues.Difference(r.RealizedPnl.Decimal, fee))
	d.Fees = venues.Sum(d.Fees, fee)
	if !isUncounted(r) {
		return
	}
	if d.uncounted == nil {
		d.uncounted = map[string]uncounted{}
	}
	sum := d.uncounted[r.FeeCurrency]
	d.uncounted[r.FeeCurrency] = uncounted{sum.amount.Add(r.Fee.Decimal), r.Symbol}
}

// Earned returns the realized P&L of the day less the fees that are counted.
func (s *State) Earned() decimal.Decimal { return s.today.Earned }

// CountFill counts an execution. It must be called before the execution is added to the
// positions. One of an earlier day changes only the baseline.
func (s *State) CountFill(a Account, r *persistence.FillRecord, e position.Execution) {
	s.beginDay(a)
	s.rebase(a, r.Symbol, e)
	if r.ExecutedAt.Before(s.today.Start) {
		return
	}
	_, before := s.today.uncounted[r.FeeCurrency]
	s.today.Add(r)
	if isUncounted(r) {
		s.noteUncounted(a, r, !before)
	}
}

// beginDay begins a new day after 00:00 UTC: it takes a new baseline and ends a lock.
func (s *State) beginDay(a Account) {
	today := dayOf(a.Now())
	if today.After(s.today.Start) {
		s.today = Day{Start: today}
	}
	if !a.Ready() || !today.After(s.record.Day.Time) {
		return
	}
	s.record.Day = venues.At(today)
	s.takeBaseline()
	s.record.Forgiven = decimal.Zero
	s.record.Uncounted = nil
	if s.locking != nil { // it belongs to the day before: it is published and ends here
		s.lock(a)
	}
	if lock := s.record.Lock; lock != nil && !a.Now().Before(lock.Until.Time) {
		s.record.Lock = nil
		a.Journal("risk.unlocked", persistence.JournalField{Name: "by", Value: "day_end"})
	}
	s.store(a)
}

// takeBaseline sets the baseline to the unrealized P&L of the open positions.
func (s *State) takeBaseline() {
	sum := decimal.Zero
	s.carried = make(map[string]position.Unrealized, s.positions.ListedCount())
	for key, u := range s.positions.Unrealized() {
		s.carried[key] = u
		sum = sum.Add(u.Gain)
	}
	s.record.Baseline = venues.Some(sum)
}

// rebase corrects the baseline by an execution from before midnight that became known after
// it. Its realized P&L belongs to the day before, so the baseline must not include the
// unrealized P&L of the part that it closed.
func (s *State) rebase(a Account, symbol string, e position.Execution) {
	side, reduces := e.Reduces()
	if !e.At.Before(s.today.Start) || !reduces {
		return
	}
	key := (&venues.Position{Symbol: symbol, Side: side}).Key()
	c, open := s.carried[key]
	if !open || !c.Qty.IsPositive() || !e.At.After(c.AsOf) {
		return
	}
	qty := decimal.Min(e.Qty, c.Qty)
	gain := c.Gain.Mul(qty).DivRound(c.Qty, position.AvgPriceDecimals)
	c.Gain, c.Qty = c.Gain.Sub(gain), c.Qty.Sub(qty)
	s.carried[key] = c
	s.record.Baseline.Decimal = s.record.Baseline.Decimal.Sub(gain)
	s.store(a)
}

// DailyLoss returns the loss since 00:00 UTC, realized with fees plus unrealized, less the
// forgiven loss. A gain is a negative loss.
func (s *State) DailyLoss() decimal.Decimal {
	return s.today.Earned.Add(s.unrealizedChange()).Neg().Sub(s.record.Forgiven)
}

// unrealizedChange returns the change of the unrealized P&L since the baseline. What is not
// known counts as zero.
func (s *State) unrealizedChange() decimal.Decimal {
	if !s.record.Baseline.Valid {
		return decimal.Zero
	}
	sum := decimal.Zero
	for _, u := range s.positions.Unrealized() {
		sum = sum.Add(u.Gain)
	}
	return sum.Sub(s.record.Baseline.Decimal)
}
