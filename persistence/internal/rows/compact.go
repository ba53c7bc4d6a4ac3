package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"venuegate/persistence"
)

// In schema 4 and older a value was a JSON object with the names of the fields, and index rows
// were written also for records that are found by their ids. Schema 5 is a store in the
// migration to 6, with rows of both forms.
const codecVersionJSON = 1

// compactBytesMax bounds the new values of one step of Compact, far below what a
// transaction of an engine takes.
const compactBytesMax = 128 << 10

// Compact is one step of the migration from schema 5 to 6, which encodes values again and
// deletes index rows that are not written any more. It changes about rowsMax rows at most.
// A row that cannot be decoded stays as it is, so that the others can be read; so do the rows
// of the engine, whose keys are none of this package.
// It starts at from (nil for the first step) and returns where the next step starts, nil
// after the last.
func Compact(tx interface {
	Tx
	Snapshot
}, from []byte, rowsMax int,
) (next []byte, err error) {
	var changed []compacted
	size := 0
	var failed error
	err = tx.Scan(from, nil, false, func(key, value []byte) bool {
		if len(changed) >= rowsMax || size >= compactBytesMax {
			next = bytes.Clone(key)
			return false
		}
		var c compacted
		var isOld bool
		if c, isOld, failed = compact(bytes.Clone(key), bytes.Clone(value)); isOld {
			changed = append(changed, c)
			size += len(c.key) + len(c.value)
		}
		if errors.Is(failed, persistence.ErrIntegrity) {
			failed = nil
		}
		return failed == nil
	})
	if err := firstError(failed, err); err != nil {
		return nil, err
	}
	for _, c := range changed {
		if err := tx.Replace(c.key, c.old, c.value); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// compacted is a row that Compact changes or, if value is nil, deletes.
type compacted struct{ key, old, value []byte }

// compact returns the change of a row, and reports whether there is one.
func compact(key, value []byte) (c compacted, isOld bool, err error) {
	c = compacted{key: key, old: value}
	reader := keyReader{rest: key}
	_ = reader.text()
	switch t := reader.table(); t {
	case tableRecord, tableEvent, tableJournal:
		if len(value) == 0 || value[0] != codecVersionJSON {
			return c, false, nil
		}
		c.value, err = recode(key, value)
		return c, err == nil, err
	default:
		isOld = isDerived(t, &reader)
		return c, isOld && reader.err == nil, nil
	}
}

// isDerived reports whether an index row is not written any more. The reader reads its key
// after the table.
func isDerived(t table, key *keyReader) bool {
	switch t {
	case tableOrderTime:
		ms := key.time().UnixMilli()
		return hasTime(key.text(), persistence.PrefixOrder, ms)
	case tableOrderClient:
		clientID := key.text()
		return hasClientID(key.text(), clientID)
	case tableFillTime:
		ms := key.time().UnixMilli()
		return hasTime(key.text(), persistence.PrefixFill, ms)
	case tableFillOrder:
		order := key.text()
		ms := key.time().UnixMilli()
		return hasFillOrder(order, ms, key.text())
	case tableEventID:
		id := key.text()
		return hasSequence(id, key.number())
	case tableJournalSubject:
		subject := key.text()
		return isNear(key.time().UnixMilli(), subject)
	default:
		return false // a table that has not changed
	}
}

// recode returns the value of a primary row for its value in JSON.
func recode(key, value []byte) ([]byte, error) {
	_, id, err := identify(key)
	if err != nil {
		return nil, err
	}
	decoded, err := decodePrimary(key, value)
	if err != nil {
		return nil, err
	}
	return encode(id, decoded.item)
}

// decodeJSON decodes a value in JSON, without its version. Such values are read before the
// migration if the store failed its integrity check.
func decodeJSON[T any](value []byte) (v T, err error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(&v); err == nil && decoder.InputOffset() != int64(len(value)) {
		err = fmt.Errorf("data after the object at %d", decoder.InputOffset())
	}
	if err != nil {
		var zero T
		return zero, fmt.Errorf("%w: decode %T: %w", persistence.ErrIntegrity, zero, err)
	}
	return v, nil
}
