package delivery

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) step.Context {
	return step.Context{Now: noon.Add(d), NewID: func(prefix string) string { return prefix + "_1" }}
}

func row(i int, due time.Duration) persistence.Delivery {
	return persistence.Delivery{
		Customer: "c1", Endpoint: "end_1", EventID: fmt.Sprint("evt_", i), EventSeq: uint64(i),
		Status: persistence.DeliveryPending, DueAt: venues.At(noon.Add(due)),
	}
}

// full returns a state whose window has rows that are due now, and one more in the
// store that is due too.
func full() *state {
	s := newState(persistence.Endpoint{ID: "end_1", Customer: "c1"}, persistence.Fence{Customer: "c1", Epoch: 1}, ScheduleDefault())
	var rows []persistence.Delivery
	for i := range windowMax {
		rows = append(rows, row(i, 0))
	}
	s.loaded(loaded{hasCursor: true, rows: rows})
	s.behind = false
	return s
}

// attempt completes a running attempt and its commit.
func (s *state) attempt(m step.Context, i int, failed error) {
	s.attemptDone(m, attemptDone{eventID: fmt.Sprint("evt_", i), attempt: persistence.Attempt{Err: failed}, end: m.Now})
	s.commit(m)
}

// commit commits the changed deliveries and starts what is due.
func (s *state) commit(m step.Context) {
	for _, e := range s.finish(m).After {
		if done, ok := e.(deliveryStored); ok {
			s.deliveryStored(m, done.eventID)
		}
	}
	s.finish(m)
}

func TestOutdatedReadDoesNotRestoreDeliveredEvents(t *testing.T) {
	s := full()
	s.finish(at(0))
	for i := range windowMax/2 + 1 {
		s.attempt(at(0), i, nil)
	}
	if !s.refilling {
		t.Fatal("no read is under way, want one")
	}
	old := []persistence.Delivery{row(windowMax/2+1, 0), row(windowMax, 0)}
	s.attempt(at(0), windowMax/2+1, nil)
	s.refilled(at(0), pendingRead{rows: old})
	if s.window.byEvent[old[0].EventID] != nil {
		t.Errorf("delivery of event %s in the window = %+v, want none", old[0].EventID, s.window.byEvent[old[0].EventID])
	}
	if s.window.byEvent[old[1].EventID] == nil {
		t.Error("the read added nothing, want its rows")
	}
	if len(s.changed) != 0 {
		t.Errorf("%d events are marked as changed, want 0", len(s.changed))
	}
}

// A delivery that is postponed behind the first one that only the store has is dropped
// from memory.
func TestWindowKeepsTheEarliest(t *testing.T) {
	s := full()
	s.window.outside = noon.Add(5 * time.Second)
	s.finish(at(0))
	s.attempt(at(0), 0, errors.New("answered 500"))
	if s.window.byEvent["evt_0"] != nil {
		t.Error("a delivery due in 10 s is kept before one due in 5 s, want it dropped")
	}
	if got := s.window.outside.Sub(noon); got != 5*time.Second {
		t.Errorf("outside in %v, want 5s", got)
	}
}

func TestFailedReadIsRepeated(t *testing.T) {
	s := full()
	s.window = newWindow()
	s.behind = true
	s.window.outside = noon
	if out := s.finish(at(0)); len(out.Now) != 2 {
		t.Fatalf("%d effects, want 2", len(out.Now))
	}
	s.eventsRead(at(0), eventsRead{err: persistence.ErrUnavailable})
	s.refilled(at(0), pendingRead{err: persistence.ErrUnavailable})
	if out := s.finish(at(0)); len(out.Now) != 0 || !s.nextDue(noon).Equal(noon.Add(storeRetry)) {
		t.Fatalf("effects = %d, next at %v, want none and %v", len(out.Now), s.nextDue(noon), noon.Add(storeRetry))
	}
	if out := s.finish(at(storeRetry)); len(out.Now) != 2 {
		t.Errorf("%d effects, want 2", len(out.Now))
	}
}

// The position behind a page is stored with the deliveries of the page.
func TestPageIsStoredWithItsPosition(t *testing.T) {
	to := persistence.Endpoint{ID: "end_1", Customer: "c1", Kind: persistence.EndpointWebhook}
	s := newState(to, persistence.Fence{Customer: "c1", Epoch: 1}, ScheduleDefault())
	s.loaded(loaded{hasCursor: true, cursor: persistence.EndpointCursor{Customer: "c1", Endpoint: "end_1"}})
	s.finish(at(0))
	s.eventsRead(at(0), eventsRead{events: []persistence.Event{{ID: "evt_x", Seq: 7000, Type: persistence.EventOrderFilled}}})
	got := s.finish(at(0)).Batch.Puts
	want := persistence.EndpointCursor{Customer: "c1", Endpoint: "end_1", Seq: 7000, Event: "evt_x"}
	if len(got) != 2 || got[1] != persistence.Record(want) {
		t.Fatalf("stored %+v, want a delivery and %+v", got, want)
	}
	if d, is := got[0].(persistence.Delivery); !is || d.EventID != "evt_x" || d.EventSeq != 7000 {
		t.Errorf("stored %+v, want the delivery of evt_x", got[0])
	}
}

// A read that began before an event was delivered again does not restart its delivery: the
// receiver would get it twice.
func TestOutdatedReadDoesNotRestartADelivery(t *testing.T) {
	lost := row(1, 0)
	lost.Status = persistence.DeliveryUndelivered
	in := resend{eventID: lost.EventID}
	for name, c := range map[string]struct {
		begin func(s *state)
		end   func(s *state)
		// want is the read that follows.
		want []effect
	}{
		"one": {
			func(s *state) { s.resend(at(0), in) },
			func(s *state) {
				s.deliveryFound(at(0), deliveryFound{in: in, rows: []persistence.Delivery{lost}})
			},
			[]effect{findDelivery{in}},
		},
		"all": {
			func(s *state) { s.resendAll(resendAll{}) },
			func(s *state) {
				s.undeliveredRead(at(0), undeliveredRead{page: persistence.Page[persistence.Delivery]{Items: []persistence.Delivery{lost}}})
			},
			nil,
		},
	} {
		s := newState(persistence.Endpoint{ID: "end_1", Customer: "c1"}, persistence.Fence{Customer: "c1", Epoch: 1}, ScheduleDefault())
		s.loaded(loaded{hasCursor: true})
		s.behind = false
		c.begin(s)
		s.resend(at(0), in)
		s.deliveryFound(at(0), deliveryFound{in: in, rows: []persistence.Delivery{lost}})
		s.commit(at(0))
		s.attempt(at(0), 1, nil)
		c.end(s)
		out := s.finish(at(0))
		if len(out.Batch.Puts) != 0 || !reflect.DeepEqual(out.Now, c.want) {
			t.Errorf("%s: puts %+v, effects %+v, want none and %+v", name, out.Batch.Puts, out.Now, c.want)
		}
		if want := len(c.want); s.reads != want || len(s.changed) != 0 && want == 0 {
			t.Errorf("%s: %d reads under way with %d changed events, want %d", name, s.reads, len(s.changed), want)
		}
	}
}

// The error text of a delivery and of its rows is valid UTF-8 and has at most errorCharsMax
// bytes.
func TestErrorTextIsBounded(t *testing.T) {
	fits := strings.Repeat("x", errorCharsMax)
	for name, c := range map[string]struct{ text, want string }{
		"at the limit":     {fits, fits},
		"over the limit":   {fits + "y", fits},
		"inside a letter":  {fits[2:] + "€uro", fits[2:]},
		"after a letter":   {fits[3:] + "€uro", fits[3:] + "€"},
		"invalid":          {"a\xffb", "a\uFFFDb"},
		"longer if valid":  {fits[1:] + "\xff", fits[1:]},
		"only such a rune": {"€", "€"},
	} {
		for _, throttled := range []bool{false, true} {
			s := full()
			s.finish(at(0))
			s.window.byEvent["evt_0"].CreatedAt = venues.At(noon)
			s.attemptDone(at(0), attemptDone{
				eventID: "evt_0", number: 1, attempt: persistence.Attempt{Err: errors.New(c.text), Throttled: throttled}, end: noon,
			})
			out := s.finish(at(0))
			d := out.Batch.Puts[0].(persistence.Delivery)
			fields := out.Batch.Journal[0].Fields
			i := slices.IndexFunc(fields, func(f persistence.JournalField) bool { return f.Name == "error" })
			if d.LastError != c.want || i < 0 || fields[i].Value != c.want {
				t.Errorf("%s, throttled %t: LastError %q, fields %+v, want both %q", name, throttled, d.LastError, fields, c.want)
			}
		}
	}
}
