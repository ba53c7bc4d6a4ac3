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

// onSync replaces the function that syncs logs with do, which is called in the writer's
// goroutine.
func onSync(s *Store, do func(log *os.File) error) {
	release := blockWriter(s)
	s.writer.wal.sync = do
	release()
}

// A confirmed commit was in the log when the log was synced, and was not visible before. A
// test that kills a process cannot detect a missing sync, because the kernel keeps what
// the process has written.
func TestConfirmedCommitWasSynced(t *testing.T) {
	s := openSmall(t, t.TempDir())
	first := s.wal.number
	var synced []byte
	var committing string
	onSync(s, func(log *os.File) (err error) {
		if _, err := s.Setting(t.Context(), committing); !errors.Is(err, persistence.ErrNotFound) {
			t.Errorf("Setting(%s) before the sync = %v, want ErrNotFound", committing, err)
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
			t.Fatalf("the synced log %d does not contain commit %d", s.wal.number, i)
		}
		if _, err := s.Setting(t.Context(), name); err != nil {
			t.Fatalf("Setting of commit %d = %v, want nil", i, err)
		}
	}
	if s.wal.number < first+2 {
		t.Errorf("the log has number %d, want at least %d: no log was full", s.wal.number, first+2)
	}
}

// A failed sync ends writing, because the state on the disk is unknown.
func TestFailedSyncEndsWriting(t *testing.T) {
	dir := t.TempDir()
	s := openSmall(t, dir)
	if err := s.Commit(t.Context(), setting("before", 10)); err != nil {
		t.Fatal(err)
	}
	onSync(s, func(*os.File) error { return errors.New("input/output error") })
	for i, err := range submitAll(s, setting("a", 10), persistence.Batch{}, setting("b", 10)) {
		if !errors.Is(err, persistence.ErrOutcomeUnknown) {
			t.Errorf("batch %d of the failed group = %v, want ErrOutcomeUnknown", i, err)
		}
	}
	if err := s.Commit(t.Context(), setting("later", 10)); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("Commit after the failure = %v, want ErrUnavailable", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openSmall(t, dir)
	if err := errors.Join(s.Integrity(), s.Commit(t.Context(), setting("again", 10))); err != nil {
		t.Errorf("Integrity and Commit after Open = %v, want nil", err)
	}
}

// An earlier process may have been killed before it synced, so Open syncs all logs
// before it writes.
func TestOpenSyncsEveryLog(t *testing.T) {
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
		t.Errorf("synced %v, newest log %d; want %v, 100000", synced, w.number, want)
	}
	if err := w.flush(); err != nil {
		t.Errorf("flush = %v, want nil", err)
	}
	// If it is unknown whether there is a newer log, flush must fail.
	w.next += strings.Repeat("x", 1<<10)
	if err := errors.Join(w.flush(), w.close()); err == nil {
		t.Error("flush with an unknown next log = nil, want an error")
	}
	if err := (&wal{database: t.TempDir(), sync: fdatasync}).open(); err == nil {
		t.Error("open of a database without a log = nil, want an error")
	}
}
