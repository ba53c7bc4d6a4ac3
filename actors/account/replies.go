package account

import (
	"maps"
	"time"

	"venuegate/actors"
	"venuegate/actors/account/deadline"
	"venuegate/persistence"
	"venuegate/venues"
)

// Callers that wait for an answer.
type (
	orderReply = actors.Reply[venues.Order]
	fundsReply = actors.Reply[Funds]
	haltReply  = actors.Reply[venues.HaltReport]
)

// reply is the effect that answers a caller with err or, if that is nil, with value.
type reply[T any] struct {
	to    actors.Reply[T]
	value T
	err   error
	// hops are those of an order whose answer is recorded now; nil for other replies.
	hops *venues.Hops
}

func (e reply[T]) run(*account, *actors.Context) { e.send() }

func (e reply[T]) send() {
	if e.hops != nil {
		e.hops.End(venues.HopRecorded, time.Now())
	}
	if e.err != nil {
		e.to.Reject(e.err)
		return
	}
	e.to.Send(e.value)
}

type (
	replyOrder  = reply[venues.Order]
	replyFunds  = reply[Funds]
	replyHalt   = reply[venues.HaltReport]
	replyOpen   = reply[openOrders]
	replyRisk   = reply[venues.RiskReport]
	acknowledge = reply[struct{}]
)

// mayAnswerBeforeSync reports whether the callers of a step may be answered when its batch
// is written. If a power failure loses the batch, the intents are still durable, and their
// orders end as they were answered once the venue is queried again. That does not hold for
// what only this step knows, such as a rejection, a request id that it frees or a change
// that is still pending, and nothing that protects or closes a position may be lost.
func mayAnswerBeforeSync(out *output) bool {
	for _, r := range out.Batch.Puts {
		switch r := r.(type) {
		case persistence.OrderRecord:
			if r.Error != nil || r.PendingAction != venues.PendingNone ||
				r.Protection != nil || r.Protects != "" || r.ClosesAs != "" || r.Closing || r.ChannelID != "" {
				return false
			}
		case persistence.FillRecord, persistence.PositionRecord, persistence.AccountState:
		default:
			return false
		}
	}
	for _, e := range out.After {
		switch e := e.(type) {
		case callPlace, callAmend, callCancel, callProtect:
			return false
		case replyOrder:
			if e.err != nil {
				return false
			}
		}
	}
	return true
}

func sendAll(replies []replyOrder) {
	for _, r := range replies {
		r.send()
	}
}

// pendingReply is an answer that is sent at the end of the step, with the record as it is
// stored.
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
		// The venue acknowledges the order before it checks whether it would take liquidity.
		decided := step.now.Add(postOnlyDecision)
		if !o.streamedOpenAt.IsZero() {
			decided = o.streamedOpenAt.Add(postOnlyFollowUp)
		}
		if o.replyDue = deadline.Earlier(o.replyDue, decided); deadline.Passed(decided, step.now) {
			s.reply(o)
		}
	case o.hasSettled():
		s.reply(o)
	case o.Status.IsActive() && o.takesLiquidity():
		o.replyDue = deadline.Earlier(o.replyDue, step.now.Add(fillsWithin))
	}
}

// replyUnknown answers the callers of durable intents without an outcome. The next
// incarnation resolves the outcome, but does not know the callers.
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

// placeError returns the error of an order that was certainly not placed, with the record as
// details.order; nil for any other order.
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
