package badgerstore_test

import (
	"os"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/storetest"
)

// TestStoreOfBefore opens a store as schema 1 wrote it, before there were
// channels and endpoints: the backup was made by a program of that time.
func TestStoreOfBefore(t *testing.T) {
	backup, err := os.Open("testdata/schema1.backup")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = backup.Close() }()
	dir := t.TempDir()
	if err := badgerstore.Restore(dir, backup); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		store := open(t, dir)
		if err := store.Integrity(); err != nil {
			t.Error(err)
		}
		checkBefore(t, store)
		writeAfter(t, store)
		closeStore(t, store)
	}
}

func checkBefore(t *testing.T, store *badgerstore.Store) {
	t.Helper()
	if order, err := store.Order(t.Context(), "alice", "ord_000001"); err != nil || !order.Qty.Equal(storetest.NewOrder("alice", 1).Qty) {
		t.Errorf("order %+v, %v", order, err)
	}
	if event, err := store.Event(t.Context(), "alice", "evt_000001"); err != nil || event.Seq != 1 {
		t.Errorf("event %+v, %v", event, err)
	}
	for _, q := range []persistence.JournalQuery{{Customer: "alice", Subject: "ord_000000"}, {Customer: "alice", Kind: "risk"}, {Kind: "signal"}} {
		if page, err := store.Journal(t.Context(), q); err != nil || len(page.Items) != 1 {
			t.Errorf("journal %+v: %+v, %v", q, page.Items, err)
		}
	}
}

// writeAfter adds what schema 1 did not know, and replaces a row of its own.
func writeAfter(t *testing.T, store *badgerstore.Store) {
	t.Helper()
	fence, err := store.TakeOwnership(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	row := storetest.NewJournal(2)
	row.Channel, row.Result = "hook_000001", "ok"
	err = store.Commit(t.Context(), persistence.Batch{
		Fence:   fence,
		Puts:    []persistence.Record{storetest.NewChannel("alice", 1), storetest.NewSignal("alice", 1), storetest.NewDelivery("alice", 1)},
		Journal: []persistence.JournalEntry{row},
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := store.Journal(t.Context(), persistence.JournalQuery{Customer: "alice", Channel: "hook_000001"})
	if err != nil || len(page.Items) != 1 {
		t.Errorf("journal of the channel: %+v, %v", page.Items, err)
	}
	pending, err := store.PendingDeliveries(t.Context(), "alice", "end_000001", 0)
	if err != nil || len(pending) != 1 {
		t.Errorf("pending deliveries: %+v, %v", pending, err)
	}
}
