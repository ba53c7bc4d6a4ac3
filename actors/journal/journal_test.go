package journal_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

func event(id string) persistence.Event {
	return persistence.Event{ID: "evt_" + id, Type: persistence.EventOrderFilled, CreatedAt: venues.At(time.Unix(1, 0)), Data: []byte(`{}`)}
}

func TestRowsAreNumberedInTheOrderOfCommits(t *testing.T) {
	store := storetest.NewMemory()
	client := journal.NewClient(store)
	ctx := context.Background()
	fence, err := client.Own(ctx, "c1")
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for n := range 20 {
				b := persistence.Batch{Fence: fence, Events: []persistence.Event{event(string(rune('a'+i)) + string(rune('a'+n)))}}
				if err := client.Commit(ctx, b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	events, err := store.Events(ctx, "c1", "", 1000)
	if err != nil || len(events) != 160 {
		t.Fatalf("got %d events, %v, want 160", len(events), err)
	}
	for i, e := range events {
		if e.Seq != uint64(i+1) {
			t.Fatalf("sequence of event %d = %d, want %d", i, e.Seq, i+1)
		}
	}
	// A new owner continues the sequence; the old one is refused.
	second := journal.NewClient(store)
	next, err := second.Own(ctx, "c1")
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Commit(ctx, persistence.Batch{Fence: next, Events: []persistence.Event{event("next")}}); err != nil {
		t.Fatal(err)
	}
	if last, _ := store.LastSequence(ctx, "c1"); last != 161 {
		t.Fatalf("last sequence = %d, want 161", last)
	}
	for name, c := range map[string]*journal.Client{"its old client": client, "the new client": second} {
		if err := c.Commit(ctx, persistence.Batch{Fence: fence, Events: []persistence.Event{event("late")}}); !errors.Is(err, persistence.ErrFenced) {
			t.Errorf("commit with the old fence through %s: error = %v, want %v", name, err, persistence.ErrFenced)
		}
	}
}

func TestEventIDsContainTheirSequence(t *testing.T) {
	store := storetest.NewMemory()
	client := journal.NewClient(store)
	fence, err := client.Own(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		e := event("")
		e.ID = persistence.NewID(persistence.PrefixEvent, time.Unix(1, 0), rand.Reader)
		if err := client.Commit(t.Context(), persistence.Batch{Fence: fence, Events: []persistence.Event{e}}); err != nil {
			t.Fatal(err)
		}
	}
	events, err := store.Events(t.Context(), "c1", "", 0)
	if err != nil || len(events) != 3 {
		t.Fatalf("got %d events, %v, want 3", len(events), err)
	}
	for _, e := range events {
		if seq, ok := persistence.EventSequence(e.ID); !ok || seq != e.Seq {
			t.Errorf("event id %s contains the sequence %d, %v; want %d", e.ID, seq, ok, e.Seq)
		}
	}
}

func TestListenerIsNotifiedOfDurableEvents(t *testing.T) {
	store := storetest.NewMemory()
	client := journal.NewClient(store)
	var notified []string
	client.Listen(func(customer string, seq uint64) {
		last, err := store.LastSequence(context.Background(), customer)
		if err != nil || last < seq {
			t.Errorf("notified of sequence %d, want at most the durable %d, error %v", seq, last, err)
		}
		notified = append(notified, fmt.Sprint(customer, " ", seq))
	})
	ctx := context.Background()
	fence, err := client.Own(ctx, "c1")
	if err != nil {
		t.Fatal(err)
	}
	row := persistence.JournalEntry{ID: "jrn_1", At: venues.At(time.Unix(1, 0)), Kind: "test"}
	for _, b := range []persistence.Batch{
		{Fence: fence, Events: []persistence.Event{event("a"), event("b")}, Journal: []persistence.JournalEntry{row}},
		{Fence: fence, Journal: []persistence.JournalEntry{row}},
		{Fence: fence, Events: []persistence.Event{event("c")}},
	} {
		if err := client.Commit(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	store.FailNext(persistence.ErrUnavailable)
	if err := client.Commit(ctx, persistence.Batch{Fence: fence, Events: []persistence.Event{event("d")}}); err == nil {
		t.Error("commit succeeded, want an error")
	}
	store.LoseNextReply()
	if err := client.Commit(ctx, persistence.Batch{Fence: fence, Events: []persistence.Event{event("e")}}); err == nil {
		t.Error("commit was confirmed, want an error")
	}
	if got, want := strings.Join(notified, ", "), "c1 2, c1 5, c1 7"; got != want {
		t.Errorf("notified of %s, want %s", got, want)
	}
}

func TestOldRowsArePurged(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		store := storetest.NewMemory()
		client := journal.NewClient(store)
		fence, err := client.Own(context.Background(), "c1")
		if err != nil {
			t.Fatal(err)
		}
		kit.Start(journal.Child(journal.Deps{Store: store, Pool: kit.System.NewPool("store", 1, 4), EventsKeep: 30 * 24 * time.Hour}))
		old, young := event("old"), event("young")
		old.CreatedAt = venues.At(time.Now())
		young.CreatedAt = venues.At(time.Now().Add(48 * time.Hour))
		if err := client.Commit(context.Background(), persistence.Batch{Fence: fence, Events: []persistence.Event{old, young}}); err != nil {
			t.Fatal(err)
		}
		kit.Advance(31 * 24 * time.Hour)
		events, err := store.Events(context.Background(), "c1", "", 10)
		if err != nil || len(events) != 1 || events[0].ID != young.ID {
			t.Fatalf("events = %+v, %v, want only %s", events, err, young.ID)
		}
	})
}

// Closed orders stay as long as a request id may refer to them, even if the retention is
// shorter.
func TestOrdersOfRequestsAreNotArchived(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		store := storetest.NewMemory()
		client := journal.NewClient(store)
		fence, err := client.Own(context.Background(), "c1")
		if err != nil {
			t.Fatal(err)
		}
		kit.Start(journal.Child(journal.Deps{
			Store: store, Pool: kit.System.NewPool("store", 1, 4), OrdersKeep: time.Hour, FillsKeep: time.Hour, Archive: &memoryArchive{},
		}))
		order := storetest.NewOrder("c1", 1)
		order.OrderID = persistence.NewID(persistence.PrefixOrder, time.Now(), rand.Reader)
		order.Status, order.UpdatedAt = venues.StatusFilled, venues.At(time.Now())
		if err := client.Commit(context.Background(), persistence.Batch{Fence: fence, Puts: []persistence.Record{order}}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			after time.Duration
			want  error
		}{{persistence.IdempotencyWindow + time.Hour, nil}, {2 * persistence.IdempotencyWindow, persistence.ErrNotFound}} {
			kit.Advance(c.after)
			if _, err := store.Order(context.Background(), "c1", order.OrderID); !errors.Is(err, c.want) {
				t.Errorf("Order after %s more = %v, want %v", c.after, err, c.want)
			}
		}
	})
}

// memoryArchive is an archive in memory.
type memoryArchive struct{ records []persistence.Record }

func (a *memoryArchive) Write(records []persistence.Record) error {
	a.records = append(a.records, records...)
	return nil
}

// Closed orders are archived after their retention. On a full disk nothing is written to
// the archive, and the orders stay.
func TestOldOrdersAreArchived(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		store, archive := storetest.NewMemory(), &memoryArchive{}
		client := journal.NewClient(store)
		fence, err := client.Own(context.Background(), "c1")
		if err != nil {
			t.Fatal(err)
		}
		kit.Start(journal.Child(journal.Deps{
			Store: store, Pool: kit.System.NewPool("store", 1, 4), OrdersKeep: 30 * 24 * time.Hour, Archive: archive,
		}))
		order := storetest.NewOrder("c1", 1)
		order.Status, order.UpdatedAt = venues.StatusFilled, venues.At(time.Now())
		if err := client.Commit(context.Background(), persistence.Batch{Fence: fence, Puts: []persistence.Record{order}}); err != nil {
			t.Fatal(err)
		}
		store.FillDisk(true)
		kit.Advance(31 * 24 * time.Hour)
		if _, err := store.Order(context.Background(), "c1", order.OrderID); err != nil || len(archive.records) > 0 {
			t.Errorf("on a full disk Order = %v, %d records archived; want nil, 0", err, len(archive.records))
		}
		store.FillDisk(false)
		kit.Advance(2 * time.Hour)
		if _, err := store.Order(context.Background(), "c1", order.OrderID); !errors.Is(err, persistence.ErrNotFound) {
			t.Errorf("Order after its retention = %v, want ErrNotFound", err)
		}
		if len(archive.records) != 1 || archive.records[0].Key() != order.Key() {
			t.Errorf("archived %+v, want order %s", archive.records, order.OrderID)
		}
	})
}
