//go:build !linux

package fsync

import (
	"errors"
	"os"
)

// syncContent makes the modification time durable as well. On macOS it also empties the cache of the
// drive, which fsync alone does not.
func syncContent(file *os.File) error { return file.Sync() }

func allocate(*os.File, int64) error { return errors.ErrUnsupported }
