package badgerstore_test

import (
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// An order takes two commits: its intent with the request id, and its last state with
// two journal rows. Most allocations are badger's: a dozen for each of 19 rows. The
// limit is a tenth above the number when it was set.
func TestOrderAllocatesLittle(t *testing.T) {
	const allocsMax = 380
	store, err := badgerstore.Open(t.TempDir(), badgerstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	fence, err := store.TakeOwnership(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	allocs := testing.AllocsPerRun(200, func() {
		n++
		order := storetest.NewOrder("alice", n)
		key := storetest.NewIdempotency("alice", order.RequestID, 1, n)
		if err := store.Commit(t.Context(), persistence.Batch{
			Fence: fence, Absent: []persistence.Key{order.Key(), key.Key()}, Puts: []persistence.Record{order, key},
		}); err != nil {
			t.Fatal(err)
		}
		order.Status = venues.StatusFilled
		if err := store.Commit(t.Context(), persistence.Batch{
			Fence: fence, Puts: []persistence.Record{order},
			Journal: []persistence.JournalEntry{storetest.NewJournal(2 * n), storetest.NewJournal(2*n + 1)},
		}); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("%v allocations", allocs)
	if allocs > allocsMax {
		t.Errorf("the commits of an order take %v allocations, want at most %d", allocs, allocsMax)
	}
}
