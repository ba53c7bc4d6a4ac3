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
	due       time.Time
	asked     int
	firstMiss time.Time
	proving   bool
}

// inquirySteps are the waits before the first questions; the last one repeats.
var inquirySteps = []time.Duration{
	500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 10 * time.Second,
	20 * time.Second, 40 * time.Second, time.Minute,
}

// absenceSpan is how far apart two answers "not found" must lie.
const absenceSpan = 5 * time.Second

// lose makes the outcome unknown and begins the inquiry.
func (s *state) lose(m moment, o *order) {
	if !o.Status.CanBecome(venues.StatusUnknown) {
		return
	}
	s.become(m, o, venues.StatusUnknown)
	o.UnknownSince = venues.At(m.now)
	s.inquire(m, o, inquirySteps[0])
	s.touch(o)
}

// inquire schedules the next question.
func (s *state) inquire(m moment, o *order, wait time.Duration) {
	o.inquiry.due = earlier(o.inquiry.due, m.now.Add(wait))
	s.watch(o)
}

// ask puts a question that has fallen due.
func (s *state) ask(m moment, o *order) {
	o.inquiry.asked++
	step := min(o.inquiry.asked, len(inquirySteps)-1)
	o.inquiry.due = time.Time{}
	if !o.Status.IsClosed() {
		o.inquiry.due = m.now.Add(inquirySteps[step])
	}
	s.after(callQuery{orderID: o.OrderID, ref: s.ref(o)})
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
	case venues.CodeOf(in.err) == venues.CodeNotFound && !errors.Is(in.err, venues.ErrOutcomeUnknown):
		s.missed(m, o)
	}
	s.watch(o)
}

// missed notes one "not found". It is no proof by itself.
func (s *state) missed(m moment, o *order) {
	if o.Status.IsClosed() {
		return
	}
	if o.Status != venues.StatusUnknown {
		s.lose(m, o) // the venue has acknowledged it, and does not show it
		return
	}
	if o.inquiry.firstMiss.IsZero() {
		o.inquiry.firstMiss = m.now
	}
	if o.inquiry.proving || !s.absenceProvable(m, o) {
		return
	}
	o.inquiry.proving = true
	s.proofs.waiting = append(s.proofs.waiting, o.OrderID)
	s.prove()
}

// absenceProvable says whether the answers so far allow the last step of the
// proof: the deadline has passed by more than the venue's delay, and two answers
// lie apart.
func (s *state) absenceProvable(m moment, o *order) bool {
	return m.now.Sub(o.inquiry.firstMiss) >= absenceSpan && m.now.After(o.Deadline.Add(s.caps.AbsenceAfter))
}
