package account

import (
	"maps"
	"time"

	"venuegate/venues"
)

// protectTriesMax bounds how often a change of attached protection whose outcome
// is unknown is sent again. It holds absolute prices: it cannot happen twice.
const protectTriesMax = 3

// protectionChange is an amend of stop loss and take profit on its way.
type protectionChange struct {
	// wanted are the triggers; an unknown one is removed, one that is missing
	// stays.
	wanted map[venues.Protecting]venues.Optional
	// before is what is restored if the change is refused.
	before *venues.Protection
	// request is what was asked of the venue, nil if its answer is here or
	// nothing had to be asked.
	request *venues.ProtectRequest
	tries   int
	// resumes says that the account has started anew, and has yet to compare itself
	// with the venue.
	resumes bool
}

type (
	callProtect struct {
		orderID string
		request venues.ProtectRequest
		delay   time.Duration
	}
	protectDue  struct{ callProtect }
	protectDone struct {
		orderID string
		err     error
	}
)

// wantedProtection is what a command asks for; nil if nothing.
func wantedProtection(cmd *venues.AmendOrder) map[venues.Protecting]venues.Optional {
	wanted := map[venues.Protecting]venues.Optional{}
	if cmd.StopLoss.Valid || cmd.DropStopLoss {
		wanted[venues.ProtectingStopLoss] = cmd.StopLoss
	}
	if cmd.TakeProfit.Valid || cmd.DropTakeProfit {
		wanted[venues.ProtectingTakeProfit] = cmd.TakeProfit
	}
	if len(wanted) == 0 {
		return nil
	}
	return wanted
}

// isProtectable says whether protection of an order can still be changed: it may
// yet fill, or what it opened is being looked after.
func isProtectable(o *venues.Order) bool {
	return o.Status.IsActive() || (o.Status.IsClosed() && o.FilledQty.IsPositive() && o.Protection.Awake())
}

// amendProtection adds, moves and removes stop loss and take profit: at the venue
// where it attaches them, else by legs that replace the ones before once they
// live.
func (s *state) amendProtection(m moment, in amendOrder) {
	o, known := s.orders[in.cmd.OrderID]
	var refusal *venues.Error
	switch {
	case !s.isLoaded:
		refusal = s.maintenance()
	case !known:
		refusal = venues.Errorf(venues.CodeNotFound, "no active order %s", in.cmd.OrderID)
	case !isProtectable(&o.Order):
		refusal = notActive(&o.Order)
	default:
		refusal = s.admitProtection(o, in)
	}
	if refusal != nil {
		s.after(replyOrder{to: in.orderReply, err: refusal})
		return
	}
	o.change = change{kind: venues.PendingAmend, protection: &protectionChange{
		wanted: wantedProtection(&in.cmd), before: o.Protection,
	}}
	maps.DeleteFunc(o.change.protection.wanted, o.isPlanned)
	o.PendingAction = venues.PendingAmend
	s.waitForChange(m, o, in.orderReply)
	o.change.remember()
	s.touch(o)
	s.moveProtection(m, o)
}

func (s *state) admitProtection(o *order, in amendOrder) *venues.Error {
	field := "stopLoss"
	if !in.cmd.StopLoss.Valid && !in.cmd.DropStopLoss {
		field = "takeProfit"
	}
	switch {
	case o.change.kind != venues.PendingNone:
		return venues.Errorf(venues.CodeOrderRejected, "another change of the order is on its way").With("reason", "change_pending")
	case in.cmd.Qty.Valid || in.cmd.Price.Valid || in.cmd.TriggerPrice.Valid:
		return venues.InvalidFields(venues.FieldFault{Field: field, Rule: "not_with_other_changes", Allowed: o.inTwo(in)})
	case o.EntryOrderID != "" || o.ReduceOnly:
		return venues.InvalidFields(venues.FieldFault{Field: field, Rule: "not_of_this_type"})
	case o.guard.closing:
		return venues.Errorf(venues.CodeOrderRejected, "the position is being closed").With("reason", "closing")
	case s.caps.AttachedProtection && o.guard.own && !o.Unattached && o.Status.IsActive():
		// The venue's own legs come with the rest, at the prices that it knows.
		return venues.Errorf(venues.CodeOrderRejected, "the order is partly filled and protected from here").With("reason", "partly_filled")
	case in.instrument == nil:
		return notListed(o.Symbol, s.exchange)
	}
	for kind := range wantedProtection(&in.cmd) {
		if leg := o.Protection.Leg(kind); leg != nil && leg.Status == venues.ProtectionTriggered {
			return venues.Errorf(venues.CodeOrderRejected, "the %s was reached", kind).With("reason", "triggered")
		}
	}
	spec := o.OrderSpec
	spec.StopLoss, spec.TakeProfit = in.cmd.StopLoss, in.cmd.TakeProfit
	if o.guarded().IsPositive() { // what counts is where the price is now
		spec.Price, spec.TriggerPrice = venues.Optional{}, venues.Optional{}
	}
	if fault := checkProtection(&spec, in.mark); fault != nil {
		return fault
	}
	if fault := checkLegs(in.instrument, &spec, s.attaches(o)); fault != nil {
		return fault
	}
	spec.ReduceOnly = true // its quantity was admitted before
	return in.instrument.CheckOrder(&spec, in.mark)
}

// inTwo says how a change of both terms and protection is made. The venues take
// them as two requests, of which the second may be refused: an answer is that all of
// a change is in force or nothing, and has no word for a half. Whoever asks chooses
// what stands in between; protection comes first where it fits the order as it is.
func (o *order) inTwo(in amendOrder) string {
	now := o.OrderSpec
	now.StopLoss, now.TakeProfit = in.cmd.StopLoss, in.cmd.TakeProfit
	if checkProtection(&now, in.mark) == nil {
		return "two requests: first stopLoss and takeProfit, then the rest"
	}
	return "two requests: first the rest, then stopLoss and takeProfit"
}

// moveProtection carries a change out, each kind in its own way.
func (s *state) moveProtection(m moment, o *order) {
	p := o.change.protection
	o.Unattached = s.caps.AttachedProtection && !s.attaches(o)
	request := s.protectRequest(m, o)
	asks := false
	for _, kind := range protecting() {
		wanted, changes := p.wanted[kind]
		switch {
		case !changes:
		case s.asksVenue(o, kind, &request):
			asks = true
		default:
			s.setProtection(o, kind, wanted)
			s.placeMoved(m, o, kind, wanted)
		}
	}
	if asks {
		p.request = &request
		s.sendProtect(o, 0)
	}
}

// drops says whether protection is only taken away: nothing has to be left of it.
func (p *protectionChange) drops() bool {
	for _, wanted := range p.wanted {
		if wanted.Valid {
			return false
		}
	}
	return true
}

func (s *state) protectRequest(m moment, o *order) venues.ProtectRequest {
	return venues.ProtectRequest{Entry: s.ref(o), Side: o.Side, Deadline: m.now.Add(orderLifeMax)}
}

// isPlanned says whether protection of a kind is what is wanted.
func (o *order) isPlanned(kind venues.Protecting, wanted venues.Optional) bool {
	leg := o.Protection.Leg(kind)
	return wanted.Valid == leg.IsAwake() && (!wanted.Valid || leg.Price.Equal(wanted.Decimal))
}

// asksVenue adds a kind to what a venue is asked, if the protection is the venue's.
func (s *state) asksVenue(o *order, kind venues.Protecting, request *venues.ProtectRequest) bool {
	p, current := o.change.protection, o.guard.current(kind)
	wanted := p.wanted[kind]
	switch {
	case current != nil && !current.Status.IsClosed() && !s.isOurs(current) && (wanted.Valid || current.holdsAnother(p.wanted)):
		request.Leg = s.ref(current)
	case current == nil && s.isAttached(o):
	default:
		return false
	}
	request.Set(kind, wanted)
	return true
}

// isAttached says whether the protection of an order is still with the order at
// its venue.
func (s *state) isAttached(o *order) bool { return !s.placesLegs(o) && o.Status.IsActive() }

// attaches says whether the venue attaches to the order what protects it.
func (s *state) attaches(o *order) bool {
	return s.caps.AttachedProtection && !o.Unattached && !o.carriesNone()
}

// carriesNone says whether the order has no protection with it at its venue: it left
// without, or all was taken away before it filled.
func (o *order) carriesNone() bool {
	return o.Protection == nil || (o.FilledQty.IsZero() && !o.StopLoss.Valid && !o.TakeProfit.Valid)
}

// holdsAnother says whether a venue's leg holds a trigger that stays.
func (o *order) holdsAnother(wanted map[venues.Protecting]venues.Optional) bool {
	if o.attachment == nil {
		return false
	}
	for _, kind := range protecting() {
		price, changes := wanted[kind]
		if o.attachment.Trigger(kind).Valid && (!changes || price.Valid) {
			return true
		}
	}
	return false
}

// setProtection writes what is wanted into the record.
func (s *state) setProtection(o *order, kind venues.Protecting, wanted venues.Optional) {
	o.Protection = o.Protection.Clone()
	if o.Protection == nil {
		o.Protection = &venues.Protection{}
	}
	leg := o.Protection.Leg(kind)
	switch {
	case !wanted.Valid && leg != nil:
		leg.Status, leg.OrderID = venues.ProtectionCancelled, ""
	case leg == nil || leg.Status == venues.ProtectionCancelled || leg.Status == venues.ProtectionFailed:
		leg = &venues.ProtectionLeg{Status: venues.ProtectionPending, Price: wanted.Decimal}
	default:
		leg.Price = wanted.Decimal
	}
	if kind == venues.ProtectingStopLoss {
		o.Protection.StopLoss, o.StopLoss = leg, wanted
	} else {
		o.Protection.TakeProfit, o.TakeProfit = leg, wanted
	}
	s.touch(o)
}

// placeMoved makes the leg of a kind follow, if there is something to protect.
func (s *state) placeMoved(m moment, o *order, kind venues.Protecting, wanted venues.Optional) {
	switch {
	case !wanted.Valid:
		s.withdrawLegs(m, o, kind)
	case o.guarded().IsPositive():
		o.guard.own = true
		s.placeLeg(m, o, kind, wanted.Decimal)
	case s.caps.AttachedProtection:
		o.guard.own = true // the venue's has come to its end
	}
}
