package account

import (
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// report takes what the private stream said about an order.
func (s *state) report(m moment, r venues.ExecutionReport) {
	if o := s.findReported(&r); o != nil {
		s.apply(m, o, r)
		return
	}
	// It may be one of ours that is no longer in memory: the store knows.
	s.after(lookUp{report: r})
}

// lookedUp goes on with a report whose order was searched in the store.
func (s *state) lookedUp(m moment, in lookedUp) {
	o := s.findReported(&in.report)
	if o == nil && in.found != nil {
		o = s.orders[in.found.record.OrderID]
	}
	if o == nil && in.found != nil {
		o = s.restore(*in.found)
	}
	if o == nil {
		o = s.adopt(m, in.report)
	}
	s.knows(o, progressOf(in.report.Status, in.report.FilledQty)) // so far, it was not watched
	s.apply(m, o, in.report)
}

// restore takes an order and what belongs to it from the store.
func (s *state) restore(in loadedOrder) *order {
	o := s.insert(in.record)
	o.stored = in.record
	o.claim = in.claim
	o.withdrawn = in.record.PendingAction == venues.PendingCancel
	o.change = remembered(&in.record)
	o.PendingAction = o.change.kind
	o.triggered = o.Status == venues.StatusOpen || o.FilledQty.IsPositive()
	o.seenAt = s.storedAlive(&in.record)
	for _, f := range in.fills {
		o.trades[tradeKey(&f.Fill)] = true
		o.fillsQty = o.fillsQty.Add(f.Qty)
		o.notional = o.notional.Add(f.Price.Mul(f.Qty))
		o.filledAt = later(o.filledAt, f.ExecutedAt.Time)
	}
	o.released = o.FilledQty
	return o
}

// storedAlive is when an order from the store was seen alive: the comparison up to
// which its fills were read has confirmed it, unless it was missed by then.
func (s *state) storedAlive(r *persistence.OrderRecord) time.Time {
	if !r.UnknownSince.IsZero() {
		return r.UnknownSince.Time
	}
	if until := s.fillsUntil[r.Symbol]; until.After(r.UpdatedAt.Time) {
		return until
	}
	return r.UpdatedAt.Time
}

// adopt makes a record of an order that was made outside this service, or whose
// intent the store has lost: the id that we gave it can be read back.
func (s *state) adopt(m moment, r venues.ExecutionReport) *order {
	made := r.VenueTime
	if made.IsZero() {
		made = m.now
	}
	status := venues.StatusPending
	o := s.insert(persistence.OrderRecord{
		Order: venues.Order{
			OrderID: s.ids.orderOf(&r), Exchange: s.exchange, Status: status,
			OrderSpec: venues.OrderSpec{
				Symbol: r.Symbol, Side: r.Side, Type: r.Type, Qty: r.Qty, Price: r.Price, TriggerPrice: r.TriggerPrice,
				ReduceOnly: r.ReduceOnly, PostOnly: r.PostOnly, TimeInForce: r.TimeInForce,
			},
			Source: venues.SourceVenue, VenueOrderID: r.VenueOrderID, CreatedAt: venues.At(made),
		},
		Customer: s.customer, ClientOrderID: r.ClientOrderID, ConditionalID: r.ConditionalID, Deadline: venues.At(m.now),
	})
	// A leg of an entry of ours is known from its beginning.
	if r.Attachment != nil {
		s.adoptLeg(m, o, &r)
	}
	o.triggered = o.EntryOrderID == "" && r.Status != venues.StatusUntriggered // before we knew it
	s.note(m, o, "adopted", persistence.JournalField{Name: "client_order_id", Value: r.ClientOrderID})
	s.touch(o)
	return o
}

// apply brings an order to what a report says. Reports are cumulative and may
// come twice, late and out of order: quantity never falls, a closed order stays
// closed, and a status that does not follow is not taken.
func (s *state) apply(m moment, o *order, r venues.ExecutionReport) {
	s.touch(o)
	if r.Status.IsActive() {
		o.seenAt = m.now
	}
	s.shows(m, o, &r)
	o.forced = o.forced || r.Forced
	s.name(o, r)
	s.followAttachment(o, &r)
	if r.Fill != nil {
		s.addFill(m, o, *r.Fill)
	}
	if r.FilledQty.GreaterThan(o.FilledQty) {
		s.hold(m, o, r)
		return
	}
	s.take(m, o, r)
}

// take applies a report whose fills are all known.
func (s *state) take(m moment, o *order, r venues.ExecutionReport) {
	if o.Status.IsClosed() || (r.FilledQty.LessThan(o.FilledQty) && !r.Status.IsClosed()) {
		return // told before what we know
	}
	if o.isUndecided(&r) {
		return // a report that tells which trigger it was follows
	}
	s.takeTerms(o, r)
	next := s.reads(m, o, &r)
	if next == venues.StatusOpen && o.FilledQty.IsPositive() {
		next = venues.StatusPartiallyFilled
	}
	if next == venues.StatusPending || !o.Status.CanBecome(next) {
		return
	}
	if next == venues.StatusRejected && !o.Status.IsActive() {
		s.refuse(m, o, refusalOf(r.Fault))
		return
	}
	if r.Fault != nil && next != venues.StatusFilled {
		o.Error = r.Fault
	}
	s.become(m, o, next)
}

// refusalOf is a refusal that came as a report.
func refusalOf(fault *venues.OrderFault) *venues.Error {
	if fault == nil {
		return venues.Errorf(venues.CodeOrderRejected, "the venue rejected the order")
	}
	e := &venues.Error{Code: fault.Code, Message: fault.Message, VenueCode: fault.VenueCode, VenueMessage: fault.VenueMessage}
	if fault.Reason != "" {
		e = e.With("reason", fault.Reason)
	}
	return e
}

// name learns the id that the venue gives the order. A stop has another one from
// its trigger on, and its fills carry that.
func (s *state) name(o *order, r venues.ExecutionReport) {
	if r.VenueOrderID == "" || (o.VenueOrderID != "" && r.Status == venues.StatusUntriggered) {
		return
	}
	o.VenueOrderID, o.ConditionalID = r.VenueOrderID, r.ConditionalID
	s.indexVenueID(o)
}

// takeTerms follows amendments, ours and those made elsewhere. A list that was
// read before an amendment may be taken after it.
func (s *state) takeTerms(o *order, r venues.ExecutionReport) {
	if !r.VenueTime.IsZero() {
		if r.VenueTime.Before(o.termsAt) {
			return
		}
		o.termsAt = r.VenueTime
	}
	if r.Qty.IsPositive() && !o.ClosePosition {
		o.Qty = r.Qty
	}
	if r.Price.Valid && !o.Type.IsMarket() {
		o.Price = r.Price
	}
	if r.TriggerPrice.Valid {
		s.followTrigger(o, &r)
		o.TriggerPrice = r.TriggerPrice
	}
}

// become moves the order to its next status and ends what that ends.
func (s *state) become(m moment, o *order, next venues.OrderStatus) {
	previous := o.Status
	if previous == next {
		return
	}
	o.Status = next
	if next != venues.StatusUnknown {
		o.UnknownSince = venues.Time{}
		o.inquiry = inquiry{}
		if next.IsActive() && o.change.sent {
			// What was asked of the venue may have come before the order did.
			s.inquire(m, o, inquiryWait)
		}
	}
	s.noteStatus(m, o, previous)
	if o.Type.IsStop() && !o.triggered && (next == venues.StatusOpen || next == venues.StatusPartiallyFilled || next == venues.StatusFilled) {
		o.triggered = true
		s.emitTriggered(m, o)
	}
	if next == venues.StatusFilled {
		s.emitFilled(m, o)
	}
	if next.IsClosed() {
		o.PendingAction = venues.PendingNone
		o.held, o.heldDue = nil, time.Time{}
	}
}
