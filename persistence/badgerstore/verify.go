package badgerstore

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"venuegate/persistence"
)

// inspection is the content of a database when it is opened.
type inspection struct {
	// ledgers are the valid ledger rows, oldest first. ledgerKeys are the keys of all
	// ledger rows.
	ledgers    []ledger
	ledgerKeys [][]byte
	// head is the newest ledger row; zero if there is none.
	head ledger
	// counted has the number of the rows found and the sum of their hashes.
	counted ledger
	// filter contains the keys of the rows found.
	filter *keyFilter
	// ledgerErr is the last error in the ledger rows.
	ledgerErr error
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
			found.addLedger(key, value)
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
	if len(found.ledgers) > 0 {
		found.head = found.ledgers[len(found.ledgers)-1]
	}
	return found, nil
}

// addLedger adds a ledger row and checks that it follows the previous one.
func (f *inspection) addLedger(key, value []byte) {
	f.ledgerKeys = append(f.ledgerKeys, bytes.Clone(key))
	row, err := decodeLedger(value)
	switch {
	case err != nil:
		f.ledgerErr = err
		return
	case !bytes.Equal(key, ledgerKey(row.seq)):
		f.ledgerErr = fmt.Errorf("ledger row %d has the key of another", row.seq)
	case len(f.ledgers) > 0:
		before := f.ledgers[len(f.ledgers)-1]
		if row.seq != before.seq+1 || row.chain != chainValue(row, before.chain) {
			f.ledgerErr = fmt.Errorf("ledger row %d does not follow row %d", row.seq, before.seq)
		}
	}
	f.ledgers = append(f.ledgers, row)
}

// verify compares the database with its ledger and with its seal.
func (f *inspection) verify(s *seal) error {
	var sealErr error
	if f.sealed, sealErr = s.read(); errors.Is(sealErr, errUnsealed) && f.head.seq == 0 && f.counted.rows == 0 {
		// A new store whose seal, like everything else, did not become durable.
		sealErr = s.reset(ledger{})
	}
	err := errors.Join(sealErr, f.ledgerErr, f.verifyRows(), f.verifySeal())
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", persistence.ErrIntegrity, err)
}

func (f *inspection) verifyRows() error {
	if f.counted.rows == f.head.rows && f.counted.sum == f.head.sum {
		return nil
	}
	return fmt.Errorf("the database has %d rows, want %[3]d of commit %[2]d", f.counted.rows, f.head.seq, f.head.rows)
}

func (f *inspection) verifySeal() error {
	switch {
	case f.sealed.seq > f.head.seq:
		return fmt.Errorf("the database ends at commit %d, the seal at %d", f.head.seq, f.sealed.seq)
	case f.sealed.seq == 0 && f.head.seq <= ledgerRowsMax:
		return nil
	}
	for _, row := range f.ledgers {
		if row.seq == f.sealed.seq {
			if row.chain != f.sealed.chain {
				return fmt.Errorf("commit %d differs from the sealed one", row.seq)
			}
			return nil
		}
	}
	return fmt.Errorf("the seal ends at commit %d, before the oldest ledger row", f.sealed.seq)
}
