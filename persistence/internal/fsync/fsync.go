// Package fsync makes files and their names durable.
package fsync

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// File makes the content of a file durable, including what was written through a memory
// mapping, and the metadata that is needed to read it. It does not sync the modification
// time, which would cost a second write. After an error a later call may succeed although
// pages were lost.
func File(file *os.File) error {
	for {
		if err := unix.Fdatasync(int(file.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Dir makes the names in a directory durable.
func Dir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
