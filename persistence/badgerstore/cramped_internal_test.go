package badgerstore

import (
	"errors"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
)

// A large store that must be checked before it is used is so on a full disk too, where it is
// opened once only: badger would write to be closed.
func TestStoreThatMustBeCheckedFirstOnAFullDisk(t *testing.T) {
	free := diskWith(openBytesFixed + 4*memTableBytesMin)
	full := onDisk(free)
	full.CheckBytesMax = 1
	t.Run("an older schema", func(t *testing.T) {
		dir, _ := newLarge(t)
		older := schema{migrations: append(currentSchema.migrations, func(migrationTx, []byte) ([]byte, error) { return nil, nil })}
		if err := openInVain(t, dir, full, older); !errors.Is(err, errNoSpaceToMigrate) || errors.Is(err, errCheckFirst) {
			t.Errorf("opening = %v, want %v", err, errNoSpaceToMigrate)
		}
	})
	t.Run("a torn slot of the seal", func(t *testing.T) {
		dir, ids := newLarge(t)
		tearSeal(t, dir)
		s, err := Open(dir, full)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _, _ = s.Close(), s.db.Close(), s.lock.Close() }) // like the end of the process
		if failed := readEverything(t, s, ids); failed > 0 || s.check != nil {
			t.Errorf("%d reads failed, checked first %v; want 0, true", failed, s.check == nil)
		}
		if err := s.Integrity(); !errors.Is(err, errSealDamaged) {
			t.Errorf("Integrity = %v, want %v", err, errSealDamaged)
		}
	})
	t.Run("a damaged block", func(t *testing.T) {
		dir, _ := newLarge(t)
		blocksOf(t, dir)[0].flip(t)
		if err := openInVain(t, dir, full, currentSchema); !errors.Is(err, persistence.ErrIntegrity) || errors.Is(err, errCheckFirst) {
			t.Errorf("opening = %v, want ErrIntegrity", err)
		}
	})
}

// There is space again while the database is read: commits are rejected, and the database
// stays as it is, until the reader has ended.
func TestFullDiskLastsWhileTheDatabaseIsRead(t *testing.T) {
	dir := t.TempDir()
	s := openSmall(t, dir)
	if err := errors.Join(s.Commit(t.Context(), setting("s", 10)), s.Close()); err != nil {
		t.Fatal(err)
	}
	free := diskWith(openBytesFixed + 4*memTableBytesMin)
	s, err := Open(dir, onDisk(free))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	err = s.View(t.Context(), func(rows.Snapshot) error {
		free.Store(roomyBytes)
		time.Sleep(fullCheckInterval)
		if err := s.Commit(t.Context(), setting("other", 1)); !errors.Is(err, persistence.ErrDiskFull) {
			t.Errorf("Commit with space again, while the database is read = %v, want ErrDiskFull", err)
		}
		if err := s.Commit(t.Context(), reserved("s", 11)); err != nil {
			t.Errorf("Commit with Reserve = %v, want nil", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(fullCheckInterval)
	if err := s.Commit(t.Context(), setting("s", 12)); err != nil {
		t.Errorf("Commit after the read = %v, want nil", err)
	}
	if o := s.db.Opts(); o.NumCompactors != compactors {
		t.Errorf("the database has %d compactors after the read, want %d", o.NumCompactors, compactors)
	}
}

// openInVain opens a store on a full disk once, which fails after the check, and returns the
// error. It closes what that leaves open until the process ends.
func openInVain(t *testing.T, dir string, o Options, of schema) error {
	t.Helper()
	o = o.withDefaults()
	s := &Store{dir: dir, log: o.Logger, schema: of, options: o}
	err := s.open(o)
	if err == nil || !s.cramped || s.check != nil {
		t.Fatalf("opening = %v, on a full disk %v, checked first %v; want an error, true, true", err, s.cramped, s.check == nil)
	}
	if err := errors.Join(s.release(), s.db.Close(), s.lock.Close()); err != nil {
		t.Fatal(err)
	}
	return err
}

// tearSeal damages the older slot of the seal of a closed store.
func tearSeal(t *testing.T, dir string) {
	t.Helper()
	s, err := openSeal(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.read(); err != nil {
		t.Fatal(err)
	}
	_, err = s.file.WriteAt(make([]byte, sealBytes), (1-s.slot)*sealSlotBytes)
	if err := errors.Join(err, s.close()); err != nil {
		t.Fatal(err)
	}
}
