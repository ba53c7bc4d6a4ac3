package badgerstore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/dgraph-io/badger/v4"

	"venuegate/persistence/internal/fsync"
)

// Restore creates a store from a backup, in a directory that is absent or empty. The
// store appears there completely or not at all: it is written next to the directory,
// read back and compared with the ledger of the backup, synced, and renamed. A kill leaves
// what is not renamed, in a directory whose name begins with that of dir. Restore returns
// persistence.ErrUnavailable if the disk is too full. It does not read beyond the end of the
// backup if r is a *bufio.Reader.
func Restore(dir string, r io.Reader) error {
	if err := restore(dir, r, Options{}); err != nil {
		return fmt.Errorf("restore to %s: %w", dir, err)
	}
	return nil
}

func restore(dir string, r io.Reader, o Options) error {
	if err := checkAbsentOrEmpty(dir); err != nil {
		return err
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(parent, filepath.Base(dir)+".restoring-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	if err := build(scratch, r, o.withDefaults()); err != nil {
		return err
	}
	// Remove fails if the directory is not empty.
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(scratch, dir); err != nil {
		return err
	}
	return fsync.Dir(parent)
}

// checkAbsentOrEmpty keeps Restore from overwriting a store.
func checkAbsentOrEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("the directory contains %s", entries[0].Name())
	}
	return err
}

// build creates the database and its seal from a backup.
func build(dir string, r io.Reader, o Options) error {
	disk := newDiskSpace(dir, o.FreeBytesMin, o.stat)
	if err := disk.check(time.Now()); err != nil {
		return err
	}
	// The database is synced once at the end, not for each transaction.
	db, err := openBadger(o.badger(filepath.Join(dir, databaseName)))
	if err != nil {
		return err
	}
	head, err := load(db, r, disk)
	if err == nil {
		err = db.Sync()
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	seal, err := openSeal(dir)
	if err != nil {
		return err
	}
	return errors.Join(seal.reset(head.Position), seal.close(), fsync.Dir(dir))
}

// load writes the rows of a backup, as long as there is enough space, and verifies them.
func load(db *badger.DB, r io.Reader, disk *diskSpace) (ledger, error) {
	batch := db.NewWriteBatchAt(firstVersion)
	defer batch.Cancel()
	head, err := readBackup(r, func(key, value []byte) error {
		if err := disk.require(acceptPercent); err != nil {
			return err
		}
		return batch.Set(key, value)
	})
	if err != nil {
		return ledger{}, err
	}
	if err := batch.Set(ledgerKey, head.encode()); err != nil {
		return ledger{}, err
	}
	if err := batch.Flush(); err != nil {
		return ledger{}, err
	}
	found, err := inspect(db)
	if err != nil {
		return ledger{}, err
	}
	return head, found.err
}
