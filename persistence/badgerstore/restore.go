package badgerstore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// Restore makes a store from a backup, in a directory that is absent or empty.
// The store appears there whole or not at all: it is made beside the directory,
// read back and compared with the backup's ledger, synced, and renamed. It fails with
// persistence.ErrUnavailable if the disk is too full for it. Of a *bufio.Reader nothing
// is read behind the end of the backup.
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
	// Only an empty directory can be removed so.
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(scratch, dir); err != nil {
		return err
	}
	return syncDir(parent)
}

// checkAbsentOrEmpty keeps a restore from burying a store.
func checkAbsentOrEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("the directory holds %s", entries[0].Name())
	}
	return err
}

// build makes the database and its seal from a backup.
func build(dir string, r io.Reader, o Options) error {
	disk := newDiskGuard(dir, o.FreeBytesMin, o.stat)
	if err := disk.check(time.Now()); err != nil {
		return err
	}
	// One sync at the end instead of one for each transaction.
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
	return errors.Join(seal.reset(head), seal.close(), syncDir(dir))
}

// load writes the rows of a backup, as long as there is room, and reads them back.
func load(db *badger.DB, r io.Reader, disk *diskGuard) (ledger, error) {
	batch := db.NewWriteBatchAt(firstVersion)
	defer batch.Cancel()
	head, err := readBackup(r, func(key, value []byte) error {
		if err := disk.check(time.Now()); err != nil {
			return err
		}
		return batch.Set(key, value)
	})
	if err != nil {
		return ledger{}, err
	}
	if err := batch.Set(ledgerKey(head.seq), head.encode()); err != nil {
		return ledger{}, err
	}
	if err := batch.Flush(); err != nil {
		return ledger{}, err
	}
	found, err := inspect(db)
	if err != nil {
		return ledger{}, err
	}
	return head, errors.Join(found.fault, found.verifyRows())
}
