package badgerstore

import (
	"encoding/binary"
	"errors"
	"fmt"

	"venuegate/persistence/internal/rows"
)

// ErrSchemaNewer reports a store that a newer version of the program has
// written.
var ErrSchemaNewer = errors.New("the store has a newer schema than this program knows")

// migration does one step from one schema to the next, each within a transaction of
// its own, and gives where the one after it begins; nil is the end. The first begins
// at nil, and again if an opening was interrupted: it may find what has been done.
type migration func(tx migrationTx, from []byte) (next []byte, err error)

// migrationTx reads what was there before and what the migration has changed.
type migrationTx interface {
	rows.Tx
	rows.Snapshot
}

// schema says how rows lie in the database. A change to package rows that reads
// old rows differently needs a new version here.
type schema struct {
	// migrations[i] brings version i+1 to i+2; the current version is one more
	// than there are migrations.
	migrations []migration
}

// currentSchema is version 3.
var currentSchema = schema{migrations: []migration{
	// Version 2 differs in what was added alone: kinds of record, members of journal
	// rows and their index rows. A program of version 1 could not read it.
	func(migrationTx, []byte) ([]byte, error) { return nil, nil },
	// Version 3 tells in table o alone whether an order is closed.
	func(tx migrationTx, from []byte) ([]byte, error) { return rows.ForgetClosed(tx, from) },
}}

func (s schema) version() uint64 { return uint64(len(s.migrations)) + 1 }

// check refuses a store that is newer. One without a version is new, or has
// lost it, which the ledger shows.
func (s schema) check(found inspection) error {
	version, err := decodeCount(found.schema)
	if err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if version > s.version() {
		return fmt.Errorf("%w: version %d, this program knows %d", ErrSchemaNewer, version, s.version())
	}
	return nil
}

// opened writes what each opening writes: the migrations that are due, and the
// generation, by which fences of earlier openings are refused.
func (w *writer) opened(found inspection) error {
	version, err := decodeCount(found.schema)
	if err != nil {
		return err
	}
	for ; version != 0 && version < w.schema.version(); version++ {
		if err := w.migrate(w.schema.migrations[version-1], version); err != nil {
			return fmt.Errorf("migrate schema %d: %w", version, err)
		}
	}
	if w.generation, err = decodeCount(found.generation); err != nil {
		return err
	}
	w.generation++
	tx := w.begin(w.head)
	defer tx.txn.Discard()
	if version == 0 {
		err = tx.Replace(schemaKey, nil, encodeCount(w.schema.version()))
	}
	if err == nil {
		err = tx.Replace(generationKey, found.generation, encodeCount(w.generation))
	}
	if err == nil {
		err = w.write(tx)
	}
	return err
}

func (w *writer) migrate(m migration, version uint64) error {
	next, err := w.migrateStep(m, version, nil)
	for next != nil && err == nil {
		next, err = w.migrateStep(m, version, next)
	}
	return err
}

func (w *writer) migrateStep(m migration, version uint64, from []byte) (next []byte, err error) {
	tx := w.begin(w.head)
	defer tx.txn.Discard()
	if next, err = m(tx, from); err != nil {
		return nil, err
	}
	if next == nil {
		err = tx.Replace(schemaKey, encodeCount(version), encodeCount(version+1))
	}
	if err != nil || !tx.changed {
		return next, err
	}
	return next, w.write(tx)
}

// reseal makes the rows as they are the start of a new chain, above whatever the
// database and the seal had reached.
func (w *writer) reseal(found inspection) error {
	tx := w.begin(found.counted)
	defer tx.txn.Discard()
	for _, key := range found.keys {
		if err := tx.txn.Delete(key); err != nil {
			return err
		}
	}
	previous := found.head
	previous.seq = max(previous.seq, found.sealed.seq)
	if err := tx.seal(previous); err != nil {
		return err
	}
	if err := w.commitDurably(tx.txn); err != nil {
		return err
	}
	w.head = tx.ledger
	return w.seal.reset(w.head)
}

func encodeCount(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func decodeCount(value []byte) (uint64, error) {
	switch len(value) {
	case 0:
		return 0, nil
	case 8:
		return binary.BigEndian.Uint64(value), nil
	}
	return 0, fmt.Errorf("a count of %d bytes", len(value))
}
