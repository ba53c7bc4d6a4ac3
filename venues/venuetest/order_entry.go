package venuetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// OrderEntry describes the order entry connection of a venue to the suite.
type OrderEntry struct {
	// Up reports whether the connection of an account accepts orders.
	Up func(venues.Account) bool
	// Place, Amend and Cancel are its operations: the path of the connection and their
	// names, by which faults match. Stop places a stop; zero stands for Place.
	Place, Amend, Cancel, Stop Route
	// Login is the login operation; zero where every request is signed.
	Login Route
	// NotTaken is the venue's code, in JSON, for a message that it rejects regardless of
	// its order; empty where it has none.
	NotTaken string
	// Answers are the answers of the connection as rows of the table of bad input. Their
	// Kind is the operation: place, amend or cancel.
	Answers []Event
}

// RunWebSocket runs the cases of orders over a venue's order entry connection, and the
// cases that only such a connection has. Faults of orders apply to its operations
// instead of the REST calls.
func RunWebSocket(t *testing.T, h Harness, e OrderEntry) {
	if e.Stop == (Route{}) {
		e.Stop = e.Place
	}
	h.Wire.Place, h.Wire.Amend, h.Wire.Cancel, h.Wire.PlaceStop = e.Place, e.Amend, e.Cancel, e.Stop
	h.entry, h.seen = &e, newCoverage()
	h.Wire.Events = slices.Concat(h.Wire.Events, e.Answers)
	if e.NotTaken == "" {
		h.Lacks = maps.Clone(h.Lacks)
		h.Lacks[EntryRejections] = "the venue rejects orders, not messages"
	}
	cases := slices.Concat(
		orderCases, stopCases, rejectionCases, protectionCases, amendCases, lateAmendCases, cancelCases, lateCancelCases, identityCases,
		faultCases, clockCases, limitCases, triggerCases, entryCases,
	)
	for n := range cases {
		cases[n].under.OrderEntry = venues.OrderEntryWebSocket
	}
	if runAll(t, h, cases) {
		t.Run("bad input", func(t *testing.T) { h.seen.report(t, nil, e.Answers) })
	}
}

// awaitEntry waits until the order entry connection is open, or closed.
func (s *env) awaitEntry(up bool) {
	s.t.Helper()
	s.eventually(fmt.Sprintf("the order entry connection, up=%v,", up), func() bool { return s.harness.entry.Up(s.account) == up })
}

// checkCarried fails the case unless do makes exactly one operation on the order entry
// connection.
func (s *env) checkCarried(route Route, do func()) {
	s.t.Helper()
	before := s.faultsApplied()
	s.fault(simcore.FaultDelay, route, 1, simcore.FaultArgs{})
	do()
	if n := s.faultsApplied() - before; n != 1 {
		s.t.Errorf("%s: %d operations on the connection, want 1", route.Method, n)
	}
}
