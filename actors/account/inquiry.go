package account

import (
	"errors"
	"strconv"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// inquiry is the search for an order whose outcome is not known: by the private
// stream, and by asking the venue under the client id until the order is found
// or its absence is proven.
type inquiry struct {
	due      time.Time
	asked    int
	notFound []time.Time
	proving  bool
}

// inquirySteps are the waits before the first questions; the last one repeats.
var inquirySteps = []time.Duration{
	500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 10 * time.Second,
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
	s.after(callQuery{orderID: o.OrderID, ref: o.ref()})
}

func (o *order) ref() venues.OrderRef {
	return venues.OrderRef{Symbol: o.Symbol, ClientOrderID: o.ClientOrderID, VenueOrderID: o.VenueOrderID, Type: o.Type}
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
	if o.Status.IsClosed() || o.Status == venues.StatusPending {
		return
	}
	if o.Status != venues.StatusUnknown {
		s.lose(m, o) // the venue held it, and does not show it any more
		return
	}
	o.inquiry.notFound = append(o.inquiry.notFound, m.now)
	if o.inquiry.proving || !s.absenceProvable(m, o) {
		return
	}
	o.inquiry.proving = true
	s.after(callProof{orderID: o.OrderID, symbol: o.Symbol, from: o.CreatedAt.Add(-fillsOverlap)})
}

// absenceProvable says whether the answers so far allow the last step of the
// proof: the deadline has passed by more than the venue's delay, two answers lie
// apart, and the venue would still show an order that ended without a fill.
func (s *state) absenceProvable(m moment, o *order) bool {
	seen := o.inquiry.notFound
	latest := seen[len(seen)-1]
	age := m.now.Sub(o.CreatedAt.Time)
	return latest.Sub(seen[0]) >= absenceSpan &&
		latest.After(o.Deadline.Add(s.caps.AbsenceAfter)) &&
		age < s.caps.UnfilledRetention
}

// proved takes the open orders and fills that were read to complete a proof.
func (s *state) proved(m moment, in proofDone) {
	o, known := s.orders[in.orderID]
	if !known || o.Status != venues.StatusUnknown {
		return
	}
	o.inquiry.proving = false
	s.watch(o)
	if in.err != nil {
		return // asked again on schedule
	}
	for _, r := range in.open {
		if r.ClientOrderID == o.ClientOrderID {
			s.apply(m, o, r)
			return
		}
	}
	for _, f := range in.fills {
		if f.Side == o.Side && s.find("", f.Symbol, f.VenueOrderID) == nil && !in.knownOrders[f.VenueOrderID] {
			return // it may be this order's: absence is not proven
		}
	}
	s.touch(o)
	if o.VenueOrderID != "" {
		// It did exist. Gone without a fill and without a trace is not a state
		// that may be guessed.
		return
	}
	s.note(m, o, "absence_proven", persistence.JournalField{Name: "asked", Value: strconv.Itoa(o.inquiry.asked)})
	s.notPlaced(m, o, venues.Errorf(venues.CodeExchangeUnavailable, "it is proven that %s placed nothing", s.exchange).
		With("reason", venues.ReasonNotPlaced))
}
