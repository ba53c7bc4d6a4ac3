package alerts

import (
	"errors"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// openWatch is a watch without a market.
type openWatch struct{ venues.PriceWatch }

// newArmedState returns a state with the armed alert a1.
func newArmedState() (*state, *alert) {
	s := newState(persistence.Fence{Customer: "c1"})
	s.loaded([]persistence.Alert{{ID: "a1", Customer: "c1", Status: persistence.AlertArmed}})
	s.take()
	return s, s.alerts["a1"]
}

// wantNow ends a step and fails the test unless its immediate effects are these.
func wantNow(t *testing.T, s *state, when string, want ...effect) {
	t.Helper()
	got := s.take().Now
	if len(got) != len(want) {
		t.Fatalf("%s: effects %+v, want %+v", when, got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: effect %+v, want %+v", when, got[i], want[i])
		}
	}
}

func TestWatchIsRepeatedLaterEachTime(t *testing.T) {
	s, a := newArmedState()
	fail := func(wait time.Duration) {
		t.Helper()
		s.watched(watched{id: "a1", generation: a.generation, err: errors.New("the venue is not connected")})
		wantNow(t, s, "a failed watch", retryWatch{wait, watchDue{"a1", a.generation}})
	}
	for _, wait := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		fail(wait * time.Second)
	}
	for range 64 { // the exponent is limited too
		fail(time.Minute)
	}
	s.end(a)
	fail(time.Second) // of the changed alert
}

func TestWatchOfAnEarlierGenerationIsClosed(t *testing.T) {
	s, a := newArmedState()
	w := openWatch{}
	s.watched(watched{id: "a1", generation: a.generation - 1, watch: w})
	wantNow(t, s, "an earlier generation", unwatch{w})
	s.watched(watched{id: "a2", watch: w})
	wantNow(t, s, "a removed alert", unwatch{w})
	s.watched(watched{id: "a1", generation: a.generation - 1, err: errors.New("the venue is not connected")})
	wantNow(t, s, "a failure of an earlier generation")
}

func TestWatchIsClosedOnce(t *testing.T) {
	s, a := newArmedState()
	w := openWatch{}
	s.watched(watched{id: "a1", generation: a.generation, watch: w})
	wantNow(t, s, "a watch")
	s.end(a)
	wantNow(t, s, "the first end", unwatch{w})
	s.end(a)
	wantNow(t, s, "the second end")
}
