package badgerstore_test

import (
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

// The store works in a synctest bubble: its goroutines end when it is closed.
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
