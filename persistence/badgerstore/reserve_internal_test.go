package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/internal/wal"
)

// roomyBytes is enough for commits and to make the reserve.
const roomyBytes = 2*FreeBytesMinDefault + ReserveLogBytes + ReserveOpenBytes

// reserved returns a batch that may use the reserve.
func reserved(name string, size int) persistence.Batch {
	b := setting(name, size)
	b.Reserve = true
	return b
}

func TestFullDiskAcceptsCommitsFromTheReserve(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		free := diskWith(roomyBytes)
		s := openOn(t, dir, free)
		if err := s.Full(); err != nil {
			t.Errorf("Full with enough space = %v, want nil", err)
		}
		free.Store(0)
		time.Sleep(diskCheckInterval)
		_ = s.Commit(t.Context(), setting("other", 1)) // notices that the disk is full
		synctest.Wait()
		before := databaseFiles(t, dir)
		for i := range 50 {
			if err := s.Commit(t.Context(), reserved("s", 40<<10+i)); err != nil {
				t.Fatalf("Commit %d with Reserve on a full disk = %v, want nil", i, err)
			}
			if err := s.Commit(t.Context(), setting("other", i)); !errors.Is(err, persistence.ErrDiskFull) || !errors.Is(err, persistence.ErrUnavailable) {
				t.Errorf("Commit %d without Reserve on a full disk = %v, want ErrDiskFull", i, err)
			}
		}
		if err := s.Full(); !errors.Is(err, persistence.ErrDiskFull) {
			t.Errorf("Full on a full disk = %v, want ErrDiskFull", err)
		}
		if _, err := s.TakeOwnership(t.Context(), "alice"); err != nil {
			t.Errorf("TakeOwnership on a full disk = %v, want nil", err)
		}
		time.Sleep(2 * flushInterval)
		if after := databaseFiles(t, dir); !slices.Equal(after, before) {
			t.Errorf("files of the database on a full disk: %q, want %q", after, before)
		}
		if got, err := s.Setting(t.Context(), "s"); err != nil || len(got.Value) != 40<<10+49 {
			t.Errorf("Setting on a full disk has %d bytes, %v; want %d, nil", len(got.Value), err, 40<<10+49)
		}
		free.Store(roomyBytes)
		time.Sleep(fullCheckInterval + flushInterval) // without a commit
		if err := s.Full(); err != nil {
			t.Errorf("Full with enough space again = %v, want nil", err)
		}
		if err := errors.Join(s.Commit(t.Context(), setting("other", 7)), s.Close()); err != nil {
			t.Errorf("Commit and Close with enough space again = %v, want nil", err)
		}
	})
	s := openOn(t, dir, diskWith(roomyBytes))
	if got, err := s.Setting(t.Context(), "s"); err != nil || len(got.Value) != 40<<10+49 || s.Integrity() != nil {
		t.Errorf("after the next Open the setting has %d bytes, %v, Integrity = %v; want %d, nil, nil", len(got.Value), err, s.Integrity(), 40<<10+49)
	}
	if n, err := wal.Reserved(filepath.Join(dir, logName)); n != ReserveLogBytes/wal.SegmentBytesDefault || err != nil {
		t.Errorf("segments in reserve = %d, %v; want %d, nil", n, err, ReserveLogBytes/wal.SegmentBytesDefault)
	}
}

// The reserve takes what commits do not need, to the byte: first whole segments of the log, then
// a part of the file.
func TestReserveFillsTheSpareSpace(t *testing.T) {
	const segment, floor, whole = wal.SegmentBytesDefault, 1 << 20, 4 * wal.SegmentBytesDefault
	// On a disk of this size the reserve is two segments, and a file as large as both.
	stat := func(string) (int64, int64, error) { return 0, 2 * segment * freeShareDivisor, nil }
	dir := t.TempDir()
	r := &reserve{dir: dir, disk: newDiskSpace(dir, floor, stat)}
	for _, c := range []struct {
		spare, missing int64
		segments       int
	}{
		{spare: -1, missing: whole},
		{spare: 0, missing: whole},
		{spare: 5, missing: whole - 5},
		{spare: segment, missing: whole - 5 - segment, segments: 1},
		{spare: segment - 1, missing: whole - 4 - 2*segment, segments: 1},
		{spare: 3 * segment, segments: 2},
	} {
		missing, err := r.fillTo(floor+c.spare, floor)
		if segments, errReserved := wal.Reserved(r.logDir()); err != nil || errReserved != nil || missing != c.missing || segments != c.segments {
			t.Errorf("fillTo with %d bytes to spare = %d, %v, with %d segments, %v; want %d, nil, %d segments",
				c.spare, missing, err, segments, errReserved, c.missing, c.segments)
		}
	}
}

// databaseFiles returns the files of the database with their space: badger's logs are
// sparse.
func databaseFiles(t *testing.T, dir string) []string {
	t.Helper()
	found := files(t, filepath.Join(dir, databaseName))
	for i, entry := range found {
		var path string
		if _, err := fmt.Sscan(entry, &path); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		found[i] += fmt.Sprintf(" in %d", allocatedBytes(info))
	}
	return found
}

// Replies stay in the order of submission when only some batches of a group may use the
// reserve.
func TestFullDiskKeepsTheOrderOfReplies(t *testing.T) {
	free := diskWith(roomyBytes)
	s := openOn(t, t.TempDir(), free)
	free.Store(0)
	time.Sleep(diskCheckInterval)
	var got []string
	done := make(chan struct{})
	for i := range 30 {
		b := setting(fmt.Sprint(i), 10)
		b.Reserve = i%3 == 0
		if i%5 == 0 {
			b.Written = func() {}
		}
		s.Submit(b, func(err error) {
			got = append(got, fmt.Sprint(i, " ", err == nil))
			if i == 29 {
				close(done)
			}
		})
	}
	<-done
	free.Store(roomyBytes) // so that the store can be closed
	for i, reply := range got {
		if want := fmt.Sprint(i, " ", i%3 == 0); reply != want {
			t.Errorf("reply %d = %q, want %q", i, reply, want)
		}
	}
}

// killed returns a copy of an open store, as a kill of the process leaves it.
func killed(t *testing.T, dir string) string {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return copied
}

// A store is opened on a full disk again and again; nothing that it has confirmed is lost,
// and it continues once there is space.
func TestOpenWithoutFreeSpace(t *testing.T) {
	free := diskWith(roomyBytes)
	dir := t.TempDir()
	s := openOn(t, dir, free)
	if err := s.Commit(t.Context(), setting("s", 10)); err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		dir = killed(t, dir)
		free.Store(0)
		if round > 0 {
			// What the first opening has left. The logs of badger are not sparse in a copy.
			free.Store(openBytesFixed + 4*memTableBytesMin)
		}
		next, err := Open(dir, onDisk(free))
		if err != nil {
			t.Fatalf("Open %d on a full disk = %v, want nil", round, err)
		}
		t.Cleanup(func() { _, _, _ = next.Close(), next.db.Close(), next.lock.Close() }) // like the end of the process
		s = next
		if err := s.Commit(t.Context(), setting("other", 1)); !errors.Is(err, persistence.ErrDiskFull) {
			t.Errorf("Commit %d without Reserve = %v, want ErrDiskFull", round, err)
		}
		if got, err := s.Setting(t.Context(), "s"); err != nil || len(got.Value) != 10+round || s.Integrity() != nil {
			t.Errorf("after Open %d the setting has %d bytes, %v, Integrity = %v; want %d, nil, nil", round, len(got.Value), err, s.Integrity(), 10+round)
		}
		if err := s.Commit(t.Context(), reserved("s", 11+round)); err != nil {
			t.Errorf("Commit %d with Reserve = %v, want nil", round, err)
		}
	}
	free.Store(roomyBytes)
	time.Sleep(fullCheckInterval)
	if err := s.Commit(t.Context(), setting("s", 99)); err != nil {
		t.Errorf("Commit with enough space again = %v, want nil", err)
	}
	if o := s.db.Opts(); o.NumCompactors != compactors {
		t.Errorf("the database has %d compactors with enough space again, want %d", o.NumCompactors, compactors)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openOn(t, dir, diskWith(roomyBytes))
	if got, err := s.Setting(t.Context(), "s"); err != nil || len(got.Value) != 99 || s.Integrity() != nil {
		t.Errorf("at the end the setting has %d bytes, %v, Integrity = %v; want 99, nil, nil", len(got.Value), err, s.Integrity())
	}
}
