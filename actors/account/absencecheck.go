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
	// absenceCheckRetry is the wait after a reading that failed or left an execution
	// unattributed; it doubles up to absenceCheckRetryMax.
	absenceCheckRetry    = time.Second
	absenceCheckRetryMax = 8 * time.Second
)

// absenceCheck is the last step before orders end as not placed: one reading of the open
// orders and of the executions, for all orders that wait for it.
type absenceCheck struct {
	due      time.Time
	running  bool
	failures int
	// notFound are orders of executions that the venue, queried by their numbers, does
	// not return.
	notFound map[venueKey]notFoundSpan
}

// notFoundSpan is when a venue first returned "not found" for an order, and the query of
// the last time that it did.
type notFoundSpan struct{ first, last time.Time }

// isConfirmed reports whether both are as far apart as they must be for an order of ours.
func (d notFoundSpan) isConfirmed() bool { return d.last.Sub(d.first) >= absenceSpan }

// isPending reports whether any order waits.
func (p *absenceCheck) isPending() bool { return p.running || !p.due.IsZero() }

func (p *absenceCheck) retry(now time.Time) {
	p.running = false
	p.due = now.Add(min(absenceCheckRetry<<min(p.failures, 8), absenceCheckRetryMax))
	p.failures++
}

// noteNotFound notes that the venue does not return the order of an execution, which
// matters while another order waits.
func (p *absenceCheck) noteNotFound(now time.Time, in lookedUpFills) {
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

// mayBelong reports whether an unattributed execution can be an order's. It is not once
// the venue has twice returned "not found" for the order of the execution, the second
// time after listedBy, when the venue would list this order.
func (p *absenceCheck) mayBelong(f *venues.Fill, o *order, listedBy time.Time) bool {
	if f.Symbol != o.Symbol || f.Side != o.Side || f.ExecutedAt.Before(o.fillsSince()) {
		return false
	}
	d := p.notFound[venueKey{symbol: f.Symbol, id: f.VenueOrderID}]
	return !d.isConfirmed() || d.last.Before(listedBy)
}

// awaitAbsenceCheck makes an order wait for the next reading.
func (s *state) awaitAbsenceCheck(step stepContext, o *order) {
	o.query.awaitsAbsenceCheck = true
	if !s.absence.isPending() {
		s.absence.due = step.now.Add(absenceCheckDelay)
	}
}

func (o *order) awaitsAbsenceCheck() bool {
	return o.query.awaitsAbsenceCheck && o.Status == venues.StatusUnknown
}

// startAbsenceCheck begins a reading for every order that waits.
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

// absenceChecked applies a reading.
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
	s.handleFills(step, unattributed) // their orders are queried
	s.absence.running = false
	waits := false
	for _, id := range in.orders {
		o := s.orders[id]
		switch {
		case o == nil || !o.awaitsAbsenceCheck():
		case slices.ContainsFunc(unattributed, func(f venues.Fill) bool {
			return s.absence.mayBelong(&f, o, o.Deadline.Add(s.caps.AbsenceAfter))
		}):
			waits = true
		default:
			s.confirmAbsent(step, o)
		}
	}
	if waits {
		s.absence.retry(step.now)
		return
	}
	s.absence.failures = 0
	s.absence.due = step.now.Add(absenceCheckDelay) // for orders that wait since then
}

// unattributedFills returns the executions whose order is known neither here nor in the
// store.
func (x *orderIndex) unattributedFills(in absenceCheckDone) (fills []venues.Fill) {
	for _, f := range in.fills {
		if x.findFilled(&f) == nil && !in.knownOrders[venueKey{symbol: f.Symbol, id: f.VenueOrderID}] {
			fills = append(fills, f)
		}
	}
	return fills
}

// confirmAbsent ends an order that is neither open nor behind any execution.
func (s *state) confirmAbsent(step stepContext, o *order) {
	o.query.awaitsAbsenceCheck = false
	s.markDirty(o)
	switch {
	case step.now.Sub(o.lastSeenOpen()) >= s.caps.UnfilledRetention:
		// The venue has purged it, as it does with orders that ended without a fill
		// long ago. It is over, whether or not it was ever placed.
		o.Error = &venues.RejectReason{
			Code: venues.CodeExchangeUnavailable, Reason: reasonNotListed, Message: "the venue does not show the order any more",
		}
		s.setStatus(step, o, venues.StatusCancelled)
	case o.VenueOrderID != "":
		// It existed, and its end would still be listed: the reading is incomplete and
		// confirms nothing.
	default:
		s.note(step, o, "absence_proven", persistence.JournalField{Name: "asked", Value: strconv.Itoa(o.query.sent)})
		s.notPlaced(step, o, venues.Errorf(venues.CodeExchangeUnavailable, "it is proven that %s placed nothing", s.exchange).
			With("reason", venues.ReasonNotPlaced))
	}
}

// lastSeenOpen returns when the order was last known to be open: it ended later, and an
// end within the venue's retention would be listed. An order that the venue has never
// confirmed may have ended immediately.
func (o *order) lastSeenOpen() time.Time {
	if o.VenueOrderID != "" {
		return o.seenOpenAt
	}
	return o.CreatedAt.Time
}
