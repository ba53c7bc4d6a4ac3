package account

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// protectSettle gathers the fills of one burst before they are protected.
	protectSettle = 100 * time.Millisecond
	// protectWithin is how long a fill may be without live protection before
	// it is an alarm.
	protectWithin = 5 * time.Second
	// protectRetry is the wait before a leg that failed is placed again.
	protectRetry = time.Second
	// closeUnprotectedAfter is when a position that cannot be protected is
	// closed instead.
	closeUnprotectedAfter = 2 * protectWithin
)

// protecting lists the kinds of protection in the order in which they are
// placed: the stop loss first.
func protecting() []venues.Protecting {
	return []venues.Protecting{venues.ProtectingStopLoss, venues.ProtectingTakeProfit}
}

// guard looks after the protection of one entry order where the venue attaches
// none itself: reduce-only stops are placed with the fill, follow its size, and
// go when the position does.
type guard struct {
	legs map[venues.Protecting]*order
	// due is when legs are looked at again, alarmDue when a fill has been
	// unprotected for too long.
	due      time.Time
	alarmDue time.Time
	since    time.Time
	closing  bool
}

// planProtection notes what an order's stop loss and take profit will become.
func planProtection(spec *venues.OrderSpec) *venues.Protection {
	if !spec.StopLoss.Valid && !spec.TakeProfit.Valid {
		return nil
	}
	leg := func(price venues.Optional) *venues.ProtectionLeg {
		if !price.Valid {
			return nil
		}
		return &venues.ProtectionLeg{Status: venues.ProtectionPending, Price: price.Decimal}
	}
	return &venues.Protection{StopLoss: leg(spec.StopLoss), TakeProfit: leg(spec.TakeProfit)}
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

// guardFill makes the legs follow a fill of their entry. A crash in between is
// no loss: an entry whose protection is awake is loaded at start.
func (s *state) guardFill(m moment, o *order) {
	if s.caps.AttachedProtection || !o.Protection.Awake() {
		return
	}
	if o.guard.since.IsZero() {
		o.guard.since = m.now
		o.guard.alarmDue = m.now.Add(protectWithin)
	}
	o.guard.due = earlier(o.guard.due, m.now.Add(protectSettle))
}

// protect places what is missing: a leg for the filled quantity of each kind. A
// leg of another size is replaced after its successor is live, so that the
// position is never naked in between.
func (s *state) protect(m moment, o *order) {
	o.guard.due = time.Time{}
	if !o.FilledQty.IsPositive() || o.guard.closing {
		return
	}
	for _, kind := range protecting() {
		leg := o.Protection.Leg(kind)
		if leg == nil || (leg.Status != venues.ProtectionPending && leg.Status != venues.ProtectionLive && leg.Status != venues.ProtectionFailed) {
			continue
		}
		current := o.guard.legs[kind]
		if current != nil && !current.Status.IsClosed() && current.Qty.Equal(o.FilledQty) {
			continue
		}
		s.placeLeg(m, o, kind, leg.Price)
	}
}

// placeLeg makes the intent of one protecting order.
func (s *state) placeLeg(m moment, o *order, kind venues.Protecting, price decimal.Decimal) {
	leg := s.newOrder(m, venues.PlaceOrder{
		OrderSpec: venues.OrderSpec{
			Symbol: o.Symbol, Side: o.Side.Opposite(), Type: venues.TypeStopMarket, Qty: o.FilledQty,
			TriggerPrice: venues.Some(price), ReduceOnly: true, TimeInForce: venues.GoodTillCancel,
		},
		Source: venues.SourceProtection,
	})
	leg.EntryOrderID, leg.Protects = o.OrderID, kind
	s.linkLeg(o, leg)
	s.setLeg(o, kind, venues.ProtectionPending, leg.OrderID)
	s.after(callPlace{orderID: leg.OrderID, request: leg.request()})
	s.touch(leg)
}

func (s *state) linkLeg(o, leg *order) {
	if o.guard.legs == nil {
		o.guard.legs = map[venues.Protecting]*order{}
	}
	if before := o.guard.legs[leg.Protects]; before != nil && !before.Status.IsClosed() {
		leg.supersedes = before
	}
	o.guard.legs[leg.Protects] = leg
}

// legChanged carries what became of a leg over to its entry.
func (s *state) legChanged(m moment, leg *order) {
	o, known := s.orders[leg.EntryOrderID]
	if !known || o.guard.legs[leg.Protects] != leg {
		return // superseded, or its entry is history
	}
	switch {
	case leg.Status == venues.StatusUntriggered:
		s.setLeg(o, leg.Protects, venues.ProtectionLive, leg.OrderID)
		s.cancelSuperseded(m, leg)
	case leg.FilledQty.IsPositive() || leg.Status == venues.StatusOpen:
		s.setLeg(o, leg.Protects, venues.ProtectionTriggered, leg.OrderID)
		if leg.Status.IsClosed() {
			s.cancelOtherLegs(m, o, leg.Protects)
		}
	case leg.Status == venues.StatusRejected || leg.Status == venues.StatusExpired:
		s.setLeg(o, leg.Protects, venues.ProtectionFailed, leg.OrderID)
		s.legFailed(m, o, leg)
	case leg.Status == venues.StatusCancelled:
		s.setLeg(o, leg.Protects, venues.ProtectionCancelled, leg.OrderID)
	}
	if !o.unprotected() {
		o.guard.alarmDue = time.Time{}
	}
	s.watch(o)
}

// unprotected says whether a filled entry lacks a leg that it should have.
func (o *order) unprotected() bool {
	if !o.FilledQty.IsPositive() || o.guard.closing {
		return false
	}
	for _, kind := range protecting() {
		if leg := o.Protection.Leg(kind); leg != nil &&
			(leg.Status == venues.ProtectionPending || leg.Status == venues.ProtectionFailed) {
			return true
		}
	}
	return false
}

// legFailed tries again, or closes at once where the price is already past the
// stop: that is what the stop was for.
func (s *state) legFailed(m moment, o, leg *order) {
	if leg.Error != nil && leg.Error.Reason == venues.ReasonWouldTrigger {
		s.closeUnprotected(m, o, "price_past_"+string(leg.Protects))
		return
	}
	o.guard.due = earlier(o.guard.due, m.now.Add(protectRetry))
}

// guardDue retries failed legs, raises the alarm, and at last closes.
func (s *state) guardDue(m moment, o *order) {
	if isDue(o.guard.due, m.now) {
		s.protect(m, o)
	}
	if !isDue(o.guard.alarmDue, m.now) {
		return
	}
	o.guard.alarmDue = time.Time{}
	if !o.unprotected() {
		return
	}
	s.touch(o)
	if m.now.Sub(o.guard.since) >= closeUnprotectedAfter {
		s.closeUnprotected(m, o, "unprotected")
		return
	}
	s.note(m, o, "unprotected", persistence.JournalField{Name: "since", Value: o.guard.since.UTC().Format(venues.TimeFormat)})
	o.guard.alarmDue = o.guard.since.Add(closeUnprotectedAfter)
}

// closeUnprotected closes what an entry opened: it could not be protected.
func (s *state) closeUnprotected(m moment, o *order, why string) {
	o.guard.closing = true
	o.guard.due, o.guard.alarmDue = time.Time{}, time.Time{}
	s.cancelOtherLegs(m, o, "")
	out := s.newOrder(m, venues.PlaceOrder{
		OrderSpec: venues.OrderSpec{
			Symbol: o.Symbol, Side: o.Side.Opposite(), Type: venues.TypeMarket, Qty: o.FilledQty,
			ReduceOnly: true, TimeInForce: venues.ImmediateOrCancel,
		},
		Source: venues.SourceProtection,
	})
	out.EntryOrderID, out.Protects = o.OrderID, venues.ProtectingStopLoss
	s.note(m, o, "closed_by_protection", persistence.JournalField{Name: "reason", Value: why},
		persistence.JournalField{Name: "close_order", Value: out.OrderID})
	s.after(callPlace{orderID: out.OrderID, request: out.request()})
	s.touch(out)
}

func (s *state) cancelSuperseded(m moment, leg *order) {
	if before := leg.supersedes; before != nil {
		leg.supersedes = nil
		s.withdraw(m, before)
	}
}

// cancelOtherLegs ends every leg of an entry but one.
func (s *state) cancelOtherLegs(m moment, o *order, but venues.Protecting) {
	for _, kind := range protecting() {
		if kind == but || o.Protection.Leg(kind) == nil {
			continue
		}
		leg := o.guard.legs[kind]
		if leg == nil || leg.Status.IsClosed() {
			if o.Protection.Leg(kind).Status == venues.ProtectionPending {
				s.setLeg(o, kind, venues.ProtectionCancelled, "")
			}
			continue
		}
		s.withdraw(m, leg)
	}
}

// withdraw cancels an order of our own for which nobody waits.
func (s *state) withdraw(m moment, o *order) {
	if o.Status.IsClosed() || o.change.kind == venues.PendingCancel {
		return
	}
	o.change = change{kind: venues.PendingCancel, deadline: m.now.Add(orderLifeMax + s.caps.AbsenceAfter)}
	o.PendingAction = venues.PendingCancel
	s.sendCancel(o)
	s.touch(o)
}

// positionGone withdraws the protection of a position that is flat.
func (s *state) positionGone(m moment, p *venues.Position) {
	for _, o := range s.inOrder() {
		if o.Symbol == p.Symbol && o.Protection.Awake() && o.Status.IsClosed() && (o.Side == venues.Buy) == (p.Side == venues.Long) {
			s.cancelOtherLegs(m, o, "")
		}
	}
}

// endProtection follows the end of an entry that was never filled.
func (s *state) endProtection(o *order) {
	if !o.Status.IsClosed() || o.FilledQty.IsPositive() || !o.Protection.Awake() {
		return
	}
	for _, kind := range protecting() {
		if leg := o.Protection.Leg(kind); leg != nil {
			s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
		}
	}
}

// relink joins entries and legs that were read from the store, and goes on where
// the last incarnation stopped.
func (s *state) relink(m moment) {
	for _, leg := range s.inOrder() {
		if o, known := s.orders[leg.EntryOrderID]; known && leg.Type.IsStop() {
			s.linkLeg(o, leg)
		}
	}
	for _, o := range s.inOrder() {
		if o.EntryOrderID == "" && o.Protection.Awake() && o.FilledQty.IsPositive() && !s.caps.AttachedProtection {
			o.guard.since, o.guard.alarmDue = m.now, m.now.Add(protectWithin)
			o.guard.due = m.now.Add(protectRetry) // after the legs have been asked for
			s.watch(o)
		}
	}
}
