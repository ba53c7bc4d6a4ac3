package account

import (
	"cmp"
	"time"

	"venuegate/actors/account/deadline"
	"venuegate/persistence"
	"venuegate/venues"
)

// handleReport applies a report, or looks up its order if that is not in memory.
func (s *state) handleReport(step stepContext, r venues.ExecutionReport) {
	if o := s.findReported(&r); o != nil {
		s.applyReport(step, o, r)
		return
	}
	s.after(lookUp{report: r})
}

// orderLookedUp applies a report whose order was looked up in the store.
func (s *state) orderLookedUp(step stepContext, in lookedUp) {
	o := s.findReported(&in.report)
	if found := in.found; o == nil && found != nil {
		if o = s.orders[found.record.OrderID]; o == nil {
			o = s.restoreOrder(*found)
		}
	}
	if o == nil {
		o = s.adopt(step, in.report)
	}
	s.noteStreamed(o, progressOf(in.report.Status, in.report.FilledQty)) // its earlier progress was not expected from the stream
	s.applyReport(step, o, in.report)
}

// restoreOrder adds an order that was read from the store, with its fills and claim.
func (s *state) restoreOrder(in loadedOrder) *order {
	o := s.insertOrder(in.record)
	o.stored = in.record
	o.claim = in.claim
	o.Withdrawn = in.record.PendingAction == venues.PendingCancel
	o.restoreChange()
	o.PendingAction = o.change.kind
	o.Triggered = o.Status == venues.StatusOpen || o.FilledQty.IsPositive()
	o.seenOpenAt = s.storedOpenAt(&in.record)
	for _, f := range in.fills {
		o.countFill(&f.Fill)
		o.FilledAt = deadline.Later(o.FilledAt, f.ExecutedAt.Time)
	}
	o.Credited = o.FilledQty
	return o
}

// storedOpenAt returns when a stored order was last known to be open: at the reconciliation
// up to which its fills were read, or when the venue reported it. If its outcome is unknown,
// reconciliations have not seen it since; a record that does not say when it was seen counts
// as open until it became unknown.
func (s *state) storedOpenAt(r *persistence.OrderRecord) time.Time {
	if !r.UnknownSince.IsZero() {
		return cmp.Or(r.SeenOpenAt, r.UnknownSince).Time
	}
	return deadline.Later(s.fillMarks.until[r.Symbol], cmp.Or(r.SeenOpenAt, r.UpdatedAt).Time)
}

// seenOpenSlack is how much later than the last report of an order its record may be written
// and still count as the time of that report.
const seenOpenSlack = time.Minute

// storeSeenOpen records when the venue last reported an order of known outcome as active,
// unless UpdatedAt is as good: a start must not take a change of the record, such as a cancel
// that was not sent, for a report of the venue.
func (o *order) storeSeenOpen() {
	if o.Status == venues.StatusUnknown {
		return // set when it became unknown
	}
	o.SeenOpenAt = venues.Time{}
	if o.Status.IsActive() && o.UpdatedAt.Sub(o.lastSeenOpen()) > seenOpenSlack {
		o.SeenOpenAt = venues.At(o.lastSeenOpen())
	}
}

// adopt adds an order that was made outside this service, or whose intent the store has lost.
// The id of the latter follows from its client order id.
func (s *state) adopt(step stepContext, r venues.ExecutionReport) *order {
	made := r.VenueTime
	if made.IsZero() {
		made = step.now
	}
	o := s.insertOrder(persistence.OrderRecord{
		Order: venues.Order{
			OrderID: s.ids.adoptedAt(&r, made), Exchange: s.exchange, Status: venues.StatusPending,
			OrderSpec: venues.OrderSpec{
				Symbol: r.Symbol, Side: r.Side, Type: r.Type, Qty: r.Qty, Price: r.Price, TriggerPrice: r.TriggerPrice,
				ReduceOnly: r.ReduceOnly, PostOnly: r.PostOnly, TimeInForce: r.TimeInForce,
			},
			Source: venues.SourceVenue, VenueOrderID: r.VenueOrderID, CreatedAt: venues.At(made),
		},
		Customer: s.customer, ClientOrderID: r.ClientOrderID, ConditionalID: r.ConditionalID, Deadline: venues.At(step.now),
	})
	// A leg that the venue made for an entry of ours is linked to the entry.
	if r.Attachment != nil {
		s.adoptLeg(step, o, &r)
	}
	o.Triggered = o.EntryOrderID == "" && r.Status != venues.StatusUntriggered // a trigger from before the adoption is no event
	s.journalOrder(step, o, "adopted", persistence.JournalField{Name: "client_order_id", Value: r.ClientOrderID})
	s.markDirty(o)
	return o
}

// applyReport applies a report to an order. Reports are cumulative and may come twice,
// late and out of order: the filled quantity never decreases, a closed order stays closed,
// and a status that the current one cannot become is ignored.
func (s *state) applyReport(step stepContext, o *order, r venues.ExecutionReport) {
	s.markDirty(o)
	o.hops.End(venues.HopVenueAnswered, step.now) // the private stream may be faster than the answer
	if r.Status.IsActive() {
		o.seenOpenAt = step.now
	}
	s.noteProgress(step, o, &r)
	o.forced = o.forced || r.Forced
	s.setVenueID(o, r)
	if (r.Attachment != nil || o.Attachment != nil) && (r.VenueTime.IsZero() || !r.VenueTime.Before(o.termsAt)) {
		s.protection(step).FollowAttachment(&o.protectedOrder, &r)
	}
	if r.FilledQty.GreaterThan(o.FilledQty) && !o.Status.IsClosed() && !o.IsUndecided(&r) {
		s.applyTerms(step, o, r) // before the fills: an amended quantity decides which one is the last
	}
	if r.Fill != nil {
		s.addFill(step, o, *r.Fill)
	}
	if r.FilledQty.GreaterThan(o.FilledQty) {
		s.holdReport(step, o, r)
		return
	}
	s.applyStatus(step, o, r)
}

// applyStatus applies a report whose fills are all known.
func (s *state) applyStatus(step stepContext, o *order, r venues.ExecutionReport) {
	if o.Status.IsClosed() || (r.FilledQty.LessThan(o.FilledQty) && !r.Status.IsClosed()) {
		return // older than what is known
	}
	if o.IsUndecided(&r) {
		return // a report that names the trigger follows
	}
	s.applyTerms(step, o, r)
	next := s.statusUnderChange(step, o, &r)
	if next == venues.StatusOpen && o.FilledQty.IsPositive() {
		next = venues.StatusPartiallyFilled
	}
	if next == venues.StatusPending || !o.Status.CanBecome(next) {
		return
	}
	if next == venues.StatusRejected && !o.Status.IsActive() {
		s.rejectOrder(step, o, rejectionOf(r.RejectReason))
		return
	}
	if r.RejectReason != nil && next != venues.StatusFilled {
		o.Error = endError(*r.RejectReason)
	}
	s.setStatus(step, o, next)
}

// setVenueID records the venue order id. A triggered stop gets a new one, under which its fills
// are reported.
func (s *state) setVenueID(o *order, r venues.ExecutionReport) {
	if r.VenueOrderID == "" || (o.VenueOrderID != "" && r.Status == venues.StatusUntriggered) {
		return
	}
	o.VenueOrderID, o.ConditionalID = r.VenueOrderID, r.ConditionalID
	s.indexVenueID(o)
}

// applyTerms applies the terms of a report: an order may be amended elsewhere. A report from
// before the newest amendment is ignored.
func (s *state) applyTerms(step stepContext, o *order, r venues.ExecutionReport) {
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
		s.protection(step).FollowTrigger(&o.protectedOrder, &r)
		o.TriggerPrice = r.TriggerPrice
	}
}

// setStatus sets the status of the order. It ends the status query of an unknown outcome, and
// emits the events of a trigger and of a complete fill.
func (s *state) setStatus(step stepContext, o *order, next venues.OrderStatus) {
	previous := o.Status
	if previous == next {
		return
	}
	o.Status = next
	if next != venues.StatusUnknown {
		o.UnknownSince, o.NotFoundSince, o.SeenOpenAt = venues.Time{}, venues.Time{}, venues.Time{}
		o.query = statusQuery{}
		if next.IsActive() && o.change.sent {
			// A request for the change may have reached the venue before the order did.
			s.scheduleQuery(step, o, queryDelay)
		}
	}
	s.journalStatus(step, o, previous)
	fired := o.Type.IsStop() && !o.Triggered && (next == venues.StatusOpen || next == venues.StatusPartiallyFilled || next == venues.StatusFilled)
	if fired {
		o.Triggered = true
		s.emitTriggered(step, o)
	}
	s.warnIfStop(o, previous, fired)
	if next == venues.StatusFilled {
		s.emitFilled(step, o)
	}
	if next.IsClosed() {
		o.PendingAction = venues.PendingNone
		o.dropHeld()
	}
}
