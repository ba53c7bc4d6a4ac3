package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
)

func TestFullDiskRejectsCommitsUntilSpaceIsFree(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		free := diskWith(FreeBytesMinDefault)
		s := openOn(t, dir, free)
		size := 0
		commit := func() error {
			size++
			return s.Commit(t.Context(), setting("s", size))
		}
		if err := commit(); err != nil {
			t.Errorf("Commit with just enough space = %v, want nil", err)
		}
		free.Add(-1) // another process may fill the disk at any time
		time.Sleep(diskCheckInterval)
		if err := commit(); !errors.Is(err, persistence.ErrUnavailable) {
			t.Errorf("Commit on a full disk = %v, want ErrUnavailable", err)
		}
		if err := s.Commit(t.Context(), persistence.Batch{}); err != nil {
			t.Errorf("barrier on a full disk = %v, want nil", err)
		}
		if _, err := s.Setting(t.Context(), "s"); err != nil {
			t.Errorf("Setting on a full disk = %v, want nil", err)
		}
		free.Store(2 * FreeBytesMinDefault)
		time.Sleep(fullCheckInterval)
		if err := commit(); err != nil {
			t.Errorf("Commit with enough space again = %v, want nil", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// diskWith returns the number of free bytes of a disk, which may change.
func diskWith(freeBytes int64) *atomic.Int64 {
	free := &atomic.Int64{}
	free.Store(freeBytes)
	return free
}

// openOn opens a store on a disk with that many free bytes.
func openOn(t *testing.T, dir string, free *atomic.Int64) *Store {
	t.Helper()
	store, err := Open(dir, onDisk(free))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// onDisk returns the options of a store on a large disk with that many free bytes.
func onDisk(free *atomic.Int64) Options {
	return Options{MemTableBytes: memTableBytesMin, stat: func(string) (int64, int64, error) { return free.Load(), 1 << 40, nil }}
}

// The free space of a nearly full disk may cross the limit many times a second. Each
// rejection makes the owners reload, so there must be one only.
func TestNearlyFullDiskIsRejectedOnce(t *testing.T) {
	const needed = 80 << 20
	free := diskWith(needed)
	d := newDiskSpace("", needed, onDisk(free).stat)
	rejections, rejected := 0, false
	now := time.Now()
	for i := range 1000 {
		free.Store(needed + int64(i%2*2-1)<<20)
		err := d.check(now)
		if err != nil && !rejected {
			rejections++
		}
		rejected = err != nil
		now = now.Add(fullCheckInterval / 3)
	}
	if rejections != 1 || !rejected {
		t.Errorf("rejected %d times, last result rejected %t; want 1, true", rejections, rejected)
	}
	free.Store(2 * needed)
	if err := d.check(now.Add(fullCheckInterval)); err != nil {
		t.Errorf("check with enough space again = %v, want nil", err)
	}
}

func TestRequiredDiskSpace(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		min, free, total int64
		err              error
		rejected         bool
	}{
		{min: gib, free: gib, total: 100 * gib},
		{min: gib, free: gib - 1, total: 100 * gib, rejected: true},
		// On a small disk a tenth is enough.
		{min: gib, free: gib / 10, total: gib},
		{min: gib, free: gib/10 - 1, total: gib, rejected: true},
		{min: -1, free: 0, total: gib},
		{min: gib, err: os.ErrPermission, rejected: true},
	} {
		d := newDiskSpace("", c.min, func(string) (int64, int64, error) { return c.free, c.total, c.err })
		if err := d.check(time.Now()); errors.Is(err, persistence.ErrUnavailable) != c.rejected {
			t.Errorf("check with %+v = %v, want rejected %t", c, err, c.rejected)
		}
	}
	if free, total, err := statFree(t.TempDir()); err != nil || free <= 0 || total < free {
		t.Errorf("statFree = %d, %d, %v; want more than 0 free, at least as many in total, nil", free, total, err)
	}
}

// files returns the paths and sizes of the files below a directory.
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

// A new store needs space for badger to write tables, and a store without a reserve as
// much as its database needs to be opened.
func TestOpenOnAFullDiskIsRejected(t *testing.T) {
	free := diskWith(FreeBytesMinDefault*tablesPercent/100 - 1)
	if _, err := Open(t.TempDir(), onDisk(free)); !errors.Is(err, persistence.ErrDiskFull) {
		t.Errorf("Open of a new store on a full disk = %v, want ErrDiskFull", err)
	}
	dir := t.TempDir()
	free.Store(FreeBytesMinDefault) // too little to make the reserve
	s := openOn(t, dir, free)
	if err := errors.Join(s.Commit(t.Context(), setting("s", 10)), s.Close()); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	free.Store(openBytesFixed - 1)
	if _, err := Open(dir, onDisk(free)); !errors.Is(err, persistence.ErrDiskFull) {
		t.Errorf("Open on a full disk = %v, want ErrDiskFull", err)
	}
	if after := files(t, dir); !slices.Equal(after, before) {
		t.Errorf("files after the rejected Open: %q, want %q", after, before)
	}
	// Space that is not enough for commits can be enough to read.
	free.Store(FreeBytesMinDefault * tablesPercent / 100)
	s = openOn(t, dir, free)
	if _, err := s.Setting(t.Context(), "s"); err != nil {
		t.Errorf("Setting with space for reading only = %v, want nil", err)
	}
	if err := s.Commit(t.Context(), setting("s", 20)); !errors.Is(err, persistence.ErrDiskFull) {
		t.Errorf("Commit with space for reading only = %v, want ErrDiskFull", err)
	}
}

// On a full disk badger would be killed while it writes its log to tables. The next
// opening reads the log.
func TestCloseOnAFullDiskWritesNothing(t *testing.T) {
	dir := t.TempDir()
	free := diskWith(FreeBytesMinDefault)
	s := openOn(t, dir, free)
	if err := s.Commit(t.Context(), setting("s", 10)); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	free.Store(0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after := files(t, dir); !slices.Equal(after, before) {
		t.Errorf("files after Close: %q, want %q", after, before)
	}
	// This process still has the database open.
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("Open = %v, want ErrLocked", err)
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	next := openOn(t, copied, diskWith(roomyBytes))
	if _, err := next.Setting(t.Context(), "s"); err != nil || next.Integrity() != nil {
		t.Errorf("Setting after the next Open = %v, Integrity = %v; want nil", err, next.Integrity())
	}
	if err := errors.Join(s.db.Close(), s.lock.Close()); err != nil { // like the end of the process
		t.Error(err)
	}
}

// AcceptLoss fails if the disk is too full to seal the store.
func TestLossIsNotAcceptedOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	free := diskWith(FreeBytesMinDefault)
	s := openOn(t, dir, free)
	if err := errors.Join(s.Commit(t.Context(), setting("s", 10)), s.Close(), os.Remove(filepath.Join(dir, sealName))); err != nil {
		t.Fatal(err)
	}
	s = openOn(t, dir, free)
	free.Add(-1)
	time.Sleep(diskCheckInterval)
	if err := s.AcceptLoss(t.Context()); !errors.Is(err, persistence.ErrUnavailable) || s.Integrity() == nil {
		t.Errorf("AcceptLoss on a full disk = %v, Integrity = %v; want ErrUnavailable and ErrIntegrity", err, s.Integrity())
	}
	free.Store(2 * FreeBytesMinDefault)
	time.Sleep(fullCheckInterval)
	if err := errors.Join(s.AcceptLoss(t.Context()), s.Commit(t.Context(), setting("s", 20))); err != nil {
		t.Errorf("AcceptLoss and Commit with enough space again = %v, want nil", err)
	}
}

// A Restore that fills the disk fails and leaves no files.
func TestRestoreOnAFullDiskIsRejected(t *testing.T) {
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
	calls := 0
	o := Options{stat: func(string) (int64, int64, error) {
		calls++
		return FreeBytesMinDefault + 10 - int64(calls), 1 << 40, nil
	}}
	if err := restore(filepath.Join(parent, "store"), bytes.NewReader(backup.Bytes()), o); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("restore = %v, want ErrUnavailable", err)
	}
	if left := files(t, parent); len(left) > 0 {
		t.Errorf("files after the failed restore: %q, want none", left)
	}
}
