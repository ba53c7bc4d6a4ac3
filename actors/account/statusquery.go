package account

import (
	"errors"
	"time"

	"venuegate/actors/account/deadline"
	"venuegate/venues"
)

// statusQuery has the queries of an order whose status, or the outcome of whose change, is not
// certain. They are repeated until a report decides or, for an unknown outcome, the absence of
// the order is confirmed.
type statusQuery struct {
	// startedAt is when the queries began, due when the next one is sent.
	startedAt, due time.Time
	sent           int
	// awaitsAbsenceCheck is set once only the absence check is left to do.
	awaitsAbsenceCheck bool
}

const (
	// queryDelay is how long the first query waits for the private stream. The wait before
	// each further query grows with the time since the first one, up to queryDelayMax.
	queryDelay    = 500 * time.Millisecond
	queryDelayMax = time.Minute
	// queryRetryMax is the longest wait after a query without an answer.
	queryRetryMax = 5 * time.Second
	// changeVisibleMax is how long a change that was acknowledged may take to be visible.
	changeVisibleMax = time.Second
)

// reasonNotListed is the reason of an order that its venue has purged from its lists.
const reasonNotListed = "not_shown"

// absenceSpan is how far apart two answers "not found" must be.
const absenceSpan = 5 * time.Second

// markUnknown sets the status unknown and begins the status query.
func (s *state) markUnknown(step stepContext, o *order) {
	if !o.Status.CanBecome(venues.StatusUnknown) {
		return
	}
	s.setStatus(step, o, venues.StatusUnknown)
	o.UnknownSince, o.SeenOpenAt = venues.At(step.now), venues.At(o.seenOpenAt)
	s.scheduleQuery(step, o, queryDelay)
	s.markDirty(o)
}

// scheduleQuery schedules the next query after a wait, unless it is due earlier.
func (x *orderIndex) scheduleQuery(step stepContext, o *order, wait time.Duration) {
	if o.query.startedAt.IsZero() {
		o.query.startedAt = step.now
	}
	o.query.due = deadline.Earlier(o.query.due, step.now.Add(wait))
	x.watch(o)
}

// sendQuery sends a query that is due.
func (s *state) sendQuery(step stepContext, o *order) {
	o.query.sent++
	o.query.due = time.Time{}
	if !o.Status.IsClosed() {
		o.query.due = s.nextQuery(step, o)
	}
	s.after(callQuery{orderID: o.OrderID, ref: s.ids.ref(o)})
}

// nextQuery returns when the order is queried again unless a report arrives. A query whose
// answer allows the absence check is sent as soon as it does.
func (s *state) nextQuery(step stepContext, o *order) time.Time {
	next := step.now.Add(min(step.now.Sub(o.query.startedAt)+queryDelay, queryDelayMax))
	if from := s.absenceCheckFrom(o); o.Status == venues.StatusUnknown && from.After(step.now) && from.Before(next) {
		return from
	}
	return next
}

// ref returns the ids under which a venue finds an order. A foreign client id is left out,
// because another order may have it by now, except for a stop, whose venue order id changes
// when it is triggered.
func (c clientIDs) ref(o *order) venues.OrderRef {
	ref := venues.OrderRef{Symbol: o.Symbol, ClientOrderID: o.ClientOrderID, VenueOrderID: o.VenueOrderID, Type: o.Type}
	if !c.isOurs(o.ClientOrderID) && !o.Type.IsStop() && o.VenueOrderID != "" {
		ref.ClientOrderID = ""
	}
	return ref
}

// queryAnswered applies the answer to a query.
func (s *state) queryAnswered(step stepContext, in queryDone) {
	o, known := s.orders[in.orderID]
	if !known {
		return
	}
	switch {
	case in.err == nil:
		if o.Status != venues.StatusUnknown && o.held == nil {
			o.query = statusQuery{}
		}
		s.applyReport(step, o, in.report)
		s.checkChange(step, o)
	case isNotFound(in.err):
		s.queryNotFound(step, o, in.began)
	case o.Status == venues.StatusUnknown:
		s.scheduleQuery(step, o, queryRetryMax)
	}
	s.watch(o)
}

// isNotFound reports whether an error means that the venue does not list the order, or no
// longer lists its instrument.
func isNotFound(err error) bool {
	return (venues.CodeOf(err) == venues.CodeNotFound || venues.IsUnlisted(err)) && !errors.Is(err, venues.ErrOutcomeUnknown)
}

// queryNotFound applies the answer "not found" to a query that was sent at began. One such
// answer alone confirms nothing.
func (s *state) queryNotFound(step stepContext, o *order, began time.Time) {
	if o.Status.IsClosed() {
		return
	}
	if o.Status != venues.StatusUnknown {
		if began.Before(o.seenOpenAt) {
			return // the venue has reported it as open since
		}
		s.markUnknown(step, o) // the venue has acknowledged the order, but does not list it
		return
	}
	if !o.NotFoundSince.IsZero() && !began.Before(s.absenceCheckFrom(o)) {
		s.awaitAbsenceCheck(step, o)
	}
	if o.NotFoundSince.IsZero() {
		// It is stored: a process that restarts again and again would never receive both answers.
		o.NotFoundSince = venues.At(step.now)
		s.markDirty(o)
	}
	s.protectAgain(step, o)
	if !o.query.due.IsZero() {
		o.query.due = deadline.Earlier(o.query.due, s.nextQuery(step, o))
	}
}

// absenceCheckFrom returns the time from which on an answer "not found" allows the absence
// check: the order's deadline and the venue's delay have passed, and the first answer "not
// found" is absenceSpan old.
func (s *state) absenceCheckFrom(o *order) time.Time {
	from := o.Deadline.Add(s.caps.AbsenceAfter)
	if apart := o.NotFoundSince.Add(absenceSpan); apart.After(from) {
		return apart
	}
	return from
}
