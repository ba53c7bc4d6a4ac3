package account

import (
	"strconv"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// reasonNotShown is why an order ended of which its venue has no memory.
const reasonNotShown = "not_shown"

// proofs are the orders whose absence is to be proven by the venue's lists. One
// reading is under way at a time; those that fall due meanwhile share the next,
// since a list costs as much for one order as for all.
type proofs struct {
	running bool
	waiting []string
}

// prove begins the reading for the orders that wait for one.
func (s *state) prove() {
	if s.proofs.running || len(s.proofs.waiting) == 0 {
		return
	}
	e := callProof{orderIDs: s.proofs.waiting, from: map[string]time.Time{}}
	for _, id := range e.orderIDs {
		o, known := s.orders[id]
		if !known {
			continue
		}
		from := o.executedFrom()
		if earliest, asked := e.from[o.Symbol]; !asked || from.Before(earliest) {
			e.from[o.Symbol] = from
		}
	}
	s.proofs = proofs{running: true}
	s.after(e)
}

// executedFrom is since when the order may have been executed.
func (o *order) executedFrom() time.Time { return o.CreatedAt.Add(-fillsOverlap) }

// proved takes the open orders and fills that were read to complete proofs.
func (s *state) proved(m moment, in proofDone) {
	s.proofs.running = false
	for _, id := range in.orderIDs {
		if o, known := s.orders[id]; known && o.Status == venues.StatusUnknown {
			o.inquiry.proving = false
			s.conclude(m, o, &in)
			s.watch(o)
		}
	}
	s.prove()
}

// conclude ends an order that the lists prove to be gone. One that they do not is
// asked for again on schedule.
func (s *state) conclude(m moment, o *order, in *proofDone) {
	if in.err != nil {
		return
	}
	for _, r := range in.open {
		if s.findReported(&r) == o {
			s.apply(m, o, r)
			return
		}
	}
	for _, f := range in.fills {
		if s.mayBeOf(&f, o) && !in.knownOrders[f.VenueOrderID] {
			return // absence is not proven
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

// mayBeOf says whether an execution of no order in memory could be this order's.
func (s *state) mayBeOf(f *venues.Fill, o *order) bool {
	return f.Symbol == o.Symbol && f.Side == o.Side && !f.ExecutedAt.Before(o.executedFrom()) && s.findFilled(f) == nil
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
