package badgerstore

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"venuegate/persistence"
)

// diskCheckInterval is the time between checks while the disk is full.
const diskCheckInterval = time.Second

// freeFractionMin limits Options.FreeBytesMin to one tenth of a small file system.
const freeFractionMin = 10

// Required free bytes, in percent of Options.FreeBytesMin.
const (
	// acceptPercent is required for commits.
	acceptPercent = 100
	// resumePercent is required for commits after a rejection. Each rejection makes
	// owners reload, so the state of a nearly full disk must not alternate.
	resumePercent = 112
	// tablesPercent is required for badger to write its log to tables, as it does when
	// it is opened and closed.
	tablesPercent = 50
)

// diskSpace checks the free space of a file system. It is not safe for concurrent use.
type diskSpace struct {
	dir string
	// freeBytesMin below zero disables the check.
	freeBytesMin int64
	// rejectErr is the result of the last check, nil if there was enough space.
	rejectErr  error
	rejectedAt time.Time
	// stat is statFree, replaced in tests.
	stat diskStat
}

// diskStat returns the free and the total size of the file system of a directory.
type diskStat func(dir string) (freeBytes, totalBytes int64, err error)

func newDiskSpace(dir string, freeBytesMin int64, stat diskStat) *diskSpace {
	return &diskSpace{dir: dir, freeBytesMin: freeBytesMin, stat: stat}
}

func statFree(dir string) (freeBytes, totalBytes int64, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, 0, fmt.Errorf("stat the file system of %s: %w", dir, err)
	}
	return int64(fs.Bavail) * fs.Bsize, int64(fs.Blocks) * fs.Bsize, nil
}

// check returns nil if there is enough space for commits. As long as there is, it
// checks each time, because another process may fill the disk quickly.
func (g *diskSpace) check(now time.Time) error {
	switch {
	case g.rejectErr == nil:
		g.rejectErr, g.rejectedAt = g.require(acceptPercent), now
	case now.Sub(g.rejectedAt) >= diskCheckInterval:
		g.rejectErr, g.rejectedAt = g.require(resumePercent), now
	}
	return g.rejectErr
}

// require returns nil if that many percent of the required bytes are free. A file
// system whose state cannot be read counts as full.
func (g *diskSpace) require(percent int64) error {
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
