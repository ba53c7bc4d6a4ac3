package badgerstore_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/storetest"
)

// newFilledStore returns a store with 150 orders for each of two customers.
func newFilledStore(t testing.TB, dir string) (*badgerstore.Store, acked) {
	t.Helper()
	store := open(t, dir)
	confirmed := acked{}
	for _, customer := range []string{"alice", "bob"} {
		writeOrders(t, store, customer, 1, 150)
		confirmed[customer] = 150
	}
	return store, confirmed
}

// writeOrders commits the orders with numbers from to to, like the writing child.
func writeOrders(t testing.TB, store *badgerstore.Store, customer string, from, to int) {
	t.Helper()
	fence, err := store.TakeOwnership(t.Context(), customer)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for n := from; n <= to; n++ {
		order := storetest.NewOrder(customer, n)
		wg.Add(1)
		store.Submit(persistence.Batch{
			Fence:  fence,
			Puts:   []persistence.Record{order, storetest.NewIdempotency(customer, order.RequestID, 1, n)},
			Events: []persistence.Event{storetest.NewEvent(n)},
		}, func(err error) {
			defer wg.Done()
			if err != nil {
				t.Errorf("commit of order %d of %s = %v, want nil", n, customer, err)
			}
		})
	}
	wg.Wait()
}

func closeStore(t testing.TB, store *badgerstore.Store) {
	t.Helper()
	if err := store.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// checkStore checks that a store is intact and has all confirmed orders, also if it is
// checked while it is read, as a large one.
func checkStore(t testing.TB, dir string, confirmed acked) {
	t.Helper()
	for _, checkBytesMax := range []int64{0, 1} {
		o := small
		o.CheckBytesMax = checkBytesMax
		store, err := badgerstore.Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		err = confirmed.missing(t.Context(), store)
		store.AwaitCheck()
		if err := errors.Join(err, store.Integrity()); err != nil {
			t.Errorf("errors of the store in %s = %v, want none", dir, err)
		}
		closeStore(t, store)
	}
}

func TestBackupIsRestored(t *testing.T) {
	store, confirmed := newFilledStore(t, t.TempDir())
	var backup bytes.Buffer
	if err := store.Backup(t.Context(), &backup); err != nil {
		t.Fatal(err)
	}
	writeOrders(t, store, "alice", 151, 160)
	closeStore(t, store)

	for _, dir := range []string{filepath.Join(t.TempDir(), "absent", "store"), t.TempDir()} {
		if err := badgerstore.Restore(dir, bytes.NewReader(backup.Bytes())); err != nil {
			t.Fatal(err)
		}
		checkStore(t, dir, confirmed)
		// Commits continue in the restored store.
		restored := open(t, dir)
		writeOrders(t, restored, "alice", 151, 152)
		closeStore(t, restored)
		checkStore(t, dir, acked{"alice": 152, "bob": 150})
		left, err := filepath.Glob(dir + ".restoring-*")
		if err != nil || len(left) > 0 {
			t.Errorf("scratch files after Restore: %v, %v; want none", left, err)
		}
	}
}

// TestBackupStatesItsRows checks that a backup states more rows after ten more orders, and that
// other data is no backup.
func TestBackupStatesItsRows(t *testing.T) {
	store, _ := newFilledStore(t, t.TempDir())
	rows := func() uint64 {
		t.Helper()
		var backup bytes.Buffer
		if err := store.Backup(t.Context(), &backup); err != nil {
			t.Fatal(err)
		}
		stated, err := badgerstore.BackupRows(&backup)
		if err != nil {
			t.Fatal(err)
		}
		return stated
	}
	before := rows()
	writeOrders(t, store, "alice", 151, 160)
	if after := rows(); before < 300 || after < before+10 {
		t.Errorf("rows = %d, and %d after ten orders, want at least 300, and 10 more", before, after)
	}
	closeStore(t, store)
	if _, err := badgerstore.BackupRows(strings.NewReader("no backup at all")); !errors.Is(err, badgerstore.ErrBackup) {
		t.Errorf("other data: error %v, want ErrBackup", err)
	}
}

// A backup is a consistent snapshot even if commits continue while it is written.
func TestBackupWhileWriting(t *testing.T) {
	store, _ := newFilledStore(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 1000; ctx.Err() == nil; n++ {
			writeOrders(t, store, "carol", n, n)
		}
	})
	for range 5 {
		var backup bytes.Buffer
		if err := store.Backup(t.Context(), &backup); err != nil {
			t.Errorf("Backup = %v, want nil", err)
		}
		dir := filepath.Join(t.TempDir(), "store")
		if err := badgerstore.Restore(dir, &backup); err != nil {
			t.Errorf("Restore = %v, want nil", err)
		}
	}
	cancel()
	writing.Wait()
	closeStore(t, store)
}

func TestRestoreRejectsDamagedBackups(t *testing.T) {
	store, _ := newFilledStore(t, t.TempDir())
	var whole bytes.Buffer
	if err := store.Backup(t.Context(), &whole); err != nil {
		t.Fatal(err)
	}
	closeStore(t, store)
	damaged := bytes.Clone(whole.Bytes())
	damaged[len(damaged)/2] ^= 4
	// Without its ledger it has as many rows as a ledger without rows.
	other := append([]byte("vgbackup3\n"), 0)
	sum := sha256.Sum256(other)
	other = append(other, sum[:]...)
	for name, backup := range map[string][]byte{
		"nothing":       {},
		"text":          []byte("not a backup"),
		"half":          whole.Bytes()[:whole.Len()/2],
		"almost all":    whole.Bytes()[:whole.Len()-1],
		"a bit flipped": damaged,
		"later format":  other,
	} {
		dir := filepath.Join(t.TempDir(), "store")
		if err := badgerstore.Restore(dir, bytes.NewReader(backup)); !errors.Is(err, badgerstore.ErrBackup) {
			t.Errorf("Restore of %s = %v, want ErrBackup", name, err)
		}
		if left, _ := filepath.Glob(dir + "*"); len(left) > 0 {
			t.Errorf("%s: files after a failed Restore: %v, want none", name, left)
		}
	}
	occupied := t.TempDir()
	if err := os.WriteFile(filepath.Join(occupied, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := badgerstore.Restore(occupied, bytes.NewReader(whole.Bytes())); err == nil {
		t.Error("Restore to a directory that is not empty = nil, want an error")
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestBackupReturnsErrors(t *testing.T) {
	store, _ := newFilledStore(t, t.TempDir())
	if err := store.Backup(t.Context(), brokenWriter{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Backup to a failing writer = %v, want io.ErrShortWrite", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Backup(ctx, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("Backup with a cancelled context = %v, want context.Canceled", err)
	}
	closeStore(t, store)
	if err := store.Backup(t.Context(), io.Discard); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("Backup of a closed store = %v, want ErrUnavailable", err)
	}
}
