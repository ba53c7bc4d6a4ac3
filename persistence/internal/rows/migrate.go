package rows

import "bytes"

// clearRowsMax bounds the rows that one step of ClearClosed changes: each step is one
// transaction.
const clearRowsMax = 1024

// ClearClosed is one step of the migration from schema 2 to 3, which clears the
// closed flag in the index rows of orders by time and by request id. It starts at
// from (nil for the first step) and returns where the next step starts, nil after
// the last.
func ClearClosed(tx interface {
	Tx
	Snapshot
}, from []byte,
) (next []byte, err error) {
	var found []row
	if found, next, err = closedRows(tx, from); err != nil {
		return nil, err
	}
	for _, r := range found {
		f, err := decodeIndexFields(r.value)
		if err != nil {
			return nil, err
		}
		f.closed = false
		if err := tx.Replace(r.key, r.value, f.encode()); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// closedRows returns the rows with the closed flag from the key from on, at most
// clearRowsMax, and where the next step starts.
func closedRows(s Snapshot, from []byte) (found []row, next []byte, err error) {
	if from == nil {
		from = firstKey
	}
	for {
		customer, err := customerAt(s, from)
		if customer == nil || err != nil {
			return found, nil, err
		}
		for _, t := range []table{tableOrderRequest, tableOrderTime} { // in the order of their keys
			prefix := append(customer.clone(), byte(t))
			err := s.Scan(maxKey(from, prefix), prefix.end(), false, func(key, value []byte) bool {
				if len(value) > 0 && value[0] == 1 {
					found = append(found, row{bytes.Clone(key), bytes.Clone(value)})
				}
				return len(found) < clearRowsMax
			})
			if err != nil {
				return nil, nil, err
			}
			if len(found) == clearRowsMax {
				return found, append(bytes.Clone(found[len(found)-1].key), 0), nil
			}
		}
		from = customer.end()
	}
}
