package badgerstore_test

import (
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/storetest"
)

// small makes badger write tables and split groups early.
var small = badgerstore.Options{MemTableBytes: 2 << 20}

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
