package badgerstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/dgraph-io/badger/v4"

	"venuegate/persistence/internal/wal"
)

// Until schema 3 there was no log. Every commit group had a ledger row in the
// database, chained to the one before by SHA-256, and the seal had the chain value of
// the newest one. This file verifies such a database once, before it is migrated, and
// reads backups of that time.

// legacyLedgers are the ledger rows of such a database, and what its rows add up to.
type legacyLedgers struct {
	newest  legacyLedger
	counted legacyLedger
	chain   map[uint64][sha256.Size]byte
	err     error
}

// legacyLedger describes the whole database after one commit group.
type legacyLedger struct {
	seq, rows uint64
	// sum is the sum of the hashes of all rows modulo 2^256.
	sum   [4]uint64
	chain [sha256.Size]byte
}

const legacyLedgerBytes = 8 + 8 + 32 + sha256.Size

func decodeLegacyLedger(data []byte) (legacyLedger, error) {
	if len(data) != legacyLedgerBytes {
		return legacyLedger{}, fmt.Errorf("a ledger row of %d bytes, want %d", len(data), legacyLedgerBytes)
	}
	l := legacyLedger{seq: binary.BigEndian.Uint64(data), rows: binary.BigEndian.Uint64(data[8:])}
	for i := range l.sum {
		l.sum[i] = binary.BigEndian.Uint64(data[16+8*i:])
	}
	l.chain = [sha256.Size]byte(data[48:])
	return l, nil
}

// follows reports whether the ledger row with that encoding follows another.
func (l *legacyLedger) follows(before legacyLedger, encoded []byte) bool {
	fields := bytes.Clone(encoded[:legacyLedgerBytes-sha256.Size])
	return l.seq == before.seq+1 && l.chain == sha256.Sum256(append(fields, before.chain[:]...))
}

func (l *legacyLedger) add(key, value []byte) {
	digest := sha256.New()
	digest.Write(binary.AppendUvarint(nil, uint64(len(key))))
	digest.Write(key)
	digest.Write(value)
	hash := digest.Sum(nil)
	var carry uint64
	for i := range l.sum {
		l.sum[i], carry = bits.Add64(l.sum[i], binary.LittleEndian.Uint64(hash[8*i:]), carry)
	}
	l.rows++
}

func (l *legacyLedgers) addRow(key, value []byte) { l.counted.add(key, value) }

// addLedger adds a ledger row and checks that it follows the previous one.
func (l *legacyLedgers) addLedger(key, value []byte) {
	row, err := decodeLegacyLedger(value)
	switch {
	case err != nil:
		l.err = err
		return
	case !bytes.Equal(key[len(ledgerKey):], binary.BigEndian.AppendUint64(nil, row.seq)):
		l.err = fmt.Errorf("ledger row %d has the key of another", row.seq)
	case l.chain != nil && !row.follows(l.newest, value):
		l.err = fmt.Errorf("ledger row %d does not follow row %d", row.seq, l.newest.seq)
	case l.chain == nil:
		l.chain = map[uint64][sha256.Size]byte{}
	}
	if l.chain != nil {
		l.chain[row.seq] = row.chain
	}
	l.newest = row
}

// head returns the ledger of the rows that were counted, if they are those of the newest
// ledger row.
func (l *legacyLedgers) head(counted ledger) (ledger, error) {
	counted.Position = wal.Position{Seq: l.newest.seq}
	if l.err == nil && (l.counted.rows != l.newest.rows || l.counted.sum != l.newest.sum) {
		l.err = fmt.Errorf("the database has %d rows, want %[3]d of commit %[2]d", l.counted.rows, l.newest.seq, l.newest.rows)
	}
	return counted, l.err
}

// verifySeal compares the ledger rows with a seal. One that is older than the oldest
// row belongs to another database.
func (l *legacyLedgers) verifySeal(s sealed) error {
	chain, found := l.chain[s.Seq]
	switch {
	case s.Seq == 0 && l.newest.seq == 0:
		return nil
	case s.Seq == 0 && l.chain[1] != [sha256.Size]byte{}:
		return nil // Nothing was sealed yet, and no ledger row is missing.
	case !found:
		return fmt.Errorf("the seal ends at commit %d, the database at %d", s.Seq, l.newest.seq)
	case chain != s.legacyChain:
		return fmt.Errorf("commit %d differs from the sealed one", s.Seq)
	}
	return nil
}

// staleRowsPerTransaction bounds the ledger rows that are deleted in one transaction.
const staleRowsPerTransaction = 1024

// setLedger writes the ledger row of a database and deletes those of older schemas,
// durably. If it is interrupted, the next opening continues: the first transaction has
// the new row.
func setLedger(db *badger.DB, head ledger, staleKeys [][]byte) error {
	version := db.MaxVersion()
	for first := true; first || len(staleKeys) > 0; first = false {
		some := staleKeys[:min(len(staleKeys), staleRowsPerTransaction)]
		staleKeys = staleKeys[len(some):]
		version++
		txn := db.NewTransactionAt(version-1, true)
		var err error
		if first {
			err = txn.Set(ledgerKey, head.encode())
		}
		for _, key := range some {
			err = errors.Join(err, txn.Delete(key))
		}
		if err == nil {
			err = txn.CommitAt(version, nil)
		}
		txn.Discard()
		if err != nil {
			return err
		}
	}
	return syncDatabase(db.Opts().Dir)
}
