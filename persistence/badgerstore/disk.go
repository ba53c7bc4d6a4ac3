package badgerstore

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"venuegate/persistence"
)

// diskCheckInterval is how long one look at the file system counts.
const diskCheckInterval = time.Second

// freeFractionMin is the least free part of a file system on which
// Options.FreeBytesMin would be too much to ask: one tenth.
const freeFractionMin = 10

// diskGuard says when the disk is too full to write. Only the writer uses it.
type diskGuard struct {
	dir string
	// freeBytesMin below zero switches the guard off.
	freeBytesMin int64
	checkedAt    time.Time
	refusal      error
	// stat is statfs, but for tests.
	stat func(dir string) (freeBytes, totalBytes int64, err error)
}

func newDiskGuard(dir string, freeBytesMin int64) *diskGuard {
	return &diskGuard{dir: dir, freeBytesMin: freeBytesMin, stat: statFree}
}

func statFree(dir string) (freeBytes, totalBytes int64, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, 0, fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	return int64(fs.Bavail) * fs.Bsize, int64(fs.Blocks) * fs.Bsize, nil
}

// check is nil while there is room. A file system that cannot be looked at has
// none.
func (g *diskGuard) check(now time.Time) error {
	if g.freeBytesMin < 0 {
		return nil
	}
	if g.checkedAt.IsZero() || now.Sub(g.checkedAt) >= diskCheckInterval {
		g.checkedAt = now
		g.refusal = g.look()
	}
	return g.refusal
}

func (g *diskGuard) look() error {
	free, total, err := g.stat(g.dir)
	if err != nil {
		return fmt.Errorf("%w: %w", persistence.ErrUnavailable, err)
	}
	if needed := min(g.freeBytesMin, total/freeFractionMin); free < needed {
		return fmt.Errorf("%w: %d bytes are free on the disk, %d are needed", persistence.ErrUnavailable, free, needed)
	}
	return nil
}
