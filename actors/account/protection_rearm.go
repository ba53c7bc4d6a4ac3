package account

import "venuegate/venues"

// cutShort takes what a leg that was reached did not find off the quantity that its
// entry has to protect: others have closed it. What is open all the same is not missing:
// the venue has cut the leg short, and makes no other.
func (s *state) cutShort(o, leg *order) {
	if leg.FilledQty.GreaterThanOrEqual(leg.Qty) {
		return
	}
	if missing := o.guarded().Sub(s.open(o.Symbol, o.Side.Opens())); missing.IsPositive() {
		o.ReleasedQty = o.ReleasedQty.Add(missing)
		s.touch(o)
	}
	o.guard.own = o.guard.own || o.guarded().IsPositive()
}

// rearm plans protection anew for what of an entry a stop that was reached has left
// open: the entry filled on until its cancel got there, or the stop was cut short.
func (s *state) rearm(m moment, o *order) {
	if !o.wasReached() || o.guard.closing || !o.guarded().IsPositive() || !s.open(o.Symbol, o.Side.Opens()).IsPositive() {
		return
	}
	for _, kind := range protecting() {
		if !o.wanted(kind).Valid {
			continue
		}
		for _, leg := range o.guard.legs[kind] {
			leg.dismissed = true
		}
		s.setLeg(o, kind, venues.ProtectionPending, "")
	}
	s.beginGuard(m, o)
	o.guard.due = earlier(o.guard.due, m.now.Add(protectSettle))
	s.watch(o)
}

// wasReached says whether a leg was reached and has come to its end.
func (o *order) wasReached() bool {
	reached := false
	for _, kind := range protecting() {
		leg, current := o.Protection.Leg(kind), o.guard.current(kind)
		if leg == nil || leg.Status != venues.ProtectionTriggered {
			continue
		}
		if current != nil && !current.Status.IsClosed() {
			return false // its end comes back here
		}
		reached = true
	}
	return reached
}
