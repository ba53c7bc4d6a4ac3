package fsync

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func syncContent(file *os.File) error {
	for {
		if err := unix.Fdatasync(int(file.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// allocate returns an error that is errors.ErrUnsupported if the file system cannot.
func allocate(file *os.File, size int64) error {
	return unix.Fallocate(int(file.Fd()), 0, 0, size)
}
