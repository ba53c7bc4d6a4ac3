package badgerstore_test

import (
	"testing"

	"go.uber.org/goleak"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/storetest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// small makes tables and splits come early.
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
