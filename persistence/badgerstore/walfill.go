package badgerstore

import (
	"errors"
	"math"

	"golang.org/x/sys/unix"
)

const (
	// fillBytes is how much of a log is filled at a time: one commit in some
	// hundreds pays for it.
	fillBytes = 1 << 20
	// fillAheadBytes is how near badger may come to the end of what is filled.
	fillAheadBytes = 128 << 10
	// fillPieceBytes is a page. What is written at once may be kept in memory as one
	// piece, and of a mapped file, as badger's log is, a piece is synced whole.
	fillPieceBytes = 4 << 10
)

// fill writes zeros where badger will write next. badger makes a log as one hole, and
// to sync what is the first in a block the file system commits its journal, which
// waits for what others have written; what stands in a block that exists is synced
// alone. A hole reads as zeros, so nobody can tell that it is filled.
//
// Nothing but a hole is ever written to, and the file system says which that is. The
// writer fills between its commits: nobody else writes to a log. Where holes are not
// told, or there is no room, the log stays as badger made it.
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
		w.filled = math.MaxInt64 // this log is not tried again
	}
}

var errNoHole = errors.New("something is written behind the hole")

// hole is the next part of the log to fill, in whole pieces: behind it is nothing
// that was ever written.
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
