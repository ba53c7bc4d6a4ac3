package badgerstore

import (
	"bytes"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"venuegate/persistence"
	"venuegate/persistence/internal/wal"
)

// inspection is what a database holds when it is opened.
type inspection struct {
	// head is the ledger row; zero if there is none.
	head ledger
	// counted has the number and the hashes of the rows found.
	counted ledger
	// filter contains the keys of the rows found.
	filter *keyFilter
	// legacy describes a database of schema 3 or older; nil for later ones.
	legacy *legacyLedgers
	// staleKeys are the keys of ledger rows of older schemas.
	staleKeys [][]byte
	// schema is the value of its row, nil if absent.
	schema []byte
	// err is what the database itself shows of damage.
	err error
}

// inspect reads the whole database.
func inspect(db *badger.DB) (inspection, error) {
	stored := 0
	for _, table := range db.Tables() {
		stored += int(table.KeyCount)
	}
	found := inspection{filter: newKeyFilter(stored)}
	txn := readAll(db)
	defer txn.Discard()
	at := snapshot{view: &view{}, txn: txn}
	row, err := at.Get(ledgerKey)
	if err != nil {
		return inspection{}, fmt.Errorf("read the database: %w", err)
	}
	if row == nil {
		found.legacy = &legacyLedgers{}
	}
	err = at.Scan(nil, nil, false, func(key, value []byte) bool {
		found.add(key, value)
		return true
	})
	if err != nil {
		return inspection{}, fmt.Errorf("read the database: %w", err)
	}
	switch {
	case row != nil:
		found.head, found.err = decodeLedger(row)
	case found.counted.rows == 0 && len(found.staleKeys) == 0: // It is new.
		found.legacy = nil
	default:
		found.head, found.err = found.legacy.head(found.counted)
	}
	if found.err == nil && (found.counted.rows != found.head.rows || found.counted.hashSum != found.head.hashSum) {
		found.err = fmt.Errorf("the database has %d rows, want %[3]d of commit %[2]d", found.counted.rows, found.head.Seq, found.head.rows)
	}
	return found, nil
}

func (f *inspection) add(key, value []byte) {
	switch {
	case bytes.Equal(key, ledgerKey):
		return
	case bytes.HasPrefix(key, ledgerKey):
		f.staleKeys = append(f.staleKeys, bytes.Clone(key))
		if f.legacy != nil {
			f.legacy.addLedger(key, value)
		}
		return
	case bytes.Equal(key, schemaKey):
		f.schema = bytes.Clone(value)
	}
	f.counted.replace(key, nil, value)
	if f.legacy != nil {
		f.legacy.addRow(key, value)
	}
	f.filter.add(key)
}

// replay applies the groups of the log that are not in the database yet, and compares
// the log with the database and with the seal. It returns the end of the log, or of the
// database if that is later. Nothing is applied to a damaged database, whose rows the
// groups would not fit.
func (w *writer) replay(found inspection, s sealed) (wal.Position, error) {
	from, sums := found.head.Position, map[uint64]uint32{}
	for _, at := range []wal.Position{found.head.Position, s.Position} {
		sums[at.Seq] = at.Sum
		if at.Seq < from.Seq {
			from = at
		}
	}
	intact := found.err == nil
	end, err := wal.Read(w.logDir, from, func(at wal.Position, record []byte) error {
		if sum, known := sums[at.Seq]; known && sum != at.Sum {
			return fmt.Errorf("commit %d differs from the one in the database or in the seal", at.Seq)
		}
		if intact && at.Seq > found.head.Seq {
			return w.redo(at, record)
		}
		return nil
	})
	switch {
	case err != nil:
		err = fmt.Errorf("read the log: %w", err)
	case end.Seq < found.head.Seq:
		err = fmt.Errorf("the log ends at commit %d, the database at %d", end.Seq, found.head.Seq)
	case end.Seq < s.Seq:
		err = fmt.Errorf("the log ends at commit %d, the seal at %d", end.Seq, s.Seq)
	}
	if end.Seq < found.head.Seq {
		end = found.head.Position
	}
	return end, err
}

// redo applies one record of the log.
func (w *writer) redo(at wal.Position, record []byte) error {
	tx := w.begin()
	defer tx.end()
	record = bytes.Clone(record)
	after, err := decodeGroup(at, record, func(key, value []byte) error {
		old, err := tx.Get(key)
		if err != nil {
			return err
		}
		return tx.Replace(key, old, value)
	})
	if err != nil {
		return fmt.Errorf("commit %d: %w", at.Seq, err)
	}
	tx.ledger.Position = at
	if tx.ledger != after {
		return fmt.Errorf("%w: %d rows after commit %d, want %d", persistence.ErrIntegrity, tx.ledger.rows, at.Seq, after.rows)
	}
	return w.apply(tx, sizeOf(tx.changes))
}
