package protection

import "venuegate/venues"

// LegChanged applies what became of a leg or an exit to its entry. It reports whether
// it was a leg.
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
	s.EntryChanged(o)
	s.endAlarmIfProtected(o)
	return true
}

// followLeg takes over the state of the newest leg of a kind. An order that holds both
// triggers is the leg of both kinds.
func (s *Step) followLeg(o, leg *Order, kind venues.LegKind) {
	plan := o.Protection.Leg(kind)
	switch {
	case leg.Status == venues.StatusUntriggered && leg.Withdrawn && !plan.IsActive():
		// Its protection was removed, and its cancel is pending.
	case leg.Status == venues.StatusUntriggered && (s.isTooSmall(leg, o) || s.isMisplaced(leg, plan)):
		s.setLeg(o, kind, venues.ProtectionPending, leg.OrderID)
		s.expectProtection(o)
		if s.isOurs(leg) {
			o.Bracket.schedule(s.Now.Add(SettleDelay))
		}
	case leg.Status == venues.StatusUntriggered:
		s.setLeg(o, kind, venues.ProtectionLive, leg.OrderID)
		s.withdrawSuperseded(o, kind)
	case leg.Triggered || leg.FilledQty.IsPositive():
		s.legTriggered(o, leg, kind)
	case leg.Status == venues.StatusRejected || leg.Status == venues.StatusExpired:
		s.legFailed(o, leg, kind)
	case leg.Status == venues.StatusCancelled:
		s.legCancelled(o, leg, kind)
	}
}

// legTriggered cancels the rest of the entry of a triggered leg, and the other legs once
// the triggered one has ended.
func (s *Step) legTriggered(o, leg *Order, kind venues.LegKind) {
	if leg.Protects != kind { // the other trigger that the order holds was reached
		s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
		return
	}
	s.setLeg(o, kind, venues.ProtectionTriggered, leg.OrderID)
	s.withdrawSuperseded(o, kind)
	s.withdraw(o)
	if leg.Status.IsClosed() {
		s.withdrawOthers(o, kind)
		s.legEndedEarly(o, leg)
		s.reprotect(o)
	}
}

// legFailed handles a leg that the venue has rejected: it is placed again or, if the price
// is already past its trigger, the position is closed, as the leg would have done. The kind
// stays pending until then, so that a restart continues.
func (s *Step) legFailed(o, leg *Order, kind venues.LegKind) {
	if !o.Protection.Leg(kind).IsActive() {
		return // nothing of the kind is protected any more
	}
	if leg.Withdrawn { // and ended before its cancel arrived
		s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
		return
	}
	if s.restoreBefore(o, leg, kind) || s.keepBefore(o, leg, kind) {
		return
	}
	s.setLeg(o, kind, venues.ProtectionPending, leg.OrderID)
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

// legCancelled follows the cancel of a leg. One that the service did not request may
// leave a position unprotected.
func (s *Step) legCancelled(o, leg *Order, kind venues.LegKind) {
	plan := o.Protection.Leg(kind)
	switch {
	case plan != nil && plan.Status == venues.ProtectionCancelled:
		s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
	case !plan.IsActive():
	case o.Bracket.closing && !leg.Withdrawn && plan.Status == venues.ProtectionPending:
		// The position is being closed because this leg has ended. It stays pending, so
		// that a restart continues to close the position.
	case leg.Withdrawn, o.Bracket.closing, o.isExitedByOther(kind), leg.endedWithPosition():
		s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
	case o.Bracket.lostAt.IsZero():
		s.setLeg(o, kind, venues.ProtectionPending, leg.OrderID)
		o.Bracket.lostAt = s.Now
		s.expectProtection(o)
		o.Bracket.schedule(s.Now.Add(SettleDelay))
		s.Port.ReadPositions()
	default:
		s.setLeg(o, kind, venues.ProtectionPending, leg.OrderID)
	}
}

// EntryChanged ends the protection of a closed entry that has nothing open.
func (s *Step) EntryChanged(o *Order) {
	if !o.Status.IsClosed() || o.QtyToProtect().IsPositive() || !o.Protection.IsActive() {
		return
	}
	for _, kind := range Kinds() {
		if leg := o.Protection.Leg(kind); leg.IsActive() && !o.Bracket.Current(kind).isOpen() {
			s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
		}
	}
}
