package account

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

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
	// closeRetryMax bounds the waits, each twice the one before, between closing
	// orders that did not close everything.
	closeRetryMax = 30 * time.Second
	// positionLag is how long after a fill the venue's list of positions may
	// still lack it.
	positionLag = 2 * time.Second
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
	// legs are the protecting orders of each kind in the order of their making:
	// the newest counts, those before it go once it lives.
	legs map[venues.Protecting][]*order
	// due is when legs are looked at again, alarmDue when a fill has been
	// unprotected since too long.
	due      time.Time
	alarmDue time.Time
	since    time.Time
	// closing says that what cannot be protected is being closed: exit is the
	// order on its way, exited what the ones before it have closed.
	closing bool
	exit    *order
	exited  decimal.Decimal
	retries int
}

// current is the newest protecting order of a kind; nil if there is none.
func (g *guard) current(kind venues.Protecting) *order {
	if legs := g.legs[kind]; len(legs) > 0 {
		return legs[len(legs)-1]
	}
	return nil
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
	if s.caps.AttachedProtection || (!o.Protection.Awake() && !o.guard.closing) {
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
	if o.guard.closing {
		s.exit(m, o)
		return
	}
	if !o.FilledQty.IsPositive() {
		return
	}
	for _, kind := range protecting() {
		leg := o.Protection.Leg(kind)
		if leg == nil || (leg.Status != venues.ProtectionPending && leg.Status != venues.ProtectionLive) {
			continue
		}
		current := o.guard.current(kind)
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
		o.guard.legs = map[venues.Protecting][]*order{}
	}
	legs := slices.DeleteFunc(o.guard.legs[leg.Protects], func(l *order) bool { return l.Status.IsClosed() })
	o.guard.legs[leg.Protects] = append(legs, leg)
}

// legChanged carries what became of a leg over to its entry.
func (s *state) legChanged(m moment, leg *order) {
	o, known := s.orders[leg.EntryOrderID]
	if !known {
		return // its entry is history
	}
	if leg == o.guard.exit {
		s.exitChanged(m, o)
		return
	}
	if o.guard.current(leg.Protects) != leg {
		return // superseded
	}
	switch {
	case leg.Status == venues.StatusUntriggered:
		s.setLeg(o, leg.Protects, venues.ProtectionLive, leg.OrderID)
		s.withdrawSuperseded(m, o, leg.Protects)
	case leg.FilledQty.IsPositive() || leg.Status == venues.StatusOpen:
		s.setLeg(o, leg.Protects, venues.ProtectionTriggered, leg.OrderID)
		s.withdrawSuperseded(m, o, leg.Protects)
		if leg.Status.IsClosed() {
			s.cancelOtherLegs(m, o, leg.Protects)
		}
	case leg.Status == venues.StatusRejected || leg.Status == venues.StatusExpired:
		s.legFailed(m, o, leg)
	case leg.Status == venues.StatusCancelled:
		s.setLeg(o, leg.Protects, venues.ProtectionCancelled, leg.OrderID)
	}
	if !o.unprotected() {
		o.guard.alarmDue, o.guard.since = time.Time{}, time.Time{}
	}
	s.watch(o)
}

// legFailed tries again, or closes at once where the price is already past the
// stop: that is what the stop was for. The leg stays pending until then, so that
// a restart finds it.
func (s *state) legFailed(m moment, o, leg *order) {
	if status := o.Protection.Leg(leg.Protects).Status; status != venues.ProtectionPending && status != venues.ProtectionLive {
		return // it was given up before
	}
	s.setLeg(o, leg.Protects, venues.ProtectionPending, leg.OrderID)
	switch {
	case o.guard.closing:
	case leg.Error != nil && leg.Error.Reason == venues.ReasonWouldTrigger:
		s.closeUnprotected(m, o, "price_past_"+string(leg.Protects))
	default:
		if o.guard.since.IsZero() {
			o.guard.since, o.guard.alarmDue = m.now, m.now.Add(protectWithin)
		}
		o.guard.due = earlier(o.guard.due, m.now.Add(protectRetry))
	}
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
			s.setLeg(o, kind, venues.ProtectionCancelled, "")
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
	if o.Status.IsClosed() || o.change.kind == venues.PendingCancel {
		return
	}
	s.answerChange(o, nil) // an amend is overtaken
	o.change = change{kind: venues.PendingCancel, deadline: m.now.Add(orderLifeMax + s.caps.AbsenceAfter)}
	o.PendingAction = venues.PendingCancel
	s.sendCancel(o)
	s.touch(o)
}

// positionGone withdraws the protection of a position that is flat.
func (s *state) positionGone(m moment, p *venues.Position) {
	for _, o := range s.inOrder() {
		if o.protects(p.Symbol, p.Side) {
			s.cancelOtherLegs(m, o, "")
		}
	}
}

// withdrawOrphans withdraws the protection of entries whose position is not in
// a list of those that are open, or was closed by another leg: nobody watched, or
// a cancel has failed.
func (s *state) withdrawOrphans(m moment, open map[string]bool, readAt time.Time) {
	for _, o := range s.inOrder() {
		if !o.Protection.Awake() {
			continue
		}
		for _, kind := range protecting() {
			if o.isExited(kind) {
				s.withdrawLegs(m, o, kind)
			}
		}
		p := venues.Position{Symbol: o.Symbol, Side: venues.Long}
		if o.Side == venues.Sell {
			p.Side = venues.Short
		}
		if !open[p.Key()] && o.protects(p.Symbol, p.Side) && readAt.Sub(o.UpdatedAt.Time) > positionLag {
			s.cancelOtherLegs(m, o, "")
		}
	}
}

// protects says whether the order is an entry that has ended and still protects
// a position.
func (o *order) protects(symbol string, side venues.PositionSide) bool {
	return o.Symbol == symbol && (o.Side == venues.Buy) == (side == venues.Long) &&
		o.Status.IsClosed() && o.Protection.Awake()
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

// relink joins entries and legs that were read from the store.
func (s *state) relink() {
	for _, leg := range s.inOrder() {
		o, known := s.orders[leg.EntryOrderID]
		switch {
		case !known:
		case leg.Type.IsStop():
			s.linkLeg(o, leg)
		case !leg.Status.IsClosed():
			o.guard.closing, o.guard.exit = true, leg
		}
	}
}

// resumeProtection goes on where the last incarnation stopped, once it is known
// what the venue has.
func (s *state) resumeProtection(m moment) {
	for _, o := range s.inOrder() {
		if o.EntryOrderID == "" && o.Protection.Awake() && o.FilledQty.IsPositive() && !s.caps.AttachedProtection {
			o.guard.since, o.guard.alarmDue = m.now, m.now.Add(protectWithin)
			o.guard.due = m.now.Add(protectRetry)
			s.watch(o)
		}
	}
}
