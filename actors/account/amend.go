package account

import (
	"errors"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

type terms struct {
	qty          decimal.Decimal
	price        venues.Optional
	triggerPrice venues.Optional
}

func (t terms) of(o *order) bool {
	return t.qty.Equal(o.Qty) && venues.EqualOptional(t.price, o.Price) && venues.EqualOptional(t.triggerPrice, o.TriggerPrice)
}

// applied is what the order would be under the terms.
func (t terms) applied(o *order) venues.OrderSpec {
	spec := o.OrderSpec
	spec.Qty, spec.Price, spec.TriggerPrice = t.qty, t.price, t.triggerPrice
	return spec
}

// replaceLate is how much later than it was due the second half of a replacement is
// still placed. A stop that only reduces is placed whenever: it was there, and was
// taken away from here.
const replaceLate = 10 * time.Minute

// reasonNotReplaced is why an order ended that was cancelled to be replaced.
const reasonNotReplaced = "not_replaced"

// reads gives a venue's status its meaning under a change: the cancelled first half
// of a replacement is replaced, if something is left to place. Whoever has cancelled
// it later than the venue could on our behalf meant just that.
func (s *state) reads(m moment, o *order, r *venues.ExecutionReport) venues.OrderStatus {
	c := &o.change
	switch {
	case !c.replace || r.Status != venues.StatusCancelled || !c.wanted.qty.GreaterThan(o.FilledQty) || r.VenueTime.After(c.deadline):
		return r.Status
	case !o.ReduceOnly && m.now.After(c.deadline.Add(replaceLate)):
		o.Error = &venues.OrderFault{
			Code: venues.CodeExchangeUnavailable, Reason: reasonNotReplaced,
			Message: "the order was cancelled to be replaced, and it is too late for that",
		}
		return r.Status
	}
	return venues.StatusReplaced
}

// amend changes an active order in place, or replaces it where the venue cannot.
func (s *state) amend(m moment, in amendOrder) {
	if in.cmd.ChangesProtection() {
		s.amendProtection(m, in)
		return
	}
	o, refusal := s.changeable(in.cmd.OrderID)
	if refusal == nil {
		refusal = s.admitAmend(o, in)
	}
	if refusal != nil {
		s.after(replyOrder{to: in.orderReply, err: refusal})
		return
	}
	o.change = change{kind: venues.PendingAmend, wanted: wantedTerms(o, in.cmd)}
	o.PendingAction = venues.PendingAmend
	o.change.replace = o.Type.IsStop() && o.Status == venues.StatusUntriggered && !s.caps.AmendStops && !o.change.wanted.of(o)
	s.waitForChange(m, o, in.orderReply)
	o.change.remember()
	s.touch(o)
	switch {
	case o.change.wanted.of(o): // nothing to do: settled at the end of the step
	case o.change.replace:
		o.change.sent = true
		s.after(callCancel{orderID: o.OrderID, ref: s.ref(o)})
	default:
		o.change.sent = true
		spec := o.change.wanted.applied(o)
		s.after(callAmend{orderID: o.OrderID, request: s.amendRequest(m, o), increases: s.increases(&spec, o)})
	}
}

func (s *state) admitAmend(o *order, in amendOrder) *venues.Error {
	switch {
	case o.change.kind != venues.PendingNone:
		return venues.Errorf(venues.CodeOrderRejected, "another change of the order is on its way").With("reason", "change_pending")
	case !o.Status.IsActive():
		return notActive(&o.Order)
	case o.EntryOrderID != "":
		return venues.Errorf(venues.CodeOrderRejected, "the order protects another one: change its stopLoss and takeProfit").
			With("reason", "protection").With("entryOrderId", o.EntryOrderID)
	case in.cmd.Qty.Valid && in.cmd.Qty.Decimal.LessThanOrEqual(o.FilledQty):
		return venues.InvalidFields(venues.FieldFault{
			Field: "qty", Rule: "not_above_filled", Given: venues.FormatDecimal(in.cmd.Qty.Decimal),
			Allowed: "above " + venues.FormatDecimal(o.FilledQty),
		})
	case in.cmd.Price.Valid && o.Type.IsMarket():
		return venues.InvalidFields(venues.FieldFault{Field: "price", Rule: "not_of_this_type"})
	case in.cmd.TriggerPrice.Valid && o.Status != venues.StatusUntriggered:
		return venues.InvalidFields(venues.FieldFault{Field: "triggerPrice", Rule: "not_of_this_type"})
	}
	if in.instrument == nil {
		return notListed(o.Symbol, s.exchange)
	}
	spec := wantedTerms(o, in.cmd).applied(o)
	if err := in.instrument.CheckOrder(&spec, in.mark); err != nil {
		return err
	}
	if err := checkProtection(&spec, in.mark); err != nil {
		return err
	}
	if err := checkLegs(in.instrument, &spec, s.attaches(o)); err != nil {
		return err
	}
	return s.admitAmendRisk(o, &spec, in.mark)
}

func wantedTerms(o *order, cmd venues.AmendOrder) terms {
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

func (s *state) amendRequest(m moment, o *order) venues.AmendRequest {
	return venues.AmendRequest{
		OrderRef: s.ref(o), Side: o.Side, Qty: o.change.wanted.qty,
		Price: o.change.wanted.price, TriggerPrice: o.change.wanted.triggerPrice,
		ReduceOnly: o.ReduceOnly, Deadline: m.now.Add(orderLifeMax),
	}
}

// amended takes the venue's answer to an amend.
func (s *state) amended(m moment, in amendDone) {
	o, known := s.orders[in.orderID]
	if !known {
		return
	}
	o.sending = false
	if errors.Is(in.err, errGateClosed) {
		in.err = s.lockRefusal()
	}
	s.touch(o)
	switch {
	case in.err == nil:
		s.apply(m, o, in.report)
		if o.change.kind == venues.PendingAmend && !o.change.wanted.of(o) { // not shown yet
			s.inquire(m, o, changeSeenWait)
		}
	case errors.Is(in.err, venues.ErrOutcomeUnknown):
		s.inquire(m, o, inquiryWait)
	case venues.CodeOf(in.err) == venues.CodeNotFound:
		s.inquire(m, o, 0)
	case o.change.kind == venues.PendingAmend: // and not a cancel that has overtaken it
		s.refuseChange(m, o, in.err)
	}
}

// succeed places what is left of a replaced order under a new id.
func (s *state) succeed(m moment, o *order) {
	wanted := o.change.wanted
	next := s.newOrder(m, venues.PlaceOrder{
		OrderSpec: o.OrderSpec, Source: o.Source, ChannelID: o.ChannelID, Comment: o.Comment,
		ClosesAs: o.ClosesAs,
	})
	next.Qty, next.Price, next.TriggerPrice = wanted.qty, wanted.price, wanted.triggerPrice
	next.lowered = o.isLoweredTo(&next.OrderSpec)
	next.Qty = wanted.qty.Sub(o.FilledQty)
	next.Protection = planProtection(&next.OrderSpec)
	next.Replaces, o.ReplacedBy = o.OrderID, next.OrderID
	next.waiters, next.replyDue = o.change.waiters, m.now.Add(answerWithin)
	o.change.waiters = nil
	s.endChange(o)
	s.after(callPlace{orderID: next.OrderID, request: next.request()})
	s.touch(next)
}
