package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// demoLockName is the file in the data directory that a demo locks while it runs. No other
// process locks it, so that demo stop cannot end one that is not a demo. It is not the file
// of the lock of the directory, because on some systems the two kinds of lock exclude each
// other.
const demoLockName = "demo.lock"

// errNoDemo is returned when no demo runs on a data directory.
var errNoDemo = errors.New("no demo runs on the data directory")

// lockDemo marks this process as the demo that runs on the directory, until Close.
func (d *dataDir) lockDemo() (err error) {
	if d.demo, err = os.OpenFile(d.file(demoLockName), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return fmt.Errorf("lock for the demo: %w", err)
	}
	// A lock whose owner the kernel reports to demoProcess. It does not exclude this process,
	// and ends if the process closes the file elsewhere.
	lock := recordLock()
	if err := unix.FcntlFlock(d.demo.Fd(), unix.F_SETLK, &lock); err != nil {
		return fmt.Errorf("lock for the demo: %w", err)
	}
	return nil
}

// recordLock returns an exclusive lock of a whole file.
func recordLock() unix.Flock_t {
	return unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
}

// demoProcess returns the process of the demo that runs on a data directory.
func demoProcess(dir string) (pid int, err error) {
	file, err := os.OpenFile(filepath.Join(dir, demoLockName), os.O_RDWR, 0)
	if err != nil {
		return 0, fmt.Errorf("%w %s", errNoDemo, dir)
	}
	defer func() { _ = file.Close() }() // only read
	lock := recordLock()
	if err := unix.FcntlFlock(file.Fd(), unix.F_GETLK, &lock); err != nil {
		return 0, fmt.Errorf("examine the lock of the demo on %s: %w", dir, err)
	}
	switch {
	case lock.Type == unix.F_UNLCK:
		return 0, fmt.Errorf("%w %s", errNoDemo, dir)
	case lock.Pid < 1:
		return 0, fmt.Errorf("the demo on %s runs in another container", dir)
	}
	return int(lock.Pid), nil
}
