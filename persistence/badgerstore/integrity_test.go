package badgerstore_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/storetest"
)

// replace replaces a path with a copy of the directory with, or deletes it if with is
// empty.
func replace(t *testing.T, old, with string) {
	t.Helper()
	if err := os.RemoveAll(old); err != nil {
		t.Fatal(err)
	}
	if with == "" {
		return
	}
	if err := copyStore(with, old); err != nil {
		t.Fatal(err)
	}
}

// Each case loses confirmed orders, or may have lost some. The store reports the damage,
// can be read, rejects commits, and accepts them again after AcceptLoss.
func TestLossIsDetected(t *testing.T) {
	intact, older := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "older")
	store, _ := newFilledStore(t, intact)
	closeStore(t, store)
	if err := copyStore(intact, older); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		store = open(t, intact)
		writeOrders(t, store, "alice", 151+5*n, 155+5*n)
		closeStore(t, store)
	}
	for name, lose := range map[string]func(t *testing.T, dir, older string){
		"the database is gone": func(t *testing.T, dir, _ string) { replace(t, filepath.Join(dir, "db"), "") },
		"the database is an older one": func(t *testing.T, dir, older string) {
			replace(t, filepath.Join(dir, "db"), filepath.Join(older, "db"))
		},
		"the database is that of another store": func(t *testing.T, dir, _ string) {
			another := t.TempDir()
			other, _ := newFilledStore(t, another)
			writeOrders(t, other, "carol", 1, 400)
			for range 50 {
				writeOrders(t, other, "carol", 1, 1)
			}
			closeStore(t, other)
			replace(t, filepath.Join(dir, "db"), filepath.Join(another, "db"))
		},
		"database and log are older ones": func(t *testing.T, dir, older string) {
			replace(t, filepath.Join(dir, "db"), filepath.Join(older, "db"))
			replace(t, filepath.Join(dir, "log"), filepath.Join(older, "log"))
		},
		"the seal is gone":  func(t *testing.T, dir, _ string) { replace(t, filepath.Join(dir, "seal"), "") },
		"the seal is empty": func(t *testing.T, dir, _ string) { truncate(t, filepath.Join(dir, "seal"), 0) },
		"a slot of the seal is damaged, and the log ends at the other": func(t *testing.T, dir, _ string) {
			_, older := sealSlots(t, dir)
			flip(t, filepath.Join(dir, "seal"), older+12)
		},
		"the seal is truncated": func(t *testing.T, dir, _ string) { truncate(t, filepath.Join(dir, "seal"), 60) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			if err := copyStore(intact, dir); err != nil {
				t.Fatal(err)
			}
			lose(t, dir, older)
			acceptLoss(t, dir)
		})
	}
}

// A damaged slot that a later group of the log can have had loses nothing: a power failure
// may have torn it. The seal is written again.
func TestTornSealIsCompleted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	store, confirmed := newFilledStore(t, dir)
	for n := range 3 { // the newest group is in either slot
		writeOrders(t, store, "alice", 151+n, 151+n)
		confirmed["alice"] = 151 + n
		closeStore(t, store)
		newer, _ := sealSlots(t, dir)
		flip(t, filepath.Join(dir, "seal"), newer+12)
		checkStore(t, dir, confirmed)
		store = open(t, dir)
	}
	closeStore(t, store)
}

// An older database loses nothing if the log has what came after it, and a log that the
// database is ahead of is not needed after an orderly end.
func TestLogBringsAnOlderDatabaseUpToDate(t *testing.T) {
	dir, older := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "older")
	store, confirmed := newFilledStore(t, dir)
	closeStore(t, store)
	if err := copyStore(dir, older); err != nil {
		t.Fatal(err)
	}
	store = open(t, dir)
	writeOrders(t, store, "alice", 151, 160)
	closeStore(t, store)
	confirmed["alice"] = 160
	replace(t, filepath.Join(dir, "db"), filepath.Join(older, "db"))
	checkStore(t, dir, confirmed)
	replace(t, filepath.Join(dir, "log"), "")
	checkStore(t, dir, confirmed)
}

// After a power failure the database can lack older rows than those that it has: badger
// does not sync, and writes to several of its own logs. The log has them all.
func TestRowsThatTheDatabaseLostComeFromTheLog(t *testing.T) {
	dir := t.TempDir()
	confirmed := acked{"alice": 0, "bob": 0}
	confirmed.writeAndKill(t, dir, 300)
	memLogs, err := filepath.Glob(filepath.Join(dir, "db", "*.mem"))
	if err != nil || len(memLogs) == 0 {
		t.Fatalf("badger's logs = %v, %v; want some", memLogs, err)
	}
	for _, path := range memLogs {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		used := len(bytes.TrimRight(content, "\x00"))
		clear(content[used/3:])
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	checkStore(t, dir, confirmed)
	checkStore(t, dir, confirmed)
}

// sealSlots returns the offsets of the slots of a seal by the age of their groups.
func sealSlots(t *testing.T, dir string) (newer, older int) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "seal"))
	if err != nil {
		t.Fatal(err)
	}
	const slotBytes, seqOffset = 4096, 8
	if binary.BigEndian.Uint64(content[seqOffset:]) > binary.BigEndian.Uint64(content[slotBytes+seqOffset:]) {
		return 0, slotBytes
	}
	return slotBytes, 0
}

// flip flips a bit of a file.
func flip(t *testing.T, path string, offset int) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[offset] ^= 1
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func truncate(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

func acceptLoss(t *testing.T, dir string) {
	t.Helper()
	store := open(t, dir)
	if err := store.Integrity(); !errors.Is(err, persistence.ErrIntegrity) {
		t.Fatalf("Integrity = %v, want ErrIntegrity", err)
	}
	checkRejections(t, store)
	closeStore(t, store)

	store = open(t, dir)
	if err := store.AcceptLoss(t.Context()); err != nil {
		t.Fatalf("AcceptLoss: %v", err)
	}
	if err := store.Integrity(); err != nil {
		t.Errorf("Integrity after AcceptLoss = %v, want nil", err)
	}
	writeOrders(t, store, "dave", 1, 5)
	closeStore(t, store)
	checkStore(t, dir, acked{"dave": 5})
}

func checkRejections(t *testing.T, store *badgerstore.Store) {
	t.Helper()
	if _, err := store.Orders(t.Context(), persistence.OrderQuery{Customer: "alice"}); err != nil {
		t.Errorf("Orders of a damaged store = %v, want nil", err)
	}
	b := persistence.Batch{Puts: []persistence.Record{persistence.Setting{Name: "s"}}}
	err := store.Commit(t.Context(), b)
	if !errors.Is(err, persistence.ErrUnavailable) || !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Commit to a damaged store = %v, want ErrUnavailable and ErrIntegrity", err)
	}
	if _, err := store.TakeOwnership(t.Context(), "alice"); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("TakeOwnership on a damaged store = %v, want ErrUnavailable", err)
	}
	if err := store.Commit(t.Context(), persistence.Batch{}); err != nil {
		t.Errorf("barrier on a damaged store = %v, want nil", err)
	}
	if err := store.Backup(t.Context(), nil); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Backup of a damaged store = %v, want ErrIntegrity", err)
	}
}

func TestAcceptLossOfAnIntactStoreDoesNothing(t *testing.T) {
	dir := t.TempDir()
	store, confirmed := newFilledStore(t, dir)
	if err := store.AcceptLoss(t.Context()); err != nil {
		t.Errorf("AcceptLoss of an intact store = %v, want nil", err)
	}
	closeStore(t, store)
	checkStore(t, dir, confirmed)
}

// Without its manifest badger would delete all tables; the store does not open it.
func TestDatabaseWithoutItsManifestIsNotChanged(t *testing.T) {
	dir := t.TempDir()
	store, confirmed := newFilledStore(t, dir)
	closeStore(t, store)
	manifest := filepath.Join(dir, "db", "MANIFEST")
	kept := filepath.Join(t.TempDir(), "MANIFEST")
	if err := os.Rename(manifest, kept); err != nil {
		t.Fatal(err)
	}
	if _, err := badgerstore.Open(dir, small); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Open without the manifest = %v, want ErrIntegrity", err)
	}
	if err := os.Rename(kept, manifest); err != nil {
		t.Fatal(err)
	}
	checkStore(t, dir, confirmed)
}

// A store whose first opening was interrupted can be opened.
func TestStoreOpensAfterAnInterruptedFirstOpening(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "seal"), make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	checkStore(t, dir, acked{})
}

func TestReopenedStoreRejectsEarlierFences(t *testing.T) {
	dir := t.TempDir()
	store, confirmed := newFilledStore(t, dir)
	old, err := store.TakeOwnership(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := badgerstore.Open(dir, small); !errors.Is(err, badgerstore.ErrLocked) {
		t.Errorf("second Open = %v, want ErrLocked", err)
	}
	closeStore(t, store)
	closeStore(t, store)
	checkStore(t, dir, confirmed)

	store = open(t, dir)
	defer closeStore(t, store)
	order := persistence.Batch{Fence: old, Puts: []persistence.Record{storetest.NewOrder("alice", 151)}}
	if err := store.Commit(t.Context(), order); !errors.Is(err, persistence.ErrFenced) {
		t.Errorf("Commit under a fence of an earlier opening = %v, want ErrFenced", err)
	}
	fence, err := store.TakeOwnership(t.Context(), "alice")
	if err != nil || fence.Epoch <= old.Epoch {
		t.Errorf("TakeOwnership = epoch %d, %v; want more than %d", fence.Epoch, err, old.Epoch)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	if _, err := badgerstore.Open(t.TempDir(), badgerstore.Options{MemTableBytes: 1}); err == nil {
		t.Error("Open with a memory table of one byte = nil, want an error")
	}
	if _, err := badgerstore.Open(t.TempDir(), badgerstore.Options{CheckBytesMax: -1}); err == nil {
		t.Error("Open with a negative CheckBytesMax = nil, want an error")
	}
}
