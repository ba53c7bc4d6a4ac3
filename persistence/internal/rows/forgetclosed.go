package rows

import (
	"bytes"
)

// forgetRowsMax bounds the rows that one step of ForgetClosed changes.
const forgetRowsMax = 1024

// ForgetClosed is a step from schema 2 to 3: index rows of orders by time and by
// request id do not tell any more that an order is closed. It begins at from (nil is
// the beginning) and gives where to go on, nil at the end.
func ForgetClosed(tx interface {
	Tx
	Snapshot
}, from []byte,
) (next []byte, err error) {
	var told []row
	if told, next, err = toldClosed(tx, from); err != nil {
		return nil, err
	}
	for _, r := range told {
		f, err := decodeFacts(r.value)
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

// toldClosed finds the rows of one customer after the other that a step changes.
func toldClosed(s Snapshot, from []byte) (found []row, next []byte, err error) {
	if from == nil {
		from = firstCustomer
	}
	for {
		customer, err := customerAt(s, from)
		if customer == nil || err != nil {
			return found, nil, err
		}
		for _, t := range []table{tableOrderRequest, tableOrderTime} { // as their keys sort
			prefix := append(customer.clone(), byte(t))
			err := s.Scan(later(from, prefix), prefix.end(), false, func(key, value []byte) bool {
				if len(value) > 0 && value[0] == 1 {
					found = append(found, row{bytes.Clone(key), bytes.Clone(value)})
				}
				return len(found) < forgetRowsMax
			})
			if err != nil {
				return nil, nil, err
			}
			if len(found) == forgetRowsMax {
				return found, append(bytes.Clone(found[len(found)-1].key), 0), nil
			}
		}
		from = customer.end()
	}
}

func later(a, b []byte) []byte {
	if bytes.Compare(a, b) > 0 {
		return a
	}
	return b
}
