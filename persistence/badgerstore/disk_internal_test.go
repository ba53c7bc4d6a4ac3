package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
)

func TestFullDiskRefusesAndRecovers(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		room := int64(FreeBytesMinDefault)
		s := openOn(t, dir, &room)
		size := 0
		commit := func() error {
			size++
			return s.Commit(t.Context(), setting("s", size))
		}
		if err := commit(); err != nil {
			t.Errorf("with just enough room: %v", err)
		}
		room-- // another process may take it in no time
		if err := commit(); !errors.Is(err, persistence.ErrUnavailable) {
			t.Errorf("without room: %v", err)
		}
		if err := s.Commit(t.Context(), persistence.Batch{}); err != nil {
			t.Errorf("a barrier without room: %v", err)
		}
		if _, err := s.Setting(t.Context(), "s"); err != nil {
			t.Errorf("reading without room: %v", err)
		}
		room = 2 * FreeBytesMinDefault
		time.Sleep(diskCheckInterval)
		if err := commit(); err != nil {
			t.Errorf("with room again: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// openOn opens a store on a disk that has so much room.
func openOn(t *testing.T, dir string, room *int64) *Store {
	t.Helper()
	store, err := Open(dir, onDisk(room))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// onDisk are the options of a store on a disk that is large and has so much room.
func onDisk(room *int64) Options {
	return Options{MemTableBytes: memTableBytesMin, stat: func(string) (int64, int64, error) { return *room, 1 << 40, nil }}
}

// A disk that is about full may be so and not so many times a second. Each time that
// commits are refused their owners begin anew.
func TestGuardDoesNotWaver(t *testing.T) {
	const needed = 80 << 20
	room := int64(needed)
	g := newDiskGuard("", needed, onDisk(&room).stat)
	refusals, refused := 0, false
	now := time.Now()
	for i := range 1000 {
		room = needed + int64(i%2*2-1)<<20
		err := g.check(now)
		if err != nil && !refused {
			refusals++
		}
		refused = err != nil
		now = now.Add(diskCheckInterval / 3)
	}
	if refusals != 1 || !refused {
		t.Errorf("refused %d times", refusals)
	}
	room = 2 * needed
	if err := g.check(now.Add(diskCheckInterval)); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func TestDiskGuard(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		min, free, total int64
		err              error
		refused          bool
	}{
		{min: gib, free: gib, total: 100 * gib},
		{min: gib, free: gib - 1, total: 100 * gib, refused: true},
		// A tenth of a small disk is enough.
		{min: gib, free: gib / 10, total: gib},
		{min: gib, free: gib/10 - 1, total: gib, refused: true},
		{min: -1, free: 0, total: gib},
		{min: gib, err: os.ErrPermission, refused: true},
	} {
		g := newDiskGuard("", c.min, func(string) (int64, int64, error) { return c.free, c.total, c.err })
		if err := g.check(time.Now()); errors.Is(err, persistence.ErrUnavailable) != c.refused {
			t.Errorf("%+v gave %v", c, err)
		}
	}
	if free, total, err := statFree(t.TempDir()); err != nil || free <= 0 || total < free {
		t.Errorf("statFree = %d, %d, %v", free, total, err)
	}
}

// files are the names and sizes of what is below a directory.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			found = append(found, fmt.Sprint(path, " ", info.Size()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// On a full disk badger would be killed while it makes its log.
func TestOpeningOnAFullDiskIsRefused(t *testing.T) {
	dir := t.TempDir()
	room := int64(FreeBytesMinDefault)
	s := openOn(t, dir, &room)
	if err := errors.Join(s.Commit(t.Context(), setting("s", 10)), s.Close()); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	room = FreeBytesMinDefault*tablesPercent/100 - 1
	if _, err := Open(dir, onDisk(&room)); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("opened without room: %v", err)
	}
	if after := files(t, dir); !slices.Equal(after, before) {
		t.Errorf("the refused opening left %q of %q", after, before)
	}
	// Where there is too little for commits there may be enough to read.
	room++
	s = openOn(t, dir, &room)
	if _, err := s.Setting(t.Context(), "s"); err != nil || !errors.Is(s.Commit(t.Context(), setting("s", 20)), persistence.ErrUnavailable) {
		t.Errorf("with room for reading alone: %v", err)
	}
}

// On a full disk badger would be killed while it makes tables of its log. What is in
// the log is found there by the next opening.
func TestClosingOnAFullDiskWritesNothing(t *testing.T) {
	dir := t.TempDir()
	room := int64(FreeBytesMinDefault)
	s := openOn(t, dir, &room)
	if err := s.Commit(t.Context(), setting("s", 10)); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	room = 0
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after := files(t, dir); !slices.Equal(after, before) {
		t.Errorf("closing has made %q of %q", after, before)
	}
	// This process has the database still open.
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("it was opened again: %v", err)
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	next := openSmall(t, copied)
	if _, err := next.Setting(t.Context(), "s"); err != nil || next.Integrity() != nil {
		t.Errorf("the next opening finds %v, %v", err, next.Integrity())
	}
	if err := errors.Join(s.db.Close(), s.lock.Close()); err != nil { // as the end of the process would
		t.Error(err)
	}
}

// A loss is not accepted where the store could not be sealed anew.
func TestLossIsNotAcceptedOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	room := int64(FreeBytesMinDefault)
	s := openOn(t, dir, &room)
	if err := errors.Join(s.Commit(t.Context(), setting("s", 10)), s.Close(), os.Remove(filepath.Join(dir, sealName))); err != nil {
		t.Fatal(err)
	}
	s = openOn(t, dir, &room)
	room--
	if err := s.AcceptLoss(t.Context()); !errors.Is(err, persistence.ErrUnavailable) || s.Integrity() == nil {
		t.Errorf("accepted without room: %v", err)
	}
	room *= 2
	time.Sleep(diskCheckInterval)
	if err := errors.Join(s.AcceptLoss(t.Context()), s.Commit(t.Context(), setting("s", 20))); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// A backup that is larger than the disk leaves nothing behind.
func TestRestoringOnAFullDiskIsRefused(t *testing.T) {
	s := openSmall(t, t.TempDir())
	for i := range 20 {
		if err := s.Commit(t.Context(), setting(fmt.Sprint(i), 40<<10)); err != nil {
			t.Fatal(err)
		}
	}
	var backup bytes.Buffer
	if err := s.Backup(t.Context(), &backup); err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	looks := 0
	o := Options{stat: func(string) (int64, int64, error) {
		looks++
		return FreeBytesMinDefault + 10 - int64(looks), 1 << 40, nil
	}}
	if err := restore(filepath.Join(parent, "store"), bytes.NewReader(backup.Bytes()), o); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("restored: %v", err)
	}
	if left := files(t, parent); len(left) > 0 {
		t.Errorf("it has left %q", left)
	}
}
