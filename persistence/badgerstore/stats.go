package badgerstore

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"time"
)

// meter publishes what the writer's goroutine does. The zero value observes nothing.
type meter struct {
	observe func(batches int, took time.Duration)

	rejecting atomic.Bool
}

// note publishes whether the writer rejects all commits.
func (m *meter) note(rejectErr error) {
	if rejecting := rejectErr != nil; rejecting != m.rejecting.Load() {
		m.rejecting.Store(rejecting)
	}
}

func (m *meter) group(batches int, began time.Time) {
	if m.observe != nil {
		m.observe(batches, time.Since(began))
	}
}

// Reasons why a store rejects commits.
var (
	errDamaged   = errors.New("the store failed its integrity check")
	errRejecting = errors.New("an earlier commit failed; commits are rejected until the service is restarted")
	errDiskFull  = errors.New("the disk is full")
)

// Ready returns nil while the store takes commits, else the reason, which names no path.
func (s *Store) Ready() error {
	switch {
	case s.Integrity() != nil:
		return errDamaged
	case s.disk.full() != nil:
		return errDiskFull
	case s.writer.meter.rejecting.Load():
		return errRejecting
	}
	return nil
}

// IsChecking reports whether the tables of a large store are still verified while it is in
// use.
func (s *Store) IsChecking() bool { return s.check.isPending() }

// Usage is the space that a store uses, and what is left of its file system.
type Usage struct{ Bytes, FreeBytes int64 }

// Usage reads the sizes of the store's files and directories, as allocated on the disk:
// badger makes some of them larger than their content.
func (s *Store) Usage() (Usage, error) {
	free, _, err := s.disk.stat(s.dir)
	if err != nil {
		return Usage{}, err
	}
	u := Usage{FreeBytes: free}
	err = filepath.Walk(s.dir, func(_ string, info fs.FileInfo, err error) error {
		if err != nil {
			return ignoreMissing(err)
		}
		u.Bytes += allocatedBytes(info)
		return nil
	})
	return u, err
}

// ignoreMissing drops the error for a file that was removed meanwhile.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
