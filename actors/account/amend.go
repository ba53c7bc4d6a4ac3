package account

import (
	"errors"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/protection"
	"venuegate/actors/account/risk"
	"venuegate/venues"
)

// terms are the properties of an order that an amend can change.
type terms struct {
	qty          decimal.Decimal
	price        venues.Optional
	triggerPrice venues.Optional
}

func (t terms) match(o *order) bool {
	return t.qty.Equal(o.Qty) && venues.EqualOptional(t.price, o.Price) && venues.EqualOptional(t.triggerPrice, o.TriggerPrice)
}

// applyTo returns the specification of the order with t in place of its own terms.
func (t terms) applyTo(o *order) venues.OrderSpec {
	spec := o.OrderSpec
	spec.Qty, spec.Price, spec.TriggerPrice = t.qty, t.price, t.triggerPrice
	return spec
}

// replaceLate is how long after the deadline of a replacement the new order is still placed.
// A reduce-only stop is always placed: the old one protected a position until this service
// cancelled it.
const replaceLate = 10 * time.Minute

// reasonNotReplaced is the reason of an order that was cancelled to be replaced, but whose
// replacement was not placed.
const reasonNotReplaced = "not_replaced"

// statusUnderChange interprets a venue's status under a pending change: the cancelled first
// half of a replacement counts as replaced, if a quantity is left to place. A cancel after
// the deadline of the change was not requested here, and ends the order. If the replacement
// would come too late, the order ends with an error.
func (s *state) statusUnderChange(step stepContext, o *order, r *venues.ExecutionReport) venues.OrderStatus {
	c := &o.change
	switch {
	case !c.replaces || r.Status != venues.StatusCancelled || !c.target.qty.GreaterThan(o.FilledQty) || r.VenueTime.After(c.deadline):
		return r.Status
	case !o.ReduceOnly && step.now.After(c.deadline.Add(replaceLate)):
		o.Error = &venues.RejectReason{
			Code: venues.CodeExchangeUnavailable, Reason: reasonNotReplaced,
			Message: "the order was cancelled to be replaced, but its replacement came too late",
		}
		return r.Status
	}
	return venues.StatusReplaced
}

// amend changes an active order in place, or replaces it where the venue cannot.
func (s *state) amend(step stepContext, in amendOrder) {
	if in.cmd.ChangesProtection() {
		s.amendProtection(step, in)
		return
	}
	o, rejection := s.changeable(in.cmd.OrderID, isOpen)
	if rejection == nil {
		rejection = s.admitAmend(step, o, in)
	}
	if rejection != nil {
		s.after(replyOrder{to: in.orderReply, err: rejection})
		return
	}
	o.origin = in.cmd.Origin
	o.setChange(change{kind: venues.PendingAmend, target: requestedTerms(o, in.cmd)})
	o.change.replaces = s.replaces(o) && !o.change.target.match(o)
	o.TriggerDirection = s.directionOf(step, o)
	s.addChangeWaiter(step, o, in.orderReply)
	o.recordAmendment()
	s.markDirty(o)
	switch {
	case o.change.target.match(o): // nothing to do: it ends with the step
	case o.change.replaces:
		o.change.sent = true
		s.after(callCancel{orderID: o.OrderID, ref: s.ids.ref(o)})
	default:
		o.change.sent = true
		spec := o.change.target.applyTo(o)
		s.after(callAmend{orderID: o.OrderID, request: s.amendRequest(step, o), increases: s.risk.Increases(s.forRisk(step), &spec, &o.OrderRecord)})
	}
}

// replaces reports whether an amend of the order cancels it and places another one.
func (s *state) replaces(o *order) bool {
	return o.Type.IsStop() && o.Status == venues.StatusUntriggered && !s.caps.AmendStops
}

// directionOf returns the direction of an order's trigger, also of a stop that was placed
// outside the service.
func (s *state) directionOf(step stepContext, o *order) venues.TriggerDirection {
	if o.TriggerDirection == "" && o.Status == venues.StatusUntriggered {
		return shownDirection(o.TriggerPrice, step.liveLast(o.Symbol))
	}
	return o.TriggerDirection
}

func (s *state) admitAmend(step stepContext, o *order, in amendOrder) *venues.Error {
	switch {
	case o.change.kind != venues.PendingNone:
		return changePending()
	case !o.Status.IsActive():
		return notActive(&o.Order)
	case o.EntryOrderID != "":
		return venues.Errorf(venues.CodeOrderRejected, "the order protects another one: change its stopLoss and takeProfit").
			With("reason", "protection").With("entryOrderId", o.EntryOrderID)
	case in.cmd.Qty.Valid && in.cmd.Qty.Decimal.LessThanOrEqual(o.FilledQty):
		return venues.InvalidFields(venues.FieldError{
			Field: "qty", Rule: "not_above_filled", Given: venues.FormatDecimal(in.cmd.Qty.Decimal),
			Allowed: "above " + venues.FormatDecimal(o.FilledQty),
		})
	case in.cmd.Price.Valid && o.Type.IsMarket():
		return venues.InvalidFields(venues.FieldError{Field: "price", Rule: "not_of_this_type"})
	case in.cmd.TriggerPrice.Valid && o.Status != venues.StatusUntriggered:
		return venues.InvalidFields(venues.FieldError{Field: "triggerPrice", Rule: "not_of_this_type"})
	}
	if in.instrument == nil {
		return notListed(o.Symbol, s.exchange)
	}
	spec := requestedTerms(o, in.cmd).applyTo(o)
	if err := in.instrument.CheckOrder(&spec, in.mark); err != nil {
		return err
	}
	if s.replaces(o) {
		if err := checkTrigger(spec.TriggerPrice, s.directionOf(step, o), step.liveLast(o.Symbol)); err != nil {
			return err
		}
	}
	if err := protection.CheckPrices(&spec, in.mark); err != nil {
		return err
	}
	if err := protection.CheckLegQty(in.instrument, &spec, s.protection(step).Attaches(&o.protectedOrder)); err != nil {
		return err
	}
	if err := s.risk.AdmitAmend(s.forRisk(step), &o.OrderRecord, &spec, in.mark); err != nil {
		return err
	}
	if full := step.full(); full != nil && s.risk.Increases(s.forRisk(step), &spec, &o.OrderRecord) {
		return commitError(full)
	}
	return nil
}

func requestedTerms(o *order, cmd venues.AmendOrder) terms {
	t := terms{qty: o.Qty, price: o.Price, triggerPrice: o.TriggerPrice}
	if cmd.Qty.Valid {
		t.qty = cmd.Qty.Decimal
	}
	if cmd.Price.Valid {
		t.price = cmd.Price
	}
	if cmd.TriggerPrice.Valid {
		t.triggerPrice = cmd.TriggerPrice
	}
	return t
}

func (s *state) amendRequest(step stepContext, o *order) venues.AmendRequest {
	return venues.AmendRequest{
		OrderRef: s.ids.ref(o), Side: o.Side, Qty: o.change.target.qty,
		Price: o.change.target.price, TriggerPrice: o.change.target.triggerPrice,
		TriggerDirection: o.triggerDirection(), ReduceOnly: o.ReduceOnly, Deadline: step.now.Add(requestLife),
	}
}

// amended applies the venue's answer to an amend.
func (s *state) amended(step stepContext, in amendDone) {
	o, known := s.orders[in.orderID]
	if !known {
		return
	}
	o.sending = false
	if errors.Is(in.err, risk.ErrGateClosed) {
		in.err = s.risk.TradingLocked()
	}
	s.markDirty(o)
	switch {
	case in.err == nil:
		s.applyReport(step, o, in.report)
		if o.change.kind == venues.PendingAmend && !o.change.target.match(o) { // not visible yet
			s.scheduleQuery(step, o, changeVisibleMax)
		}
	case errors.Is(in.err, venues.ErrOutcomeUnknown):
		s.scheduleQuery(step, o, queryDelay)
	case venues.CodeOf(in.err) == venues.CodeNotFound:
		s.scheduleQuery(step, o, 0)
	case o.change.kind == venues.PendingAmend: // and not a cancel that has overtaken it
		s.rejectChange(step, o, venueRejection(in.err))
	}
}

// placeReplacement places what is left of a replaced order under a new id.
func (s *state) placeReplacement(step stepContext, o *order) {
	wanted := o.change.target
	spec := wanted.applyTo(o)
	isLowered := risk.IsReducedTo(&o.OrderRecord, &spec)
	spec.Qty = wanted.qty.Sub(o.FilledQty)
	next := s.placeSuccessor(step, o, spec, o.change.waiters)
	next.lowered = isLowered
	o.change.waiters = nil // they wait for the replacement
	s.endChange(o, nil)
}

// placeSuccessor places an order in place of o. waiters receive its outcome.
func (s *state) placeSuccessor(step stepContext, o *order, spec venues.OrderSpec, waiters []orderReply) *order {
	next := s.newOrder(step, venues.PlaceOrder{
		OrderSpec: spec, Source: o.Source, ChannelID: o.ChannelID, Comment: o.Comment, CloseReason: o.ClosesAs,
	})
	next.Protection = protection.Plan(&next.OrderSpec)
	next.Replaces, o.ReplacedBy = o.OrderID, next.OrderID
	next.TriggerDirection = o.TriggerDirection
	next.origin = o.origin
	next.waiters, next.replyDue = waiters, step.now.Add(replyWithin)
	s.after(callPlace{orderID: next.OrderID, request: next.request()})
	s.markDirty(next)
	return next
}
