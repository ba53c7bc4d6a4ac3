package account

import (
	"errors"
	"time"

	"venuegate/actors/account/deadline"
	"venuegate/actors/account/protection"
	"venuegate/persistence"
	"venuegate/venues"
)

// cancelTriesMax bounds how often a cancel with an unknown outcome is sent. A
// repetition changes nothing.
const cancelTriesMax = 5

// change is the pending amend or cancel of an order. It ends when the venue reports the
// changed order, when the order closes, or when the venue rejects the change. A change of
// stop loss and take profit is an amend with order.Move.
type change struct {
	kind     venues.PendingAction
	sent     bool
	tries    int
	waiters  []orderReply
	replyDue time.Time
	// deadline is when the venue can no longer carry the change out.
	deadline time.Time
	// target has the terms that an amend requests.
	target terms
	// replaces makes a cancel the first half of an amend, where the venue cannot amend
	// the order in place.
	replaces bool
	// isWithdrawal marks a cancel that the account has decided on without a caller. If it
	// fails, the order stays Withdrawn and is cancelled again later.
	isWithdrawal bool
	// amendment is the amend as the order's record stores it.
	amendment *persistence.Amendment
}

// setChange replaces the pending change of an order, whether of terms or protection.
func (o *order) setChange(c change) { o.change, o.Move, o.PendingAction = c, nil, c.kind }

// endChange ends the change of an order and answers its callers with rejection, which may be
// nil.
func (s *state) endChange(o *order, rejection error) {
	s.replyChange(o, rejection)
	o.setChange(change{})
}

// recordAmendment writes the pending amend into the record of its order, so that it is
// durable before its callers are answered that it is pending.
func (o *order) recordAmendment() {
	c := &o.change
	c.amendment = &persistence.Amendment{
		Qty: c.target.qty, Price: c.target.price, TriggerPrice: c.target.triggerPrice,
		Replaces: c.replaces, Deadline: venues.At(c.deadline),
	}
	if o.Move != nil {
		o.Move.Record(c.amendment)
	}
}

// restoreChange restores the amend that was pending when the account ended. It counts
// as sent: its outcome follows from the venue's reports, at the latest once it can no
// longer be carried out. It is not sent again, as the price may have moved since. A
// change of protection is sent again, because no report shows its outcome.
func (o *order) restoreChange() {
	a := o.Amend
	if o.PendingAction != venues.PendingAmend || a == nil {
		return
	}
	o.Move = protection.RestoreMove(a)
	o.change = change{
		kind: venues.PendingAmend, sent: o.Move == nil, deadline: a.Deadline.Time, replaces: a.Replaces, amendment: a,
		target: terms{qty: a.Qty, price: a.Price, triggerPrice: a.TriggerPrice},
	}
}

// changeable returns an order that may be changed. isChangeable decides by its record.
func (s *state) changeable(orderID string, isChangeable func(*venues.Order) bool) (*order, *venues.Error) {
	if !s.isLoaded {
		return nil, maintenance(s.exchange)
	}
	o, known := s.orders[orderID]
	if !known {
		return nil, venues.Errorf(venues.CodeNotFound, "no active order %s", orderID)
	}
	if !isChangeable(&o.Order) {
		return nil, notActive(&o.Order)
	}
	return o, nil
}

func isOpen(o *venues.Order) bool { return !o.Status.IsClosed() }

// addChangeWaiter adds a caller to the pending change and sets the change's deadlines.
func (s *state) addChangeWaiter(step stepContext, o *order, reply orderReply) {
	o.change.waiters = append(o.change.waiters, reply)
	o.change.deadline = step.now.Add(requestLife + s.caps.AbsenceAfter)
	o.change.replyDue = deadline.Earlier(o.change.replyDue, step.now.Add(replyWithin))
}

// withdraw cancels an order by a decision of the account, without a caller.
func (s *state) withdraw(step stepContext, o *order) {
	if o.Status.IsClosed() {
		return
	}
	if o.change.kind == venues.PendingCancel {
		o.change.isWithdrawal = true
		return
	}
	s.replyChange(o, nil) // the cancel supersedes an amend
	o.Withdrawn = true
	o.setChange(change{kind: venues.PendingCancel, isWithdrawal: true, deadline: step.now.Add(requestLife + s.caps.AbsenceAfter)})
	s.sendCancel(o)
	s.markDirty(o)
}

// sendCancel sends a pending cancel, unless the order itself is still being sent.
func (s *state) sendCancel(o *order) {
	if o.change.kind != venues.PendingCancel || o.change.sent || o.Status == venues.StatusPending {
		return
	}
	o.change.sent = true
	o.change.tries++
	s.after(callCancel{orderID: o.OrderID, ref: s.ids.ref(o)})
}

// resumeChange continues a change that was pending when the account ended: its caller may
// have been answered that it is pending. A cancel is sent again.
func (s *state) resumeChange(step stepContext, o *order) {
	switch {
	case o.Status.IsClosed():
	case o.Withdrawn:
		s.withdraw(step, o)
	case o.change.sent:
		s.scheduleQuery(step, o, queryDelay)
	}
}

// checkChange retries or ends a change with an unknown outcome after the answer to a query.
func (s *state) checkChange(step stepContext, o *order) {
	if !o.Status.IsActive() || o.change.kind == venues.PendingNone || o.Move != nil {
		return
	}
	switch {
	case o.change.kind == venues.PendingCancel && o.change.tries < cancelTriesMax:
		o.change.sent = false
		s.sendCancel(o)
	case step.now.After(o.change.deadline):
		s.rejectChange(step, o, venues.Errorf(venues.CodeExchangeUnavailable, "the venue did not carry out the %s", o.change.kind))
	default:
		s.scheduleQuery(step, o, time.Second)
	}
}

// advanceChange does what follows for a pending change from the state of its order: it ends the
// change, places the replacement, or sends a cancel that had to wait for the order.
func (s *state) advanceChange(step stepContext, o *order) {
	switch {
	case o.change.kind == venues.PendingNone:
	case o.Move != nil && (protection.IsChangeable(&o.Order) || o.Move.OnlyRemoves()):
		s.protection(step).EndMoveIfDone(&o.protectedOrder)
	case o.Status == venues.StatusReplaced:
		s.placeReplacement(step, o)
	case o.Status == venues.StatusCancelled && o.change.kind == venues.PendingCancel:
		s.endChange(o, nil)
	case o.Status.IsClosed():
		s.endChange(o, notActive(&o.Order))
	case o.change.kind == venues.PendingAmend && !o.change.replaces && o.Move == nil && o.change.target.match(o):
		s.endChange(o, nil)
	default:
		s.sendCancel(o)
	}
}

// rejectChange ends a change that is not carried out, and answers its callers with cause.
// Without callers the error is journaled.
func (s *state) rejectChange(step stepContext, o *order, cause error) {
	rejection, isExplicit := errors.AsType[*venues.Error](cause)
	if !isExplicit {
		rejection = venues.Errorf(venues.CodeExchangeUnavailable, "the change was not sent").Because(cause)
	}
	if len(o.change.waiters) == 0 && !o.change.isWithdrawal {
		s.journalOrder(step, o, "change_failed",
			persistence.JournalField{Name: "action", Value: string(o.change.kind)},
			persistence.JournalField{Name: "code", Value: string(rejection.Code)},
			persistence.JournalField{Name: "message", Value: rejection.Message})
	}
	if o.change.kind == venues.PendingCancel && !o.change.isWithdrawal {
		o.Withdrawn = false // the caller receives the error, and may cancel again
	}
	s.endChange(o, rejection)
}

// replyChange answers the callers of the change.
func (p *stepOutput) replyChange(o *order, rejection error) {
	for _, waiter := range o.change.waiters {
		p.pendingReplies = append(p.pendingReplies, pendingReply{to: waiter, about: o, err: rejection})
	}
	o.change.waiters, o.change.replyDue = nil, time.Time{}
}
