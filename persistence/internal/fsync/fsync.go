// Package fsync makes files and their names durable.
package fsync

import (
	"errors"
	"os"
)

// File makes the content of a file durable, including what was written through a memory
// mapping, and the metadata that is needed to read it. It need not sync the modification
// time, which would cost a second write. After an error a later call may succeed although
// pages were lost.
func File(file *os.File) error { return syncContent(file) }

// Dir makes the names in a directory durable.
func Dir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Allocate makes a file of at least that size durable whose blocks are allocated and read
// as zeros, so that writing to it needs no more space. A file system without such an
// operation gets zeros written.
func Allocate(file *os.File, size int64) error {
	err := allocate(file, size)
	if errors.Is(err, errors.ErrUnsupported) {
		err = fill(file, size)
	}
	if err != nil {
		return err
	}
	return file.Sync()
}

// zeroBytes is the size of one write of zeros.
const zeroBytes = 1 << 18

// fill extends a file with zeros.
func fill(file *os.File, size int64) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	zeros := make([]byte, zeroBytes)
	for at := info.Size(); at < size; at += zeroBytes {
		if _, err := file.WriteAt(zeros[:min(zeroBytes, size-at)], at); err != nil {
			return err
		}
	}
	return nil
}
