package customer_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

func hook(name string) persistence.Channel {
	return persistence.Channel{ID: "hook_1", Customer: "c1", Kind: persistence.ChannelWebhook, Name: name}
}

func entry(id string) persistence.JournalEntry {
	return persistence.JournalEntry{ID: id, At: venues.At(time.Unix(1, 0)), Kind: "admin.hook", Subject: "hook_1"}
}

// Configure returns when the child of the old record has ended and that of the new one
// has started.
func TestChildFollowsItsRecord(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		h.stopTime = time.Second
		ctx := context.Background()
		for i, name := range []string{"first", "second"} {
			if err := h.client.Configure(ctx, hook(name), entry("jrn_"+string(rune('1'+i)))); err != nil {
				t.Fatal(err)
			}
		}
		kit.Settle()
		if got := h.noted(); got != "standing begins, first begins, first ends, second begins" {
			t.Fatal(got)
		}
		gone := hook("second")
		gone.RemovedAt = venues.At(time.Unix(2, 0))
		if err := h.client.Configure(ctx, gone, entry("jrn_3")); err != nil {
			t.Fatal(err)
		}
		if got := h.noted(); got != "standing begins, first begins, first ends, second begins, second ends" {
			t.Fatal(got)
		}
		rows, err := h.store.Journal(ctx, persistence.JournalQuery{Customer: "c1"})
		if err != nil || len(rows.Items) != 3 {
			t.Fatalf("%d rows of the journal, %v, want 3", len(rows.Items), err)
		}
	})
}

// A child that can follow another version of its record is not stopped, and the caller
// does not wait.
func TestRunningChildFollowsItsRecord(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		h.follows, h.stopTime = true, 5*time.Second
		begun := time.Now()
		for i, name := range []string{"first", "second"} {
			if err := h.client.Configure(context.Background(), hook(name), entry("jrn_"+string(rune('1'+i)))); err != nil {
				t.Fatal(err)
			}
			kit.Settle()
		}
		if got, want := h.noted(), "standing begins, first begins, follows of second"; got != want || time.Since(begun) > 0 {
			t.Fatalf("events = %s after %s, want %s immediately", got, time.Since(begun), want)
		}
	})
}

// A child whose stop is slow is followed by the child of the newest record only.
func TestNewestOfConcurrentChangesIsFollowed(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		h.stopTime = time.Second
		ctx := context.Background()
		if err := h.client.Configure(ctx, hook("first"), entry("jrn_1")); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 2)
		go func() { done <- h.client.Configure(ctx, hook("second"), entry("jrn_2")) }()
		kit.Settle()
		go func() { done <- h.client.Configure(ctx, hook("third"), entry("jrn_3")) }()
		for range 2 {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		kit.Settle()
		if got := h.noted(); got != "standing begins, first begins, first ends, third begins" {
			t.Fatal(got)
		}
	})
}

// A child follows a durable record only.
func TestRecordThatIsNotStoredIsNotFollowed(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		kit.Settle()
		h.store.FailNext(persistence.ErrUnavailable)
		if err := h.client.Configure(context.Background(), hook("first"), entry("jrn_1")); !errors.Is(err, persistence.ErrUnavailable) {
			t.Errorf("Configure = %v, want %v", err, persistence.ErrUnavailable)
		}
		kit.Settle()
		if got, want := h.noted(), "standing begins"; got != want {
			t.Errorf("events = %s, want %s", got, want)
		}
	})
}

func TestRecordThatCannotBeOpenedIsReported(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		ctx := context.Background()
		if err := h.client.Configure(ctx, hook("broken"), entry("jrn_1")); err == nil {
			t.Fatal("Configure of a record that cannot be opened succeeded, want an error")
		}
		if err := h.client.Configure(ctx, hook("whole"), entry("jrn_2")); err != nil {
			t.Fatal(err)
		}
	})
}

// A child that changes its own record must not undo the change of an administrator.
func TestReplaceKeepsANewerRecord(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		ctx := context.Background()
		for i, name := range []string{"old", "new"} {
			if err := h.client.Configure(ctx, hook(name), entry("jrn_"+string(rune('1'+i)))); err != nil {
				t.Fatal(err)
			}
		}
		h.client.Replace(hook("old"), hook("of the old"), entry("jrn_3"))
		kit.Settle()
		stored, err := h.store.Channels(ctx, "c1")
		if err != nil || len(stored) != 1 || stored[0].Name != "new" {
			t.Fatalf("%+v, %v, want 1 stored, Name new", stored, err)
		}
		h.client.Replace(hook("new"), hook("of the new"), entry("jrn_4"))
		kit.Settle()
		if stored, err = h.store.Channels(ctx, "c1"); err != nil || stored[0].Name != "of the new" {
			t.Fatalf("%+v, %v, want Name of the new", stored, err)
		}
	})
}

// The children of stored records start with their customer.
func TestStoredFollowersStart(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := startWith(kit, func(store *storetest.Memory) {
			fence, err := store.TakeOwnership(context.Background(), "c1")
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Commit(context.Background(), persistence.Batch{Fence: fence, Puts: []persistence.Record{hook("kept")}}); err != nil {
				t.Fatal(err)
			}
		})
		kit.Settle()
		if got := h.noted(); got != "standing begins, kept begins" {
			t.Fatal(got)
		}
	})
}

// A row without a record is stored, also one from before the customer is owned, and no child is
// opened for it.
func TestRowIsAddedToTheJournal(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		h.client.AddRow(entry("jrn_1"))
		kit.Settle()
		h.client.AddRow(entry("jrn_2"))
		kit.Settle()
		rows, err := h.store.Journal(context.Background(), persistence.JournalQuery{Customer: "c1"})
		if err != nil || len(rows.Items) != 2 {
			t.Fatalf("%d rows of the journal, %v, want 2", len(rows.Items), err)
		}
		if got := h.noted(); got != "standing begins" {
			t.Errorf("children = %q, want only the one that stands", got)
		}
	})
}
