package protection

import "venuegate/venues"

// LegChanged applies a change of a leg or an exit to its entry, and reports whether it was a
// leg.
func (s *Step) LegChanged(o, leg *Order) bool {
	s.creditClosed(o, leg)
	if leg == o.Bracket.exit {
		s.exitChanged(o)
		return false
	}
	for _, kind := range Kinds() {
		if o.Bracket.Current(kind) == leg {
			s.followLeg(o, leg, kind)
		}
	}
	s.EndIfFlat(o)
	s.endAlarmIfProtected(o)
	return true
}

// followLeg applies the state of the newest leg of a kind to the plan. An order with both
// triggers is the leg of both kinds.
func (s *Step) followLeg(o, leg *Order, kind venues.LegKind) {
	plan := o.Protection.Leg(kind)
	switch {
	case leg.Status == venues.StatusUntriggered && leg.Withdrawn && !plan.IsActive():
		// Its protection was removed, and its cancel is pending.
	case leg.Status == venues.StatusUntriggered && (s.isTooSmall(leg, o) || s.isMisplaced(leg, plan)):
		s.setPlanStatus(o, kind, venues.ProtectionPending, leg.OrderID)
		s.expectProtection(o)
		if s.isOurs(leg) {
			o.Bracket.schedule(s.Now.Add(GatherDelay))
		}
	case leg.Status == venues.StatusUntriggered:
		s.setPlanStatus(o, kind, venues.ProtectionLive, leg.OrderID)
		s.withdrawSuperseded(o, kind)
	case leg.Triggered || leg.FilledQty.IsPositive():
		s.legTriggered(o, leg, kind)
	case leg.Status == venues.StatusRejected || leg.Status == venues.StatusExpired:
		s.legFailed(o, leg, kind)
	case leg.Status == venues.StatusCancelled:
		s.legCancelled(o, leg, kind)
	}
}

// legTriggered handles a triggered leg: it cancels the rest of the entry and, once the leg has
// ended, the other legs.
func (s *Step) legTriggered(o, leg *Order, kind venues.LegKind) {
	if leg.Protects != kind { // the order's other trigger was reached
		s.setPlanStatus(o, kind, venues.ProtectionCancelled, leg.OrderID)
		return
	}
	s.setPlanStatus(o, kind, venues.ProtectionTriggered, leg.OrderID)
	s.withdrawSuperseded(o, kind)
	s.withdraw(o)
	if leg.Status.IsClosed() {
		s.withdrawOthers(o, kind)
		s.legEndedEarly(o, leg)
		s.reprotect(o)
	}
}

// legFailed handles a leg that the venue has rejected: it is placed again or, if the price is
// already past its trigger, the position is closed, as the leg would have done. The kind stays
// pending until then, so that a restart continues.
func (s *Step) legFailed(o, leg *Order, kind venues.LegKind) {
	if !o.Protection.Leg(kind).IsActive() {
		return // protection of the kind has ended
	}
	if leg.Withdrawn { // it ended before its cancel arrived
		s.setPlanStatus(o, kind, venues.ProtectionCancelled, leg.OrderID)
		return
	}
	if s.rollBackMove(o, leg, kind) || s.keepPreviousLeg(o, leg, kind) {
		return
	}
	s.setPlanStatus(o, kind, venues.ProtectionPending, leg.OrderID)
	switch {
	case o.Bracket.closing:
	case leg.Error != nil && leg.Error.Reason == venues.ReasonWouldTrigger:
		s.closeUnprotected(o, "price_past_"+string(kind))
	default:
		o.Bracket.placedHere = true
		s.expectProtection(o)
		o.Bracket.schedule(s.Now.Add(RetryDelay))
	}
}

// legCancelled handles the end of a leg by a cancel. If the service has not requested it, the
// position may be unprotected.
func (s *Step) legCancelled(o, leg *Order, kind venues.LegKind) {
	plan := o.Protection.Leg(kind)
	switch {
	case plan != nil && plan.Status == venues.ProtectionCancelled:
		s.setPlanStatus(o, kind, venues.ProtectionCancelled, leg.OrderID)
	case !plan.IsActive():
	case o.Bracket.closing && !leg.Withdrawn && plan.Status == venues.ProtectionPending:
		// The position is being closed because this leg has ended. It stays pending, so
		// that a restart continues to close the position.
	case leg.Withdrawn, o.Bracket.closing, o.isClosedByOtherLeg(kind), leg.endedWithPosition():
		s.setPlanStatus(o, kind, venues.ProtectionCancelled, leg.OrderID)
	case o.Bracket.lostAt.IsZero():
		s.setPlanStatus(o, kind, venues.ProtectionPending, leg.OrderID)
		o.Bracket.lostAt = s.ReadingBegan
		if o.Bracket.lostAt.IsZero() {
			o.Bracket.lostAt = s.Now
			s.Port.ReadPositions()
		}
		s.expectProtection(o)
		o.Bracket.schedule(s.Now.Add(GatherDelay))
	default:
		s.setPlanStatus(o, kind, venues.ProtectionPending, leg.OrderID)
	}
}

// EndIfFlat ends the protection of a closed entry that has nothing to protect.
func (s *Step) EndIfFlat(o *Order) {
	if !o.Status.IsClosed() || o.QtyToProtect().IsPositive() || !o.Protection.IsActive() {
		return
	}
	for _, kind := range Kinds() {
		if plan := o.Protection.Leg(kind); plan.IsActive() && !o.Bracket.Current(kind).isOpen() {
			s.setPlanStatus(o, kind, venues.ProtectionCancelled, plan.OrderID)
		}
	}
}
