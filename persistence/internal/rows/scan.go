package rows

import (
	"bytes"
	"context"
	"math"

	"venuegate/persistence"
)

// view calls read with a snapshot of an engine and returns its result.
func view[T any](ctx context.Context, engine Viewer, read func(Snapshot) (T, error)) (result T, err error) {
	err = engine.View(ctx, func(s Snapshot) (err error) {
		result, err = read(s)
		return err
	})
	return result, err
}

// lastRow returns a copy of the last row with a prefix, or ErrNotFound.
func lastRow(s Snapshot, prefix key) (row, error) {
	var last row
	err := s.Scan(prefix, prefix.end(), true, func(key, value []byte) bool {
		last = row{bytes.Clone(key), bytes.Clone(value)}
		return false
	})
	if err == nil && last.key == nil {
		err = persistence.ErrNotFound
	}
	return last, err
}

// noLimit is the limit of a list that must be complete.
const noLimit = math.MaxInt

// collect returns the results of read for the rows with from <= key < to, in the order of
// keys, at most limit.
func collect[T any](ctx context.Context, s Snapshot, from, to []byte, limit int, read func(key, value []byte) (T, error)) ([]T, error) {
	var items []T
	var failed error
	err := s.Scan(from, to, false, func(key, value []byte) bool {
		var item T
		if item, failed = read(key, value); failed != nil {
			return false
		}
		items = append(items, item)
		failed = ctx.Err()
		return failed == nil && len(items) < limit
	})
	return items, firstError(failed, err)
}

// firstError returns the first error that is not nil. A Scan callback that fails stops
// the scan, which then returns nil; its error comes first.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// customerAt returns the customer, as a key prefix, of the first row at or after from;
// nil if there is no row.
func customerAt(s Snapshot, from []byte) (key, error) {
	var prefix key
	var malformed error
	err := s.Scan(from, nil, false, func(k, _ []byte) bool {
		reader := keyReader{rest: k}
		reader.text()
		prefix, malformed = bytes.Clone(k[:len(k)-len(reader.rest)]), reader.err
		return false
	})
	return prefix, firstError(malformed, err)
}

// maxKey returns the greater of two keys.
func maxKey(a, b []byte) []byte {
	if bytes.Compare(a, b) > 0 {
		return a
	}
	return b
}
