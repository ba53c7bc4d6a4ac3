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

// fillsRetry is the wait before missing fills are fetched again.
const fillsRetry = time.Second

// avgPriceDecimals bounds the digits of an average price.
const avgPriceDecimals = 12

// hold keeps a report back until its fills are here, and fetches them.
func (s *state) hold(m moment, o *order, r venues.ExecutionReport) {
	if o.held == nil {
		o.heldDue = m.now.Add(fillsHoldMax)
		s.watched[o.OrderID] = o
		s.fetchFills(o, fillsDelay)
	} else if r.FilledQty.LessThan(o.held.FilledQty) || (o.held.Status.IsClosed() && !r.Status.IsClosed()) {
		return // told before the one that is held
	}
	o.held = &r
}

func (s *state) fetchFills(o *order, delay time.Duration) {
	s.after(callFills{orderID: o.OrderID, symbol: o.Symbol, from: o.CreatedAt.Add(-fillsOverlap), delay: delay})
}

// fillsRead takes the fills that were fetched for an order whose report is held;
// they are fetched again while some are missing. Of fills that the store may have
// without their order, and could not be asked for, none is taken: it would count again.
func (s *state) fillsRead(m moment, in fillsDone) {
	if in.err == nil {
		s.holdStrangers(m, in.strangers)
		s.fills(m, in.fills)
	}
	if o, known := s.orders[in.orderID]; known && o.held != nil {
		s.fetchFills(o, fillsRetry)
	}
}

// releaseHeld applies a held report without its fills: better late and without a
// fee than never.
func (s *state) releaseHeld(m moment, o *order) {
	r := *o.held
	o.held, o.heldDue = nil, time.Time{}
	s.touch(o)
	o.FilledQty, o.filledAt = r.FilledQty, m.now
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
	o.filledAt = later(o.filledAt, f.ExecutedAt.Time)
	o.FilledQty = decimal.Max(o.FilledQty, o.fillsQty)
	o.AvgPrice = venues.Some(o.notional.DivRound(o.fillsQty, avgPriceDecimals))
	if f.Fee.Valid {
		o.Fee = venues.Some(o.Fee.Decimal.Add(f.Fee.Decimal))
		o.FeeCurrency = f.FeeCurrency
	}
	if why := s.causeOf(o); !s.introduce(&f, why) {
		s.recordFill(m, f, why)
	}
	s.touch(o)
	s.guardFill(m, o)
	if o.FilledQty.LessThan(o.Qty) {
		if !o.Status.IsClosed() { // an execution proves that the venue has the order
			s.become(m, o, venues.StatusPartiallyFilled)
		}
		s.emitPartiallyFilled(m, o, f)
	} else if o.Status.IsClosed() && o.Status != venues.StatusFilled {
		s.emitFilled(m, o) // late, and yet it was filled whole
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
		if o := s.findFilled(&f); o != nil {
			s.addFill(m, o, f)
			continue
		}
		key := f.Symbol + "/" + f.VenueOrderID
		if _, seen := unknown[key]; !seen {
			unknown[key] = len(lookups)
			lookups = append(lookups, lookUpFills{symbol: f.Symbol, venueOrderID: f.VenueOrderID, resolves: s.proof.isWanted()})
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
		s.deny(m, in)
		for _, f := range in.fills {
			f.FillID = persistence.FillID(s.exchange, f.Symbol, f.VenueOrderID, f.VenueTradeID, f.ExecutedAt.Time)
			f.Source, f.Exchange = venues.SourceVenue, s.exchange
			s.recordStranger(m, f)
		}
		return
	}
	s.holdStrangers(m, in.strangers)
	s.lookedUp(m, lookedUp{report: *in.report, found: in.found})
	if o := s.findReported(in.report); o != nil {
		for _, f := range in.fills {
			s.addFill(m, o, f)
		}
	}
}
