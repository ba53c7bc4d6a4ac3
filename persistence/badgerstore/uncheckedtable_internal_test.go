package badgerstore

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"venuegate/persistence"
)

// withoutDescriptors calls f while this process can open no file.
func withoutDescriptors(t *testing.T, f func()) {
	t.Helper()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
	}()
	f()
}

// A process without free descriptors has not lost rows: reads fail meanwhile, and the check is
// tried again.
func TestErrorOfTheSystemIsNoDamage(t *testing.T) {
	dir, ids := newLarge(t)
	database := filepath.Join(dir, databaseName)
	tables, err := readManifest(database, checkLater.withDefaults().badger(database))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := openUnchecked(t, dir)
		for _, table := range s.check.byKey {
			table.close() // Open has read some of them.
		}
		withoutDescriptors(t, func() {
			if _, err := outlineAll(database, tables); !errors.Is(err, unix.EMFILE) || errors.Is(err, persistence.ErrIntegrity) {
				t.Errorf("outlineAll without descriptors = %v, want EMFILE, not ErrIntegrity", err)
			}
			if _, err := s.Order(t.Context(), "alice", ids[0]); !errors.Is(err, persistence.ErrUnavailable) || errors.Is(err, persistence.ErrIntegrity) {
				t.Errorf("Order without descriptors = %v, want ErrUnavailable, not ErrIntegrity", err)
			}
			s.startCheck()
			synctest.Wait()
		})
		if !s.IsChecking() {
			t.Error("IsChecking without descriptors = false, want true")
		}
		time.Sleep(checkPauseMin)
		<-s.check.finished
		if err := s.Commit(t.Context(), setting("s", 1)); err != nil || s.Integrity() != nil || s.IsChecking() {
			t.Errorf("Commit, Integrity = %v, %v, IsChecking = %v; want nil, nil, false", err, s.Integrity(), s.IsChecking())
		}
		if failed := readEverything(t, s, ids); failed > 0 {
			t.Errorf("%d reads failed, want 0", failed)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if exists(filepath.Join(dir, damagedName)) {
		t.Error("the store is marked as damaged, want it not")
	}
}
