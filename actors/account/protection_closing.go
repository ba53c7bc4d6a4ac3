package account

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// guardDue retries failed legs, raises the alarm, and at last closes.
func (s *state) guardDue(m moment, o *order) {
	if isDue(o.guard.due, m.now) {
		s.protect(m, o)
	}
	if !isDue(o.guard.alarmDue, m.now) {
		return
	}
	o.guard.alarmDue = time.Time{}
	switch {
	case !o.unprotected():
		o.guard.rest()
	case o.guard.alarmedAt.IsZero():
		o.guard.alarmedAt = m.now
		o.guard.alarmDue = o.guard.since.Add(s.policy.CloseAfter)
		s.alarm(m, o, "unprotected", persistence.JournalField{Name: "since", Value: o.guard.since.UTC().Format(venues.TimeFormat)})
		if !s.placesLegs(o) { // the venue's legs may live unseen
			s.recon.due = m.now
			o.guard.due = earlier(o.guard.due, m.now.Add(protectRetry))
		}
	case s.policy.KeepOpen:
		o.guard.alarmDue = m.now.Add(s.policy.CloseAfter)
		s.alarm(m, o, "unprotected", persistence.JournalField{Name: "since", Value: o.guard.since.UTC().Format(venues.TimeFormat)})
	case !s.isProvedUnprotected(m, o):
		o.guard.alarmDue = m.now.Add(protectRetry)
	default:
		s.closeUnprotected(m, o, "unprotected")
	}
}

// isProvedUnprotected says whether it is certain of a kind that no leg of it can
// be live. What may be is asked for.
func (s *state) isProvedUnprotected(m moment, o *order) bool {
	proved := false
	for _, kind := range protecting() {
		leg, current := o.Protection.Leg(kind), o.guard.current(kind)
		switch {
		case leg == nil || leg.Status != venues.ProtectionPending:
		case current == nil:
			proved = proved || s.recon.begunAt.After(o.guard.alarmedAt)
		case current.Status.IsClosed():
			proved = true
		default:
			s.inquire(m, current, 0)
		}
	}
	return proved
}

// alarm is a journal row that the operator's log has too.
func (s *state) alarm(m moment, o *order, kind string, fields ...persistence.JournalField) {
	s.note(m, o, kind, fields...)
	s.after(logAlarm{orderID: o.OrderID, symbol: o.Symbol, kind: kind})
}

// closeUnprotected closes what an entry opened, and keeps it from opening more:
// it could not be protected.
func (s *state) closeUnprotected(m moment, o *order, why string) {
	o.guard.closing, o.Closing = true, true
	o.guard.due, o.guard.alarmDue = time.Time{}, time.Time{}
	s.alarm(m, o, "closed_by_protection", persistence.JournalField{Name: "reason", Value: why})
	s.withdraw(m, o)
	s.cancelOtherLegs(m, o, "")
	s.exit(m, o)
}

// exit makes the intent of the order that closes what is still open.
func (s *state) exit(m moment, o *order) {
	rest := o.guarded()
	if o.guard.exit != nil || !rest.IsPositive() {
		return
	}
	if most := m.mostAtMarket(o.Symbol); most.Valid {
		rest = decimal.Min(rest, most.Decimal) // more follows
	}
	out := s.newOrder(m, venues.PlaceOrder{
		OrderSpec: venues.OrderSpec{
			Symbol: o.Symbol, Side: o.Side.Opposite(), Type: venues.TypeMarket, Qty: rest,
			ReduceOnly: true, TimeInForce: venues.ImmediateOrCancel,
		},
		Source: venues.SourceProtection,
	})
	out.EntryOrderID, out.Protects = o.OrderID, venues.ProtectingStopLoss
	o.guard.exit = out
	s.after(callPlace{orderID: out.OrderID, request: out.request()})
	s.touch(out)
}

// exitChanged follows a closing order to its end; what it left open is tried
// again until it is closed.
func (s *state) exitChanged(m moment, o *order) {
	out := o.guard.exit
	if !out.Status.IsClosed() {
		return
	}
	o.guard.exit = nil
	if out.Error != nil && out.Error.Reason == venues.ReasonNoPosition {
		o.ReleasedQty = o.FilledQty
		s.touch(o)
	}
	if out.Status == venues.StatusFilled {
		o.guard.retries = 0
	}
	if o.guarded().IsPositive() {
		wait := min(protectRetry<<min(o.guard.retries, 8), closeRetryMax)
		o.guard.retries++
		o.guard.due = earlier(o.guard.due, m.now.Add(wait))
		s.watch(o)
		return
	}
	for _, kind := range protecting() {
		if leg := o.Protection.Leg(kind); leg != nil && leg.Status == venues.ProtectionPending {
			s.setLeg(o, kind, venues.ProtectionFailed, leg.OrderID)
		}
	}
}
