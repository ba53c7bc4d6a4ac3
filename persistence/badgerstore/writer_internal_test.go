package badgerstore

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
)

func openSmall(t *testing.T, dir string) *Store {
	t.Helper()
	store, err := Open(dir, Options{MemTableBytes: memTableBytesMin})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func setting(name string, bytes int) persistence.Batch {
	return persistence.Batch{Puts: []persistence.Record{persistence.Setting{Name: name, Value: make([]byte, bytes)}}}
}

// held submits a request that keeps the writer until release is called, so that
// what is submitted meanwhile becomes one group.
func held(s *Store) (release func()) {
	started, released := make(chan struct{}), make(chan struct{})
	s.writer.submit(request{barrier: true, op: func(rows.Tx, uint64) error {
		close(started)
		<-released
		return nil
	}, done: func(error) {}})
	<-started
	return sync.OnceFunc(func() { close(released) })
}

// submitAll submits while the writer is held and gives the answers.
func submitAll(s *Store, batches ...persistence.Batch) []error {
	release := held(s)
	errs := make([]error, len(batches))
	var answered sync.WaitGroup
	for i, b := range batches {
		answered.Add(1)
		s.Submit(b, func(err error) {
			errs[i] = err
			answered.Done()
		})
	}
	release()
	answered.Wait()
	return errs
}

func (s *Store) groups(t *testing.T) uint64 {
	t.Helper()
	txn := readAll(s.db)
	defer txn.Discard()
	head, err := newestLedger(snapshot{txn: txn})
	if err != nil {
		t.Fatal(err)
	}
	return head.seq
}

func TestWhatIsQueuedIsOneGroup(t *testing.T) {
	s := openSmall(t, t.TempDir())
	before := s.groups(t)
	var batches []persistence.Batch
	for i := range 2*GroupBatchesMax + 1 {
		batches = append(batches, setting(fmt.Sprint(i), 10))
	}
	for i, err := range submitAll(s, batches...) {
		if err != nil {
			t.Errorf("batch %d: %v", i, err)
		}
	}
	if got := s.groups(t) - before; got != 3 {
		t.Errorf("%d batches became %d groups, want 3", len(batches), got)
	}
}

// A transaction of the small store takes some 300 KB; a group of more is split,
// a batch of more is refused alone.
func TestGroupThatIsTooLargeIsSplit(t *testing.T) {
	s := openSmall(t, t.TempDir())
	var large persistence.Batch
	for i := range 12 {
		large.Puts = append(large.Puts, setting(fmt.Sprint("large", i), 40<<10).Puts...)
	}
	batches := []persistence.Batch{setting("first", 10)}
	for i := range 14 {
		batches = append(batches, setting(fmt.Sprint("middle", i), 40<<10))
	}
	batches = append(batches, large, setting("last", 10))
	for i, err := range submitAll(s, batches...) {
		if tooLarge := i == len(batches)-2; tooLarge != errors.Is(err, persistence.ErrUnavailable) {
			t.Errorf("batch %d was answered %v", i, err)
		}
	}
	if _, err := s.Setting(t.Context(), "large0"); !errors.Is(err, persistence.ErrNotFound) {
		t.Errorf("part of the refused batch is there: %v", err)
	}
	for _, name := range []string{"first", "middle0", "middle13", "last"} {
		if _, err := s.Setting(t.Context(), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A group whose seal cannot be written is not answered as durable: its loss
// would not be noticed.
func TestFailedSealEndsWriting(t *testing.T) {
	s := openSmall(t, t.TempDir())
	release := held(s)
	if err := s.seal.file.Close(); err != nil {
		t.Fatal(err)
	}
	release()
	if err := s.Commit(t.Context(), setting("a", 10)); !errors.Is(err, persistence.ErrOutcomeUnknown) {
		t.Errorf("a group without a seal was answered %v", err)
	}
	if err := s.Commit(t.Context(), setting("b", 10)); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("the batch after it was answered %v", err)
	}
}

func TestFullQueueIsAnsweredAtOnce(t *testing.T) {
	for name, c := range map[string]struct{ size, taken int }{
		"by number": {size: 1, taken: QueueBatchesMax},
		"by size":   {size: QueueBytesMax / 4, taken: 4},
	} {
		t.Run(name, func(t *testing.T) {
			s := openSmall(t, t.TempDir())
			release := held(s)
			defer release()
			var answered sync.WaitGroup
			answered.Add(c.taken)
			waiting := request{op: func(rows.Tx, uint64) error { return nil }, size: c.size, done: func(err error) {
				if answered.Done(); err != nil {
					t.Errorf("of %d batches of %d bytes one was answered %v", c.taken, c.size, err)
				}
			}}
			for range c.taken {
				s.writer.submit(waiting)
			}
			full := false
			waiting.done = func(err error) { full = errors.Is(err, errQueueFull) }
			if s.writer.submit(waiting); !full {
				t.Errorf("the queue takes more than %d batches of %d bytes", c.taken, c.size)
			}
			release()
			answered.Wait()
			if err := s.Commit(t.Context(), persistence.Batch{}); err != nil {
				t.Errorf("after the queue is empty: %v", err)
			}
		})
	}
}

// A row that cannot be understood spoils the batches that touch it, not those
// beside it.
func TestCorruptRowSpoilsItsOwnBatch(t *testing.T) {
	s := openSmall(t, t.TempDir())
	if err := s.Commit(t.Context(), setting("bad", 10)); err != nil {
		t.Fatal(err)
	}
	err := rows.Await(t.Context(), func(done func(error)) {
		s.writer.enqueue(func(tx rows.Tx, _ uint64) error { return corrupt(tx.(*groupTx)) }, done)
	})
	if err != nil {
		t.Fatal(err)
	}
	errs := submitAll(s, setting("a", 10), setting("bad", 20), setting("b", 10))
	if errs[0] != nil || !errors.Is(errs[1], persistence.ErrUnavailable) || errs[2] != nil {
		t.Errorf("answers %v; want the second alone refused", errs)
	}
	// What the group had done before it was thrown away was done again.
	for _, name := range []string{"a", "b"} {
		if _, err := s.Setting(t.Context(), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Setting(t.Context(), "bad"); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("reading the row gave %v, want ErrIntegrity", err)
	}
}

// corrupt rewrites the row of the setting "bad" as something else.
func corrupt(tx *groupTx) error {
	tx.Known().Clear()
	var key, old []byte
	err := tx.Scan([]byte{0, 1}, []byte{0, 2}, false, func(k, value []byte) bool {
		if strings.Contains(string(k), "bad") {
			key, old = append([]byte{}, k...), append([]byte{}, value...)
		}
		return true
	})
	return errors.Join(err, tx.Replace(key, old, []byte("nonsense")))
}

// The seal of an idle store is synced a moment after the last commit.
func TestSealIsSyncedWhenIdle(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := openSmall(t, dir)
		for i := range 3 {
			if err := s.Commit(t.Context(), setting("s", i)); err != nil {
				t.Error(err)
			}
			time.Sleep(sealSyncInterval * 3 / 5)
		}
		time.Sleep(sealSyncInterval * 2)
		release := held(s)
		if s.seal.dirty {
			t.Error("the seal is not synced")
		}
		release()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// The ledger keeps a bounded number of rows, and the seal stays within them.
func TestLedgerIsPruned(t *testing.T) {
	if sealSyncGroups*2 > ledgerRowsMax {
		t.Errorf("the seal may stay %d groups behind, %d ledger rows are kept", sealSyncGroups, ledgerRowsMax)
	}
	dir := t.TempDir()
	s := openSmall(t, dir)
	release := held(s)
	s.writer.head.seq = ledgerRowsMax - 3 // As if many groups had been written.
	release()
	for i := range 6 {
		if err := s.Commit(t.Context(), setting("s", i)); err != nil {
			t.Fatal(err)
		}
	}
	txn := readAll(s.db)
	defer txn.Discard()
	for seq, kept := range map[uint64]bool{1: false, 2: false, 3: false, ledgerRowsMax + 3: true} {
		value, err := snapshot{txn: txn}.Get(ledgerKey(seq))
		if err != nil || (value != nil) != kept {
			t.Errorf("ledger row %d is there: %v, %v; want %v", seq, value != nil, err, kept)
		}
	}
}
