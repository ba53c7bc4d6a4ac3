package account

import (
	"maps"
	"time"

	"venuegate/actors"
	"venuegate/actors/account/deadline"
	"venuegate/venues"
)

// orderReply receives the answer to a command about one order.
type orderReply = actors.Reply[venues.Order]

// pendingReply is sent at the end of the step, with the record as it is stored.
type pendingReply struct {
	to    orderReply
	about *order
	err   error
}

// replyIfSettled answers the callers of an order once it has settled.
func (s *state) replyIfSettled(step stepContext, o *order) {
	if len(o.waiters) == 0 {
		return
	}
	switch {
	case s.stopping && !o.storing:
		s.reply(o)
	case o.Status.IsActive() && o.PostOnly && s.caps.AsyncAck:
		// The venue acknowledges it before it checks whether it would take.
		o.replyDue = deadline.Earlier(o.replyDue, step.now.Add(postOnlySettle))
	case o.hasSettled():
		s.reply(o)
	case o.Status.IsActive() && o.takesLiquidity():
		o.replyDue = deadline.Earlier(o.replyDue, step.now.Add(fillsWithin))
	}
}

// replyUnknown answers the callers of orders whose intent is durable that the outcome is
// unknown: the next incarnation resolves it, and does not know the callers.
func (x *orderIndex) replyUnknown() {
	for _, o := range x.unfinished() {
		if o.storing || (o.Status != venues.StatusPending && o.Status != venues.StatusUnknown) {
			continue
		}
		for _, waiter := range o.waiters {
			waiter.Send(o.Order)
		}
	}
}

// reply answers the callers of an order with what is known now.
func (p *stepOutput) reply(o *order) {
	for _, waiter := range o.waiters {
		p.pendingReplies = append(p.pendingReplies, pendingReply{to: waiter, about: o, err: o.placeError()})
	}
	o.waiters, o.replyDue = nil, time.Time{}
}

// placeError returns nil unless it is certain that nothing was placed. The error has the
// record as details.order.
func (o *order) placeError() error {
	if o.Status != venues.StatusRejected || o.rejection == nil {
		return nil
	}
	e := *o.rejection
	e.Details = maps.Clone(e.Details)
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details["order"] = o.Order
	return &e
}
