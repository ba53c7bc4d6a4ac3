package venuetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// OrderEntry is a venue's connection for orders as the suite needs to know it.
type OrderEntry struct {
	// Up says whether the connection of an account takes orders now.
	Up func(venues.Account) bool
	// Place, Amend and Cancel are its operations: the path of the connection and
	// their names, as faults match them. Stop places a stop; zero is Place.
	Place, Amend, Cancel, Stop Route
	// Login is the operation that opens it; zero where every request is signed.
	Login Route
	// NotTaken is the venue's code for a message that it does not take, whatever
	// order it is about, in JSON; empty where the venue has none.
	NotTaken string
	// Answers are rows of the table of bad input: what the connection answers, with
	// the operation, place, amend or cancel, as what they tell of.
	Answers []Event
}

// RunWebSocket runs the cases of orders over a venue's connection for orders, and
// the cases that only such a connection has. Faults of orders strike its
// operations instead of the REST calls.
func RunWebSocket(t *testing.T, h Harness, e OrderEntry) {
	if e.Stop == (Route{}) {
		e.Stop = e.Place
	}
	h.Wire.Place, h.Wire.Amend, h.Wire.Cancel, h.Wire.PlaceStop = e.Place, e.Amend, e.Cancel, e.Stop
	h.entry, h.seen = &e, newCoverage()
	h.Wire.Events = slices.Concat(h.Wire.Events, e.Answers)
	if e.NotTaken == "" {
		h.Lacks = maps.Clone(h.Lacks)
		h.Lacks[EntryRefusals] = "the venue refuses orders, not messages"
	}
	cases := slices.Concat(
		orderCases, stopCases, refusalCases, protectionCases, amendCases, lateAmendCases, cancelCases, lateCancelCases, identityCases,
		faultCases, clockCases, limitCases, triggerCases, entryCases,
	)
	for n := range cases {
		cases[n].under.OrderEntry = venues.OrderEntryWebSocket
	}
	if runAll(t, h, cases) {
		t.Run("bad input", func(t *testing.T) { h.seen.report(t, nil, e.Answers) })
	}
}

// awaitEntry waits until the connection for orders is up, or down.
func (s *stage) awaitEntry(up bool) {
	s.t.Helper()
	s.eventually(fmt.Sprintf("the connection for orders, up=%v,", up), func() bool { return s.harness.entry.Up(s.account) == up })
}

// carries fails the case unless do is one operation on the connection for orders.
func (s *stage) carries(route Route, do func()) {
	s.t.Helper()
	before := s.struck()
	s.fault(simcore.FaultDelay, route, 1, simcore.FaultArgs{})
	do()
	if n := s.struck() - before; n != 1 {
		s.t.Errorf("%s struck %d times", route.Method, n)
	}
}
