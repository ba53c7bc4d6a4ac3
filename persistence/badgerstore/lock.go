package badgerstore

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ErrLocked reports a store that another process, or another Store of this one,
// has open.
var ErrLocked = errors.New("the store is open elsewhere")

const lockName = "LOCK"

// acquireLock holds the store for this process until the file is closed. It is
// taken before the seal is read, which badger's own lock would be too late for.
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
