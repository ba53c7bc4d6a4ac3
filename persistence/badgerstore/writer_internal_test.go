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
	store, err := Open(dir, Small())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func setting(name string, bytes int) persistence.Batch {
	return persistence.Batch{Puts: []persistence.Record{persistence.Setting{Name: name, Value: make([]byte, bytes)}}}
}

// blockWriter submits a request that blocks the writer until release is called, so that
// batches submitted meanwhile become one group. It panics if the writer rejects requests.
func blockWriter(s *Store) (release func()) {
	started, rejected, released := make(chan struct{}), make(chan error, 1), make(chan struct{})
	s.writer.submit(request{barrier: true, op: func(rows.Tx, uint64) error {
		close(started)
		<-released
		return nil
	}, done: func(err error) { rejected <- err }})
	select {
	case <-started:
	case err := <-rejected:
		panic(err)
	}
	return sync.OnceFunc(func() { close(released) })
}

// submitAll submits batches while the writer is blocked and returns their results.
func submitAll(s *Store, batches ...persistence.Batch) []error {
	release := blockWriter(s)
	errs := make([]error, len(batches))
	var replied sync.WaitGroup
	for i, b := range batches {
		replied.Add(1)
		s.Submit(b, func(err error) {
			errs[i] = err
			replied.Done()
		})
	}
	release()
	replied.Wait()
	return errs
}

// groups returns the number of commit groups so far.
func groups(t *testing.T, s *Store) uint64 {
	t.Helper()
	return s.writer.views.latest().head.Seq
}

func TestQueuedBatchesAreOneGroup(t *testing.T) {
	s := openSmall(t, t.TempDir())
	before := groups(t, s)
	var batches []persistence.Batch
	for i := range 2*GroupBatchesMax + 1 {
		batches = append(batches, setting(fmt.Sprint(i), 10))
	}
	for i, err := range submitAll(s, batches...) {
		if err != nil {
			t.Errorf("batch %d = %v, want nil", i, err)
		}
	}
	if got := groups(t, s) - before; got != 3 {
		t.Errorf("%d batches are %d groups, want 3", len(batches), got)
	}
}

// A transaction of the small store takes some 300 KB. A larger group is split, and only
// a larger batch is rejected.
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
			t.Errorf("batch %d = %v, want rejected %t", i, err, tooLarge)
		}
	}
	if _, err := s.Setting(t.Context(), "large0"); !errors.Is(err, persistence.ErrNotFound) {
		t.Errorf("Setting of the rejected batch = %v, want ErrNotFound", err)
	}
	for _, name := range []string{"first", "middle0", "middle13", "last"} {
		if _, err := s.Setting(t.Context(), name); err != nil {
			t.Errorf("Setting(%s) = %v, want nil", name, err)
		}
	}
}

// A group whose seal cannot be written is not confirmed, because its loss would not be
// detected.
func TestFailedSealEndsWriting(t *testing.T) {
	s := openSmall(t, t.TempDir())
	release := blockWriter(s)
	if err := s.seal.file.Close(); err != nil {
		t.Fatal(err)
	}
	release()
	if err := s.Commit(t.Context(), setting("a", 10)); !errors.Is(err, persistence.ErrOutcomeUnknown) {
		t.Errorf("Commit without a seal = %v, want ErrOutcomeUnknown", err)
	}
	if err := s.Commit(t.Context(), setting("b", 10)); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("Commit after it = %v, want ErrUnavailable", err)
	}
}

func TestFullQueueRejectsImmediately(t *testing.T) {
	for name, c := range map[string]struct{ size, taken int }{
		"by number": {size: 1, taken: QueueBatchesMax},
		"by size":   {size: QueueBytesMax / 4, taken: 4},
	} {
		t.Run(name, func(t *testing.T) {
			s := openSmall(t, t.TempDir())
			release := blockWriter(s)
			defer release()
			var replied sync.WaitGroup
			replied.Add(c.taken)
			pending := request{op: func(rows.Tx, uint64) error { return nil }, size: c.size, done: func(err error) {
				if replied.Done(); err != nil {
					t.Errorf("one of %d batches of %d bytes = %v, want nil", c.taken, c.size, err)
				}
			}}
			for range c.taken {
				s.writer.submit(pending)
			}
			var got error
			pending.done = func(err error) { got = err }
			if s.writer.submit(pending); !errors.Is(got, errQueueFull) {
				t.Errorf("one more than %d batches of %d bytes = %v, want errQueueFull", c.taken, c.size, got)
			}
			release()
			replied.Wait()
			if err := s.Commit(t.Context(), persistence.Batch{}); err != nil {
				t.Errorf("Commit with an empty queue = %v, want nil", err)
			}
		})
	}
}

// A corrupt row makes the batch that changes it fail, not the others of the group.
func TestCorruptRowFailsItsBatchOnly(t *testing.T) {
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
		t.Errorf("results = %v, want only the second to be ErrUnavailable", errs)
	}
	// The rest of the group is applied again after the rollback.
	for _, name := range []string{"a", "b"} {
		if _, err := s.Setting(t.Context(), name); err != nil {
			t.Errorf("Setting(%s) = %v, want nil", name, err)
		}
	}
	if _, err := s.Setting(t.Context(), "bad"); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Setting of the corrupt row = %v, want ErrIntegrity", err)
	}
}

// corrupt overwrites the row of the setting "bad" with an invalid value.
func corrupt(tx *groupTx) error {
	tx.Cache().Clear()
	var key, old []byte
	err := tx.Scan([]byte{0, 1}, []byte{0, 2}, false, func(k, value []byte) bool {
		if strings.Contains(string(k), "bad") {
			key, old = append([]byte{}, k...), append([]byte{}, value...)
		}
		return true
	})
	return errors.Join(err, tx.Replace(key, old, []byte("nonsense")))
}

// The seal of an idle store is synced soon after the last commit.
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
		release := blockWriter(s)
		if s.seal.dirty {
			t.Error("the seal of the idle store is dirty, want synced")
		}
		release()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
