package account

import (
	"maps"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// orderReply is where the answer to a command about one order goes.
type orderReply = actors.Reply[venues.Order]

// answer is owed at the end of the step, when the record is as it is stored.
type answer struct {
	to    orderReply
	about *order
	err   error
}

// settle answers those who wait for the order if there is something to say.
func (s *state) settle(m moment, o *order) {
	if len(o.waiters) == 0 {
		return
	}
	switch {
	case s.stopping && !o.storing:
		s.answer(o)
	case o.Status.IsActive() && o.PostOnly && s.caps.AsyncAck:
		// The venue lets it rest before it looks whether it would take.
		o.replyDue = earlier(o.replyDue, m.now.Add(restsAfter))
	case o.hasSettled():
		s.answer(o)
	case o.Status.IsActive() && o.takesAtOnce():
		o.replyDue = earlier(o.replyDue, m.now.Add(fillsWithin))
	}
}

// hasSettled says whether the venue has acknowledged the order, and, for one
// that cannot rest, how it ended.
func (o *order) hasSettled() bool {
	switch {
	case o.Status.IsClosed():
		return true
	case o.held != nil:
		return false
	case o.takesAtOnce():
		return o.Status == venues.StatusUntriggered
	default:
		return o.Status.IsActive()
	}
}

// abandon tells those who wait for an order whose intent is durable that its outcome
// is not known: the next incarnation finds it out, and does not know them.
func (s *state) abandon() {
	for _, o := range s.unfinished() {
		if o.storing || (o.Status != venues.StatusPending && o.Status != venues.StatusUnknown) {
			continue
		}
		for _, waiter := range o.waiters {
			waiter.Send(o.Order)
		}
	}
}

func (o *order) takesAtOnce() bool {
	return o.Type.IsMarket() || o.TimeInForce == venues.ImmediateOrCancel || o.TimeInForce == venues.FillOrKill
}

// answer tells everyone who waits what is known now.
func (s *state) answer(o *order) {
	for _, waiter := range o.waiters {
		s.owed = append(s.owed, answer{to: waiter, about: o, err: o.placeError()})
	}
	o.waiters, o.replyDue = nil, time.Time{}
}

// placeError is nil unless it is proven that nothing was placed. The error
// carries the record as details.order.
func (o *order) placeError() error {
	if o.Status != venues.StatusRejected || o.refusal == nil {
		return nil
	}
	e := *o.refusal
	e.Details = maps.Clone(e.Details)
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details["order"] = o.Order
	return &e
}
