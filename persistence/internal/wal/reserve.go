package wal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"venuegate/persistence/internal/fsync"
)

// reservePrefix begins the names of the segments in reserve. A file without a number is
// not complete.
const reservePrefix = "reserve-"

// Reserve creates one more segment in reserve, unless there are as many as wanted. It
// reports whether it did. Its space is allocated, so that it can be filled on a full disk.
func Reserve(dir string, segmentBytes int64, wanted int) (created bool, err error) {
	paths, err := reserved(dir)
	if err != nil || len(paths) >= wanted {
		return false, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	incomplete := filepath.Join(dir, reservePrefix)
	file, err := os.OpenFile(incomplete, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return false, err
	}
	if err := fsync.Allocate(file, segmentBytes); err != nil {
		return false, errors.Join(err, file.Close(), os.Remove(incomplete))
	}
	if err := file.Close(); err != nil {
		return false, err
	}
	for n := 1; ; n++ {
		path := fmt.Sprintf("%s%03d", incomplete, n)
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			continue
		}
		return true, errors.Join(os.Rename(incomplete, path), fsync.Dir(dir))
	}
}

// Reserved returns the number of segments in reserve.
func Reserved(dir string) (int, error) {
	paths, err := reserved(dir)
	return len(paths), err
}

// reserved returns the paths of the segments in reserve.
func reserved(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var paths []string
	for _, e := range entries {
		if number, found := strings.CutPrefix(e.Name(), reservePrefix); found && number != "" {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// RemoveUnused removes the segments without records of a log that is not used any more.
func RemoveUnused(dir string) error {
	paths, err := reserved(dir)
	if err != nil {
		return err
	}
	for _, path := range append(paths, filepath.Join(dir, reservePrefix), filepath.Join(dir, spareName)) {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// UseReserve makes the log create no file any more, but use the segments in reserve; or
// ends that.
func (l *Log) UseReserve(only bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onlyReserve = only
}

// errReserveUsed reports that no segment in reserve is left.
var errReserveUsed = fmt.Errorf("no segment is left in reserve: %w", unix.ENOSPC)

// takeReserved returns a segment in reserve that has that size, under the name of a
// prepared one. The caller holds mu.
func (l *Log) takeReserved(size int64) (*os.File, error) {
	paths, err := reserved(l.dir)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.Size() != size {
			continue
		}
		spare := filepath.Join(l.dir, spareName)
		if err := os.Rename(path, spare); err != nil {
			return nil, err
		}
		return os.OpenFile(spare, os.O_RDWR, 0)
	}
	return nil, errReserveUsed
}
