package account

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// fillsHoldMax is how long a report that tells of more fills than are known is
// held back, so that an order's quantity and its fills agree at every moment.
const fillsHoldMax = 5 * time.Second

// avgPriceDecimals bounds the digits of an average price.
const avgPriceDecimals = 12

// report takes what the private stream said about an order.
func (s *state) report(m moment, r venues.ExecutionReport) {
	if o := s.find(r.ClientOrderID, r.Symbol, r.VenueOrderID); o != nil {
		s.apply(m, o, r)
		return
	}
	// It may be one of ours that is no longer in memory: the store knows.
	s.after(lookUp{report: r})
}

// lookedUp goes on with a report whose order was searched in the store.
func (s *state) lookedUp(m moment, in lookedUp) {
	o := s.find(in.report.ClientOrderID, in.report.Symbol, in.report.VenueOrderID)
	if o == nil && in.found != nil {
		o = s.restore(*in.found)
	}
	if o == nil {
		o = s.adopt(m, in.report)
	}
	s.apply(m, o, in.report)
}

// restore takes an order and what belongs to it from the store.
func (s *state) restore(in loadedOrder) *order {
	o := s.insert(in.record)
	o.stored = in.record
	o.claim = in.claim
	// Nobody carries on a change that was on its way; what became of it shows.
	o.PendingAction = venues.PendingNone
	o.triggered = o.Status == venues.StatusOpen || o.FilledQty.IsPositive()
	for _, f := range in.fills {
		o.trades[tradeKey(&f.Fill)] = true
		o.fillsQty = o.fillsQty.Add(f.Qty)
		o.notional = o.notional.Add(f.Price.Mul(f.Qty))
	}
	return o
}

// adopt makes a record of an order that was made outside this service, or whose
// intent the store has lost: the id that we gave it can be read back.
func (s *state) adopt(m moment, r venues.ExecutionReport) *order {
	id, ours := s.ids.orderID(r.ClientOrderID)
	source := venues.SourceVenue
	if !ours {
		id = m.newID(orderIDPrefix)
	}
	made := r.VenueTime
	if made.IsZero() {
		made = m.now
	}
	status := venues.StatusPending
	o := s.insert(persistence.OrderRecord{
		Order: venues.Order{
			OrderID: id, Exchange: s.exchange, Status: status,
			OrderSpec: venues.OrderSpec{
				Symbol: r.Symbol, Side: r.Side, Type: r.Type, Qty: r.Qty, Price: r.Price, TriggerPrice: r.TriggerPrice,
				ReduceOnly: r.ReduceOnly, PostOnly: r.PostOnly, TimeInForce: r.TimeInForce,
			},
			Source: source, VenueOrderID: r.VenueOrderID, CreatedAt: venues.At(made),
		},
		Customer: s.customer, ClientOrderID: r.ClientOrderID, Deadline: venues.At(m.now),
	})
	o.triggered = r.Status != venues.StatusUntriggered // before we knew it
	s.note(m, o, "adopted", persistence.JournalField{Name: "client_order_id", Value: r.ClientOrderID})
	s.touch(o)
	return o
}

// apply brings an order to what a report says. Reports are cumulative and may
// come twice, late and out of order: quantity never falls, a closed order stays
// closed, and a status that does not follow is not taken.
func (s *state) apply(m moment, o *order, r venues.ExecutionReport) {
	s.touch(o)
	o.forced = o.forced || r.Forced
	s.name(o, r)
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
	s.takeTerms(o, r)
	next := o.change.reads(o, r.Status)
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
	o.VenueOrderID = r.VenueOrderID
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
	}
	s.note(m, o, "status",
		persistence.JournalField{Name: "from", Value: string(previous)},
		persistence.JournalField{Name: "to", Value: string(next)},
		persistence.JournalField{Name: "filled_qty", Value: venues.FormatDecimal(o.FilledQty)})
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

// hold keeps a report back until its fills are here, and fetches them.
func (s *state) hold(m moment, o *order, r venues.ExecutionReport) {
	if o.held == nil {
		o.heldDue = m.now.Add(fillsHoldMax)
		s.after(callFills{orderID: o.OrderID, symbol: o.Symbol, from: o.CreatedAt.Add(-fillsOverlap), delay: fillsDelay})
	} else if r.FilledQty.LessThan(o.held.FilledQty) || (o.held.Status.IsClosed() && !r.Status.IsClosed()) {
		return // told before the one that is held
	}
	o.held = &r
}

// releaseHeld applies a held report without its fills: better late and without a
// fee than never.
func (s *state) releaseHeld(m moment, o *order) {
	r := *o.held
	o.held, o.heldDue = nil, time.Time{}
	s.touch(o)
	o.FilledQty = r.FilledQty
	if r.AvgPrice.Valid {
		o.AvgPrice = r.AvgPrice
	}
	s.guardFill(m, o)
	s.note(m, o, "fills_missing", persistence.JournalField{Name: "filled_qty", Value: venues.FormatDecimal(r.FilledQty)})
	s.take(m, o, r)
}

// tradeKey names an execution within an order as its venue does. Its time is left
// out: a stream and REST may tell it a millisecond apart.
func tradeKey(f *venues.Fill) string { return f.VenueOrderID + "/" + f.VenueTradeID }

// addFill records an execution once.
func (s *state) addFill(m moment, o *order, f venues.Fill) {
	f.FillID = persistence.FillID(s.exchange, f.Symbol, f.VenueOrderID, f.VenueTradeID, f.ExecutedAt.Time)
	if o.trades[tradeKey(&f)] {
		return
	}
	o.trades[tradeKey(&f)] = true
	f.OrderID, f.RequestID, f.Source, f.Exchange = o.OrderID, o.RequestID, o.Source, s.exchange
	o.fillsQty = o.fillsQty.Add(f.Qty)
	o.notional = o.notional.Add(f.Price.Mul(f.Qty))
	o.FilledQty = decimal.Max(o.FilledQty, o.fillsQty)
	o.AvgPrice = venues.Some(o.notional.DivRound(o.fillsQty, avgPriceDecimals))
	if f.Fee.Valid {
		o.Fee = venues.Some(o.Fee.Decimal.Add(f.Fee.Decimal))
		o.FeeCurrency = f.FeeCurrency
	}
	s.out.batch.Puts = append(s.out.batch.Puts, persistence.FillRecord{Fill: f, Customer: s.customer})
	s.touch(o)
	s.guardFill(m, o)
	if o.FilledQty.LessThan(o.Qty) {
		if !o.Status.IsClosed() { // an execution proves that the venue has the order
			s.become(m, o, venues.StatusPartiallyFilled)
		}
		s.emitPartiallyFilled(m, o, f)
	}
	if o.held != nil && o.held.FilledQty.LessThanOrEqual(o.FilledQty) {
		held := *o.held
		o.held, o.heldDue = nil, time.Time{}
		s.take(m, o, held)
	}
	if o.FilledQty.GreaterThanOrEqual(o.Qty) && !o.Status.IsClosed() {
		s.inquire(m, o, 0) // unless the report that brings the fill says so
	}
}

// fills takes executions read by REST. Those of orders that are not in memory are
// looked up, an order at a time.
func (s *state) fills(m moment, list []venues.Fill) {
	unknown := map[string]int{}
	var lookups []lookUpFills
	for _, f := range list {
		if o := s.find("", f.Symbol, f.VenueOrderID); o != nil {
			s.addFill(m, o, f)
			continue
		}
		key := f.Symbol + "/" + f.VenueOrderID
		if _, seen := unknown[key]; !seen {
			unknown[key] = len(lookups)
			lookups = append(lookups, lookUpFills{symbol: f.Symbol, venueOrderID: f.VenueOrderID})
		}
		l := &lookups[unknown[key]]
		l.fills = append(l.fills, f)
	}
	for _, l := range lookups {
		s.lookupBegins(l.symbol)
		s.after(l)
	}
}

// lookedUpFills records executions whose order was searched: an older order of
// ours, one made outside this service, or one of which nothing is left but them.
func (s *state) lookedUpFills(m moment, in lookedUpFills) {
	defer s.lookupEnds(in.symbol, in.err != nil)
	if in.err != nil {
		return // read again with the next reconciliation
	}
	if in.report == nil {
		for _, f := range in.fills {
			f.FillID = persistence.FillID(s.exchange, f.Symbol, f.VenueOrderID, f.VenueTradeID, f.ExecutedAt.Time)
			f.Source, f.Exchange = venues.SourceVenue, s.exchange
			s.out.batch.Puts = append(s.out.batch.Puts, persistence.FillRecord{Fill: f, Customer: s.customer})
		}
		return
	}
	s.lookedUp(m, lookedUp{report: *in.report, found: in.found})
	if o := s.find(in.report.ClientOrderID, in.report.Symbol, in.report.VenueOrderID); o != nil {
		for _, f := range in.fills {
			s.addFill(m, o, f)
		}
	}
}
