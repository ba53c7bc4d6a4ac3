package account

import (
	"errors"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// cancelTriesMax bounds how often a cancel whose outcome is unknown is sent
// again. A cancel may be repeated: it cannot happen twice.
const cancelTriesMax = 5

// change is an amend or a cancel on its way. It ends when the order shows it,
// when the order closes, or when the venue refuses it.
type change struct {
	kind     venues.PendingAction
	sent     bool
	tries    int
	waiters  []orderReply
	replyDue time.Time
	// deadline is when the venue can no longer carry the change out.
	deadline time.Time
	// wanted are the terms of an amend.
	wanted terms
	// replace makes a cancel the first half of an amend: the venue cannot amend
	// this order in place.
	replace bool
}

type terms struct {
	qty          decimal.Decimal
	price        venues.Optional
	triggerPrice venues.Optional
}

func (t terms) of(o *order) bool {
	return t.qty.Equal(o.Qty) && venues.EqualOptional(t.price, o.Price) && venues.EqualOptional(t.triggerPrice, o.TriggerPrice)
}

// reads gives a venue's status its meaning under the change: the cancelled first
// half of a replacement is replaced, if something is left to place.
func (c *change) reads(o *order, status venues.OrderStatus) venues.OrderStatus {
	if c.replace && status == venues.StatusCancelled && c.wanted.qty.GreaterThan(o.FilledQty) {
		return venues.StatusReplaced
	}
	return status
}

// getMatching lists the ids of the orders that are not closed, of one symbol or
// of all, oldest first.
func (s *state) getMatching(in getMatching) {
	if !s.isLoaded {
		in.Reject(s.maintenance())
		return
	}
	ids := []string{}
	for _, o := range s.unfinished() {
		if in.symbol == "" || o.Symbol == in.symbol {
			ids = append(ids, o.OrderID)
		}
	}
	in.Send(ids)
}

// cancel asks the venue to end an order. Nothing needs to be durable first.
func (s *state) cancel(m moment, in cancelOrder) {
	o, refusal := s.changeable(in.cmd.OrderID)
	if refusal != nil {
		s.after(replyOrder{to: in.orderReply, err: refusal})
		return
	}
	if o.change.kind == venues.PendingAmend {
		s.answerChange(o, nil) // overtaken by the cancel
		o.change = change{}
	}
	o.change.kind, o.PendingAction = venues.PendingCancel, venues.PendingCancel
	s.waitForChange(m, o, in.orderReply)
	s.sendCancel(o)
	s.watch(o)
}

// changeable finds an order that may still be changed.
func (s *state) changeable(orderID string) (*order, *venues.Error) {
	if !s.isLoaded {
		return nil, s.maintenance()
	}
	o, known := s.orders[orderID]
	if !known {
		return nil, venues.Errorf(venues.CodeNotFound, "no active order %s", orderID)
	}
	if o.Status.IsClosed() {
		return nil, notActive(&o.Order)
	}
	return o, nil
}

// notActive is the answer about an order that exists and has ended.
func notActive(o *venues.Order) *venues.Error {
	return venues.Errorf(venues.CodeNotFound, "the order is %s", o.Status).
		With("status", string(o.Status)).With("orderId", o.OrderID)
}

func (s *state) waitForChange(m moment, o *order, reply orderReply) {
	o.change.waiters = append(o.change.waiters, reply)
	o.change.deadline = m.now.Add(orderLifeMax + s.caps.AbsenceAfter)
	o.change.replyDue = earlier(o.change.replyDue, m.now.Add(answerWithin))
}

// sendCancel sends a cancel that was asked for, once the venue can know the
// order.
func (s *state) sendCancel(o *order) {
	if o.change.kind != venues.PendingCancel || o.change.sent || o.Status == venues.StatusPending {
		return
	}
	o.change.sent = true
	o.change.tries++
	s.after(callCancel{orderID: o.OrderID, ref: o.ref()})
}

// cancelled takes the venue's answer to a cancel.
func (s *state) cancelled(m moment, in cancelDone) {
	o, known := s.orders[in.orderID]
	if !known {
		return
	}
	s.touch(o)
	switch {
	case in.err == nil:
		s.apply(m, o, in.report)
		if !o.Status.IsClosed() { // acknowledged only; the stream or a question will tell
			s.inquire(m, o, inquirySteps[1])
		}
	case errors.Is(in.err, venues.ErrOutcomeUnknown):
		s.inquire(m, o, inquirySteps[0])
	case venues.CodeOf(in.err) == venues.CodeNotFound:
		// It may have been filled, or never have arrived: the venue tells.
		s.inquire(m, o, 0)
	default:
		s.refuseChange(o, in.err)
	}
}

// amend changes an active order in place, or replaces it where the venue cannot.
func (s *state) amend(m moment, in amendOrder) {
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
	s.waitForChange(m, o, in.orderReply)
	s.touch(o)
	switch {
	case o.change.wanted.of(o): // nothing to do: settled at the end of the step
	case o.Type.IsStop() && o.Status == venues.StatusUntriggered && !s.caps.AmendStops:
		o.change.replace = true
		o.change.sent = true
		s.after(callCancel{orderID: o.OrderID, ref: o.ref()})
	default:
		s.after(callAmend{orderID: o.OrderID, request: o.amendRequest(m)})
	}
}

func (s *state) admitAmend(o *order, in amendOrder) *venues.Error {
	switch {
	case o.change.kind != venues.PendingNone:
		return venues.Errorf(venues.CodeOrderRejected, "another change of the order is on its way").With("reason", "change_pending")
	case !o.Status.IsActive():
		return notActive(&o.Order)
	case in.cmd.StopLoss.Valid || in.cmd.TakeProfit.Valid:
		return venues.InvalidFields(venues.FieldFault{Field: "stopLoss", Rule: "protection_cannot_be_amended"})
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
		return venues.Errorf(venues.CodeSymbolNotTradable, "%s is not an instrument of %s", o.Symbol, s.exchange)
	}
	spec := o.OrderSpec
	t := wantedTerms(o, in.cmd)
	spec.Qty, spec.Price, spec.TriggerPrice = t.qty, t.price, t.triggerPrice
	if err := in.instrument.CheckOrder(&spec, in.mark); err != nil {
		return err
	}
	return checkProtection(&spec, in.mark)
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

func (o *order) amendRequest(m moment) venues.AmendRequest {
	return venues.AmendRequest{
		OrderRef: o.ref(), Side: o.Side, Qty: o.change.wanted.qty,
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
	s.touch(o)
	switch {
	case in.err == nil:
		s.apply(m, o, in.report)
		if o.change.kind == venues.PendingAmend && !o.change.wanted.of(o) { // not shown yet
			s.inquire(m, o, inquirySteps[1])
		}
	case errors.Is(in.err, venues.ErrOutcomeUnknown):
		s.inquire(m, o, inquirySteps[0])
	case venues.CodeOf(in.err) == venues.CodeNotFound:
		s.inquire(m, o, 0)
	case o.change.kind == venues.PendingAmend: // and not a cancel that has overtaken it
		s.refuseChange(o, in.err)
	}
}

func (s *state) refuseChange(o *order, cause error) {
	refusal, explicit := errors.AsType[*venues.Error](cause)
	if !explicit {
		refusal = venues.Errorf(venues.CodeExchangeUnavailable, "the change was not sent").Because(cause)
	}
	s.answerChange(o, refusal)
	s.endChange(o)
}

// changeSeen looks, after an answer to a question, at what became of a change
// whose outcome was unknown.
func (s *state) changeSeen(m moment, o *order) {
	if !o.Status.IsActive() || o.change.kind == venues.PendingNone {
		return
	}
	switch {
	case o.change.kind == venues.PendingCancel && o.change.tries < cancelTriesMax:
		o.change.sent = false
		s.sendCancel(o)
	case m.now.After(o.change.deadline):
		s.refuseChange(o, venues.Errorf(venues.CodeExchangeUnavailable, "the venue did not carry out the %s", o.change.kind))
	default:
		s.inquire(m, o, time.Second)
	}
}

// settleChange ends a change that the order shows, or that the order's own end
// has overtaken.
func (s *state) settleChange(m moment, o *order) {
	switch {
	case o.change.kind == venues.PendingNone:
	case o.Status == venues.StatusReplaced:
		s.succeed(m, o)
	case o.Status == venues.StatusCancelled && o.change.kind == venues.PendingCancel:
		s.answerChange(o, nil)
		s.endChange(o)
	case o.Status.IsClosed():
		s.answerChange(o, notActive(&o.Order))
		s.endChange(o)
	case o.change.kind == venues.PendingAmend && !o.change.replace && o.change.wanted.of(o):
		s.endChange(o)
		s.answerChange(o, nil)
	default:
		s.sendCancel(o)
	}
}

// succeed places what is left of a replaced order under a new id.
func (s *state) succeed(m moment, o *order) {
	wanted := o.change.wanted
	next := s.newOrder(m, venues.PlaceOrder{
		OrderSpec: o.OrderSpec, Source: o.Source, ChannelID: o.ChannelID, Comment: o.Comment,
	})
	next.Qty, next.Price, next.TriggerPrice = wanted.qty.Sub(o.FilledQty), wanted.price, wanted.triggerPrice
	next.Protection = planProtection(&next.OrderSpec)
	next.Replaces, o.ReplacedBy = o.OrderID, next.OrderID
	next.waiters, next.replyDue = o.change.waiters, m.now.Add(answerWithin)
	o.change.waiters = nil
	s.endChange(o)
	s.after(callPlace{orderID: next.OrderID, request: next.request()})
	s.touch(next)
}

// endChange clears the change but keeps those who wait for answerChange.
func (s *state) endChange(o *order) {
	o.PendingAction = venues.PendingNone
	o.change = change{waiters: o.change.waiters}
}

// answerChange tells everyone who waits for the change.
func (s *state) answerChange(o *order, refusal error) {
	for _, waiter := range o.change.waiters {
		s.owed = append(s.owed, answer{to: waiter, about: o, err: refusal})
	}
	o.change.waiters, o.change.replyDue = nil, time.Time{}
}
