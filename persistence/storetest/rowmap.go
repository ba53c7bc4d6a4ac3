package storetest

import (
	"bytes"
	"slices"
	"strings"

	"venuegate/persistence/internal/rows"
)

// rowMap is an ordered map in one sorted slice. It does no locking.
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

// NoRequest implements rows.Snapshot.
func (m *rowMap) NoRequest(shared []byte) bool {
	i, _ := m.search(shared)
	return i == len(m.entries) || !strings.HasPrefix(m.entries[i].key, string(shared))
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

// set changes one row; a nil value deletes it.
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

// change is one row replaced, kept to take it back.
type change struct{ key, old []byte }

// mapTx changes a rowMap and can take the changes back.
type mapTx struct {
	rows    *rowMap
	known   rows.Known
	changes []change
}

var _ rows.Tx = (*mapTx)(nil)

// Get implements rows.Getter.
func (t *mapTx) Get(key []byte) ([]byte, error) { return t.rows.Get(key) }

// Known implements rows.Tx.
func (t *mapTx) Known() rows.Known { return t.known }

// Replace implements rows.Tx. A caller that is wrong about what was there would
// break the embedded store's checksum, so it breaks tests here.
func (t *mapTx) Replace(key, old, value []byte) error {
	if there, _ := t.rows.Get(key); !bytes.Equal(there, old) || (there == nil) != (old == nil) {
		panic("storetest: a row was replaced that is not what the caller read")
	}
	t.changes = append(t.changes, change{key, old})
	t.rows.set(key, value)
	return nil
}

func (t *mapTx) undo() {
	t.known.Clear()
	for _, c := range slices.Backward(t.changes) {
		t.rows.set(c.key, c.old)
	}
}
