package rows

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"venuegate/persistence"
)

// A counter is a number that is stored per customer and never decreases: the epoch of
// ownership, and the highest sequence used. A missing row is zero.

func epochKey(customer string) key { return newKey(customer, tableEpoch) }

func sequenceKey(customer string) key { return newKey(customer, tableSequence) }

// currentNumber returns a counter. It is cached even if there is no row.
func currentNumber(tx Tx, k key) (uint64, error) {
	value, err := currentValue(tx, k)
	if err != nil {
		return 0, err
	}
	tx.Cache().put(entity{row: row{k, bytes.Clone(value)}}) // a copy: value may share memory with a larger buffer of the engine
	return decodeNumber(value)
}

// raiseNumber sets a counter to n, unless it is at least n already.
func raiseNumber(tx Tx, k key, n uint64) error {
	before, err := currentNumber(tx, k)
	if err != nil || before >= n {
		return err
	}
	var old []byte
	if before > 0 {
		old = encodeNumber(before)
	}
	value := encodeNumber(n)
	tx.Cache().put(entity{row: row{k, value}})
	return tx.Replace(k, old, value)
}

func encodeNumber(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func decodeNumber(value []byte) (uint64, error) {
	switch len(value) {
	case 0:
		return 0, nil
	case 8:
		return binary.BigEndian.Uint64(value), nil
	default:
		return 0, fmt.Errorf("%w: a number of %d bytes", persistence.ErrIntegrity, len(value))
	}
}
