package alerts_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"venuegate/actors/actortest"
	"venuegate/actors/alerts"
	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watch is a condition that the actor watches.
type watch struct {
	condition venues.PriceCondition
	hit       func(venues.PriceHit)
	closed    bool
}

func (w *watch) Close() { w.closed = true }

func (w *watch) at(price string) { w.hit(venues.PriceHit{Price: venues.MustDecimal(price)}) }

// harness is the actor with a market whose conditions the test fulfils.
type harness struct {
	kit    *actortest.Kit
	store  *storetest.Memory
	client alerts.Client

	mu      sync.Mutex
	watches []*watch
	refuse  error
	// refused are the times of the refused watches.
	refused []time.Time
}

func (h *harness) watch(_ context.Context, _ venues.Venue, _ string, c venues.PriceCondition, hit func(venues.PriceHit)) (venues.PriceWatch, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refuse != nil {
		h.refused = append(h.refused, time.Now())
		return nil, h.refuse
	}
	w := &watch{condition: c, hit: hit}
	h.watches = append(h.watches, w)
	return w, nil
}

func (h *harness) refuseWith(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refuse = err
}

func open(kit *actortest.Kit, store *storetest.Memory) *harness {
	h := &harness{kit: kit, store: store}
	log := journal.NewClient(store)
	fence, err := log.Own(kit.T.Context(), "c1")
	if err != nil {
		kit.T.Fatal(err)
	}
	h.client = alerts.NewClient(kit.Start(alerts.Child(alerts.Deps{
		Customer: "c1", Fence: fence, Store: store, Journal: log.CommitQueue("c1", alerts.Name), Pool: kit.System.NewPool("watch", 2, 16),
		NewID: func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) },
		Watch: h.watch,
	})))
	kit.Settle()
	return h
}

func (h *harness) put(a persistence.Alert) persistence.Alert {
	h.kit.T.Helper()
	stored, err := h.client.Put(context.Background(), a, persistence.JournalEntry{ID: "jrn_" + a.ID, Kind: "admin.alert", Subject: a.ID})
	if err != nil {
		h.kit.T.Fatal(err)
	}
	h.kit.Settle()
	return stored
}

// current returns the watch that is not closed; there must be one.
func (h *harness) current() *watch {
	h.kit.T.Helper()
	open := slices.DeleteFunc(slices.Clone(h.watches), func(w *watch) bool { return w.closed })
	if len(open) != 1 {
		h.kit.T.Fatalf("%d conditions are watched, want 1", len(open))
	}
	return open[0]
}

func (h *harness) stored(id string) persistence.Alert {
	h.kit.T.Helper()
	list, err := h.store.Alerts(context.Background(), "c1")
	if err != nil {
		h.kit.T.Fatal(err)
	}
	i := slices.IndexFunc(list, func(a persistence.Alert) bool { return a.ID == id })
	if i < 0 {
		h.kit.T.Fatalf("alert %s is not stored", id)
	}
	return list[i]
}

func (h *harness) events() []persistence.Event {
	h.kit.T.Helper()
	events, err := h.store.Events(context.Background(), "c1", "", 0)
	if err != nil {
		h.kit.T.Fatal(err)
	}
	return events
}

func above(id, value string) persistence.Alert {
	return persistence.Alert{
		ID: id, Customer: "c1", Exchange: venues.Bybit, Symbol: "BTCUSDT", Status: persistence.AlertArmed, Comment: "look",
		Condition: venues.PriceCondition{Field: venues.FieldLast, Op: venues.OpAbove, Value: venues.MustDecimal(value)},
	}
}

func TestAlertFiresOnce(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory())
		h.put(above("alr_1", "64000.50"))
		w := h.current()
		w.at("64001")
		w.at("64002") // under way when the first one arrived
		kit.Settle()

		events := h.events()
		if len(events) != 1 || events[0].Type != persistence.EventAlertFired {
			t.Fatalf("events %+v, want one alert.fired", events)
		}
		var payload map[string]any
		if err := json.Unmarshal(events[0].Data, &payload); err != nil {
			t.Fatal(err)
		}
		condition, _ := payload["condition"].(map[string]any)
		if payload["alertId"] != "alr_1" || payload["exchange"] != "bybit" || payload["symbol"] != "BTCUSDT" ||
			payload["price"] != "64001" || payload["comment"] != "look" || payload["firedAt"] == "" ||
			condition["field"] != "last" || condition["op"] != "above" || condition["value"] != "64000.5" {
			t.Errorf("payload = %s, want the condition last above 64000.5", events[0].Data)
		}
		if a := h.stored("alr_1"); a.Status != persistence.AlertFired || a.FiredAt.IsZero() {
			t.Errorf("stored alert = %+v, want a fired one", a)
		}
		if !w.closed {
			t.Error("the condition is still watched, want closed")
		}
	})
}

func TestRepeatingAlertFiresAtMostOnceAMinute(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory())
		a := above("alr_1", "100")
		a.Repeat = true
		h.put(a)
		w := h.current()
		for _, step := range []struct {
			wait   time.Duration
			events int
		}{{0, 1}, {time.Second, 1}, {58 * time.Second, 1}, {time.Second, 2}, {time.Minute, 3}} {
			kit.Advance(step.wait)
			w.at("101")
			kit.Settle()
			if n := len(h.events()); n != step.events {
				t.Errorf("%d events, want %d", n, step.events)
			}
		}
		if a := h.stored("alr_1"); a.Status != persistence.AlertArmed || w.closed {
			t.Errorf("status %s, watch closed %v, want Status AlertArmed, no closed", a.Status, w.closed)
		}
	})
}

func TestChangedAlertIsWatchedAgain(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory())
		h.put(above("alr_1", "100"))
		first := h.current()
		h.put(above("alr_1", "200"))
		if second := h.current(); !first.closed || second.condition.Value.String() != "200" {
			t.Errorf("watched: %+v, want closed, Value 200", second.condition)
		}
		first.at("150") // of the previous condition
		kit.Settle()
		if n := len(h.events()); n != 0 {
			t.Errorf("%d events of a condition that was changed, want 0", n)
		}

		paused := above("alr_1", "200")
		paused.Status = persistence.AlertPaused
		h.put(paused)
		removed := above("alr_2", "300")
		h.put(removed)
		removed.RemovedAt = venues.At(time.Now())
		h.put(removed)
		for _, w := range h.watches {
			if !w.closed {
				t.Errorf("%+v is still watched, want closed", w.condition)
			}
		}
	})
}

func TestFiredAtIsKept(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory())
		h.put(above("alr_1", "100"))
		h.current().at("101")
		kit.Settle()
		firedAt := h.stored("alr_1").FiredAt
		if again := h.put(above("alr_1", "100")); again.FiredAt != firedAt || again.Status != persistence.AlertArmed {
			t.Errorf("armed again: %+v, want firedAt %s", again, firedAt)
		}
	})
}

func TestFailedWatchIsRepeated(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory())
		h.refuseWith(errors.New("the venue is not connected"))
		h.put(above("alr_1", "100"))
		kit.Advance(5 * time.Minute)
		h.refuseWith(nil)
		kit.Advance(2 * time.Minute)
		h.current().at("101")
		kit.Settle()
		if n := len(h.events()); n != 1 {
			t.Errorf("%d events, want 1", n)
		}
		wait := time.Second
		for i := 1; i < len(h.refused); i++ {
			if gap := h.refused[i].Sub(h.refused[i-1]); gap < wait || gap > wait+wait/4 {
				t.Errorf("watch %d after %s, want %s and at most a quarter more", i, gap, wait)
			}
			wait = min(2*wait, time.Minute)
		}
	})
}

func TestStoredAlertsAreWatchedAtStart(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		store := storetest.NewMemory()
		fired, removed := above("alr_1", "100"), above("alr_3", "300")
		fired.Status, removed.RemovedAt = persistence.AlertFired, venues.At(time.Now())
		fence, err := store.TakeOwnership(kit.T.Context(), "c1")
		if err != nil {
			t.Fatal(err)
		}
		batch := persistence.Batch{Fence: fence, Puts: []persistence.Record{fired, above("alr_2", "200"), removed}}
		if err := store.Commit(kit.T.Context(), batch); err != nil {
			t.Fatal(err)
		}
		if w := open(kit, store).current(); w.condition.Value.String() != "200" {
			t.Errorf("watched: %+v, want the one that is armed", w.condition)
		}
	})
}

func TestStopClosesTheWatches(t *testing.T) {
	var h *harness
	actortest.Run(t, func(kit *actortest.Kit) {
		h = open(kit, storetest.NewMemory())
		h.put(above("alr_1", "100"))
	})
	if w := h.watches[0]; !w.closed {
		t.Errorf("%+v is still watched, want closed", w.condition)
	}
}

// A firing that was not stored has not happened: the actor restarts, and the condition,
// which still holds, fires the alert.
func TestFiringThatIsNotStoredIsRepeated(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory())
		h.put(above("alr_1", "100"))
		h.store.FailNext(persistence.ErrUnavailable)
		first := h.current()
		first.at("101")
		kit.Settle()
		kit.Advance(time.Minute) // the restart
		if n := len(h.events()); n != 0 || h.stored("alr_1").Status != persistence.AlertArmed {
			t.Fatalf("events = %d, alert = %+v, want none and an armed one", n, h.stored("alr_1"))
		}
		if !first.closed {
			t.Error("the watch of the incarnation that failed is still open, want closed")
		}
		h.watches[len(h.watches)-1].at("102")
		kit.Settle()
		if n := len(h.events()); n != 1 {
			t.Errorf("%d events, want 1", n)
		}
	}, actortest.ExpectFailures())
}

func TestAlertsAreLimited(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory())
		for n := range 1000 {
			h.put(above(fmt.Sprintf("alr_%d", n), "100"))
		}
		_, err := h.client.Put(context.Background(), above("alr_y", "100"), persistence.JournalEntry{ID: "jrn_y"})
		if venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("the 1001st alert: %v, want invalid_request", err)
		}
	})
}

// A restart does not fire a repeating alert while its condition still holds, and a failed
// incarnation leaves no watch open.
func TestRestartDoesNotFireAnAlertAgain(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		store := storetest.NewMemory()
		h := open(kit, store)
		repeating := above("alr_1", "64000")
		repeating.Repeat = true
		h.put(repeating)
		if c := h.current().condition; c.Op != venues.OpAbove {
			t.Errorf("watched condition = %+v, want Op OpAbove", c)
		}
		h.current().at("64001")
		kit.Settle()
		store.FailNext(persistence.ErrOutcomeUnknown)
		_, _ = h.client.Put(context.Background(), above("alr_2", "1"), persistence.JournalEntry{ID: "jrn_x", Kind: "admin.alert"})
		kit.Advance(time.Minute)
		if c := h.current().condition; c.Op != venues.OpCrossesAbove || !c.Value.Equal(repeating.Condition.Value) {
			t.Errorf("watched condition after a start = %+v, want crosses_above", c)
		}
		if h.put(repeating); h.current().condition.Op != venues.OpAbove {
			t.Errorf("watched condition of an alert armed again = %+v, want above", h.current().condition)
		}
	}, actortest.ExpectFailures())
}
