package badgerstore

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// ledger describes the whole database after one commit group.
type ledger struct {
	// seq numbers the groups from 1.
	seq uint64
	// rows is the number of rows and sum the sum of their hashes, both without ledger
	// rows.
	rows uint64
	sum  rowSum
	// chain is a hash over the fields above and the chain of the previous group.
	chain [sha256.Size]byte
}

// rowSum is a sum of hashes modulo 2^256, from which the hash of a row can be
// subtracted. It detects accidental damage only: an attacker who can write to the
// database can write a matching ledger too.
type rowSum [4]uint64

func (s *rowSum) add(h rowSum) {
	var carry uint64
	for i := range s {
		s[i], carry = bits.Add64(s[i], h[i], carry)
	}
}

func (s *rowSum) subtract(h rowSum) {
	var borrow uint64
	for i := range s {
		s[i], borrow = bits.Sub64(s[i], h[i], borrow)
	}
}

// hashedBytes is the size of most rows with their keys, whose copy stays on the stack.
const hashedBytes = 2 << 10

func hashRow(key, value []byte) rowSum {
	buffer := make([]byte, 0, hashedBytes)
	buffer = binary.AppendUvarint(buffer, uint64(len(key)))
	buffer = append(append(buffer, key...), value...)
	digest := sha256.Sum256(buffer)
	var sum rowSum
	for i := range sum {
		sum[i] = binary.LittleEndian.Uint64(digest[8*i:])
	}
	return sum
}

// replace updates the ledger for a changed row; a nil value means no row.
func (l *ledger) replace(key, old, value []byte) {
	if old != nil {
		l.sum.subtract(hashRow(key, old))
		l.rows--
	}
	if value != nil {
		l.sum.add(hashRow(key, value))
		l.rows++
	}
}

// chainTo sets the number and the chain value of the group after previous.
func (l *ledger) chainTo(previous ledger) {
	l.seq = previous.seq + 1
	l.chain = chainValue(*l, previous.chain)
}

func chainValue(l ledger, previous [sha256.Size]byte) [sha256.Size]byte {
	return sha256.Sum256(append(l.encode()[:ledgerBytes-sha256.Size], previous[:]...))
}

// ledgerBytes is the size of an encoded ledger: number, rows, sum and chain.
const ledgerBytes = 8 + 8 + 32 + sha256.Size

func (l ledger) encode() []byte {
	out := make([]byte, 0, ledgerBytes)
	out = binary.BigEndian.AppendUint64(out, l.seq)
	out = binary.BigEndian.AppendUint64(out, l.rows)
	for _, part := range l.sum {
		out = binary.BigEndian.AppendUint64(out, part)
	}
	return append(out, l.chain[:]...)
}

func decodeLedger(data []byte) (ledger, error) {
	if len(data) != ledgerBytes {
		return ledger{}, fmt.Errorf("a ledger row of %d bytes, want %d", len(data), ledgerBytes)
	}
	l := ledger{seq: binary.BigEndian.Uint64(data), rows: binary.BigEndian.Uint64(data[8:])}
	for i := range l.sum {
		l.sum[i] = binary.BigEndian.Uint64(data[16+8*i:])
	}
	l.chain = [sha256.Size]byte(data[48:])
	return l, nil
}

// Keys of the engine itself are two zero bytes, with which no key of a record begins,
// and a letter.
var (
	ledgerPrefix  = []byte{0, 0, 'l'}
	ledgerEnd     = []byte{0, 0, 'l' + 1}
	generationKey = []byte{0, 0, 'g'}
	schemaKey     = []byte{0, 0, 's'}
)

func ledgerKey(seq uint64) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, len(ledgerPrefix)+8), ledgerPrefix...), seq)
}
