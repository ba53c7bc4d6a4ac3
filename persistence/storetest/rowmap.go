package storetest

import (
	"bytes"
	"slices"
	"strings"

	"venuegate/persistence/internal/rows"
)

// rowMap is an ordered map in a sorted slice. It is not safe for concurrent use.
type rowMap struct{ entries []entry }

type entry struct {
	key   string
	value []byte
}

var _ rows.Snapshot = (*rowMap)(nil)

func (m *rowMap) search(key []byte) (int, bool) {
	return slices.BinarySearchFunc(m.entries, string(key), func(e entry, key string) int {
		return strings.Compare(e.key, key)
	})
}

// Get implements rows.Getter.
func (m *rowMap) Get(key []byte) ([]byte, error) {
	if i, found := m.search(key); found {
		return m.entries[i].value, nil
	}
	return nil, nil
}

// LacksRequest implements rows.Snapshot.
func (m *rowMap) LacksRequest(prefix []byte) bool {
	i, _ := m.search(prefix)
	return i == len(m.entries) || !strings.HasPrefix(m.entries[i].key, string(prefix))
}

// Scan implements rows.Snapshot.
func (m *rowMap) Scan(from, to []byte, descending bool, visit func(key, value []byte) bool) error {
	first, _ := m.search(from)
	end := len(m.entries)
	if to != nil {
		end, _ = m.search(to)
	}
	if first >= end {
		return nil
	}
	wanted := m.entries[first:end]
	for i := range wanted {
		e := wanted[i]
		if descending {
			e = wanted[len(wanted)-1-i]
		}
		if !visit([]byte(e.key), e.value) {
			return nil
		}
	}
	return nil
}

// set sets the value of a row; nil deletes the row.
func (m *rowMap) set(key, value []byte) {
	i, found := m.search(key)
	switch {
	case value == nil && found:
		m.entries = slices.Delete(m.entries, i, i+1)
	case value == nil:
	case found:
		m.entries[i].value = value
	default:
		m.entries = slices.Insert(m.entries, i, entry{string(key), value})
	}
}

// change is a replaced row with its old value, for undo.
type change struct{ key, old []byte }

// mapTx changes a rowMap and can undo its changes.
type mapTx struct {
	rows    *rowMap
	cache   rows.RowCache
	changes []change
}

var _ rows.Tx = (*mapTx)(nil)

// Get implements rows.Getter.
func (t *mapTx) Get(key []byte) ([]byte, error) { return t.rows.Get(key) }

// Cache implements rows.Tx.
func (t *mapTx) Cache() rows.RowCache { return t.cache }

// Replace implements rows.Tx. It panics if old is not the current value, which would
// invalidate the ledger of the embedded store.
func (t *mapTx) Replace(key, old, value []byte) error {
	if there, _ := t.rows.Get(key); !bytes.Equal(there, old) || (there == nil) != (old == nil) {
		panic("storetest: Replace with a wrong old value")
	}
	t.changes = append(t.changes, change{key, old})
	t.rows.set(key, value)
	return nil
}

func (t *mapTx) undo() {
	t.cache.Clear()
	for _, c := range slices.Backward(t.changes) {
		t.rows.set(c.key, c.old)
	}
}
