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
	// protectRetry is the wait before a leg that failed is placed again.
	protectRetry = time.Second
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

// wanted is the price at which an entry is to be protected in a way, if at all.
func (o *order) wanted(kind venues.Protecting) venues.Optional {
	if kind == venues.ProtectingStopLoss {
		return o.StopLoss
	}
	return o.TakeProfit
}

// guardFill makes the legs follow a fill of their entry. A crash in between is
// no loss: an entry whose protection is awake is loaded at start.
func (s *state) guardFill(m moment, o *order) {
	s.rearm(m, o)
	if !o.Protection.Awake() && !o.guard.closing {
		return
	}
	if o.guard.closing || s.placesLegs(o) {
		s.beginGuard(m, o)
		o.guard.due = earlier(o.guard.due, m.now.Add(protectSettle))
		return
	}
	for _, kind := range protecting() {
		if leg := o.guard.current(kind); leg != nil && leg.Status == venues.StatusUntriggered && s.isTooSmall(leg, o) {
			s.setLeg(o, kind, venues.ProtectionPending, leg.OrderID)
		}
	}
	if o.unprotected() {
		s.beginGuard(m, o) // the venue's own orders are to come
	}
}

// protect places what is missing: a leg for the filled quantity of each kind. A
// leg of another size, or at another price, is replaced after its successor is
// live, so that the position is never naked in between.
func (s *state) protect(m moment, o *order) {
	o.guard.due = time.Time{}
	if o.guard.closing {
		s.exit(m, o)
		return
	}
	if !o.guarded().IsPositive() || !s.mayPlaceLegs(m, o) {
		return
	}
	for _, kind := range protecting() {
		leg := o.Protection.Leg(kind)
		if !leg.IsAwake() {
			continue
		}
		current := o.guard.current(kind)
		if current != nil && !current.Status.IsClosed() && s.fits(current, o, leg) {
			continue
		}
		s.placeLeg(m, o, kind, leg.Price)
	}
}

// fits says whether a leg has the size of what its entry has to protect, and waits
// where that is planned. The venue's own may be larger.
func (s *state) fits(leg, o *order, plan *venues.ProtectionLeg) bool {
	if s.isOurs(leg) {
		return leg.Qty.Equal(o.guarded()) && !s.isMisplaced(leg, plan)
	}
	return !s.isTooSmall(leg, o)
}

// isMisplaced says whether a leg of ours waits at a price that is not wanted any more:
// the order that was to take its place never lived. Size and price are all in which
// legs of a kind differ.
func (s *state) isMisplaced(leg *order, plan *venues.ProtectionLeg) bool {
	return s.isOurs(leg) && plan.IsAwake() && !venues.EqualOptional(leg.TriggerPrice, venues.Some(plan.Price))
}

// followTrigger takes over that somebody else has moved a leg of ours: it is where it
// was planned, and the venue tells another price.
func (s *state) followTrigger(leg *order, r *venues.ExecutionReport) {
	o, known := s.orders[leg.EntryOrderID]
	if !known || r.Status != venues.StatusUntriggered || !s.isOurs(leg) || o.guard.current(leg.Protects) != leg {
		return
	}
	if plan := o.Protection.Leg(leg.Protects); plan.IsAwake() && !s.isMisplaced(leg, plan) && !plan.Price.Equal(r.TriggerPrice.Decimal) {
		s.setProtection(o, leg.Protects, r.TriggerPrice)
	}
}

// mayPlaceLegs decides whether legs are placed from here: of a leg that is gone
// it must be known that the position is not, and of legs that the venue attaches
// that they have not come after all.
func (s *state) mayPlaceLegs(m moment, o *order) bool {
	if !o.guard.lostAt.IsZero() && !s.replaceLost(m, o) {
		return false
	}
	if s.placesLegs(o) {
		return true
	}
	if o.guard.alarmedAt.IsZero() {
		return false
	}
	if !s.recon.begunAt.After(o.guard.alarmedAt) { // not compared with the venue since then
		o.guard.due = m.now.Add(protectRetry)
		return false
	}
	o.guard.own = o.unprotected()
	return o.guard.own
}

// replaceLost says whether what the venue ended is to be placed again. Until it
// is known what is left of the position, that is put off.
func (s *state) replaceLost(m moment, o *order) bool {
	_, held := s.funds.positions[o.positionKey()]
	mayLag := !held && s.funds.provedAt.Sub(o.filledAt) <= positionLag
	if !s.funds.provedAt.After(o.guard.lostAt) || mayLag {
		s.readFunds()
		o.guard.due = m.now.Add(protectRetry)
		return false
	}
	since := o.guard.lostAt
	o.guard.lostAt = time.Time{}
	lost := false
	for _, kind := range protecting() {
		leg, current := o.Protection.Leg(kind), o.guard.current(kind)
		if leg == nil || leg.Status != venues.ProtectionPending || current == nil || current.Status != venues.StatusCancelled {
			continue
		}
		if !held || s.isSuperseded(o, kind) {
			s.setLeg(o, kind, venues.ProtectionCancelled, current.OrderID)
			continue
		}
		lost = true
	}
	if !o.unprotected() {
		o.guard.rest()
	}
	if lost {
		o.guard.own = true
		s.alarm(m, o, "protection_lost", persistence.JournalField{Name: "since", Value: since.UTC().Format(venues.TimeFormat)})
	}
	return lost
}

// placeLeg makes the intent of one protecting order.
func (s *state) placeLeg(m moment, o *order, kind venues.Protecting, price decimal.Decimal) {
	leg := s.newOrder(m, venues.PlaceOrder{
		OrderSpec: venues.OrderSpec{
			Symbol: o.Symbol, Side: o.Side.Opposite(), Type: venues.TypeStopMarket, Qty: o.guarded(),
			TriggerPrice: venues.Some(price), ReduceOnly: true, TimeInForce: venues.GoodTillCancel,
		},
		Source: venues.SourceProtection,
	})
	leg.EntryOrderID, leg.Protects = o.OrderID, kind
	o.guard.link(leg, kind)
	s.setLeg(o, kind, venues.ProtectionPending, leg.OrderID)
	s.beginGuard(m, o)
	s.after(callPlace{orderID: leg.OrderID, request: leg.request()})
	s.touch(leg)
}
