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

// watch is a condition that the actor has asked to be watched.
type watch struct {
	condition venues.PriceCondition
	hit       func(venues.PriceHit)
	closed    bool
}

func (w *watch) Close() { w.closed = true }

func (w *watch) at(price string) { w.hit(venues.PriceHit{Price: venues.MustDecimal(price)}) }

// desk is the actor with a market whose conditions the test makes true.
type desk struct {
	kit    *actortest.Kit
	store  *storetest.Memory
	client alerts.Client

	mu      sync.Mutex
	watches []*watch
	refuse  error
}

func (d *desk) watch(_ context.Context, _ venues.Venue, _ string, c venues.PriceCondition, hit func(venues.PriceHit)) (venues.PriceWatch, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuse != nil {
		return nil, d.refuse
	}
	w := &watch{condition: c, hit: hit}
	d.watches = append(d.watches, w)
	return w, nil
}

func (d *desk) refuseWith(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refuse = err
}

func open(kit *actortest.Kit, store *storetest.Memory) *desk {
	d := &desk{kit: kit, store: store}
	log := journal.NewClient(store)
	fence, err := log.Own(kit.T.Context(), "c1")
	if err != nil {
		kit.T.Fatal(err)
	}
	d.client = alerts.NewClient(kit.Start(alerts.Child(alerts.Deps{
		Customer: "c1", Fence: fence, Store: store, Journal: log.Line("c1", alerts.Name), Pool: kit.System.NewPool("watch", 2, 16),
		NewID: func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) },
		Watch: d.watch,
	})))
	kit.Settle()
	return d
}

func (d *desk) put(a persistence.Alert) persistence.Alert {
	d.kit.T.Helper()
	stored, err := d.client.Put(context.Background(), a, persistence.JournalEntry{ID: "jrn_" + a.ID, Kind: "admin.alert", Subject: a.ID})
	if err != nil {
		d.kit.T.Fatal(err)
	}
	d.kit.Settle()
	return stored
}

// current is the watch that was not closed; there must be one.
func (d *desk) current() *watch {
	d.kit.T.Helper()
	open := slices.DeleteFunc(slices.Clone(d.watches), func(w *watch) bool { return w.closed })
	if len(open) != 1 {
		d.kit.T.Fatalf("%d conditions are watched, want 1", len(open))
	}
	return open[0]
}

func (d *desk) stored(id string) persistence.Alert {
	d.kit.T.Helper()
	list, err := d.store.Alerts(context.Background(), "c1")
	if err != nil {
		d.kit.T.Fatal(err)
	}
	i := slices.IndexFunc(list, func(a persistence.Alert) bool { return a.ID == id })
	if i < 0 {
		d.kit.T.Fatalf("alert %s is not stored", id)
	}
	return list[i]
}

func (d *desk) events() []persistence.Event {
	d.kit.T.Helper()
	events, err := d.store.Events(context.Background(), "c1", "", 0)
	if err != nil {
		d.kit.T.Fatal(err)
	}
	return events
}

func above(id, value string) persistence.Alert {
	return persistence.Alert{
		ID: id, Customer: "c1", Exchange: venues.Bybit, Symbol: "BTCUSDT", Status: persistence.AlertArmed, Comment: "look",
		Condition: venues.PriceCondition{Field: venues.FieldLast, Op: venues.OpAbove, Value: venues.MustDecimal(value)},
	}
}

func TestAnAlertFiresOnce(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, storetest.NewMemory())
		d.put(above("alr_1", "64000.50"))
		w := d.current()
		w.at("64001")
		w.at("64002") // on its way when the first one arrived
		kit.Settle()

		events := d.events()
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
			t.Errorf("payload %s", events[0].Data)
		}
		if a := d.stored("alr_1"); a.Status != persistence.AlertFired || a.FiredAt.IsZero() {
			t.Errorf("stored %+v", a)
		}
		if !w.closed {
			t.Error("the condition is still watched")
		}
	})
}

func TestARepeatingAlertFiresAtMostOnceAMinute(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, storetest.NewMemory())
		a := above("alr_1", "100")
		a.Repeat = true
		d.put(a)
		w := d.current()
		for _, step := range []struct {
			wait   time.Duration
			events int
		}{{0, 1}, {time.Second, 1}, {58 * time.Second, 1}, {time.Second, 2}, {time.Minute, 3}} {
			kit.Advance(step.wait)
			w.at("101")
			kit.Settle()
			if n := len(d.events()); n != step.events {
				t.Errorf("%d events, want %d", n, step.events)
			}
		}
		if a := d.stored("alr_1"); a.Status != persistence.AlertArmed || w.closed {
			t.Errorf("status %s, watch closed %v", a.Status, w.closed)
		}
	})
}

func TestAChangedAlertIsWatchedAnew(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, storetest.NewMemory())
		d.put(above("alr_1", "100"))
		first := d.current()
		d.put(above("alr_1", "200"))
		if second := d.current(); !first.closed || second.condition.Value.String() != "200" {
			t.Errorf("watched: %+v", second.condition)
		}
		first.at("150") // of the condition that was
		kit.Settle()
		if n := len(d.events()); n != 0 {
			t.Errorf("%d events of a condition that was changed", n)
		}

		paused := above("alr_1", "200")
		paused.Status = persistence.AlertPaused
		d.put(paused)
		removed := above("alr_2", "300")
		d.put(removed)
		removed.RemovedAt = venues.At(time.Now())
		d.put(removed)
		for _, w := range d.watches {
			if !w.closed {
				t.Errorf("%+v is still watched", w.condition)
			}
		}
	})
}

func TestWhenAnAlertFiredIsKept(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, storetest.NewMemory())
		d.put(above("alr_1", "100"))
		d.current().at("101")
		kit.Settle()
		firedAt := d.stored("alr_1").FiredAt
		if again := d.put(above("alr_1", "100")); again.FiredAt != firedAt || again.Status != persistence.AlertArmed {
			t.Errorf("armed again: %+v, want firedAt %s", again, firedAt)
		}
	})
}

func TestAConditionThatCannotBeWatchedIsTriedAgain(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, storetest.NewMemory())
		d.refuseWith(errors.New("the venue is not connected"))
		d.put(above("alr_1", "100"))
		kit.Advance(5 * time.Minute)
		d.refuseWith(nil)
		kit.Advance(2 * time.Minute)
		d.current().at("101")
		kit.Settle()
		if n := len(d.events()); n != 1 {
			t.Errorf("%d events, want 1", n)
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

// A firing that was not stored has not happened; the alert starts anew and the
// condition, which still holds, fires it.
func TestAFiringThatIsNotStoredHasNotHappened(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, storetest.NewMemory())
		d.put(above("alr_1", "100"))
		d.store.FailNext(persistence.ErrUnavailable)
		first := d.current()
		first.at("101")
		kit.Settle()
		kit.Advance(time.Minute) // the restart
		if n := len(d.events()); n != 0 || d.stored("alr_1").Status != persistence.AlertArmed {
			t.Fatalf("%d events, %+v", n, d.stored("alr_1"))
		}
		if !first.closed {
			t.Error("the watch of the incarnation that failed is still open")
		}
		d.watches[len(d.watches)-1].at("102")
		kit.Settle()
		if n := len(d.events()); n != 1 {
			t.Errorf("%d events, want 1", n)
		}
	}, actortest.ExpectFailures())
}

func TestAlertsAreLimited(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, storetest.NewMemory())
		for n := range 1000 {
			d.put(above(fmt.Sprintf("alr_%d", n), "100"))
		}
		_, err := d.client.Put(context.Background(), above("alr_y", "100"), persistence.JournalEntry{ID: "jrn_y"})
		if venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("the 1001st alert: %v, want invalid_request", err)
		}
	})
}

// A start is no reason for a repeating alert to fire again while its condition
// still holds; and an incarnation that failed leaves nothing under watch.
func TestAStartDoesNotRepeatAnAlert(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		store := storetest.NewMemory()
		d := open(kit, store)
		repeating := above("alr_1", "64000")
		repeating.Repeat = true
		d.put(repeating)
		if c := d.current().condition; c.Op != venues.OpAbove {
			t.Errorf("watches %+v", c)
		}
		d.current().at("64001")
		kit.Settle()
		store.FailNext(persistence.ErrOutcomeUnknown)
		_, _ = d.client.Put(context.Background(), above("alr_2", "1"), persistence.JournalEntry{ID: "jrn_x", Kind: "admin.alert"})
		kit.Advance(time.Minute)
		if c := d.current().condition; c.Op != venues.OpCrossesAbove || !c.Value.Equal(repeating.Condition.Value) {
			t.Errorf("after a start: watches %+v", c)
		}
		if d.put(repeating); d.current().condition.Op != venues.OpAbove {
			t.Errorf("armed by hand: watches %+v", d.current().condition)
		}
	}, actortest.ExpectFailures())
}
