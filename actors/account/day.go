package account

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

const day = 24 * time.Hour

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(day) }

// earnings are the realized P&L less the fees of the executions of a day.
type earnings struct {
	day time.Time
	sum decimal.Decimal
	// next is that of executions which the venue, whose clock is ahead, dates on
	// the day after.
	next decimal.Decimal
}

// add counts an execution in, by the venue's clock.
func (e *earnings) add(f *venues.Fill) {
	switch {
	case f.ExecutedAt.Before(e.day):
	case f.ExecutedAt.Before(e.day.Add(day)):
		e.sum = e.sum.Add(earnedBy(f))
	default:
		e.next = e.next.Add(earnedBy(f))
	}
}

// begin turns to another day.
func (e *earnings) begin(today time.Time) {
	begun := earnings{day: today}
	if today.Equal(e.day.Add(day)) {
		begun.sum = e.next
	}
	*e = begun
}

// earnedBy is what an execution brought. A fee in another currency than the
// settlement's, such as a venue's own token, is not counted.
func earnedBy(f *venues.Fill) decimal.Decimal {
	earned := f.RealizedPnl.Decimal
	base, _, _ := strings.Cut(f.Symbol, "-")
	if f.Fee.Valid && strings.HasSuffix(base, f.FeeCurrency) {
		earned = earned.Sub(f.Fee.Decimal)
	}
	return earned
}

// beginDay starts the count anew at 00:00 UTC, and with it ends a lock, or the
// decision for one that waits for what is being sent.
func (s *state) beginDay(m moment) {
	today := dayOf(m.now)
	if today.After(s.risk.today.day) {
		s.risk.today.begin(today)
	}
	if !s.ready || !today.After(s.risk.record.Day.Time) {
		return
	}
	s.risk.record.Day = venues.At(today)
	s.risk.record.Baseline = venues.Some(s.unrealized())
	s.risk.record.Forgiven = decimal.Zero
	if lock := s.risk.locking; lock != nil && !m.now.Before(lock.Until.Time) {
		s.risk.locking, s.risk.lockingDue = nil, time.Time{}
	}
	if lock := s.risk.record.Lock; lock != nil && !m.now.Before(lock.Until.Time) {
		s.risk.record.Lock = nil
		s.journal(m, "risk.unlocked", string(s.exchange), persistence.JournalField{Name: "by", Value: "day_end"})
	}
	s.putRisk()
}
