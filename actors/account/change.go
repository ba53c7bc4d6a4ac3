package account

import (
	"errors"
	"time"

	"venuegate/persistence"
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
	// own says that nobody but the account wants a cancel, which does not give it up.
	own bool
	// protection is set for an amend of stop loss and take profit.
	protection *protectionChange
	// amendment is what the record tells of an amend.
	amendment *persistence.Amendment
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
		s.touch(o) // the next start must not go on with it
	}
	o.withdrawn = true
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
	s.after(callCancel{orderID: o.OrderID, ref: s.ref(o)})
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
			s.inquire(m, o, changeSeenWait)
		}
	case errors.Is(in.err, venues.ErrOutcomeUnknown):
		s.inquire(m, o, inquiryWait)
	case venues.CodeOf(in.err) == venues.CodeNotFound:
		// It may have been filled, or never have arrived: the venue tells.
		s.inquire(m, o, 0)
	default:
		s.refuseChange(m, o, in.err)
	}
}

// refuseChange ends a change that does not come about. Where nobody waits for the
// answer any more the journal has it; that the change is over shows on the order.
func (s *state) refuseChange(m moment, o *order, cause error) {
	refusal, explicit := errors.AsType[*venues.Error](cause)
	if !explicit {
		refusal = venues.Errorf(venues.CodeExchangeUnavailable, "the change was not sent").Because(cause)
	}
	if len(o.change.waiters) == 0 && !o.change.own {
		s.note(m, o, "change_failed",
			persistence.JournalField{Name: "action", Value: string(o.change.kind)},
			persistence.JournalField{Name: "code", Value: string(refusal.Code)},
			persistence.JournalField{Name: "message", Value: refusal.Message})
	}
	if o.change.kind == venues.PendingCancel && !o.change.own {
		o.withdrawn = false // who has asked is told, and may ask again
	}
	s.answerChange(o, refusal)
	s.endChange(o)
}

// changeSeen looks, after an answer to a question, at what became of a change
// whose outcome was unknown.
func (s *state) changeSeen(m moment, o *order) {
	if !o.Status.IsActive() || o.change.kind == venues.PendingNone || o.change.protection != nil {
		return
	}
	switch {
	case o.change.kind == venues.PendingCancel && o.change.tries < cancelTriesMax:
		o.change.sent = false
		s.sendCancel(o)
	case m.now.After(o.change.deadline):
		s.refuseChange(m, o, venues.Errorf(venues.CodeExchangeUnavailable, "the venue did not carry out the %s", o.change.kind))
	default:
		s.inquire(m, o, time.Second)
	}
}

// settleChange ends a change that the order shows, or that the order's own end
// has overtaken.
func (s *state) settleChange(m moment, o *order) {
	switch {
	case o.change.kind == venues.PendingNone:
	case o.change.protection != nil && (isProtectable(&o.Order) || o.change.protection.drops()):
		s.settleProtection(o)
	case o.Status == venues.StatusReplaced:
		s.succeed(m, o)
	case o.Status == venues.StatusCancelled && o.change.kind == venues.PendingCancel:
		s.answerChange(o, nil)
		s.endChange(o)
	case o.Status.IsClosed():
		s.answerChange(o, notActive(&o.Order))
		s.endChange(o)
	case o.change.kind == venues.PendingAmend && !o.change.replace && o.change.protection == nil && o.change.wanted.of(o):
		s.endChange(o)
		s.answerChange(o, nil)
	default:
		s.sendCancel(o)
	}
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
