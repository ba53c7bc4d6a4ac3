package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dgraph-io/badger/v4/y"
	"pgregory.net/rapid"

	"venuegate/persistence"
	"venuegate/persistence/internal/fsync"
	"venuegate/persistence/internal/rows"
)

// onSync replaces the sync of the log by do, which runs in the writer's goroutine.
func onSync(t *testing.T, dir string, do func(log *os.File) error) *Store {
	t.Helper()
	s, err := Open(dir, smallSyncing(do))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A confirmed commit was in the log when it was synced, and was not visible before. A
// test that kills a process cannot detect a missing sync, because the kernel keeps what
// the process has written.
func TestConfirmedCommitWasSynced(t *testing.T) {
	content := make([]byte, segmentBytesSmall)
	var committing string
	var synced bool
	var s *Store
	s = onSync(t, t.TempDir(), func(log *os.File) (err error) {
		if committing == "" {
			return fsync.File(log)
		}
		if _, err := s.Setting(t.Context(), committing); !errors.Is(err, persistence.ErrNotFound) {
			t.Errorf("Setting(%s) before the sync = %v, want ErrNotFound", committing, err)
		}
		n, err := log.ReadAt(content, 0)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		synced = synced || bytes.Contains(content[:n], []byte(committing))
		return errors.Join(err, fsync.File(log))
	})
	for i := range 110 {
		name := fmt.Sprintf("commit %d ends", i)
		synced, committing = false, name
		if err := s.Commit(t.Context(), setting(name, 40<<10)); err != nil {
			t.Fatal(err)
		}
		if !synced {
			t.Fatalf("the synced log does not contain commit %d", i)
		}
		if _, err := s.Setting(t.Context(), name); err != nil {
			t.Fatalf("Setting of commit %d = %v, want nil", i, err)
		}
	}
	release := blockWriter(s)
	committing = "" // What Close syncs is not looked at.
	release()
}

// A failed sync ends writing, because the state on the disk is unknown.
func TestFailedSyncEndsWriting(t *testing.T) {
	dir := t.TempDir()
	var failure error
	s := onSync(t, dir, func(log *os.File) error { return errors.Join(failure, fsync.File(log)) })
	if err := s.Commit(t.Context(), setting("before", 10)); err != nil {
		t.Fatal(err)
	}
	release := blockWriter(s)
	failure = errors.New("input/output error")
	release()
	for i, err := range submitAll(s, setting("a", 10), persistence.Batch{}, setting("b", 10)) {
		if !errors.Is(err, persistence.ErrOutcomeUnknown) {
			t.Errorf("batch %d of the failed group = %v, want ErrOutcomeUnknown", i, err)
		}
	}
	if err := s.Commit(t.Context(), setting("later", 10)); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("Commit after the failure = %v, want ErrUnavailable", err)
	}
	if err := s.Close(); !errors.Is(err, failure) {
		t.Fatalf("Close = %v, want %v", err, failure)
	}
	s = openSmall(t, dir)
	if err := errors.Join(s.Integrity(), s.Commit(t.Context(), setting("again", 10))); err != nil {
		t.Errorf("Integrity and Commit after Open = %v, want nil", err)
	}
}

// Rows reach the database soon after their commit, and the log does not grow without
// bound.
func TestRowsAreFlushedAndTheLogTrimmed(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := openSmall(t, dir)
		for i := range 150 {
			if err := s.Commit(t.Context(), setting(fmt.Sprint(i), 40<<10)); err != nil {
				t.Error(err)
			}
		}
		if err := s.Commit(t.Context(), setting("last", 10)); err != nil {
			t.Error(err)
		}
		time.Sleep(2*sealSyncInterval + flushInterval)
		if err := s.Commit(t.Context(), setting("one more", 10)); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * flushInterval)
		release := blockWriter(s)
		segments, err := s.writer.log.Segments()
		if err != nil || segments != 1 {
			t.Errorf("the log of an idle store has %d segments, %v; want 1", segments, err)
		}
		found, err := inspect(s.db)
		if err != nil || found.err != nil || found.head != s.writer.views.latest().head {
			t.Errorf("the database holds %+v, %v; want %+v", found.head, errors.Join(err, found.err), s.writer.views.latest().head)
		}
		release()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// The ledger of the database is that of its rows, whatever was committed meanwhile.
func TestDatabaseIsNotAheadOfItsRows(t *testing.T) {
	s := openSmall(t, t.TempDir())
	if err := s.Commit(t.Context(), setting("first", 10)); err != nil {
		t.Fatal(err)
	}
	release := blockWriter(s)
	table := s.writer.active
	s.writer.addTable(room{})
	release()
	if err := s.Commit(t.Context(), setting("second", 10)); err != nil {
		t.Fatal(err)
	}
	release = blockWriter(s)
	defer release()
	if err := s.writer.views.write(table); err != nil {
		t.Fatal(err)
	}
	found, err := inspect(s.db)
	if err != nil || found.head != found.counted || found.head != table.head {
		t.Errorf("ledger of the database %+v, %v; want %+v of its rows %+v", found.head, err, table.head, found.counted)
	}
}

// Segments of the log are deleted only after a sync of the database.
func TestTrimSyncsTheDatabase(t *testing.T) {
	s := openSmall(t, t.TempDir())
	release := blockWriter(s)
	synced := 0
	s.writer.flusher.sync = func(string) error {
		synced++
		return errors.New("input/output error")
	}
	// So that there is a segment to delete.
	if _, err := s.writer.log.Append(make([]byte, 2*segmentBytesSmall)); err != nil {
		t.Fatal(err)
	}
	s.seal.synced.Store(1 << 40)
	segments, err := s.writer.log.Segments()
	if err != nil || segments < 2 {
		t.Fatalf("%d segments, %v; want more than one", segments, err)
	}
	if err := s.writer.flusher.trim(1 << 40); err == nil || synced != 1 {
		t.Errorf("trim after a failed sync of the database = %v after %d syncs, want an error after one", err, synced)
	}
	if after, err := s.writer.log.Segments(); err != nil || after != segments {
		t.Errorf("%d segments after it, %v; want %d", after, err, segments)
	}
	s.writer.flusher.sync = syncDatabase
	release()
}

// What was added and deleted between two flushes never reaches the database.
func TestRowsThatWereDeletedAreNotWritten(t *testing.T) {
	s := openSmall(t, t.TempDir())
	key := []byte{0, 9, 'k'}
	replace := func(old, value []byte) {
		t.Helper()
		err := rows.Await(t.Context(), func(done func(error)) {
			s.writer.enqueue(func(tx rows.Tx, _ uint64) error { return tx.Replace(key, old, value) }, done)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	replace(nil, []byte("a"))
	replace([]byte("a"), []byte("b"))
	replace([]byte("b"), nil)
	release := blockWriter(s)
	it := s.writer.active.list.NewIterator()
	release()
	versions := 0
	for it.Seek(y.KeyWithTs(key, math.MaxUint64)); it.Valid(); it.Next() {
		versions++
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if versions < 3 {
		t.Errorf("the table has %d versions of the row, want 3", versions)
	}
	s = openSmall(t, s.dir)
	txn := s.db.NewTransactionAt(1<<40, false)
	defer txn.Discard()
	if _, err := txn.Get(key); err == nil {
		t.Error("the deleted row is in the database")
	}
}

// A reader sees the rows as of one group, in both directions, wherever they are: in the
// database, in a table that is being written, or in the newest one. Random changes are
// compared with a map.
func TestSnapshotsEqualAModel(t *testing.T) {
	o := smallSyncing(func(*os.File) error { return nil })
	dir := t.TempDir()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	model := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0: // hand the table to the flusher
				release := blockWriter(s)
				if err := s.writer.freeze(room{}); err != nil {
					t.Fatal(err)
				}
				release()
			case 1: // a restart
				if rapid.Bool().Draw(t, "restart") {
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					var err error
					if s, err = Open(dir, o); err != nil || s.Integrity() != nil {
						t.Fatalf("Open = %v, %v", err, s.Integrity())
					}
				}
			default:
				changeRows(t, s, model)
			}
			from := drawKey(t, "from")
			to := drawKey(t, "to")
			compare(t, s, model, from, to)
		}
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func drawKey(t *rapid.T, label string) string {
	return "\x00\x05" + rapid.StringMatching(`[a-c]{0,3}`).Draw(t, label)
}

// changeRows commits up to five changes as one group.
func changeRows(t *rapid.T, s *Store, model map[string]string) {
	type replacement struct{ key, value string }
	var changes []replacement
	for range rapid.IntRange(1, 5).Draw(t, "changes") {
		changes = append(changes, replacement{drawKey(t, "key"), rapid.SampledFrom([]string{"", "x", "deleted", "y"}).Draw(t, "value")})
	}
	err := rows.Await(t.Context(), func(done func(error)) {
		s.writer.enqueue(func(tx rows.Tx, _ uint64) error {
			for _, c := range changes {
				old, err := tx.Get([]byte(c.key))
				if err != nil {
					return err
				}
				value := []byte(c.value)
				if c.value == "deleted" {
					value = nil
				}
				if err := tx.Replace([]byte(c.key), old, value); err != nil {
					return err
				}
			}
			return nil
		}, done)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if c.value == "deleted" {
			delete(model, c.key)
		} else {
			model[c.key] = c.value
		}
	}
}

func compare(t *rapid.T, s *Store, model map[string]string, from, to string) {
	var want []string
	for key, value := range model {
		if key >= from && key < to {
			want = append(want, key+"="+value)
		}
	}
	slices.Sort(want)
	err := s.View(t.Context(), func(view rows.Snapshot) error {
		for _, descending := range []bool{false, true} {
			var got []string
			err := view.Scan([]byte(from), []byte(to), descending, func(key, value []byte) bool {
				got = append(got, string(key)+"="+string(value))
				return true
			})
			if descending {
				slices.Reverse(got)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("Scan from %q to %q, descending %t = %q, %v; want %q", from, to, descending, got, err, want)
			}
		}
		value, err := view.Get([]byte(from))
		expected, exists := model[from]
		if err != nil || exists != (value != nil) || string(value) != expected {
			t.Fatalf("Get(%q) = %q, %v; want %q, %t", from, value, err, expected, exists)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// All syncs of the database are of badger's logs.
func TestSyncDatabase(t *testing.T) {
	if err := syncDatabase(t.TempDir()); err != nil {
		t.Errorf("syncDatabase without a log = %v, want nil", err)
	}
	if err := syncDatabase(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("syncDatabase of an absent directory = nil, want an error")
	}
}
