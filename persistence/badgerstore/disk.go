package badgerstore

import (
	"fmt"
	"io/fs"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"venuegate/persistence"
)

// Times between checks of the free space.
const (
	// diskCheckInterval applies while there is enough: FreeBytesMin is much more than
	// other processes write meanwhile.
	diskCheckInterval = 100 * time.Millisecond
	// fullCheckInterval applies while the disk is full.
	fullCheckInterval = time.Second
)

// freeShareDivisor limits Options.FreeBytesMin to one tenth of a small file system.
const freeShareDivisor = 10

// Required free bytes, in percent of Options.FreeBytesMin.
const (
	// acceptPercent is required for commits that may not use the reserve.
	acceptPercent = 100
	// resumePercent is required for them after a rejection, and stays free when the reserve
	// is made. Each rejection makes
	// owners reload, so the state of a nearly full disk must not alternate.
	resumePercent = 112
	// tablesPercent is required for badger to write its log to tables and to compact
	// them, as it does when it is opened and closed.
	tablesPercent = 50
)

// diskSpace checks the free space of a file system. Only require, floor and full are safe
// for concurrent use.
type diskSpace struct {
	dir string
	// freeBytesMin below zero disables the check.
	freeBytesMin int64
	// rejectErr is the result of the last check, nil if there was enough space.
	rejectErr error
	checkedAt time.Time
	// isFull is the result of the last check, for other goroutines.
	isFull atomic.Bool
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
	blockBytes := int64(fs.Bsize) // whose type depends on the system
	return int64(fs.Bavail) * blockBytes, int64(fs.Blocks) * blockBytes, nil
}

// allocatedBytes returns the bytes that a file takes on the disk, which are fewer than its size
// where it is sparse, as badger's logs are.
func allocatedBytes(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Blocks * allocationUnit
	}
	return info.Size()
}

// allocationUnit is the unit of the blocks that stat(2) counts, in bytes.
const allocationUnit = 512

// check returns nil if there was enough space for all commits at the last check, which may
// be one interval ago.
func (d *diskSpace) check(now time.Time) error {
	passed := now.Sub(d.checkedAt)
	switch {
	case d.rejectErr == nil && (d.checkedAt.IsZero() || passed >= diskCheckInterval):
		d.set(d.require(acceptPercent), now)
	case d.rejectErr != nil && passed >= fullCheckInterval:
		d.set(d.require(resumePercent), now)
	}
	return d.rejectErr
}

func (d *diskSpace) set(result error, now time.Time) {
	d.rejectErr, d.checkedAt = result, now
	d.isFull.Store(result != nil)
}

// reject rejects commits until the next check.
func (d *diskSpace) reject(reason error) { d.set(reason, d.checkedAt) }

// recheck makes the next check read the free space, after a write has failed.
func (d *diskSpace) recheck() { d.checkedAt = time.Time{} }

// full returns nil if there is enough space for all commits now: more than resumePercent while
// the last check had found too little, else more than acceptPercent.
func (d *diskSpace) full() error {
	if d.isFull.Load() {
		return d.require(resumePercent)
	}
	return d.require(acceptPercent)
}

// require returns nil if percent of the required bytes are free. A file system whose
// state cannot be read counts as full. It is safe for concurrent use.
func (d *diskSpace) require(percent int64) error {
	if d.freeBytesMin < 0 {
		return nil
	}
	free, floor, err := d.floor(percent)
	if err != nil {
		return fmt.Errorf("%w: %w", persistence.ErrDiskFull, err)
	}
	return d.compare(free, floor)
}

// compare returns nil if there are as many free bytes as needed.
func (d *diskSpace) compare(free, needed int64) error {
	if free < needed {
		return fmt.Errorf("%w: %d bytes are free, %d are needed", persistence.ErrDiskFull, free, needed)
	}
	return nil
}

// floor returns the free bytes, and percent of the required ones.
func (d *diskSpace) floor(percent int64) (free, floor int64, err error) {
	free, total, err := d.stat(d.dir)
	return free, min(d.freeBytesMin, total/freeShareDivisor) * percent / 100, err
}
