package badgerstore

import (
	"bytes"
	"errors"

	"github.com/dgraph-io/badger/v4"

	"venuegate/persistence/internal/rows"
)

// snapshot reads through one badger transaction.
type snapshot struct {
	txn    *badger.Txn
	filter *keyFilter
}

var _ rows.Snapshot = snapshot{}

// Get implements rows.Getter.
func (s snapshot) Get(key []byte) ([]byte, error) {
	if s.filter.lacks(key) {
		return nil, nil
	}
	item, err := s.txn.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// An empty value must not be nil, which means that there is no row.
	return item.ValueCopy([]byte{})
}

// LacksRequest implements rows.Snapshot.
func (s snapshot) LacksRequest(prefix []byte) bool { return s.filter.lacks(prefix) }

// Scan implements rows.Snapshot.
func (s snapshot) Scan(from, to []byte, descending bool, visit func(key, value []byte) bool) error {
	if to != nil && bytes.Compare(from, to) >= 0 {
		return nil
	}
	// Values are stored with their keys; prefetching would start a goroutine for each.
	it := s.txn.NewIterator(badger.IteratorOptions{Reverse: descending, Prefix: commonPrefix(from, to)})
	defer it.Close()
	for seekFirst(it, from, to, descending); it.Valid(); it.Next() {
		item := it.Item()
		key := item.Key()
		if outside(key, from, to, descending) {
			return nil
		}
		more := false
		err := item.Value(func(value []byte) error {
			more = visit(key, value)
			return nil
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// seekFirst moves the iterator to the first row. A descending seek may find the upper bound
// itself, which is not part of the range.
func seekFirst(it *badger.Iterator, from, to []byte, descending bool) {
	switch {
	case !descending:
		it.Seek(from)
	case to == nil:
		it.Rewind()
	default:
		it.Seek(to)
		if it.Valid() && bytes.Equal(it.Item().Key(), to) {
			it.Next()
		}
	}
}

func outside(key, from, to []byte, descending bool) bool {
	if descending {
		return bytes.Compare(key, from) < 0
	}
	return to != nil && bytes.Compare(key, to) >= 0
}

// commonPrefix returns the prefix of all keys of a range; badger opens only the tables
// that contain it.
func commonPrefix(from, to []byte) []byte {
	n := 0
	for n < len(from) && n < len(to) && from[n] == to[n] {
		n++
	}
	return from[:n]
}
