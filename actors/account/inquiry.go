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
	s.after(callProof{orderID: o.OrderID, symbol: o.Symbol, from: o.CreatedAt.Add(-fillsOverlap)})
}

// absenceProvable says whether the answers so far allow the last step of the
// proof: the deadline has passed by more than the venue's delay, and two answers
// lie apart.
func (s *state) absenceProvable(m moment, o *order) bool {
	return m.now.Sub(o.inquiry.firstMiss) >= absenceSpan && m.now.After(o.Deadline.Add(s.caps.AbsenceAfter))
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
		if s.findReported(&r) == o {
			s.apply(m, o, r)
			return
		}
	}
	for _, f := range in.fills {
		if f.Side == o.Side && s.findFilled(&f) == nil && !in.knownOrders[f.VenueOrderID] {
			return // it may be this order's: absence is not proven
		}
	}
	s.touch(o)
	if m.now.Sub(o.aliveAt()) >= s.caps.UnfilledRetention {
		s.vanish(m, o)
		return
	}
	if o.VenueOrderID != "" {
		// It did exist, and its end would still be shown. What the venue shows is
		// not whole, and no proof.
		return
	}
	s.note(m, o, "absence_proven", persistence.JournalField{Name: "asked", Value: strconv.Itoa(o.inquiry.asked)})
	s.notPlaced(m, o, venues.Errorf(venues.CodeExchangeUnavailable, "it is proven that %s placed nothing", s.exchange).
		With("reason", venues.ReasonNotPlaced))
}

// aliveAt is when the order was alive for all that is known: it ended later, and
// an end within the venue's retention would be shown. One that the venue has never
// confirmed may have ended at once.
func (o *order) aliveAt() time.Time {
	if o.VenueOrderID != "" {
		return o.seenAt
	}
	return o.CreatedAt.Time
}

// vanish ends an order of which the venue shows nothing any more, as it does of
// those that ended without a fill long ago. It is not open, and every fill is
// accounted for: it is over, whether or not it was ever placed.
func (s *state) vanish(m moment, o *order) {
	o.Error = &venues.OrderFault{
		Code: venues.CodeExchangeUnavailable, Reason: reasonNotShown, Message: "the venue does not show the order any more",
	}
	s.become(m, o, venues.StatusCancelled)
}
