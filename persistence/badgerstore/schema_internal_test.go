package badgerstore

import (
	"errors"
	"testing"

	"venuegate/persistence"
)

// openAs opens a store as a program of another schema would.
func openAs(dir string, s schema) (*Store, error) {
	return openSchema(dir, Options{MemTableBytes: memTableBytesMin}, s)
}

func TestNewerSchemaIsRefused(t *testing.T) {
	dir := t.TempDir()
	newer, err := openAs(dir, schema{migrations: make([]migration, 3)})
	if err != nil {
		t.Fatal(err)
	}
	if err := newer.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrSchemaNewer) {
		t.Errorf("an older program opened it: %v", err)
	}
}

// Migrations run once each, in order, and only those that are due.
func TestOlderSchemaIsMigrated(t *testing.T) {
	dir := t.TempDir()
	store, err := openAs(dir, schema{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	var ran []int
	step := func(n int) migration {
		return func(migrationTx) error {
			ran = append(ran, n)
			return nil
		}
	}
	for _, to := range []int{2, 2, 4} {
		s := schema{}
		for n := 2; n <= to; n++ {
			s.migrations = append(s.migrations, step(n))
		}
		store, err := openAs(dir, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(store.Integrity(), store.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if len(ran) != 3 || ran[0] != 2 || ran[1] != 3 || ran[2] != 4 {
		t.Errorf("migrations ran: %v, want 2, 3, 4", ran)
	}
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	dir := t.TempDir()
	store, err := openAs(dir, schema{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Commit(t.Context(), setting("s", 10)); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	failing := schema{migrations: []migration{func(tx migrationTx) error {
		return errors.Join(tx.Replace([]byte("half"), nil, []byte("done")), persistence.ErrIntegrity)
	}}}
	if _, err := openAs(dir, failing); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("the failed migration gave %v", err)
	}
	store = openSmall(t, dir)
	if err := store.Integrity(); err != nil {
		t.Error(err)
	}
	if _, err := store.Setting(t.Context(), "s"); err != nil {
		t.Error(err)
	}
}
