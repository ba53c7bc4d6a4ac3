package account

import (
	"errors"
	"sync/atomic"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// What closes an account to increasing orders.
const (
	limitDailyLoss = "daily_loss"
	limitHalted    = "halted"
)

// lockDrainMax is how long a lock waits for orders that are being sent, so that none
// leaves after it is durable. No venue executes them later.
const lockDrainMax = orderLifeMax

type limitEvent struct {
	Limit     string `json:"limit"`
	Threshold string `json:"threshold"`
	Actual    string `json:"actual"`
	Action    string `json:"action"`
	// Exchange is the account's: each has a limit and a lock of its own.
	Exchange venues.Venue `json:"exchange"`
}

// lock makes the lock durable, in the commit of its event.
func (s *state) lock(m moment) {
	lock := s.risk.locking
	s.risk.locking, s.risk.lockingDue = nil, time.Time{}
	s.risk.record.Lock = lock
	s.putRisk()
	threshold, actual := venues.FormatDecimal(lock.Threshold), venues.FormatDecimal(lock.Actual)
	s.emit(m, persistence.EventRiskLimitReached, limitEvent{
		Limit: lock.Limit, Threshold: threshold, Actual: actual, Action: string(venues.CodeTradingLocked), Exchange: s.exchange,
	})
	s.journal(m, "risk.locked", string(s.exchange),
		persistence.JournalField{Name: "limit", Value: lock.Limit},
		persistence.JournalField{Name: "threshold", Value: threshold},
		persistence.JournalField{Name: "actual", Value: actual},
		persistence.JournalField{Name: "until", Value: lock.Until.UTC().Format(venues.TimeFormat)})
}

// unlock ends a lock by hand. The loss so far is set aside: the next one counts
// from here.
func (s *state) unlock(m moment, in unlock) {
	if !s.ready {
		in.Reject(s.maintenance())
		return
	}
	if s.risk.locking != nil {
		s.lock(m)
	}
	if s.risk.record.Lock != nil {
		s.risk.record.Forgiven = s.risk.record.Forgiven.Add(s.dailyLoss())
		s.risk.record.Lock = nil
		s.putRisk()
		s.journal(m, "risk.unlocked", string(s.exchange), persistence.JournalField{Name: "by", Value: "administrator"})
	}
	s.after(replyDone{in.Reply})
}

// isClosed says whether increasing orders are refused. It is so from the moment
// of the decision on, before the lock is durable.
func (s *state) isClosed() bool {
	return s.risk.halted || s.risk.locking != nil || s.risk.record.Lock != nil
}

// lockRefusal is the answer to an increasing order while the account is closed
// to them.
func (s *state) lockRefusal() *venues.Error {
	lock := s.risk.record.Lock
	if lock == nil {
		lock = s.risk.locking
	}
	e := venues.Errorf(venues.CodeTradingLocked, "only orders that reduce a position are taken")
	if s.risk.halted || lock == nil {
		return e.With("limit", limitHalted)
	}
	return e.With("limit", lock.Limit).
		With("threshold", venues.FormatDecimal(lock.Threshold)).With("actual", venues.FormatDecimal(lock.Actual)).
		With("until", lock.Until.UTC().Format(venues.TimeFormat))
}

// depart is asked when an intent is durable, right before its request is handed
// over: the account may have been closed meanwhile, it may be about to end, or the
// time may be over.
func (s *state) depart(orderID string, now time.Time) *venues.Error {
	o, known := s.orders[orderID]
	if !known {
		return nil
	}
	if s.stopping || isPast(o.sendBy, now) {
		return s.notSent(venues.ErrNotSent)
	}
	isExempt := s.reduces(&o.OrderSpec, o) || (o.lowered && !s.risk.halted)
	if s.isClosed() && !isExempt {
		return s.lockRefusal()
	}
	o.sending = true
	return nil
}

// departAmend is depart for an amend that increases.
func (s *state) departAmend(orderID string) *venues.Error {
	if s.isClosed() {
		return s.lockRefusal()
	}
	if o, known := s.orders[orderID]; known {
		o.sending = true
	}
	return nil
}

// mayLeaveClosed says whether an order that departs may leave even if the account
// is closed before it does.
func (s *state) mayLeaveClosed(orderID string) bool {
	o, known := s.orders[orderID]
	return !known || s.isClosed() || o.ReduceOnly || o.lowered
}

// isSending says whether a request for an increasing order may still be about to
// leave.
func (s *state) isSending() bool {
	for _, o := range s.live {
		if o.sending && !o.ReduceOnly {
			return true
		}
	}
	return false
}

// gate is asked by the pool's goroutines right before a request leaves: an order
// may have waited there while the account was closed.
type gate struct{ closed atomic.Bool }

// errGateClosed proves that a request was not sent.
var errGateClosed = errors.New("the account was closed to increasing orders")

// set is called by the actor after each step, before anything of it is durable.
func (g *gate) set(closed bool) { g.closed.Store(closed) }

// pass gives what the pool asks; an order that reduces passes at any time.
func (g *gate) pass(reduces bool) func() bool {
	return func() bool { return reduces || !g.closed.Load() }
}
