package account

import (
	"errors"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// orderLifeMax is how long after the intent a venue may still execute the
	// request.
	orderLifeMax = 5 * time.Second
	// answerWithin is when a caller is answered at the latest, with whatever is
	// known by then.
	answerWithin = 3 * time.Second
	// fillsWithin is how long an answer waits for the fills of an order that
	// takes liquidity at once.
	fillsWithin = 500 * time.Millisecond
	// restsAfter is when a post-only order counts as resting on a venue that
	// acknowledges first and decides afterwards.
	restsAfter = 50 * time.Millisecond
	// maintenanceRetry is told to callers while the account reconciles.
	maintenanceRetry = 5 * time.Second
	// UnfinishedMax bounds the orders of one account that are not closed.
	UnfinishedMax = 2000
)

// place makes the intent of an order. Nothing is sent before it is durable.
func (s *state) place(m moment, in placeOrder) {
	if refusal := s.admit(m, in); refusal != nil {
		s.after(replyOrder{to: in.orderReply, err: refusal})
		return
	}
	o := s.newOrder(m, in.cmd)
	o.Attempt = in.attempt
	o.sendBy = in.cmd.Deadline
	o.Protection = planProtection(&in.cmd.OrderSpec)
	o.waiters = append(o.waiters, in.orderReply)
	o.replyDue = m.now.Add(answerWithin)
	o.storing = true
	s.out.batch.Absent = append(s.out.batch.Absent, o.Key())
	if in.cmd.RequestID != "" {
		s.claim(m, o, in.cmd)
	}
	s.after(callPlace{orderID: o.OrderID, request: o.request()})
	s.out.intent = o.OrderID
	s.touch(o)
}

// admit checks what can be known before the venue is asked.
func (s *state) admit(m moment, in placeOrder) *venues.Error {
	if !s.ready || isPast(in.cmd.Deadline, m.now) {
		return s.maintenance()
	}
	if in.instrument == nil {
		return notListed(in.cmd.Symbol, s.exchange)
	}
	if err := in.instrument.CheckOrder(&in.cmd.OrderSpec, in.mark); err != nil {
		return err
	}
	if err := checkProtection(&in.cmd.OrderSpec, in.mark); err != nil {
		return err
	}
	if err := checkLegs(in.instrument, &in.cmd.OrderSpec, s.caps.AttachedProtection); err != nil {
		return err
	}
	if err := s.admitRisk(&in.cmd.OrderSpec, in.mark); err != nil {
		return err
	}
	if err := s.admitBound(&in.cmd); err != nil {
		return err
	}
	if len(s.live) >= UnfinishedMax && s.unfinishedCount() >= UnfinishedMax {
		return venues.Errorf(venues.CodeRiskRejected, "too many open orders").
			With("rule", "max_open_orders").With("limit", UnfinishedMax)
	}
	return nil
}

func notListed(symbol string, exchange venues.Venue) *venues.Error {
	return venues.Errorf(venues.CodeSymbolNotTradable, "%s is not an instrument of %s", symbol, exchange).With("symbol", symbol)
}

// isPast says whether a deadline was given and is over.
func isPast(deadline, now time.Time) bool { return !deadline.IsZero() && !now.Before(deadline) }

func (s *state) maintenance() *venues.Error {
	e := venues.Errorf(venues.CodeMaintenance, "the %s account is being reconciled", s.exchange)
	e.RetryAfter = maintenanceRetry
	return e
}

func (s *state) newOrder(m moment, cmd venues.PlaceOrder) *order {
	id := m.newID(orderIDPrefix)
	// The last reconciliation may have found nothing to hurry for.
	s.recon.due = earlier(s.recon.due, m.now.Add(reconcileBusy))
	return s.insert(persistence.OrderRecord{
		Order: venues.Order{
			OrderID: id, RequestID: cmd.RequestID, Exchange: s.exchange, Status: venues.StatusPending,
			OrderSpec: cmd.OrderSpec, FilledQty: decimal.Zero,
			Source: cmd.Source, ChannelID: cmd.ChannelID, Comment: cmd.Comment,
			CreatedAt: venues.At(m.now), UpdatedAt: venues.At(m.now),
		},
		Customer: s.customer, ClientOrderID: s.ids.of(id), Scope: cmd.Scope, ClosesAs: cmd.ClosesAs,
		Deadline: venues.At(m.now.Add(orderLifeMax)),
	})
}

// claim takes the request id with the intent, in the same commit.
func (s *state) claim(m moment, o *order, cmd venues.PlaceOrder) {
	record := persistence.IdempotencyRecord{
		Customer: s.customer, Scope: cmd.Scope, RequestID: cmd.RequestID, Attempt: o.Attempt,
		OrderID: o.OrderID, BodyHash: cmd.BodyHash, FirstReceived: venues.At(m.now),
	}
	if !cmd.ReceivedAt.IsZero() {
		record.FirstReceived = cmd.ReceivedAt
	}
	s.out.batch.Absent = append(s.out.batch.Absent, record.Key())
	s.out.batch.Puts = append(s.out.batch.Puts, record)
	o.claim = &record
}

func (o *order) request() venues.OrderRequest {
	return venues.OrderRequest{
		OrderSpec: o.OrderSpec, ClientOrderID: o.ClientOrderID,
		Deadline: o.Deadline.Time, ClosePosition: o.ClosePosition,
		TriggerWhen: o.triggerWhen(),
	}
}

// triggerWhen is the way of the price to the trigger of a protecting order:
// against the position for a stop loss, with it for a take profit. Other stops
// leave it to the market.
func (o *order) triggerWhen() venues.TriggerDirection {
	if o.Protects == "" || !o.Type.IsStop() {
		return ""
	}
	if (o.Side == venues.Sell) == (o.Protects == venues.ProtectingStopLoss) {
		return venues.TriggerFalling
	}
	return venues.TriggerRising
}

// intentStored lets what has become of an order since its intent follow it.
func (s *state) intentStored(orderID string) {
	if o, known := s.orders[orderID]; known {
		o.storing = false
		s.touch(o)
	}
}

// intentRefused undoes an intent that the store has not taken.
func (s *state) intentRefused(orderID string, cause error) {
	o := s.orders[orderID]
	if !errors.Is(cause, persistence.ErrExists) {
		cause = commitError(cause)
	}
	for _, waiter := range slices.Concat(o.waiters, o.change.waiters) {
		s.after(replyOrder{to: waiter, err: cause})
	}
	s.forget(o)
	s.putFillsUntil() // of which the batch may have been the first
}

// placed takes the venue's answer to the one sending of an order.
func (s *state) placed(m moment, in placeDone) {
	o, known := s.orders[in.orderID]
	if !known {
		return
	}
	o.sending = false
	if errors.Is(in.err, errGateClosed) {
		in.err = s.lockRefusal()
	}
	s.touch(o)
	switch refusal, refused := errors.AsType[*venues.Error](in.err); {
	case in.err == nil:
		s.apply(m, o, in.report)
		if o.Status == venues.StatusPending { // received, and no more is said
			s.inquire(m, o, inquiryWait)
		}
	case o.Status != venues.StatusPending:
		// The private stream was faster: what it said is the truth.
	case errors.Is(in.err, venues.ErrNotSent):
		s.notPlaced(m, o, s.notSent(in.err))
	case errors.Is(in.err, venues.ErrOutcomeUnknown) || !refused:
		s.lose(m, o)
	default:
		s.refuse(m, o, refusal)
	}
}

// passing are the failures that may be over when an order is sent again.
var passing = []venues.Code{venues.CodeRateLimited, venues.CodeMaintenance, venues.CodeExchangeUnavailable, venues.CodeInternal}

// notSent is the answer about an order that never left: the connector's own
// refusal if it would be repeated, rate_limited if the order was held back for the
// venue's limits, else exchange_unavailable.
func (s *state) notSent(cause error) *venues.Error {
	if told, ok := errors.AsType[*venues.Error](cause); ok && !slices.Contains(passing, told.Code) {
		return told
	}
	e := venues.Errorf(venues.CodeExchangeUnavailable, "the order was not sent to %s", s.exchange)
	if told, ok := errors.AsType[*venues.Error](cause); ok && told.Code == venues.CodeRateLimited {
		e = venues.Errorf(venues.CodeRateLimited, "the limits of %s are used up; the order was not sent", s.exchange)
		e.RetryAfter = told.RetryAfter
	}
	return e.With("reason", venues.ReasonNotSent).Because(cause)
}

// refuse ends an order that the venue has explicitly refused.
func (s *state) refuse(m moment, o *order, refusal *venues.Error) {
	reason, _ := refusal.Details["reason"].(string)
	o.Error = &venues.OrderFault{
		Code: refusal.Code, Message: refusal.Message, Reason: reason,
		VenueCode: refusal.VenueCode, VenueMessage: refusal.VenueMessage,
	}
	if endsUnfilled(reason) {
		// Accepted and ended at once, and refused outright, are the same thing
		// to the client on all venues.
		s.become(m, o, venues.StatusCancelled)
		return
	}
	s.notPlaced(m, o, refusal)
}

// endsUnfilled says whether a refusal means that a post-only, IOC or FOK order
// found no place to rest or to fill.
func endsUnfilled(reason string) bool {
	return reason == venues.ReasonPostOnlyWouldTake || reason == venues.ReasonFOKNotFilled || reason == venues.ReasonIOCNotFilled
}

// notPlaced ends an order of which it is proven that the venue holds nothing.
// Its request id is free again.
func (s *state) notPlaced(m moment, o *order, cause *venues.Error) {
	o.refusal = cause
	if o.Error == nil {
		reason, _ := cause.Details["reason"].(string)
		o.Error = &venues.OrderFault{Code: cause.Code, Message: cause.Message, Reason: reason}
	}
	s.become(m, o, venues.StatusRejected)
	if o.claim != nil {
		s.release(m, o)
	}
}

func (s *state) release(m moment, o *order) {
	freed := *o.claim
	freed.FreedAt = venues.At(m.now)
	s.out.batch.Puts = append(s.out.batch.Puts, freed)
	o.claim = nil
}
