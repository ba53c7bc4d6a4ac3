package badgerstore

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
	"go.uber.org/zap"

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
	// err is an error in the ledger rows.
	err error
}

// inspect reads the whole database.
func inspect(db *badger.DB) (inspection, error) {
	found := inspection{filter: newKeyFilter(storedRows(db))}
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
	found.counted.Position = found.head.Position
	found.filter.complete.Store(true)
	return found, nil
}

// storedRows returns about how many rows a database has.
func storedRows(db *badger.DB) (rows int) {
	for _, table := range db.Tables() {
		rows += int(table.KeyCount)
	}
	return rows
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
// database if that is later.
//
// badger may lose rows in a power failure that the log still has, because it is not
// synced: also older ones than it keeps, if it had begun another log. A record of the log
// has complete rows. If the rows are not those of the ledger, all that the log has is
// therefore applied again. So it is if the rows of the database are still to be counted.
func (w *writer) replay(found inspection, s sealed) (wal.Position, error) {
	if s.Seq == found.head.Seq && s.Sum != found.head.Sum {
		return found.head.Position, fmt.Errorf("commit %d differs from the sealed one", s.Seq)
	}
	from := found.head.Position
	if s.Seq < from.Seq {
		from = s.Position
	}
	above := found.head.Seq
	oldest, exists, oldestErr := wal.Oldest(w.logDir)
	if w.check != nil && exists && oldest.Seq < from.Seq {
		from, above = oldest, oldest.Seq
	}
	end, err := w.redo(from, above, found.head, s)
	if !errors.Is(err, errRows) {
		return end, err
	}
	if !exists || oldest.Seq >= end.Seq || w.diskFull {
		return end, errors.Join(err, oldestErr)
	}
	w.logger.Warn("the database lacks rows of the log, which is applied again", zap.Error(err))
	if err := w.recount(oldest); err != nil {
		return end, err
	}
	return w.redo(oldest, oldest.Seq, found.head, s)
}

// redo applies the records of the log after from whose numbers are above a bound.
func (w *writer) redo(from wal.Position, above uint64, database ledger, s sealed) (wal.Position, error) {
	want := database
	end, err := wal.Read(w.logDir, from, func(at wal.Position, record []byte) error {
		for _, known := range []wal.Position{database.Position, s.Position} {
			if at.Seq == known.Seq && at.Sum != known.Sum {
				return fmt.Errorf("commit %d differs from the one in the database or in the seal", at.Seq)
			}
		}
		if at.Seq <= above {
			return nil
		}
		var err error
		want, err = w.redoGroup(at, record)
		return err
	})
	got := w.views.latest().head
	switch {
	case err != nil:
		err = fmt.Errorf("read the log: %w", err)
	case end.Seq < database.Seq:
		err = fmt.Errorf("the log ends at commit %d, the database at %d", end.Seq, database.Seq)
	case end.Seq < s.Seq:
		err = fmt.Errorf("the log ends at commit %d, the seal at %d", end.Seq, s.Seq)
	default:
		want.Position = end
		err = got.compare(want)
	}
	if end.Seq < database.Seq {
		end = database.Position
	}
	return end, err
}

// redoGroup applies one record of the log and returns its ledger.
func (w *writer) redoGroup(at wal.Position, record []byte) (ledger, error) {
	tx := w.begin()
	defer tx.end()
	after, err := decodeGroup(at, record, func(key, value []byte) error {
		key = bytes.Clone(key)
		old, err := tx.Get(key)
		if err != nil {
			return err
		}
		return tx.Replace(key, old, bytes.Clone(value))
	})
	if err != nil {
		return ledger{}, fmt.Errorf("commit %d: %w", at.Seq, err)
	}
	if w.check != nil {
		tx.ledger = after // The database may have had other rows before.
	}
	tx.ledger.Position = at
	if err := w.apply(tx, sizeOf(tx.changes)); err != nil {
		return ledger{}, err
	}
	w.advance()
	return after, nil
}

// recount writes the rows in memory to the database and counts what it holds, as of a
// group from which the log is to be applied.
func (w *writer) recount(at wal.Position) error {
	if err := w.writeActive(); err != nil {
		return err
	}
	found, err := inspect(w.views.db)
	if err != nil {
		return err
	}
	found.counted.Position = at
	w.views.reset(found.counted)
	return nil
}

// writeActive writes the newest table to the database, without the flusher.
func (w *writer) writeActive() error {
	if !w.hasRows() {
		return nil
	}
	err := w.views.write(w.active)
	w.active = nil
	return err
}
