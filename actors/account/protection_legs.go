package account

import (
	"venuegate/venues"
)

// legChanged carries what became of a leg over to its entry.
func (s *state) legChanged(m moment, leg *order) {
	o, known := s.orders[leg.EntryOrderID]
	if !known {
		return // its entry is history
	}
	s.releaseClosed(m, o, leg)
	if leg == o.guard.exit {
		s.exitChanged(m, o)
		return
	}
	for _, kind := range protecting() {
		if o.guard.current(kind) == leg { // and not superseded
			s.followLeg(m, o, leg, kind)
		}
	}
	s.endProtection(o)
	if !o.unprotected() {
		o.guard.rest()
	}
	if o.change.protection != nil {
		s.touch(o)
		s.settleChange(m, o)
	}
	s.watch(o)
}

// followLeg takes over what became of a leg of a kind. An order that holds both
// triggers is a leg of both.
func (s *state) followLeg(m moment, o, leg *order, kind venues.Protecting) {
	switch {
	case leg.Status == venues.StatusUntriggered && leg.withdrawn && !o.Protection.Leg(kind).IsAwake():
		// It was taken away; that the venue still has it is no news.
	case leg.Status == venues.StatusUntriggered && (s.isTooSmall(leg, o) || s.isMisplaced(leg, o.Protection.Leg(kind))):
		s.setLeg(o, kind, venues.ProtectionPending, leg.OrderID)
		s.beginGuard(m, o)
		if s.isOurs(leg) {
			o.guard.due = earlier(o.guard.due, m.now.Add(protectSettle))
		}
	case leg.Status == venues.StatusUntriggered:
		s.setLeg(o, kind, venues.ProtectionLive, leg.OrderID)
		s.withdrawSuperseded(m, o, kind)
	case leg.triggered || leg.FilledQty.IsPositive():
		if leg.Protects != kind { // the other of its triggers was reached
			s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
			return
		}
		s.setLeg(o, kind, venues.ProtectionTriggered, leg.OrderID)
		s.withdrawSuperseded(m, o, kind)
		s.withdraw(m, o) // what was stopped must not go on opening
		if leg.Status.IsClosed() {
			s.cancelOtherLegs(m, o, kind)
			s.cutShort(o, leg)
			s.rearm(m, o)
		}
	case leg.Status == venues.StatusRejected || leg.Status == venues.StatusExpired:
		s.legFailed(m, o, leg, kind)
	case leg.Status == venues.StatusCancelled:
		s.legEnded(m, o, leg, kind)
	}
}

// legFailed tries again, or closes at once where the price is already past the
// stop: that is what the stop was for. The leg stays pending until then, so that
// a restart finds it.
func (s *state) legFailed(m moment, o, leg *order, kind venues.Protecting) {
	if !o.Protection.Leg(kind).IsAwake() {
		return // it was given up before
	}
	if leg.withdrawn { // and has come to an end of its own first
		s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
		return
	}
	if s.restoreProtection(m, o, leg, kind) || s.keepBefore(m, o, leg, kind) {
		return
	}
	s.setLeg(o, kind, venues.ProtectionPending, leg.OrderID)
	switch {
	case o.guard.closing:
	case leg.Error != nil && leg.Error.Reason == venues.ReasonWouldTrigger:
		s.closeUnprotected(m, o, "price_past_"+string(kind))
	default:
		o.guard.own = true
		s.beginGuard(m, o)
		o.guard.due = earlier(o.guard.due, m.now.Add(protectRetry))
	}
}

// legEnded follows the cancel of a leg. One that was not asked for here may
// leave a position behind that nobody protects.
func (s *state) legEnded(m moment, o, leg *order, kind venues.Protecting) {
	switch {
	case o.Protection.Leg(kind) != nil && o.Protection.Leg(kind).Status == venues.ProtectionCancelled:
		s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
	case !o.Protection.Leg(kind).IsAwake():
	case o.guard.closing && !leg.withdrawn && o.Protection.Leg(kind).Status == venues.ProtectionPending:
		// That it is gone is why the position is being closed: a restart finds it by that.
	case leg.withdrawn, o.guard.closing, o.isExited(kind), leg.endedWithPosition():
		s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
	case o.guard.lostAt.IsZero():
		s.setLeg(o, kind, venues.ProtectionPending, leg.OrderID)
		o.guard.lostAt = m.now
		s.beginGuard(m, o)
		o.guard.due = earlier(o.guard.due, m.now.Add(protectSettle))
		s.readFunds()
	default:
		s.setLeg(o, kind, venues.ProtectionPending, leg.OrderID)
	}
}

// endedWithPosition says whether the venue gave the end of the position, or of
// its twin, as the reason why the leg is over.
func (o *order) endedWithPosition() bool {
	return o.Error != nil && (o.Error.Reason == venues.ReasonNoPosition || o.Error.Reason == venues.ReasonOtherLegTriggered)
}

// isExited says whether a leg of another kind has done its work.
func (o *order) isExited(but venues.Protecting) bool {
	for _, kind := range protecting() {
		leg, current := o.Protection.Leg(kind), o.guard.current(kind)
		if kind != but && leg != nil && leg.Status == venues.ProtectionTriggered && (current == nil || current.Status.IsClosed()) {
			return true
		}
	}
	return false
}

// isSuperseded says whether another order protects the position in the same way:
// where protection belongs to the position, a newer entry's replaces the older.
func (s *state) isSuperseded(o *order, kind venues.Protecting) bool {
	for _, other := range s.live {
		if other.Protects == kind && other.EntryOrderID != o.OrderID && other.Status == venues.StatusUntriggered &&
			other.Symbol == o.Symbol && other.Side != o.Side && other.attachment != nil && other.attachment.OfPosition {
			return true
		}
	}
	return false
}

// withdrawSuperseded ends the legs before the newest one. A cancel that failed
// is tried again whenever the newest one is seen alive.
func (s *state) withdrawSuperseded(m moment, o *order, kind venues.Protecting) {
	legs := o.guard.legs[kind]
	for _, leg := range legs[:len(legs)-1] {
		s.withdraw(m, leg)
	}
}

// cancelOtherLegs ends every leg of an entry but those of one kind.
func (s *state) cancelOtherLegs(m moment, o *order, but venues.Protecting) {
	for _, kind := range protecting() {
		leg := o.Protection.Leg(kind)
		if kind == but || leg == nil {
			continue
		}
		s.withdrawLegs(m, o, kind)
		current := o.guard.current(kind)
		if (current == nil || current.Status.IsClosed()) && leg.Status == venues.ProtectionPending && !o.guard.closing {
			s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
		}
	}
}

func (s *state) withdrawLegs(m moment, o *order, kind venues.Protecting) {
	for _, leg := range o.guard.legs[kind] {
		s.withdraw(m, leg)
	}
}

// withdraw cancels an order of our own accord.
func (s *state) withdraw(m moment, o *order) {
	if o.Status.IsClosed() {
		return
	}
	if o.change.kind == venues.PendingCancel {
		o.change.own = true
		return
	}
	s.answerChange(o, nil) // an amend is overtaken
	o.withdrawn = true
	o.change = change{kind: venues.PendingCancel, own: true, deadline: m.now.Add(orderLifeMax + s.caps.AbsenceAfter)}
	o.PendingAction = venues.PendingCancel
	s.sendCancel(o)
	s.touch(o)
}
