package account

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/deadline"
	"venuegate/actors/account/position"
	"venuegate/persistence"
	"venuegate/venues"
)

// fillsHoldMax is how long a report of more fills than are known is held, so that the filled
// quantity of an order agrees with its fills.
const fillsHoldMax = 5 * time.Second

// fillsRetryMin is the wait before missing fills are fetched again. It doubles up to
// fillsRetryMax.
const (
	fillsRetryMin = 200 * time.Millisecond
	fillsRetryMax = time.Second
)

// holdReport holds a report until its fills are known, and fetches them.
func (s *state) holdReport(step stepContext, o *order, r venues.ExecutionReport) {
	if o.hold(&r, step.now.Add(fillsHoldMax)) {
		s.watched[o.OrderID] = o
		s.fetchFills(o, fillsDelay, fillsRetryMin)
	}
}

func (s *state) fetchFills(o *order, delay, retry time.Duration) {
	s.after(callFills{orderID: o.OrderID, symbol: o.Symbol, from: o.CreatedAt.Add(-fillsOverlap), delay: delay, retry: retry})
}

// fillsFetched applies the fills that were fetched for an order whose report is held;
// they are fetched again while some are missing. After an error none is applied: a fill that
// the store has without an order could be counted twice.
func (s *state) fillsFetched(step stepContext, in fillsDone) {
	if in.err == nil {
		s.positions.HoldUnattributed(step.now, in.unattributed...)
		s.handleFills(step, in.fills)
	}
	if s.lacksFills(in.orderID) {
		s.fetchFills(s.orders[in.orderID], in.retry, min(2*in.retry, fillsRetryMax))
	}
}

// lacksFills reports whether a report of the order is held until its fills are known.
func (s *state) lacksFills(orderID string) bool {
	o, known := s.orders[orderID]
	return known && o.held != nil
}

// releaseHeld applies a held report without its fills, which may become known later.
func (s *state) releaseHeld(step stepContext, o *order) {
	r := o.release()
	s.markDirty(o)
	o.FilledQty, o.FilledAt = r.FilledQty, step.now
	if r.AvgPrice.Valid {
		o.AvgPrice = r.AvgPrice
	}
	s.protection(step).Filled(&o.protectedOrder)
	s.journalOrder(step, o, "fills_missing", persistence.JournalField{Name: "filled_qty", Value: venues.FormatDecimal(r.FilledQty)})
	s.applyStatus(step, o, r)
}

// addFill records a fill of an order, unless it is recorded already.
func (s *state) addFill(step stepContext, o *order, f venues.Fill) {
	f.FillID = persistence.FillID(s.exchange, f.Symbol, f.VenueOrderID, f.VenueTradeID, f.ExecutedAt.Time)
	if o.fillKeys[position.TradeKey(&f)] {
		return
	}
	o.countFill(&f)
	f.OrderID, f.RequestID, f.Source, f.Exchange = o.OrderID, o.RequestID, o.Source, s.exchange
	o.FilledAt = deadline.Later(o.FilledAt, f.ExecutedAt.Time)
	o.FilledQty = decimal.Max(o.FilledQty, o.fillsQty)
	o.AvgPrice = venues.Some(o.avgPrice())
	if f.Fee.Valid {
		o.Fee = venues.Some(venues.Sum(o.Fee.Decimal, f.Fee.Decimal))
		o.FeeCurrency = f.FeeCurrency
	}
	if why := s.causeOf(o); !s.attributeFill(&f, why) {
		s.recordFill(step, f, why)
	}
	s.markDirty(o)
	s.protection(step).Filled(&o.protectedOrder)
	if o.FilledQty.LessThan(o.Qty) {
		if !o.Status.IsClosed() { // a fill shows that the venue has the order
			s.setStatus(step, o, venues.StatusPartiallyFilled)
		}
		s.emitPartiallyFilled(step, o, f)
	} else if o.Status.IsClosed() && o.Status != venues.StatusFilled {
		s.emitFilled(step, o) // a late fill has completed it
	}
	if o.held != nil && o.held.FilledQty.LessThanOrEqual(o.FilledQty) {
		s.applyStatus(step, o, o.release())
	}
	if o.FilledQty.GreaterThanOrEqual(o.Qty) && !o.Status.IsClosed() {
		s.scheduleQuery(step, o, 0) // unless the report of the fill also has the status
	}
}

// handleFills applies fills that were read by REST. Each order that is not in memory is
// looked up once for all its fills.
func (s *state) handleFills(step stepContext, list []venues.Fill) {
	unknown := map[string]int{}
	var lookups []lookUpFills
	for _, f := range list {
		if o := s.findFilled(&f); o != nil {
			s.addFill(step, o, f)
			continue
		}
		key := f.Symbol + "/" + f.VenueOrderID
		if _, seen := unknown[key]; !seen {
			unknown[key] = len(lookups)
			lookups = append(lookups, lookUpFills{symbol: f.Symbol, venueOrderID: f.VenueOrderID, resolves: s.absence.isPending()})
		}
		l := &lookups[unknown[key]]
		l.fills = append(l.fills, f)
	}
	for _, l := range lookups {
		s.fillMarks.beginLookup(l.symbol)
		s.after(l)
	}
}

// lookedUpFills records fills whose order was looked up: an older order of this service,
// a foreign one, or one that the venue no longer lists.
func (s *state) lookedUpFills(step stepContext, in lookedUpFills) {
	defer func() {
		if s.fillMarks.endLookup(in.symbol, in.err != nil) {
			s.storeMovedMarks(step)
		}
	}()
	if in.err != nil {
		return // the next reconciliation reads them again
	}
	if in.report == nil {
		s.absence.orderNotFound(step.now, in)
		for _, f := range in.fills {
			f.FillID = persistence.FillID(s.exchange, f.Symbol, f.VenueOrderID, f.VenueTradeID, f.ExecutedAt.Time)
			f.Source, f.Exchange = venues.SourceVenue, s.exchange
			s.recordUnattributed(step, f)
		}
		return
	}
	s.positions.HoldUnattributed(step.now, in.unattributed...)
	s.orderLookedUp(step, lookedUp{report: *in.report, found: in.found})
	if o := s.findReported(in.report); o != nil {
		for _, f := range in.fills {
			s.addFill(step, o, f)
		}
	}
}
