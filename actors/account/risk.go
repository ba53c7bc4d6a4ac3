package account

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// riskReadEvery is how old the unrealized P&L may become while a daily loss limit is
// set and a position is open.
const riskReadEvery = 5 * time.Second

const day = 24 * time.Hour

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(day) }

// risk is what keeps an account from losing more than it may.
type risk struct {
	limits persistence.RiskLimits
	halted bool
	// hedge is the account's position mode: an order without reduceOnly opens.
	hedge  bool
	record persistence.RiskRecord
	dayResult
	// carried is the baseline of the day by position.
	carried map[string]carried
	// feesDue is when the price of what is uncounted is looked for again.
	feesDue time.Time
	// locking is a lock that waits for what is being sent, until lockingDue.
	locking    *persistence.RiskLock
	lockingDue time.Time
	readDue    time.Time
}

// dayResult is what the executions since day have brought: the realized P&L less the
// fees, but for those that are uncounted, by currency.
type dayResult struct {
	day       time.Time
	earned    decimal.Decimal
	uncounted map[string]uncounted
}

// beginDay starts the count anew at 00:00 UTC, and with it ends a lock.
func (s *state) beginDay(m moment) {
	today := dayOf(m.now)
	if today.After(s.risk.day) {
		s.risk.dayResult = dayResult{day: today}
	}
	if !s.ready || !today.After(s.risk.record.Day.Time) {
		return
	}
	s.risk.record.Day = venues.At(today)
	s.takeBaseline()
	s.risk.record.Forgiven = decimal.Zero
	s.risk.record.Uncounted = nil
	if s.risk.locking != nil { // of the day that is over: it is told, and ends with it
		s.lock(m)
	}
	if lock := s.risk.record.Lock; lock != nil && !m.now.Before(lock.Until.Time) {
		s.risk.record.Lock = nil
		s.journal(m, "risk.unlocked", string(s.exchange), persistence.JournalField{Name: "by", Value: "day_end"})
	}
	s.putRisk()
}

// restoreRisk takes what was stored.
func (s *state) restoreRisk(m moment, in loadDone) {
	s.risk.limits = in.control.Limits
	s.risk.dayResult, s.risk.record = in.today, in.risk
	s.restoreHalt(m, in.control)
}

func (s *state) putRisk() {
	s.risk.record.Customer, s.risk.record.Exchange = s.customer, s.exchange
	s.out.batch.Puts = append(s.out.batch.Puts, s.risk.record)
}

// unrealized is the unrealized P&L of the open positions.
func (s *state) unrealized() decimal.Decimal {
	sum := decimal.Zero
	for key, p := range s.funds.positions {
		sum = sum.Add(s.gainOf(key, &p).gain)
	}
	return sum
}

// dailyLoss is the loss since 00:00 UTC over all sources: what the executions
// lost with their fees, and what the open positions have lost since then. A gain
// is a negative loss.
func (s *state) dailyLoss() decimal.Decimal {
	change := decimal.Zero
	if s.risk.record.Baseline.Valid {
		change = s.unrealized().Sub(s.risk.record.Baseline.Decimal)
	}
	return s.risk.earned.Add(change).Neg().Sub(s.risk.record.Forgiven)
}

// judge looks at the limits at the end of each step.
func (s *state) judge(m moment) {
	if !s.ready {
		return
	}
	s.beginDay(m)
	s.countFees(m)
	limit := s.risk.limits.DailyLoss
	if s.risk.locking == nil && s.risk.record.Lock == nil && limit.Valid {
		if loss := s.dailyLoss(); loss.GreaterThanOrEqual(limit.Decimal) {
			s.risk.locking = &persistence.RiskLock{
				Limit: limitDailyLoss, Threshold: limit.Decimal, Actual: loss, At: venues.At(m.now), Until: venues.At(dayOf(m.now).Add(day)),
			}
			s.risk.lockingDue = m.now.Add(lockDrainMax)
		}
	}
	if s.risk.locking != nil && (!s.isSending() || isDue(s.risk.lockingDue, m.now)) {
		s.lock(m)
	}
	s.watchRisk(m)
}

// watchRisk keeps reading positions while their P&L matters.
func (s *state) watchRisk(m moment) {
	switch {
	case !s.risk.limits.DailyLoss.Valid || len(s.funds.positions) == 0:
		s.risk.readDue = time.Time{}
	case s.risk.readDue.IsZero():
		s.risk.readDue = m.now.Add(riskReadEvery)
	case isDue(s.risk.readDue, m.now):
		s.risk.readDue = m.now.Add(riskReadEvery)
		s.readFunds()
	}
}

func (s *state) riskDue() time.Time {
	due := earlier(s.risk.lockingDue, s.risk.readDue)
	if s.risk.limits.DailyLoss.Valid {
		due = earlier(due, s.risk.feesDue)
	}
	if s.ready {
		due = earlier(due, s.risk.record.Day.Add(day))
	}
	return due
}
