package badgerstore

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"venuegate/persistence"
)

// diskCheckInterval is how long a refusal counts.
const diskCheckInterval = time.Second

// freeFractionMin is the least free part of a file system on which
// Options.FreeBytesMin would be too much to ask: one tenth.
const freeFractionMin = 10

// What must be free, in percent of the mark that Options.FreeBytesMin sets.
const (
	takePercent = 100
	// takeAgainPercent is for commits after a refusal. Each refusal makes owners begin
	// anew: a disk that is about full must not be full and not full in turn.
	takeAgainPercent = 112
	// tablesPercent is for badger to make tables of its log, as it does when it is
	// opened and closed.
	tablesPercent = 50
)

// diskGuard says when the disk is too full to write. For one goroutine at a time.
type diskGuard struct {
	dir string
	// freeBytesMin below zero switches the guard off.
	freeBytesMin int64
	// refusal is what the last look found, nil if that was room.
	refusal   error
	refusedAt time.Time
	// stat is statfs, but for tests.
	stat diskStat
}

// diskStat looks at the file system of a directory.
type diskStat func(dir string) (freeBytes, totalBytes int64, err error)

func newDiskGuard(dir string, freeBytesMin int64, stat diskStat) *diskGuard {
	return &diskGuard{dir: dir, freeBytesMin: freeBytesMin, stat: stat}
}

func statFree(dir string) (freeBytes, totalBytes int64, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, 0, fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	return int64(fs.Bavail) * fs.Bsize, int64(fs.Blocks) * fs.Bsize, nil
}

// check is nil while there is room for commits. Where there was room it looks each
// time: another process may take all of it in no time.
func (g *diskGuard) check(now time.Time) error {
	switch {
	case g.refusal == nil:
		g.refusal, g.refusedAt = g.look(takePercent), now
	case now.Sub(g.refusedAt) >= diskCheckInterval:
		g.refusal, g.refusedAt = g.look(takeAgainPercent), now
	}
	return g.refusal
}

// look is nil where so many percent of the mark are free. A file system that cannot
// be looked at has no room.
func (g *diskGuard) look(percent int64) error {
	if g.freeBytesMin < 0 {
		return nil
	}
	free, total, err := g.stat(g.dir)
	if err != nil {
		return fmt.Errorf("%w: %w", persistence.ErrUnavailable, err)
	}
	if needed := min(g.freeBytesMin, total/freeFractionMin) * percent / 100; free < needed {
		return fmt.Errorf("%w: %d bytes are free on the disk, %d are needed", persistence.ErrUnavailable, free, needed)
	}
	return nil
}
