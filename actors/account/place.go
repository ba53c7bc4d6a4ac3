package account

import (
	"errors"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/deadline"
	"venuegate/actors/account/protection"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// requestLife is how long after it was made the venue may still execute a request.
	requestLife = 5 * time.Second
	// replyWithin is the time within which a caller is answered, with what is known by then.
	replyWithin = 3 * time.Second
	// fillsWithin is how long the answer for an order that takes liquidity waits for its
	// fills.
	fillsWithin = 500 * time.Millisecond
	// postOnlyDecision is how long after its acknowledgement a post-only order counts as
	// resting, where the venue checks it only after it has acknowledged it. The private stream
	// usually reports it earlier: then it counts as resting after postOnlyFollowUp, because a
	// venue may report such an order as open and directly afterwards as cancelled.
	postOnlyDecision = 50 * time.Millisecond
	postOnlyFollowUp = 5 * time.Millisecond
	// maintenanceRetry is the retry time in the errors of an account that is not ready.
	maintenanceRetry = 5 * time.Second
	// UnfinishedMax bounds the orders of one account that are not closed.
	UnfinishedMax = 2000
)

// place adds the intent of an order to the step. Nothing is sent before it is durable.
func (s *state) place(step stepContext, in placeOrder) {
	if rejection := s.admit(step, &in); rejection != nil {
		s.after(replyOrder{to: in.orderReply, err: rejection})
		return
	}
	s.out.Batch.Reserve = s.risk.Reduces(s.forRisk(step), &in.cmd.OrderSpec, nil)
	o := s.newOrder(step, in.cmd)
	o.Attempt = in.attempt
	o.sendBy, o.origin, o.hops = in.cmd.Deadline, in.cmd.Origin, in.cmd.Hops
	o.hops.End(venues.HopAdmitted, step.now)
	if o.Type.IsStop() {
		o.TriggerDirection = stopDirection(o.Side)
	}
	o.Protection = protection.Plan(&in.cmd.OrderSpec)
	o.waiters = append(o.waiters, in.orderReply)
	o.replyDue = step.now.Add(replyWithin)
	o.storing = true
	s.out.Batch.Absent = append(s.out.Batch.Absent, o.Key())
	if in.cmd.RequestID != "" {
		s.claimRequestID(step, o, in.cmd)
	}
	s.after(callPlace{orderID: o.OrderID, request: o.request(), hops: o.hops})
	s.out.Creates = o.OrderID
	s.markDirty(o)
}

func (s *state) newOrder(step stepContext, cmd venues.PlaceOrder) *order {
	id := step.newID(orderIDPrefix)
	// The last reconciliation may have found no open order, and scheduled the next one
	// late.
	s.recon.due = deadline.Earlier(s.recon.due, step.now.Add(reconcileBusy))
	return s.insertOrder(persistence.OrderRecord{
		Order: venues.Order{
			OrderID: id, RequestID: cmd.RequestID, Exchange: s.exchange, Status: venues.StatusPending,
			OrderSpec: cmd.OrderSpec, FilledQty: decimal.Zero,
			Source: cmd.Source, ChannelID: cmd.ChannelID, Comment: cmd.Comment,
			CreatedAt: venues.At(step.now), UpdatedAt: venues.At(step.now),
		},
		Customer: s.customer, ClientOrderID: s.ids.of(id), Scope: cmd.Scope, ClosesAs: cmd.CloseReason,
		Deadline: venues.At(step.now.Add(requestLife)),
	})
}

// claimRequestID adds the claim of the request id to the commit of the intent.
func (s *state) claimRequestID(step stepContext, o *order, cmd venues.PlaceOrder) {
	record := persistence.IdempotencyRecord{
		Customer: s.customer, Scope: cmd.Scope, RequestID: cmd.RequestID, Attempt: o.Attempt,
		OrderID: o.OrderID, BodyHash: cmd.BodyHash, FirstReceived: venues.At(step.now),
	}
	if !cmd.ReceivedAt.IsZero() {
		record.FirstReceived = cmd.ReceivedAt
	}
	s.out.Batch.Absent = append(s.out.Batch.Absent, record.Key())
	s.out.Batch.Puts = append(s.out.Batch.Puts, record)
	o.claim = &record
}

// intentStored records that the intent of an order is durable, and stores later changes of
// the order. In a stopping account the request is not sent, and the changes are stored with
// its rejection.
func (s *state) intentStored(orderID string) {
	if o, known := s.orders[orderID]; known {
		o.storing = false
		s.counts.order(o.storedRecord().Status)
		if !s.stopping {
			s.markDirty(o)
		}
	}
}

// intentRejected undoes an intent that the store has rejected.
func (s *state) intentRejected(orderID string, cause error) {
	o := s.orders[orderID]
	if !errors.Is(cause, persistence.ErrExists) {
		cause = commitError(cause)
	}
	for _, waiter := range slices.Concat(o.waiters, o.change.waiters) {
		s.after(replyOrder{to: waiter, err: cause})
	}
	s.evict(o)
	if o.beganMark {
		s.storeMarks() // they were in the rejected batch
	}
}

// placed applies the venue's answer to the request that places an order.
func (s *state) placed(step stepContext, in placeDone) {
	o, known := s.orders[in.orderID]
	if !known {
		return
	}
	o.sending = false
	if errors.Is(in.err, risk.ErrGateClosed) {
		in.err = s.risk.TradingLocked()
	}
	s.markDirty(o)
	switch rejection, isRejected := errors.AsType[*venues.Error](venueRejection(in.err)); {
	case in.err == nil:
		s.applyReport(step, o, in.report)
		if o.Status == venues.StatusPending { // acknowledged without a status
			s.scheduleQuery(step, o, queryDelay)
		}
	case o.Status != venues.StatusPending:
		// The private stream was faster, and is more recent.
	case errors.Is(in.err, venues.ErrNotSent):
		s.notPlaced(step, o, notSent(s.exchange, in.err))
	case errors.Is(in.err, venues.ErrOutcomeUnknown) || !isRejected:
		s.markUnknown(step, o)
	default:
		s.rejectOrder(step, o, rejection)
	}
}

// rejectOrder ends an order that the venue has explicitly rejected.
func (s *state) rejectOrder(step stepContext, o *order, rejection *venues.Error) {
	reason, _ := rejection.Details["reason"].(string)
	o.Error = &venues.RejectReason{
		Code: rejection.Code, Message: rejection.Message, Reason: reason,
		VenueCode: rejection.VenueCode, VenueMessage: rejection.VenueMessage,
	}
	if endsUnfilled(o, reason) {
		o.Error = endError(*o.Error)
		s.setStatus(step, o, venues.StatusCancelled)
		return
	}
	s.notPlaced(step, o, rejection)
}

// notPlaced ends an order that the venue certainly does not have, and frees its request id.
func (s *state) notPlaced(step stepContext, o *order, cause *venues.Error) {
	o.rejection = cause
	if o.Error == nil {
		reason, _ := cause.Details["reason"].(string)
		o.Error = &venues.RejectReason{Code: cause.Code, Message: cause.Message, Reason: reason}
	}
	s.setStatus(step, o, venues.StatusRejected)
	if o.claim != nil {
		s.freeRequestID(step, o)
	}
}

func (p *stepOutput) freeRequestID(step stepContext, o *order) {
	freed := *o.claim
	freed.FreedAt = venues.At(step.now)
	p.out.Batch.Puts = append(p.out.Batch.Puts, freed)
	o.claim = nil
}
