package badgerstore_test

import (
	"os"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/storetest"
)

// TestStoreOfSchema1 restores a backup that was written by a program of schema 1, which
// had no channels and endpoints.
func TestStoreOfSchema1(t *testing.T) {
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
			t.Errorf("Integrity = %v, want nil", err)
		}
		checkBefore(t, store)
		writeAfter(t, store)
		closeStore(t, store)
	}
}

func checkBefore(t *testing.T, store *badgerstore.Store) {
	t.Helper()
	if order, err := store.Order(t.Context(), "alice", "ord_000001"); err != nil || !order.Qty.Equal(storetest.NewOrder("alice", 1).Qty) {
		t.Errorf("Order = %+v, %v; want ord_000001", order, err)
	}
	if event, err := store.Event(t.Context(), "alice", "evt_000001"); err != nil || event.Seq != 1 {
		t.Errorf("Event = %+v, %v; want evt_000001", event, err)
	}
	for _, q := range []persistence.JournalQuery{{Customer: "alice", Subject: "ord_000000"}, {Customer: "alice", Kind: "risk"}, {Kind: "signal"}} {
		if page, err := store.Journal(t.Context(), q); err != nil || len(page.Items) != 1 {
			t.Errorf("Journal(%+v) = %+v, %v; want one row", q, page.Items, err)
		}
	}
}

// writeAfter commits records that schema 1 does not have, and replaces one of its rows.
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
		t.Errorf("Journal of the channel = %+v, %v; want one row", page.Items, err)
	}
	pending, err := store.PendingDeliveries(t.Context(), "alice", "end_000001", 0)
	if err != nil || len(pending) != 1 {
		t.Errorf("PendingDeliveries = %+v, %v; want one", pending, err)
	}
}
