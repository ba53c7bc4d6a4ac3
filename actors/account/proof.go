package account

import (
	"slices"
	"strconv"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// proofGather is how long a reading waits for the other orders that were
	// asked for at the same moment.
	proofGather = 250 * time.Millisecond
	// proofRetry is the wait after a reading that failed or left an execution
	// unexplained; it doubles up to proofRetryMax.
	proofRetry    = time.Second
	proofRetryMax = 8 * time.Second
)

// proof is the last step before orders end as not placed: one reading of the open
// orders and of the executions, which serves all that wait for it.
type proof struct {
	due      time.Time
	running  bool
	failures int
	// denied are orders of executions that the venue, asked under their numbers,
	// does not show.
	denied map[venueKey]denial
}

// denial is when a venue first said that it does not know an order, and when it
// was last asked and said so.
type denial struct{ first, last time.Time }

// isFinal says whether both lie apart as the answers about an order of ours must.
func (d denial) isFinal() bool { return d.last.Sub(d.first) >= absenceSpan }

// isWanted says whether any order waits.
func (p *proof) isWanted() bool { return p.running || !p.due.IsZero() }

// awaitProof lets an order wait for the next reading.
func (s *state) awaitProof(m moment, o *order) {
	o.inquiry.proving = true
	if !s.proof.isWanted() {
		s.proof.due = m.now.Add(proofGather)
	}
}

func (o *order) awaitsProof() bool { return o.inquiry.proving && o.Status == venues.StatusUnknown }

// prove begins a reading for every order that waits.
func (s *state) prove() {
	s.proof.due = time.Time{}
	if s.proof.running {
		return
	}
	e := callProof{from: map[string]time.Time{}}
	for _, o := range s.unfinished() {
		if !o.awaitsProof() {
			continue
		}
		e.orders = append(e.orders, o.OrderID)
		if from, known := e.from[o.Symbol]; !known || o.fillsSince().Before(from) {
			e.from[o.Symbol] = o.fillsSince()
		}
	}
	if len(e.orders) == 0 {
		s.proof = proof{}
		return
	}
	s.proof.running = true
	s.after(e)
}

// fillsSince is when the order cannot have been executed yet, whatever the clock
// of its venue says.
func (o *order) fillsSince() time.Time { return o.CreatedAt.Add(-fillsOverlap) }

// proved takes what was read to complete proofs.
func (s *state) proved(m moment, in proofDone) {
	if in.err != nil {
		s.proof.running = false
		s.proveAgain(m)
		return
	}
	for _, r := range in.open {
		if o := s.findReported(&r); o != nil && o.awaitsProof() {
			s.apply(m, o, r)
		}
	}
	unexplained := s.unexplained(in)
	s.fills(m, unexplained) // whose they are is asked
	s.proof.running = false
	waits := false
	for _, id := range in.orders {
		o := s.orders[id]
		switch {
		case o == nil || !o.awaitsProof():
		case slices.ContainsFunc(unexplained, func(f venues.Fill) bool { return s.mayBelong(&f, o) }):
			waits = true
		default:
			s.conclude(m, o)
		}
	}
	if waits {
		s.proveAgain(m)
		return
	}
	s.proof.failures = 0
	s.proof.due = m.now.Add(proofGather) // for those who came since
}

func (s *state) proveAgain(m moment) {
	s.proof.due = m.now.Add(min(proofRetry<<min(s.proof.failures, 8), proofRetryMax))
	s.proof.failures++
}

// unexplained are the executions of which no order is known, neither here nor in
// the store.
func (s *state) unexplained(in proofDone) (fills []venues.Fill) {
	for _, f := range in.fills {
		if s.findFilled(&f) == nil && !in.knownOrders[venueKey{symbol: f.Symbol, id: f.VenueOrderID}] {
			fills = append(fills, f)
		}
	}
	return fills
}

// mayBelong says whether an unexplained execution can be the order's. Once the
// venue has denied twice to know the order behind it, the second time when this
// one would be shown, it is nobody's.
func (s *state) mayBelong(f *venues.Fill, o *order) bool {
	if f.Symbol != o.Symbol || f.Side != o.Side || f.ExecutedAt.Before(o.fillsSince()) {
		return false
	}
	d := s.proof.denied[venueKey{symbol: f.Symbol, id: f.VenueOrderID}]
	return !d.isFinal() || d.last.Before(o.Deadline.Add(s.caps.AbsenceAfter))
}

// deny notes that the venue does not show the order of an execution, which
// matters while a proof waits for that order.
func (s *state) deny(m moment, in lookedUpFills) {
	if !s.proof.isWanted() {
		return
	}
	if s.proof.denied == nil {
		s.proof.denied = map[venueKey]denial{}
	}
	key := venueKey{symbol: in.symbol, id: in.venueOrderID}
	d, denied := s.proof.denied[key]
	if !denied {
		d.first = m.now
	}
	d.last = in.began
	s.proof.denied[key] = d
	if d.isFinal() && !s.proof.running {
		s.proof.due = earlier(s.proof.due, m.now.Add(proofGather))
	}
}

// conclude ends an order that is neither open nor behind any execution.
func (s *state) conclude(m moment, o *order) {
	o.inquiry.proving = false
	s.touch(o)
	switch {
	case m.now.Sub(o.aliveAt()) >= s.caps.UnfilledRetention:
		s.vanish(m, o)
	case o.VenueOrderID != "":
		// It did exist, and its end would still be shown. What the venue shows is
		// not whole, and no proof.
	default:
		s.note(m, o, "absence_proven", persistence.JournalField{Name: "asked", Value: strconv.Itoa(o.inquiry.asked)})
		s.notPlaced(m, o, venues.Errorf(venues.CodeExchangeUnavailable, "it is proven that %s placed nothing", s.exchange).
			With("reason", venues.ReasonNotPlaced))
	}
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
