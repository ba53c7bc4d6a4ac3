package badgerstore

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ErrLocked reports a store that is open in another process, or in another Store of
// this process.
var ErrLocked = errors.New("the store is open elsewhere")

const lockName = "LOCK"

// acquireLock locks the store for this process until the file is closed. badger's own
// lock would be taken too late: the seal is read before.
func acquireLock(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		err = ErrLocked
	case err == nil:
		return file, nil
	}
	return nil, errors.Join(err, file.Close())
}
