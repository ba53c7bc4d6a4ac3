package storetest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/emirpasic/gods/trees/redblacktree"

	"venuegate/persistence/internal/rows"
)

// rowMap is an ordered map. It is not safe for concurrent use.
type rowMap struct{ tree *redblacktree.Tree }

var _ rows.Snapshot = (*rowMap)(nil)

func newRowMap() *rowMap { return &rowMap{redblacktree.NewWithStringComparator()} }

// Get implements rows.Getter.
func (m *rowMap) Get(key []byte) ([]byte, error) {
	value, found := m.tree.Get(string(key))
	if !found {
		return nil, nil
	}
	return value.([]byte), nil
}

// LacksRequest implements rows.Snapshot.
func (m *rowMap) LacksRequest(prefix []byte) bool {
	node, found := m.tree.Ceiling(string(prefix))
	return !found || !strings.HasPrefix(node.Key.(string), string(prefix))
}

// Scan implements rows.Snapshot.
func (m *rowMap) Scan(from, to []byte, descending bool, visit func(key, value []byte) bool) error {
	first, last := m.first(from), m.last(to)
	if first == nil || last == nil || first.Key.(string) > last.Key.(string) {
		return nil
	}
	node, end, more := first, last, (*redblacktree.Iterator).Next
	if descending {
		node, end, more = last, first, (*redblacktree.Iterator).Prev
	}
	for it := m.tree.IteratorAt(node); visit([]byte(it.Key().(string)), it.Value().([]byte)) && it.Key() != end.Key; {
		more(&it)
	}
	return nil
}

// first returns the first row that is not before from, or nil.
func (m *rowMap) first(from []byte) *redblacktree.Node {
	node, _ := m.tree.Ceiling(string(from))
	return node
}

// last returns the last row before to, or nil. A to of nil is behind all rows.
func (m *rowMap) last(to []byte) *redblacktree.Node {
	if to == nil {
		return m.tree.Right()
	}
	node, found := m.tree.Floor(string(to))
	if !found || node.Key.(string) != string(to) {
		return node
	}
	before := m.tree.IteratorAt(node)
	if !before.Prev() {
		return nil
	}
	return before.Node()
}

// set sets the value of a row; nil deletes the row.
func (m *rowMap) set(key, value []byte) {
	if value == nil {
		m.tree.Remove(string(key))
		return
	}
	m.tree.Put(string(key), value)
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
