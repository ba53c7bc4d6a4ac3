package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dgraph-io/badger/v4"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/sys/unix"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
)

// A large store takes commits before it is checked, and is as ready after the check as if
// Open had done it.
func TestLargeStoreIsUsedBeforeItIsChecked(t *testing.T) {
	dir, ids := newLarge(t)
	s := openUnchecked(t, dir)
	if failed := readEverything(t, s, ids); failed > 0 {
		t.Errorf("%d reads failed, want 0", failed)
	}
	if err := s.Commit(t.Context(), setting("before the check", 1)); err != nil {
		t.Errorf("Commit = %v, want nil", err)
	}
	if s.writer.filter.lacks([]byte("absent")) {
		t.Error("the filter excludes a key before it has all, want none excluded")
	}
	if !s.IsChecking() {
		t.Error("IsChecking before the check = false, want true")
	}
	runCheck(s)
	if err := errors.Join(s.Integrity(), s.Ready()); err != nil || s.IsChecking() {
		t.Errorf("Integrity, Ready = %v, IsChecking = %v; want nil, false", err, s.IsChecking())
	}
	if failed := readEverything(t, s, ids); failed > 0 {
		t.Errorf("%d reads failed after the check, want 0", failed)
	}
	if !s.writer.filter.lacks([]byte("absent")) {
		t.Error("the filter excludes nothing after the check")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openSmall(t, dir)
	if _, err := s.Setting(t.Context(), "before the check"); err != nil || s.Integrity() != nil {
		t.Errorf("Setting, Integrity = %v, %v; want nil", err, s.Integrity())
	}
}

// A large store whose log is gone after an orderly end is used before it is checked, too.
func TestLargeStoreWithoutItsLogIsUsedBeforeItIsChecked(t *testing.T) {
	dir, ids := newLarge(t)
	if err := os.RemoveAll(filepath.Join(dir, logName)); err != nil {
		t.Fatal(err)
	}
	s := openUnchecked(t, dir)
	if got, err := orderIDs(t, s); err != nil || !slices.Equal(got, ids) {
		t.Errorf("%d orders before the check, %v; want %d", len(got), err, len(ids))
	}
	runCheck(s)
	if err := s.Integrity(); err != nil {
		t.Errorf("Integrity after the check = %v, want nil", err)
	}
}

// A damaged block of a table that is not verified yet makes reads fail: badger takes it for
// the end of the table. It is found in any case, and then the next Open does not return
// before the check.
func TestDamagedBlockIsFoundInUse(t *testing.T) {
	intact, ids := newLarge(t)
	blocks, failed := len(blocksOf(t, intact)), 0
	for n := 1; n < blocks; n += max(blocks/12, 1) {
		t.Run(fmt.Sprint("block ", n), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(intact)); err != nil {
				t.Fatal(err)
			}
			block := blocksOf(t, dir)[n]
			block.flip(t)
			s := openUnchecked(t, dir)
			for n := range 3 { // rows that Close would compact
				if err := s.Commit(t.Context(), setting(fmt.Sprint(n), 40<<10)); err != nil {
					t.Fatal(err)
				}
			}
			failed += readEverything(t, s, ids)
			runCheck(s)
			checkDamaged(t, s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(block.path); err != nil {
				t.Errorf("Stat of the damaged table after Close = %v, want nil: it is not compacted", err)
			}
			if _, err := Open(dir, checkLater); !errors.Is(err, persistence.ErrIntegrity) || errors.Is(err, errCheckFirst) {
				t.Errorf("Open after the damage was found = %v, want ErrIntegrity", err)
			}
			block.flip(t)
			s, err := Open(dir, checkLater)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Integrity(); err != nil || s.check != nil {
				t.Errorf("Integrity of the repaired store = %v, checked first %v; want nil, true", err, s.check == nil)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			_ = openUnchecked(t, dir).Close()
		})
	}
	if failed == 0 && !t.Failed() {
		t.Errorf("no read of %d damaged blocks failed, want some", blocks)
	}
}

// badger uses the number of entries of a block before it verifies the block, and panics.
func TestDamageOnWhichBadgerPanicsIsReported(t *testing.T) {
	intact, ids := newLarge(t)
	blocks := len(blocksOf(t, intact))
	for name, use := range map[string]func(t *testing.T, s *Store){
		"by the background check": func(*testing.T, *Store) {},
		"by reads":                func(t *testing.T, s *Store) { readEverything(t, s, ids) },
		"by a descending scan": func(_ *testing.T, s *Store) {
			_ = s.View(t.Context(), func(at rows.Snapshot) error {
				return at.Scan(nil, nil, true, func(_, _ []byte) bool { return true })
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(intact)); err != nil {
				t.Fatal(err)
			}
			block := blocksOf(t, dir)[blocks/2]
			block.flipAt(t, block.entryCount(t))
			s := openUnchecked(t, dir)
			use(t, s)
			runCheck(s)
			checkDamaged(t, s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir, checkLater); !errors.Is(err, persistence.ErrIntegrity) {
				t.Errorf("Open after the damage was found = %v, want ErrIntegrity", err)
			}
		})
	}
}

// Open checks a store first if it cannot read the rows that describe it.
func TestDamagedHeadIsFoundByOpen(t *testing.T) {
	dir, _ := newLarge(t)
	blocksOf(t, dir)[0].flip(t)
	if _, err := openOnce(dir, checkLater.withDefaults(), currentSchema); !errors.Is(err, errCheckFirst) {
		t.Errorf("opening before the check = %v, want %v", err, errCheckFirst)
	}
	if _, err := Open(dir, checkLater); !errors.Is(err, persistence.ErrIntegrity) || errors.Is(err, errCheckFirst) {
		t.Errorf("Open = %v, want ErrIntegrity", err)
	}
}

// A compaction reads tables that are not verified yet, and deletes them once they are.
func TestTablesAreCompactedBeforeTheyAreChecked(t *testing.T) {
	dir, ids := newLarge(t)
	tables := tablePaths(t, dir)
	s := openUnchecked(t, dir)
	compactTables(t, s)
	if failed := readEverything(t, s, ids); failed > 0 {
		t.Errorf("%d reads failed, want 0", failed)
	}
	runCheck(s)
	if err := s.Integrity(); err != nil {
		t.Errorf("Integrity = %v, want nil", err)
	}
	for _, path := range tables {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Stat of a compacted table after the check = %v, want ErrNotExist", err)
		}
	}
}

// Tables that are compacted before they are checked are checked before the others: reads of
// their rows verify all of a table.
func TestCompactedTablesAreCheckedFirst(t *testing.T) {
	dir := t.TempDir()
	s := openSmall(t, dir)
	random := rand.NewChaCha8([32]byte{})
	for n := range 200 {
		value := make([]byte, 40<<10) // which cannot be compressed
		_, _ = random.Read(value)
		batch := persistence.Batch{Puts: []persistence.Record{persistence.Setting{Name: fmt.Sprint(n), Value: value}}}
		if err := s.Commit(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check := openUnchecked(t, dir).check
	if len(check.byKey) < 3 {
		t.Fatalf("%d tables, want at least 3", len(check.byKey))
	}
	first, last := check.byKey[0], check.byKey[len(check.byKey)-1]
	last.compacted.Store(true)
	if err := check.verifyTo(first.smallest); err != nil {
		t.Fatal(err)
	}
	for _, table := range check.byKey {
		if got, want := table.verified.Load(), table == first || table == last; got != want {
			t.Errorf("table %d verified = %v, want %v", table.id, got, want)
		}
	}
}

// What a compaction misses in a damaged table is not absent.
func TestDamageIsFoundAfterACompaction(t *testing.T) {
	dir, ids := newLarge(t)
	blocks := blocksOf(t, dir)
	blocks[len(blocks)/3].flip(t)
	s := openUnchecked(t, dir)
	compactTables(t, s)
	readEverything(t, s, ids)
	runCheck(s)
	checkDamaged(t, s)
}

// Rows that the database has lost without a damaged block are missed by the background
// check, unless the log still has them. The loss can be accepted after the next Open.
func TestMissingRowsAreFoundInUse(t *testing.T) {
	dir, ids := newLarge(t)
	deleteOrder(t, dir, ids[len(ids)/2])
	s := openUnchecked(t, dir)
	if err := s.Backup(t.Context(), io.Discard); !errors.Is(err, errRows) || !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Backup before the check = %v, want ErrIntegrity", err)
	}
	runCheck(s)
	checkDamaged(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, checkLater)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Integrity(); !errors.Is(err, errRows) {
		t.Errorf("Integrity of the store that was opened again = %v, want %v", err, errRows)
	}
	if err := errors.Join(s.AcceptLoss(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	for opening := range 2 {
		s, err = Open(dir, checkLater)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Integrity(); err != nil || (s.check == nil) != (opening == 0) {
			t.Errorf("opening %d: Integrity = %v, checked first %v; want nil, and true for the first only", opening, err, s.check == nil)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Rows that the log still has are applied again before a large store is used: whether the
// database has lost some is not known then.
func TestLogIsAppliedAgainToALargeStore(t *testing.T) {
	dir, ids := newLarge(t)
	s := openSmall(t, dir)
	fence, err := s.TakeOwnership(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	commitClosed(t, s, fence, largeOrders, 1, smallComment)
	newer, err := orderIDs(t, s)
	if err := errors.Join(err, s.Close()); err != nil || len(newer) != len(ids)+1 {
		t.Fatalf("%d orders, %v; want %d", len(newer), err, len(ids)+1)
	}
	deleteOrder(t, dir, newer[0])
	warnings, messages := observer.New(zap.WarnLevel)
	o := checkLater.withDefaults()
	o.Logger = zap.New(warnings)
	if s, err = openOnce(dir, o, currentSchema); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if messages.Len() > 0 || s.check == nil {
		t.Errorf("warnings %v, checked first %v; want none, false: nothing is counted", messages.All(), s.check == nil)
	}
	if failed := readEverything(t, s, newer); failed > 0 {
		t.Errorf("%d reads failed, want 0", failed)
	}
	runCheck(s)
	if err := s.Integrity(); err != nil {
		t.Errorf("Integrity = %v, want nil", err)
	}
}

// A large store of an older schema, or that lacks a part of its log, is checked before it is
// used.
func TestStoreThatMustBeCheckedFirst(t *testing.T) {
	t.Run("an older schema", func(t *testing.T) {
		dir, ids := newLarge(t)
		older := schema{migrations: append(currentSchema.migrations, func(migrationTx, []byte) ([]byte, error) { return nil, nil })}
		s, err := openSchema(dir, checkLater, older)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		if failed := readEverything(t, s, ids); failed > 0 || s.check != nil {
			t.Errorf("%d reads failed, checked first %v; want 0, true", failed, s.check == nil)
		}
	})
	t.Run("no seal", func(t *testing.T) {
		dir, _ := newLarge(t)
		if err := os.Remove(dir + "/" + sealName); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir, checkLater)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		if err := s.Integrity(); !errors.Is(err, persistence.ErrIntegrity) || s.check != nil {
			t.Errorf("Integrity = %v, checked first %v; want ErrIntegrity, true", err, s.check == nil)
		}
	})
}

// A check that a lasting error of the system interrupts is tried again at growing intervals: each
// attempt reads all rows.
func TestInterruptedCheckPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		attempts := 0
		err := untilDone(ctx, func() error { attempts++; return unix.EACCES }, func(error, time.Duration) {})
		if !errors.Is(err, errCheckStopped) || attempts != 20 {
			t.Errorf("untilDone = %v after %d attempts in an hour; want %v after 20", err, attempts, errCheckStopped)
		}
	})
}

// A manifest that cannot be read is no damage: the check is tried again, and until then what a
// read depends on cannot be verified.
func TestCheckWaitsForTheManifest(t *testing.T) {
	dir, _ := newLarge(t)
	s := openUnchecked(t, dir)
	manifest := filepath.Join(dir, databaseName, badger.ManifestFilename)
	aside := filepath.Join(t.TempDir(), badger.ManifestFilename)
	if err := os.Rename(manifest, aside); err != nil {
		t.Fatal(err)
	}
	if err := s.check.verify(nil, nil); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("verify without the manifest = %v, want %v", err, persistence.ErrUnavailable)
	}
	warnings, messages := observer.New(zap.WarnLevel)
	s.log = zap.New(warnings, zap.Hooks(func(zapcore.Entry) error { return os.Rename(aside, manifest) }))
	runCheck(s)
	if err := s.Integrity(); err != nil || messages.Len() != 1 {
		t.Errorf("Integrity = %v, messages %v; want nil and one warning", err, messages.All())
	}
}

// Close ends a check that is running.
func TestCloseEndsTheCheck(t *testing.T) {
	dir, _ := newLarge(t)
	for range 10 {
		s, err := Open(dir, checkLater)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.Integrity(); err != nil {
			t.Errorf("Integrity after Close = %v, want nil", err)
		}
	}
}
