package badgerstore

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"venuegate/persistence/internal/wal"
)

// ledger describes all rows after one commit group. The database holds that of the
// newest group that was written to it, and each record of the log that of its group.
type ledger struct {
	// Position is that of the group's record in the log.
	wal.Position
	// rows is the number of rows and hashSum the sum of their hashes, both without the
	// engine's ledger row. They detect accidental damage only: somebody who can write
	// to the database can write a matching ledger too.
	rows, hashSum uint64
}

// hashRow returns the hash of a row. The length of the key is part of it, so that no
// byte can move between key and value.
func hashRow(key, value []byte) uint64 {
	var length [4]byte
	binary.BigEndian.PutUint32(length[:], uint32(len(key)))
	var h xxhash.Digest
	h.Reset()
	_, _ = h.Write(length[:]) // It returns no error.
	_, _ = h.Write(key)
	_, _ = h.Write(value)
	return h.Sum64()
}

// replace updates the ledger for a changed row; a nil value means no row.
func (l *ledger) replace(key, old, value []byte) {
	if old != nil {
		l.hashSum -= hashRow(key, old)
		l.rows--
	}
	if value != nil {
		l.hashSum += hashRow(key, value)
		l.rows++
	}
}

// errRows reports a database with other rows than those of its ledger.
var errRows = errors.New("rows are missing, altered or added")

// compare returns errRows unless the rows that were counted are those of a ledger.
func (l *ledger) compare(want ledger) error {
	if l.rows != want.rows || l.hashSum != want.hashSum {
		return fmt.Errorf("%w: %d rows after commit %d, want %d", errRows, l.rows, want.Seq, want.rows)
	}
	return nil
}

// ledgerBytes is the size of an encoded ledger: number, checksum, rows and sum.
const ledgerBytes = 8 + 4 + 8 + 8

func (l ledger) encode() []byte {
	out := make([]byte, 0, ledgerBytes)
	out = binary.BigEndian.AppendUint64(out, l.Seq)
	out = binary.BigEndian.AppendUint32(out, l.Sum)
	out = binary.BigEndian.AppendUint64(out, l.rows)
	return binary.BigEndian.AppendUint64(out, l.hashSum)
}

func decodeLedger(data []byte) (ledger, error) {
	if len(data) != ledgerBytes {
		return ledger{}, fmt.Errorf("a ledger row of %d bytes, want %d", len(data), ledgerBytes)
	}
	return ledger{
		Position: wal.Position{Seq: binary.BigEndian.Uint64(data), Sum: binary.BigEndian.Uint32(data[8:])},
		rows:     binary.BigEndian.Uint64(data[12:]), hashSum: binary.BigEndian.Uint64(data[20:]),
	}, nil
}

// Keys of the engine itself are two zero bytes, with which no key of a record begins,
// and a letter.
var (
	ledgerKey     = []byte{0, 0, 'l'}
	generationKey = []byte{0, 0, 'g'}
	schemaKey     = []byte{0, 0, 's'}
)
