package badgerstore

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"venuegate/persistence"
)

// inspection is what a database holds when it is opened.
type inspection struct {
	// kept are the ledger rows, oldest first, keys those of all of them,
	// readable or not.
	kept []ledger
	keys [][]byte
	// head is the newest ledger row; the zero ledger if there is none.
	head ledger
	// counted are the rows and their sum as they are.
	counted ledger
	// filter knows their keys.
	filter *keyFilter
	// fault is what is wrong with the ledger rows themselves.
	fault error
	// schema and generation are the values of their rows, nil if absent.
	schema     []byte
	generation []byte
	sealed     sealed
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
	err := snapshot{txn: txn}.Scan(nil, nil, false, func(key, value []byte) bool {
		if bytes.HasPrefix(key, ledgerPrefix) {
			found.keep(key, value)
			return true
		}
		found.counted.replace(key, nil, value)
		found.filter.add(key)
		switch {
		case bytes.Equal(key, schemaKey):
			found.schema = bytes.Clone(value)
		case bytes.Equal(key, generationKey):
			found.generation = bytes.Clone(value)
		}
		return true
	})
	if err != nil {
		return inspection{}, fmt.Errorf("read the database: %w", err)
	}
	if len(found.kept) > 0 {
		found.head = found.kept[len(found.kept)-1]
	}
	return found, nil
}

// keep takes one ledger row and checks that it follows the one before.
func (f *inspection) keep(key, value []byte) {
	f.keys = append(f.keys, bytes.Clone(key))
	row, err := decodeLedger(value)
	switch {
	case err != nil:
		f.fault = err
		return
	case !bytes.Equal(key, ledgerKey(row.seq)):
		f.fault = fmt.Errorf("ledger row %d is in the place of another", row.seq)
	case len(f.kept) > 0:
		before := f.kept[len(f.kept)-1]
		if row.seq != before.seq+1 || row.chain != chainValue(row, before.chain) {
			f.fault = fmt.Errorf("ledger row %d does not follow row %d", row.seq, before.seq)
		}
	}
	f.kept = append(f.kept, row)
}

// verify compares the database with its ledger and with its seal.
func (f *inspection) verify(s *seal) error {
	var sealErr error
	if f.sealed, sealErr = s.read(); errors.Is(sealErr, errUnsealed) && f.head.seq == 0 && f.counted.rows == 0 {
		// The seal of a new store did not become durable, nor did anything else.
		sealErr = s.reset(ledger{})
	}
	err := errors.Join(sealErr, f.fault, f.verifyRows(), f.verifySeal())
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", persistence.ErrIntegrity, err)
}

func (f *inspection) verifyRows() error {
	if f.counted.rows == f.head.rows && f.counted.sum == f.head.sum {
		return nil
	}
	return fmt.Errorf("the database has %d rows, commit %d left %d", f.counted.rows, f.head.seq, f.head.rows)
}

func (f *inspection) verifySeal() error {
	switch {
	case f.sealed.seq > f.head.seq:
		return fmt.Errorf("the database ends at commit %d, the seal at %d", f.head.seq, f.sealed.seq)
	case f.sealed.seq == 0 && f.head.seq <= ledgerRowsMax:
		return nil
	}
	for _, row := range f.kept {
		if row.seq == f.sealed.seq {
			if row.chain != f.sealed.chain {
				return fmt.Errorf("commit %d is not the one that was sealed", row.seq)
			}
			return nil
		}
	}
	return fmt.Errorf("the seal ends at commit %d, before the oldest ledger row", f.sealed.seq)
}
