package badgerstore_test

import (
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/storetest"
)

var small = badgerstore.Small()

func open(t testing.TB, dir string) *badgerstore.Store {
	t.Helper()
	store, err := badgerstore.Open(dir, small)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestConforms(t *testing.T) {
	storetest.Run(t, func(t testing.TB) persistence.Store { return open(t, t.TempDir()) })
}

// The store can be used in a synctest bubble, because its goroutines end when it is
// closed.
func TestStoreWorksInVirtualTime(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		store := open(t, dir)
		fence, err := store.TakeOwnership(t.Context(), "alice")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			b := persistence.Batch{Fence: fence, Puts: []persistence.Record{storetest.NewOrder("alice", i)}}
			if err := store.Commit(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Second)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
