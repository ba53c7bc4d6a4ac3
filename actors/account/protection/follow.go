package protection

import "venuegate/venues"

// LegChanged applies a change of a leg or an exit to its entry, and reports whether it was a
// leg.
func (k *Keeper) LegChanged(o, leg *Order) bool {
	k.creditClosed(o, leg)
	if leg == o.Bracket.exit {
		k.exitChanged(o)
		return false
	}
	for _, kind := range Kinds() {
		if o.Bracket.Current(kind) == leg {
			k.followLeg(o, leg, kind)
		}
	}
	k.EndIfFlat(o)
	k.endAlarmIfProtected(o)
	return true
}

// followLeg applies the state of the newest leg of a kind to the plan. An order with both
// triggers is the leg of both kinds.
func (k *Keeper) followLeg(o, leg *Order, kind venues.LegKind) {
	plan := o.Protection.Leg(kind)
	switch {
	case leg.Status == venues.StatusUntriggered && leg.Withdrawn && !plan.IsActive():
		// Its protection was removed, and its cancel is pending.
	case leg.Status == venues.StatusUntriggered && (k.isTooSmall(leg, o) || k.isMisplaced(leg, plan)):
		k.setPlanStatus(o, kind, venues.ProtectionPending, leg.OrderID)
		k.expectProtection(o)
		if k.isOurs(leg) {
			o.Bracket.schedule(k.Now.Add(GatherDelay))
		}
	case leg.Status == venues.StatusUntriggered:
		k.setPlanStatus(o, kind, venues.ProtectionLive, leg.OrderID)
		k.withdrawSuperseded(o, kind)
	case leg.Triggered || leg.FilledQty.IsPositive():
		k.legTriggered(o, leg, kind)
	case leg.Status == venues.StatusRejected || leg.Status == venues.StatusExpired:
		k.legFailed(o, leg, kind)
	case leg.Status == venues.StatusCancelled:
		k.legCancelled(o, leg, kind)
	}
}

// legTriggered handles a triggered leg: it cancels the rest of the entry and, once the leg has
// ended, the other legs.
func (k *Keeper) legTriggered(o, leg *Order, kind venues.LegKind) {
	if leg.Protects != kind { // the order's other trigger was reached
		k.setPlanStatus(o, kind, venues.ProtectionCancelled, leg.OrderID)
		return
	}
	k.setPlanStatus(o, kind, venues.ProtectionTriggered, leg.OrderID)
	k.withdrawSuperseded(o, kind)
	k.withdraw(o)
	if leg.Status.IsClosed() {
		k.withdrawOthers(o, kind)
		k.legEndedEarly(o, leg)
		k.reprotect(o)
	}
}

// legFailed handles a leg that the venue has rejected: it is placed again or, if the price is
// already past its trigger, the position is closed, as the leg would have done. The kind stays
// pending until then, so that a restart continues.
func (k *Keeper) legFailed(o, leg *Order, kind venues.LegKind) {
	if !o.Protection.Leg(kind).IsActive() {
		return // protection of the kind has ended
	}
	if leg.Withdrawn { // it ended before its cancel arrived
		k.setPlanStatus(o, kind, venues.ProtectionCancelled, leg.OrderID)
		return
	}
	if k.rollBackMove(o, leg, kind) || k.keepPreviousLeg(o, leg, kind) {
		return
	}
	k.setPlanStatus(o, kind, venues.ProtectionPending, leg.OrderID)
	switch {
	case o.Bracket.closing:
	case leg.Error != nil && leg.Error.Reason == venues.ReasonWouldTrigger:
		k.closeUnprotected(o, "price_past_"+string(kind))
	default:
		o.Bracket.placedHere = true
		k.expectProtection(o)
		o.Bracket.schedule(k.Now.Add(RetryDelay))
	}
}

// legCancelled handles the end of a leg by a cancel. If the service has not requested it, the
// position may be unprotected.
func (k *Keeper) legCancelled(o, leg *Order, kind venues.LegKind) {
	plan := o.Protection.Leg(kind)
	switch {
	case plan != nil && plan.Status == venues.ProtectionCancelled:
		k.setPlanStatus(o, kind, venues.ProtectionCancelled, leg.OrderID)
	case !plan.IsActive():
	case o.Bracket.closing && !leg.Withdrawn && plan.Status == venues.ProtectionPending:
		// The position is being closed because this leg has ended. It stays pending, so
		// that a restart continues to close the position.
	case leg.Withdrawn, o.Bracket.closing, o.isClosedByOtherLeg(kind), leg.endedWithPosition():
		k.setPlanStatus(o, kind, venues.ProtectionCancelled, leg.OrderID)
	case o.Bracket.lostAt.IsZero():
		k.setPlanStatus(o, kind, venues.ProtectionPending, leg.OrderID)
		o.Bracket.lostAt = k.ReadingBegan
		if o.Bracket.lostAt.IsZero() {
			o.Bracket.lostAt = k.Now
			k.Account.ReadPositions()
		}
		k.expectProtection(o)
		o.Bracket.schedule(k.Now.Add(GatherDelay))
	default:
		k.setPlanStatus(o, kind, venues.ProtectionPending, leg.OrderID)
	}
}

// EndIfFlat ends the protection of a closed entry that has nothing to protect.
func (k *Keeper) EndIfFlat(o *Order) {
	if !o.Status.IsClosed() || o.QtyToProtect().IsPositive() || !o.Protection.IsActive() {
		return
	}
	for _, kind := range Kinds() {
		if plan := o.Protection.Leg(kind); plan.IsActive() && !o.Bracket.Current(kind).isOpen() {
			k.setPlanStatus(o, kind, venues.ProtectionCancelled, plan.OrderID)
		}
	}
}
