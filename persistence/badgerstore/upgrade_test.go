package badgerstore_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
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

// unpack unpacks an archive of testdata into a new directory and returns it.
func unpack(t testing.TB, archive string) string {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", archive))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = packed.Close() }()
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "store")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for entries := tar.NewReader(unzipped); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.Clean("/"+entry.Name))
		if entry.Typeflag == tar.TypeDir {
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		content, err := io.ReadAll(entries)
		if err := errors.Join(err, os.WriteFile(path, content, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// unpackSchema3 unpacks the directory of a store of schema 3 whose process was killed:
// the orders 1 to 200 of alice and 1 to 150 of bob, some in a table of the database and
// some in its own log.
func unpackSchema3(t testing.TB) (dir string, confirmed acked) {
	t.Helper()
	return unpack(t, "schema3.tar.gz"), acked{"alice": 200, "bob": 150}
}

// A store of schema 3, which had no log, loses nothing when it is opened.
func TestStoreOfSchema3(t *testing.T) {
	dir, confirmed := unpackSchema3(t)
	for n := range 3 {
		store := open(t, dir)
		if err := errors.Join(store.Integrity(), confirmed.missing(t.Context(), store)); err != nil {
			t.Fatalf("opening %d: %v", n, err)
		}
		writeOrders(t, store, "alice", confirmed["alice"]+1, confirmed["alice"]+10)
		confirmed["alice"] += 10
		closeStore(t, store)
	}
	confirmed.writeAndKill(t, dir, 50)
	checkStore(t, dir, confirmed)
}

// The conversion of a store of schema 3 continues if it was interrupted before the seal
// was written again.
func TestInterruptedConversion(t *testing.T) {
	dir, confirmed := unpackSchema3(t)
	oldSeal, err := os.ReadFile(filepath.Join(dir, "seal"))
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, open(t, dir))
	if err := os.WriteFile(filepath.Join(dir, "seal"), oldSeal, 0o600); err != nil {
		t.Fatal(err)
	}
	checkStore(t, dir, confirmed)
}

// Damage of a store of schema 3 is detected before it is converted.
func TestDamageOfSchema3IsDetected(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"its log is gone": func(dir string) error { return os.Remove(filepath.Join(dir, "db", "00001.mem")) },
		"its log is truncated": func(dir string) error {
			return os.Truncate(filepath.Join(dir, "db", "00001.mem"), 1<<14)
		},
		"its seal is gone":  func(dir string) error { return os.Remove(filepath.Join(dir, "seal")) },
		"its seal is empty": func(dir string) error { return os.Truncate(filepath.Join(dir, "seal"), 0) },
		"its database is another's": func(dir string) error {
			another, _ := unpackSchema3(t)
			store, err := badgerstore.Open(another, small)
			if err != nil {
				return err
			}
			return errors.Join(store.Close(), os.RemoveAll(filepath.Join(dir, "db")), copyStore(filepath.Join(another, "db"), filepath.Join(dir, "db")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := unpackSchema3(t)
			if err := damage(dir); err != nil {
				t.Fatal(err)
			}
			acceptLoss(t, dir)
		})
	}
}
