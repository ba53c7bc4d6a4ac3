package delivery

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) moment {
	return moment{now: noon.Add(d), newID: func(prefix string) string { return prefix + "_1" }}
}

func row(i int, due time.Duration) persistence.Delivery {
	return persistence.Delivery{
		Customer: "c1", Endpoint: "end_1", EventID: fmt.Sprint("evt_", i), EventSeq: uint64(i),
		Status: persistence.DeliveryPending, DueAt: venues.At(noon.Add(due)),
	}
}

// full is a state whose window holds rows that are due now, with one more in the
// store that is due too.
func full() *state {
	s := newState(persistence.Endpoint{ID: "end_1", Customer: "c1"}, persistence.Fence{Customer: "c1", Epoch: 1}, ScheduleDefault())
	var rows []persistence.Delivery
	for i := range windowMax {
		rows = append(rows, row(i, 0))
	}
	s.loaded(loaded{begun: true, rows: rows})
	s.behind = false
	return s
}

// attempt lets a running attempt end and its commit become durable.
func (s *state) attempt(m moment, i int, failed error) {
	s.attempted(m, attempted{eventID: fmt.Sprint("evt_", i), attempt: persistence.Attempt{Err: failed}, end: m.now})
	for _, e := range s.finish(m).after {
		if done, ok := e.(stored); ok {
			s.stored(m, done.eventID)
		}
	}
	s.finish(m)
}

func TestOldReadDoesNotBringBackWhatIsDelivered(t *testing.T) {
	s := full()
	s.finish(at(0))
	for i := range windowMax/2 + 1 {
		s.attempt(at(0), i, nil)
	}
	if !s.refilling {
		t.Fatal("no read is under way")
	}
	old := []persistence.Delivery{row(windowMax/2+1, 0), row(windowMax, 0)}
	s.attempt(at(0), windowMax/2+1, nil)
	s.refilled(at(0), pendingRead{rows: old})
	if s.window.byEvent[old[0].EventID] != nil {
		t.Error("a delivered event is back")
	}
	if s.window.byEvent[old[1].EventID] == nil {
		t.Error("the read brought nothing")
	}
	if len(s.touched) != 0 {
		t.Errorf("%d touched ones are kept", len(s.touched))
	}
}

// TestWindowKeepsTheEarliest: what is put off behind the first that only the
// store holds is left to the store.
func TestWindowKeepsTheEarliest(t *testing.T) {
	s := full()
	s.window.outside = noon.Add(5 * time.Second)
	s.finish(at(0))
	s.attempt(at(0), 0, errors.New("answered 500"))
	if s.window.byEvent["evt_0"] != nil {
		t.Error("due in ten seconds, and kept before one that is due in five")
	}
	if got := s.window.outside.Sub(noon); got != 5*time.Second {
		t.Errorf("outside in %v", got)
	}
}

func TestReadThatFailedIsDoneAgain(t *testing.T) {
	s := full()
	s.window = newWindow()
	s.behind = true
	s.window.outside = noon
	if out := s.finish(at(0)); len(out.now) != 2 {
		t.Fatalf("%d effects", len(out.now))
	}
	s.eventsRead(at(0), eventsRead{err: persistence.ErrUnavailable})
	s.refilled(at(0), pendingRead{err: persistence.ErrUnavailable})
	if out := s.finish(at(0)); len(out.now) != 0 || !s.nextDue(noon).Equal(noon.Add(storeRetry)) {
		t.Fatalf("%d effects, next at %v", len(out.now), s.nextDue(noon))
	}
	if out := s.finish(at(storeRetry)); len(out.now) != 2 {
		t.Errorf("%d effects", len(out.now))
	}
}
