package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"venuegate/persistence"
)

// onSync replaces the sync of the logs; do runs on the writer's goroutine.
func onSync(s *Store, do func(log *os.File) error) {
	release := held(s)
	s.writer.wal.sync = do
	release()
}

// What a commit has answered was in the log when that was synced, and nobody could
// read it before. No test that kills a process can tell, because the kernel keeps
// what a dead process has written; a power cut would.
func TestWhatIsAnsweredWasSynced(t *testing.T) {
	s := openSmall(t, t.TempDir())
	first := s.wal.number
	var synced []byte
	var committing string
	onSync(s, func(log *os.File) (err error) {
		if _, err := s.Setting(t.Context(), committing); !errors.Is(err, persistence.ErrNotFound) {
			t.Errorf("%s was read before the sync: %v", committing, err)
		}
		synced, err = io.ReadAll(io.NewSectionReader(log, 0, 2*memTableBytesMin))
		return errors.Join(err, fdatasync(log))
	})
	for i := range 150 {
		name := fmt.Sprintf("commit %d ends", i)
		synced, committing = nil, name
		if err := s.Commit(t.Context(), setting(name, 40<<10)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(synced, []byte(name)) {
			t.Fatalf("commit %d is not in log %d, which was synced for it", i, s.wal.number)
		}
		if _, err := s.Setting(t.Context(), name); err != nil {
			t.Fatalf("commit %d cannot be read: %v", i, err)
		}
	}
	if s.wal.number < first+2 {
		t.Errorf("the log is number %d, was %d: none was ever full", s.wal.number, first)
	}
}

// A sync that failed ends writing: what is on the disk is not known any more.
func TestFailedSyncEndsWriting(t *testing.T) {
	dir := t.TempDir()
	s := openSmall(t, dir)
	if err := s.Commit(t.Context(), setting("before", 10)); err != nil {
		t.Fatal(err)
	}
	onSync(s, func(*os.File) error { return errors.New("input/output error") })
	for i, err := range submitAll(s, setting("a", 10), persistence.Batch{}, setting("b", 10)) {
		if !errors.Is(err, persistence.ErrOutcomeUnknown) {
			t.Errorf("batch %d of the failed group was answered %v", i, err)
		}
	}
	if err := s.Commit(t.Context(), setting("later", 10)); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("a batch after the failure was answered %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openSmall(t, dir)
	if err := errors.Join(s.Integrity(), s.Commit(t.Context(), setting("again", 10))); err != nil {
		t.Errorf("after opening anew: %v", err)
	}
}

// An earlier process may have been killed before it synced: the store that goes on
// from what it finds syncs all of it first.
func TestOpeningSyncsEveryLog(t *testing.T) {
	database := t.TempDir()
	for _, name := range []string{"00009.mem", "00010.mem", "100000.mem"} {
		if err := os.WriteFile(filepath.Join(database, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := &wal{database: database}
	var synced []string
	w.sync = func(log *os.File) error {
		synced = append(synced, filepath.Base(log.Name()))
		return nil
	}
	if err := w.open(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(synced)
	if want := []string{"00009.mem", "00010.mem", "100000.mem"}; !slices.Equal(synced, want) || w.number != 100000 {
		t.Errorf("synced %v, newest %d", synced, w.number)
	}
	if err := w.flush(); err != nil {
		t.Error(err)
	}
	// Whoever cannot tell whether there is a newer log has not synced it.
	w.next += strings.Repeat("x", 1<<10)
	if err := errors.Join(w.flush(), w.close()); err == nil {
		t.Error("a log that cannot be looked for was taken for absent")
	}
	if err := (&wal{database: t.TempDir(), sync: fdatasync}).open(); err == nil {
		t.Error("a database without a log was opened")
	}
}
