package risk

import (
	"errors"
	"sync/atomic"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// Values of details.limit in a rejection with the code trading_locked.
const (
	limitDailyLoss = "daily_loss"
	limitHalted    = "halted"
)

// lock adds the lock to the step's commit, together with its event.
func (s *State) lock(a Account) {
	lock := s.locking
	s.locking, s.lockingDue = nil, time.Time{}
	s.record.Lock = lock
	s.store(a)
	a.LimitReached(lock)
	a.Journal("risk.locked",
		persistence.JournalField{Name: "limit", Value: lock.Limit},
		persistence.JournalField{Name: "threshold", Value: venues.FormatDecimal(lock.Threshold)},
		persistence.JournalField{Name: "actual", Value: venues.FormatDecimal(lock.Actual)},
		persistence.JournalField{Name: "until", Value: lock.Until.UTC().Format(venues.TimeFormat)})
}

// Unlock ends a lock on behalf of an administrator. The loss so far is forgiven: the daily
// loss counts from zero again.
func (s *State) Unlock(a Account) {
	if s.locking != nil {
		s.lock(a)
	}
	if s.record.Lock != nil {
		s.record.Forgiven = s.record.Forgiven.Add(s.DailyLoss())
		s.record.Lock = nil
		s.store(a)
		a.Journal("risk.unlocked", persistence.JournalField{Name: "by", Value: "administrator"})
	}
}

// IsReduceOnly reports whether increasing orders are rejected. They are from the decision
// to lock on, before the lock is durable.
func (s *State) IsReduceOnly() bool { return s.Halted || s.locking != nil || s.record.Lock != nil }

// TradingLocked returns the rejection of an increasing order by a reduce-only account.
func (s *State) TradingLocked() *venues.Error {
	lock := s.record.Lock
	if lock == nil {
		lock = s.locking
	}
	e := venues.Errorf(venues.CodeTradingLocked, "only orders that reduce a position are taken")
	if s.Halted || lock == nil {
		return e.With("limit", limitHalted)
	}
	return e.With("limit", lock.Limit).
		With("threshold", venues.FormatDecimal(lock.Threshold)).With("actual", venues.FormatDecimal(lock.Actual)).
		With("until", lock.Until.UTC().Format(venues.TimeFormat))
}

// checkLock checks that the account takes increasing orders.
func (s *State) checkLock() venues.RuleCheck {
	check := venues.RuleCheck{Rule: string(venues.CodeTradingLocked)}
	if s.IsReduceOnly() {
		check.Rejection = s.TradingLocked()
		check.Limit, _ = check.Rejection.Details["threshold"].(string)
		check.Given, _ = check.Rejection.Details["actual"].(string)
	}
	return check
}

// Gate stops increasing orders right before their requests are sent: the account may have
// become reduce-only while an order waited in a pool. It is safe for concurrent use.
type Gate struct{ closed atomic.Bool }

// ErrGateClosed is returned for a request that the gate has stopped. The request was
// certainly not sent.
var ErrGateClosed = errors.New("the account is reduce-only")

// Set closes or opens the gate. The account calls it after each step, before anything
// of the step is durable.
func (g *Gate) Set(closed bool) { g.closed.Store(closed) }

// Allows reports whether a request may be sent now. An exempt request may be sent at any
// time.
func (g *Gate) Allows(exempt bool) bool { return exempt || !g.closed.Load() }
