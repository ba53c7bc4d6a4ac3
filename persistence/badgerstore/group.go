package badgerstore

import (
	"encoding/binary"
	"errors"

	"venuegate/persistence/internal/rows"
	"venuegate/persistence/internal/wal"
)

// change is one changed row; a nil value deletes it. isNew reports that there was no
// row before.
type change struct {
	key, value []byte
	isNew      bool
}

// groupTx collects the changes of one commit group, and updates the ledger with every
// change. It reads the rows as the groups before it have left them, with its own
// changes; Scan does not see these.
type groupTx struct {
	snapshot
	end     func()
	ledger  ledger
	changes []change
	// index finds the change of a key.
	index map[string]int
	cache rows.RowCache
}

var _ rows.Tx = (*groupTx)(nil)

// begin starts a group after the newest one. It ends the one before: they share memory.
func (w *writer) begin() *groupTx {
	current, txn, end := w.views.read()
	if w.written != nil {
		ahead := *current
		ahead.head = *w.written
		current = &ahead
	}
	clear(w.changed)
	return &groupTx{
		snapshot: snapshot{current, txn, w.filter, w.check}, end: end, ledger: current.head,
		changes: w.changes[:0], index: w.changed, cache: w.cache,
	}
}

// Get implements rows.Getter.
func (g *groupTx) Get(key []byte) ([]byte, error) {
	if i, changed := g.index[string(key)]; changed {
		return g.changes[i].value, nil
	}
	return g.snapshot.Get(key)
}

// Cache implements rows.Tx.
func (g *groupTx) Cache() rows.RowCache { return g.cache }

// Replace implements rows.Tx.
func (g *groupTx) Replace(key, old, value []byte) error {
	g.ledger.replace(key, old, value)
	if value != nil {
		g.filter.add(key)
	}
	if i, changed := g.index[string(key)]; changed {
		g.changes[i].value = value
		return nil
	}
	g.index[string(key)] = len(g.changes)
	g.changes = append(g.changes, change{key, value, old == nil})
	return nil
}

// A record of the log is a commit group:
//
//	rows   8 bytes  number of rows after the group
//	sum    8 bytes  sum of their hashes
//	changes: key length, value length + 1 or zero for a deleted row, both as uvarints;
//	         key, value
const groupHeaderBytes = 16

// encode appends the record of the group.
func (g *groupTx) encode(out []byte) []byte {
	out = binary.BigEndian.AppendUint64(out, g.ledger.rows)
	out = binary.BigEndian.AppendUint64(out, g.ledger.hashSum)
	for _, c := range g.changes {
		out = binary.AppendUvarint(out, uint64(len(c.key)))
		if c.value == nil {
			out = append(append(out, 0), c.key...)
			continue
		}
		out = binary.AppendUvarint(out, uint64(len(c.value))+1)
		out = append(append(out, c.key...), c.value...)
	}
	return out
}

var errRecord = errors.New("a record of the log is not a commit group")

// decodeGroup calls replace for each change of a record, and returns the ledger after
// it. Key and value are part of the record.
func decodeGroup(at wal.Position, record []byte, replace func(key, value []byte) error) (ledger, error) {
	if len(record) < groupHeaderBytes {
		return ledger{}, errRecord
	}
	l := ledger{at, binary.BigEndian.Uint64(record), binary.BigEndian.Uint64(record[8:])}
	for record = record[groupHeaderBytes:]; len(record) > 0; {
		keyBytes, n := binary.Uvarint(record)
		if n <= 0 {
			return ledger{}, errRecord
		}
		valueBytes, m := binary.Uvarint(record[n:])
		if m <= 0 {
			return ledger{}, errRecord
		}
		record = record[n+m:]
		rest := uint64(len(record))
		if keyBytes > rest || max(valueBytes, 1)-1 > rest-keyBytes {
			return ledger{}, errRecord
		}
		key, value := record[:keyBytes], []byte(nil)
		record = record[keyBytes:]
		if valueBytes > 0 {
			value, record = record[:valueBytes-1], record[valueBytes-1:]
		}
		if err := replace(key, value); err != nil {
			return ledger{}, err
		}
	}
	return l, nil
}
