package account

import (
	"errors"
	"time"

	"venuegate/venues"
)

// inquiry is the search for an order whose outcome is not known: by the private
// stream, and by asking the venue under the client id until the order is found
// or its absence is proven.
type inquiry struct {
	// begun is when the search began, due when the next question comes.
	begun, due time.Time
	asked      int
	// firstMiss is when the venue first said that it does not know the order.
	firstMiss time.Time
	// proving says that nothing is missing but the reading of a proof.
	proving bool
}

const (
	// inquiryWait is how long the first question waits for the private stream.
	// Each further one comes when twice the time has passed, inquiryWaitMax after
	// the last one at the latest.
	inquiryWait    = 500 * time.Millisecond
	inquiryWaitMax = time.Minute
	// inquiryRetry is the longest wait after a question without an answer.
	inquiryRetry = 5 * time.Second
	// changeSeenWait is how long a change that was acknowledged may take to show.
	changeSeenWait = time.Second
)

// reasonNotShown is why an order ended of which its venue has no memory.
const reasonNotShown = "not_shown"

// absenceSpan is how far apart two answers "not found" must lie.
const absenceSpan = 5 * time.Second

// lose makes the outcome unknown and begins the inquiry.
func (s *state) lose(m moment, o *order) {
	if !o.Status.CanBecome(venues.StatusUnknown) {
		return
	}
	s.become(m, o, venues.StatusUnknown)
	o.UnknownSince = venues.At(m.now)
	s.inquire(m, o, inquiryWait)
	s.touch(o)
}

// inquire schedules the next question.
func (s *state) inquire(m moment, o *order, wait time.Duration) {
	if o.inquiry.begun.IsZero() {
		o.inquiry.begun = m.now
	}
	o.inquiry.due = earlier(o.inquiry.due, m.now.Add(wait))
	s.watch(o)
}

// ask puts a question that has fallen due.
func (s *state) ask(m moment, o *order) {
	o.inquiry.asked++
	o.inquiry.due = time.Time{}
	if !o.Status.IsClosed() {
		o.inquiry.due = s.nextQuestion(m, o)
	}
	s.after(callQuery{orderID: o.OrderID, ref: s.ref(o)})
}

// nextQuestion is when the order is asked for again if nothing is heard of it. A
// question whose answer can complete a proof is not put off.
func (s *state) nextQuestion(m moment, o *order) time.Time {
	next := m.now.Add(min(m.now.Sub(o.inquiry.begun)+inquiryWait, inquiryWaitMax))
	if provable := s.provableFrom(o); o.Status == venues.StatusUnknown && provable.After(m.now) && provable.Before(next) {
		return provable
	}
	return next
}

// ref names an order to its venue. A client id that somebody else gave may name
// another order by now, but for a stop's, under which it is found when its number
// has changed.
func (s *state) ref(o *order) venues.OrderRef {
	ref := venues.OrderRef{Symbol: o.Symbol, ClientOrderID: o.ClientOrderID, VenueOrderID: o.VenueOrderID, Type: o.Type}
	if _, ours := s.ids.orderID(o.ClientOrderID); !ours && !o.Type.IsStop() && o.VenueOrderID != "" {
		ref.ClientOrderID = ""
	}
	return ref
}

// queried takes the answer to a question.
func (s *state) queried(m moment, in queryDone) {
	o, known := s.orders[in.orderID]
	if !known {
		return
	}
	switch {
	case in.err == nil:
		if o.Status != venues.StatusUnknown && o.held == nil {
			o.inquiry = inquiry{}
		}
		s.apply(m, o, in.report)
		s.changeSeen(m, o)
	case isMiss(in.err):
		s.missed(m, o, in.began)
	case o.Status == venues.StatusUnknown:
		s.inquire(m, o, inquiryRetry)
	}
	s.watch(o)
}

// isMiss says whether the venue shows no such order: it does not know it, or has
// the order's instrument no more.
func isMiss(err error) bool {
	return (venues.CodeOf(err) == venues.CodeNotFound || venues.IsUnlisted(err)) && !errors.Is(err, venues.ErrOutcomeUnknown)
}

// missed notes one "not found", to a question that was put at began. It is no
// proof by itself.
func (s *state) missed(m moment, o *order, began time.Time) {
	if o.Status.IsClosed() {
		return
	}
	if o.Status != venues.StatusUnknown {
		s.lose(m, o) // the venue has acknowledged it, and does not show it
		return
	}
	if !o.inquiry.firstMiss.IsZero() && !began.Before(s.provableFrom(o)) {
		s.awaitProof(m, o)
	}
	if o.inquiry.firstMiss.IsZero() {
		o.inquiry.firstMiss = m.now
	}
	if !o.inquiry.due.IsZero() {
		o.inquiry.due = earlier(o.inquiry.due, s.nextQuestion(m, o))
	}
}

// provableFrom is when a question that finds nothing allows the last step of the
// proof: the deadline has passed by more than the venue's delay, and the first
// answer "not found" lies apart.
func (s *state) provableFrom(o *order) time.Time {
	from := o.Deadline.Add(s.caps.AbsenceAfter)
	if apart := o.inquiry.firstMiss.Add(absenceSpan); apart.After(from) {
		return apart
	}
	return from
}
