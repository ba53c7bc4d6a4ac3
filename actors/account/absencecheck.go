package account

import (
	"slices"
	"strconv"
	"time"

	"venuegate/actors/account/deadline"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// absenceCheckDelay is how long a reading waits for other orders that were queried at
	// the same time.
	absenceCheckDelay = 250 * time.Millisecond
	// absenceCheckRetry is the wait after a reading that failed or left a fill
	// unattributed; it doubles up to absenceCheckRetryMax.
	absenceCheckRetry    = time.Second
	absenceCheckRetryMax = 8 * time.Second
)

// absenceCheck is the last check before orders of unknown outcome end as not placed: one
// reading of the open orders and of the fills, for all orders that await it.
type absenceCheck struct {
	due      time.Time
	running  bool
	failures int
	// notFound has the orders of fills that the venue does not return when it is
	// queried for their venue order ids.
	notFound map[venueKey]notFoundSpan
}

// notFoundSpan has the times of the first answer "not found" for an order, and of the query
// that returned the last one.
type notFoundSpan struct{ first, last time.Time }

// isConfirmed reports whether both times are at least absenceSpan apart.
func (d notFoundSpan) isConfirmed() bool { return d.last.Sub(d.first) >= absenceSpan }

// isPending reports whether a reading is running or due.
func (p *absenceCheck) isPending() bool { return p.running || !p.due.IsZero() }

func (p *absenceCheck) retry(now time.Time) {
	p.running = false
	p.due = now.Add(min(absenceCheckRetry<<min(p.failures, 8), absenceCheckRetryMax))
	p.failures++
}

// orderNotFound records that the venue does not return the order of a fill. Nothing
// is recorded while no absence check is pending.
func (p *absenceCheck) orderNotFound(now time.Time, in lookedUpFills) {
	if !p.isPending() {
		return
	}
	if p.notFound == nil {
		p.notFound = map[venueKey]notFoundSpan{}
	}
	key := venueKey{symbol: in.symbol, id: in.venueOrderID}
	d, known := p.notFound[key]
	if !known {
		d.first = now
	}
	d.last = in.began
	p.notFound[key] = d
	if d.isConfirmed() && !p.running {
		p.due = deadline.Earlier(p.due, now.Add(absenceCheckDelay))
	}
}

// mayBelong reports whether an unattributed fill may belong to an order. It cannot
// once the venue has twice returned "not found" for the order of the fill, the second
// time after listedBy, the time from which on the venue would list o.
func (p *absenceCheck) mayBelong(f *venues.Fill, o *order, listedBy time.Time) bool {
	if f.Symbol != o.Symbol || f.Side != o.Side || f.ExecutedAt.Before(o.fillsSince()) {
		return false
	}
	d := p.notFound[venueKey{symbol: f.Symbol, id: f.VenueOrderID}]
	return !d.isConfirmed() || d.last.Before(listedBy)
}

// awaitAbsenceCheck adds an order to the next absence check.
func (s *state) awaitAbsenceCheck(step stepContext, o *order) {
	o.query.awaitsAbsenceCheck = true
	if !s.absence.isPending() {
		s.absence.due = step.now.Add(absenceCheckDelay)
	}
}

func (o *order) awaitsAbsenceCheck() bool {
	return o.query.awaitsAbsenceCheck && o.Status == venues.StatusUnknown
}

// startAbsenceCheck begins a reading for all orders that await one.
func (s *state) startAbsenceCheck() {
	s.absence.due = time.Time{}
	if s.absence.running {
		return
	}
	e := callAbsenceCheck{from: map[string]time.Time{}}
	for _, o := range s.unfinished() {
		if !o.awaitsAbsenceCheck() {
			continue
		}
		e.orders = append(e.orders, o.OrderID)
		if from, known := e.from[o.Symbol]; !known || o.fillsSince().Before(from) {
			e.from[o.Symbol] = o.fillsSince()
		}
	}
	if len(e.orders) == 0 {
		s.absence = absenceCheck{}
		return
	}
	s.absence.running = true
	s.after(e)
}

// fillsSince returns a time before which the order cannot have been executed, whatever
// the clock of its venue.
func (o *order) fillsSince() time.Time { return o.CreatedAt.Add(-fillsOverlap) }

// absenceChecked applies the reading of an absence check.
func (s *state) absenceChecked(step stepContext, in absenceCheckDone) {
	if in.err != nil {
		s.absence.retry(step.now)
		return
	}
	for _, r := range in.open {
		if o := s.findReported(&r); o != nil && o.awaitsAbsenceCheck() {
			s.applyReport(step, o, r)
		}
	}
	unattributed := s.unattributedFills(in)
	s.handleFills(step, unattributed) // their orders are queried; running is still set, so that this counts as part of the check
	s.absence.running = false
	isIncomplete := false
	for _, id := range in.orders {
		o := s.orders[id]
		switch {
		case o == nil || !o.awaitsAbsenceCheck():
		case slices.ContainsFunc(unattributed, func(f venues.Fill) bool {
			return s.absence.mayBelong(&f, o, o.Deadline.Add(s.caps.AbsenceAfter))
		}):
			isIncomplete = true
		default:
			s.confirmAbsent(step, o)
		}
	}
	if isIncomplete {
		s.absence.retry(step.now)
		return
	}
	s.absence.failures = 0
	s.absence.due = step.now.Add(absenceCheckDelay) // for orders that were added during the reading
}

// unattributedFills returns the fills whose order is known neither here nor in the
// store.
func (x *orderIndex) unattributedFills(in absenceCheckDone) (fills []venues.Fill) {
	for _, f := range in.fills {
		if x.findFilled(&f) == nil && !in.knownOrders[venueKey{symbol: f.Symbol, id: f.VenueOrderID}] {
			fills = append(fills, f)
		}
	}
	return fills
}

// confirmAbsent ends an order that is not open and has no fill, unless the venue has
// acknowledged it and would still list its end.
func (s *state) confirmAbsent(step stepContext, o *order) {
	o.query.awaitsAbsenceCheck = false
	s.markDirty(o)
	switch {
	case step.now.Sub(o.lastSeenOpen()) >= s.caps.UnfilledRetention:
		// The venue purges orders that ended without a fill after its retention time. The
		// order has ended, whether or not it was ever placed.
		o.Error = &venues.RejectReason{
			Code: venues.CodeExchangeUnavailable, Reason: reasonNotListed, Message: "the venue does not show the order any more",
		}
		s.setStatus(step, o, venues.StatusCancelled)
	case o.VenueOrderID != "":
		// The order existed, and the venue would still list its end: the reading is
		// incomplete and confirms nothing.
	default:
		s.journalOrder(step, o, "absence_proven", persistence.JournalField{Name: "asked", Value: strconv.Itoa(o.query.sent)})
		s.notPlaced(step, o, venues.Errorf(venues.CodeExchangeUnavailable, "%s did not place the order", s.exchange).
			With("reason", venues.ReasonNotPlaced))
	}
}

// lastSeenOpen returns when the order was last known to be open. It ended later, and the
// venue lists the end for its retention time. An order that the venue has never confirmed
// may have ended immediately.
func (o *order) lastSeenOpen() time.Time {
	if o.VenueOrderID != "" {
		return deadline.Later(o.seenOpenAt, o.CreatedAt.Time)
	}
	return o.CreatedAt.Time
}
