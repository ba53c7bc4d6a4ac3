package badgerstore

import (
	"errors"
	"math"

	"golang.org/x/sys/unix"
)

const (
	// fillBytes is the number of bytes that one fill writes, which lasts for some hundred
	// commits.
	fillBytes = 1 << 20
	// fillAheadBytes is the minimum distance between what badger has written and the end
	// of the filled part.
	fillAheadBytes = 128 << 10
	// fillPieceBytes is the size of a page. A larger write may become one folio of the
	// page cache, and a folio of a mapped file, such as badger's log, is synced whole.
	fillPieceBytes = 4 << 10
)

// fill writes zeros ahead of badger. badger creates a log as one hole. The first sync of
// a newly allocated block makes the file system commit its journal, which waits for
// writes of other processes; an allocated block is synced on its own. A hole reads as
// zeros, so filling does not change the content.
//
// Only a hole is written to, as reported by the file system. The writer fills between
// its commits, when nothing else writes to the log. If the file system does not report
// holes, or the disk is full, the log stays as it is.
func (w *wal) fill() {
	if w.written+fillAheadBytes <= w.filled {
		return
	}
	var zeros [fillPieceBytes]byte
	from, to, err := w.hole()
	for ; err == nil && from < to; from += fillPieceBytes {
		_, err = w.file.WriteAt(zeros[:], from)
	}
	w.filled = from
	if err != nil {
		w.filled = math.MaxInt64 // do not try this log again
	}
}

var errNoHole = errors.New("data after the hole")

// hole returns the next part of the log to fill, in whole pieces. It returns errNoHole
// if data follows the hole.
func (w *wal) hole() (from, to int64, err error) {
	log := int(w.file.Fd())
	size, err := unix.Seek(log, 0, unix.SEEK_END)
	if err != nil {
		return 0, 0, err
	}
	hole, err := unix.Seek(log, w.filled, unix.SEEK_HOLE)
	if err != nil {
		return 0, 0, err
	}
	if _, err := unix.Seek(log, hole, unix.SEEK_DATA); !errors.Is(err, unix.ENXIO) {
		return 0, 0, errors.Join(errNoHole, err)
	}
	from = (hole + fillPieceBytes - 1) / fillPieceBytes * fillPieceBytes
	return from, min(from+fillBytes, size/fillPieceBytes*fillPieceBytes), nil
}
