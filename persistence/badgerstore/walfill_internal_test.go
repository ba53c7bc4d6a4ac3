package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// openHole opens a log that is one hole, as badger creates it, except for text at the
// offsets.
func openHole(t *testing.T, size int64, offsets ...int64) *wal {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "00001.mem"))
	if err != nil {
		t.Fatal(err)
	}
	w := &wal{database: filepath.Dir(file.Name()), sync: fdatasync}
	w.setNewest(1, file)
	t.Cleanup(func() { _ = w.close() })
	err = file.Truncate(size)
	for _, at := range offsets {
		_, writeErr := file.WriteAt([]byte("written"), at)
		err = errors.Join(err, writeErr)
	}
	if err != nil {
		t.Fatal(err)
	}
	if end, err := unix.Seek(int(file.Fd()), size-1, unix.SEEK_DATA); !errors.Is(err, unix.ENXIO) {
		t.Skipf("this file system does not report holes: %d, %v", end, err)
	}
	return w
}

// firstHole returns the offset of the first block that is not allocated.
func firstHole(t *testing.T, w *wal) int64 {
	t.Helper()
	hole, err := unix.Seek(int(w.file.Fd()), 0, unix.SEEK_HOLE)
	if err != nil {
		t.Fatal(err)
	}
	return hole
}

func TestLogIsFilledAheadOfWrites(t *testing.T) {
	const size = 4 << 20
	w := openHole(t, size, 0)
	for at := int64(0); at < size; at += 10_000 {
		w.written = at
		w.fill()
		if hole := firstHole(t, w); hole < min(at+fillAheadBytes, size) || hole > at+fillAheadBytes+fillBytes+2*fillPieceBytes {
			t.Fatalf("filled up to %d with %d written, want %d to %d more", hole, at, fillAheadBytes, fillAheadBytes+fillBytes+2*fillPieceBytes)
		}
	}
	content, err := os.ReadFile(w.file.Name())
	if err != nil || len(content) != size || !bytes.Equal(bytes.TrimRight(content, "\x00"), []byte("written")) {
		t.Errorf("log of %d bytes, %d without trailing zeros, %v; want %d and %d", len(content), len(bytes.TrimRight(content, "\x00")), err, size, len("written"))
	}
}

// fill never overwrites data, even if the writer's estimate of it is wrong.
func TestFillOverwritesNoData(t *testing.T) {
	const size = 4 << 20
	offsets := []int64{0, fillBytes, 2*fillBytes + fillPieceBytes - 3, size - 7}
	for written := range offsets {
		w := openHole(t, size+fillBytes, offsets[:written+1]...)
		w.fill()
		w.written = size
		w.fill()
		content, err := os.ReadFile(w.file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range offsets[:written+1] {
			if string(content[at:at+7]) != "written" {
				t.Errorf("content at %d of %d = %q, want %q", at, offsets[:written+1], content[at:at+7], "written")
			}
		}
	}
}

// The log of a working store is filled ahead of the next commits.
func TestLogOfAStoreIsFilled(t *testing.T) {
	s := openSmall(t, t.TempDir())
	first := s.wal.number
	for i := range 100 {
		if err := s.Commit(t.Context(), setting(fmt.Sprint("commit ", i), 40<<10)); err != nil {
			t.Fatal(err)
		}
		release := blockWriter(s)
		hole, err := unix.Seek(int(s.wal.file.Fd()), 0, unix.SEEK_HOLE)
		if err != nil || hole < s.wal.written+fillAheadBytes {
			t.Errorf("after commit %d the log is filled to %d, %v; want at least %d", i, hole, err, s.wal.written+fillAheadBytes)
		}
		release()
	}
	if s.wal.number < first+1 {
		t.Errorf("the log has number %d, want at least %d: no log was full", s.wal.number, first+1)
	}
}
