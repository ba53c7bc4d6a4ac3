package account

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// guard looks after the protection of one entry order. Where the venue attaches
// it, the venue's orders are followed; elsewhere, and where the venue's are
// missing, reduce-only stops are placed with the fill, follow its size, and go
// when the position does.
type guard struct {
	// legs are the protecting orders of each kind in the order of their making:
	// the newest counts, those before it go once it lives.
	legs map[venues.Protecting][]*order
	// own says that legs are placed from here although the venue attaches them:
	// its own did not come, or are gone.
	own bool
	// due is when legs are looked at again, alarmDue when a fill has been
	// unprotected for too long since then.
	due      time.Time
	alarmDue time.Time
	since    time.Time
	// alarmedAt is when that was told.
	alarmedAt time.Time
	// lostAt is when the venue ended a leg that nobody here has withdrawn.
	lostAt time.Time
	// closing says that what cannot be protected is being closed: exit is the
	// order on its way.
	closing bool
	exit    *order
	retries int
}

// current is the newest protecting order of a kind; nil if there is none.
func (g *guard) current(kind venues.Protecting) *order {
	if legs := g.legs[kind]; len(legs) > 0 && !legs[len(legs)-1].dismissed {
		return legs[len(legs)-1]
	}
	return nil
}

// awaitsEnd says whether an order that protects, or closes instead, has yet to end.
func (g *guard) awaitsEnd() bool {
	for _, legs := range g.legs {
		if slices.ContainsFunc(legs, func(leg *order) bool { return !leg.Status.IsClosed() }) {
			return true
		}
	}
	return g.exit != nil
}

// link takes a protecting order as the newest of a kind.
func (g *guard) link(leg *order, kind venues.Protecting) {
	if g.legs == nil {
		g.legs = map[venues.Protecting][]*order{}
	}
	legs := slices.DeleteFunc(g.legs[kind], func(l *order) bool { return l == leg || l.Status.IsClosed() })
	g.legs[kind] = append(legs, leg)
}

// beginGuard starts the time within which a fill must be protected.
func (s *state) beginGuard(m moment, o *order) {
	if o.guard.since.IsZero() {
		o.guard.since, o.guard.alarmDue = m.now, m.now.Add(s.policy.AlarmAfter)
	}
}

// rest ends the time within which a fill must be protected.
func (g *guard) rest() {
	g.since, g.alarmDue, g.alarmedAt = time.Time{}, time.Time{}, time.Time{}
}

// guarded is the quantity that protection must cover.
func (o *order) guarded() decimal.Decimal { return o.FilledQty.Sub(o.ReleasedQty) }

// releaseClosed takes what a leg, or the order in its place, has closed off the quantity
// that its entry has to protect.
func (s *state) releaseClosed(m moment, o, by *order) {
	more := by.FilledQty.Sub(by.released)
	if !more.IsPositive() {
		return
	}
	by.released = by.FilledQty
	o.ReleasedQty = decimal.Min(o.FilledQty, o.ReleasedQty.Add(more))
	if by != o.guard.exit && by != o.guard.current(by.Protects) && o.Protection.Awake() {
		o.guard.due = earlier(o.guard.due, m.now.Add(protectSettle)) // its successor is too large now
	}
	s.touch(o)
}

// unprotected says whether a filled entry lacks a leg that it should have.
func (o *order) unprotected() bool {
	if !o.guarded().IsPositive() || o.guard.closing {
		return false
	}
	for _, kind := range protecting() {
		if leg := o.Protection.Leg(kind); leg != nil && leg.Status == venues.ProtectionPending {
			return true
		}
	}
	return false
}

// isTooSmall says whether a leg protects less than its entry has filled: the order has
// grown since. One that the venue made for the position follows it by itself.
func (s *state) isTooSmall(leg, o *order) bool {
	follows := !s.isOurs(leg) && (leg.attachment == nil || leg.attachment.OfPosition)
	return !follows && leg.Qty.IsPositive() && leg.Qty.LessThan(o.guarded())
}

// placesLegs says whether the legs of an entry are placed from here.
func (s *state) placesLegs(o *order) bool {
	return !s.caps.AttachedProtection || o.guard.own || o.Unattached
}

// isOurs says whether an order was sent from here.
func (s *state) isOurs(o *order) bool {
	_, ours := s.ids.orderID(o.ClientOrderID)
	return ours
}

// setLeg changes a leg's status. Records that were given out are not touched.
func (s *state) setLeg(o *order, kind venues.Protecting, status venues.ProtectionStatus, orderID string) {
	leg := o.Protection.Leg(kind)
	if leg == nil || (leg.Status == status && leg.OrderID == orderID) {
		return
	}
	o.Protection = o.Protection.Clone()
	leg = o.Protection.Leg(kind)
	leg.Status, leg.OrderID = status, orderID
	s.touch(o)
}

// setLegPrice follows a trigger that was moved.
func (s *state) setLegPrice(o *order, kind venues.Protecting, price decimal.Decimal) {
	if leg := o.Protection.Leg(kind); leg == nil || leg.Price.Equal(price) {
		return
	}
	o.Protection = o.Protection.Clone()
	o.Protection.Leg(kind).Price = price
	s.touch(o)
}

// relink joins entries and legs that were read from the store.
func (s *state) relink() {
	for _, leg := range s.inOrder() {
		leg.guard.closing = leg.guard.closing || leg.Closing
		o, known := s.orders[leg.EntryOrderID]
		switch {
		case !known:
		case !leg.Type.IsStop():
			if !leg.Status.IsClosed() {
				o.guard.closing, o.guard.exit = true, leg
			}
		default:
			o.guard.link(leg, leg.Protects)
			plan := o.Protection.Leg(leg.Protects)
			leg.dismissed = leg.withdrawn && plan != nil && plan.OrderID != leg.OrderID
			o.guard.own = o.guard.own || s.isOurs(leg)
		}
	}
	for _, o := range s.inOrder() { // one order may hold both triggers
		for _, kind := range protecting() {
			if leg := o.Protection.Leg(kind); leg != nil && s.orders[leg.OrderID] != nil {
				o.guard.link(s.orders[leg.OrderID], kind)
			}
		}
	}
}

// resumeProtection goes on where the last incarnation stopped, once it is known
// what the venue has.
func (s *state) resumeProtection(m moment) {
	for _, o := range s.inOrder() { // one whose last leg is taken away is at rest
		if p := o.change.protection; p != nil && p.resumes {
			s.resumeMove(m, o)
		}
	}
	for _, o := range s.liveInOrder() {
		if o.EntryOrderID != "" || !o.Protection.Awake() || !o.FilledQty.IsPositive() {
			continue
		}
		s.beginGuard(m, o)
		if s.placesLegs(o) || o.guard.closing {
			o.guard.due = m.now.Add(protectRetry)
		}
		s.watch(o)
	}
}
