package badgerstore

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/skl"
	"github.com/dgraph-io/badger/v4/y"
)

// memTable holds the rows that some consecutive commit groups have changed, until they
// are written to the database. It keeps every version of a row, each with the number of
// its group, so that a reader sees the rows as of one group. One goroutine may write
// while others read.
type memTable struct {
	list *skl.Skiplist
	// room is what still fits, of size.
	room, size room
	// head is the ledger after the newest group.
	head ledger
}

// room is a number of rows and of their bytes.
type room struct{ rows, bytes int64 }

// Bounds of a memTable: it is written to the database in one transaction.
const (
	tableRowsMin = 256
	tableRowsMax = 8192
	// tableRowBytes is the size for each row.
	tableRowBytes = 160
	// rowBytesFixed is what a row takes in addition to key and value.
	rowBytesFixed = 32
)

// meta marks versions of a row: that there is no row, and that there was none before,
// in an older table or in the database.
const (
	metaDeleted byte = 1 << iota
	metaNew
)

// newMemTable returns a memTable for that many rows, with room for at least need.
func newMemTable(db *badger.DB, rows int64, need room) *memTable {
	most := transactionRoom(db)
	r := room{
		rows:  max(min(most.rows, rows), need.rows),
		bytes: max(min(most.bytes, rows*tableRowBytes), need.bytes),
	}
	return &memTable{list: skl.NewSkiplist(r.bytes + (r.rows+1)*int64(skl.MaxNodeSize+rowBytesFixed)), room: r, size: r}
}

// transactionRoom returns the room of one transaction of the database, without the
// ledger row that is added to it. badger counts from one and rejects the maximum.
func transactionRoom(db *badger.DB) room {
	return room{rows: db.MaxBatchCount() - 3, bytes: db.MaxBatchSize() - ledgerBytes - rowBytesFixed}
}

// used returns what is in the table.
func (t *memTable) used() room { return room{t.size.rows - t.room.rows, t.size.bytes - t.room.bytes} }

func (r room) fits(need room) bool { return need.rows <= r.rows && need.bytes <= r.bytes }

// add adds the changes of a group.
func (t *memTable) add(changes []change, head ledger) {
	var version [8]byte
	binary.BigEndian.PutUint64(version[:], math.MaxUint64-head.Seq)
	var key []byte // as y.KeyWithTs makes it; the list copies it
	for _, c := range changes {
		v := y.ValueStruct{Value: c.value}
		if c.value == nil {
			v.Meta |= metaDeleted
		}
		if c.isNew {
			v.Meta |= metaNew
		}
		key = append(append(key[:0], c.key...), version[:]...)
		t.list.Put(key, v)
	}
	need := sizeOf(changes)
	t.room.rows -= need.rows
	t.room.bytes -= need.bytes
	t.head = head
}

func sizeOf(changes []change) room {
	r := room{rows: int64(len(changes))}
	for _, c := range changes {
		r.bytes += int64(len(c.key) + len(c.value) + rowBytesFixed)
	}
	return r
}

func (t *memTable) empty() bool { return t.list.Empty() }

// get returns a row as of a group; value is nil if it was deleted. found is false if no
// group up to that one has changed it.
func (t *memTable) get(key []byte, seq uint64) (value []byte, found bool) {
	v := t.list.Get(y.KeyWithTs(key, seq))
	if v.Version == 0 {
		return nil, false
	}
	return rowValue(v), true
}

// rowValue returns the value of a version; nil if there is no row.
func rowValue(v y.ValueStruct) []byte {
	if v.Meta&metaDeleted != 0 {
		return nil
	}
	if v.Value == nil {
		return []byte{} // An empty value is a row.
	}
	return v.Value
}

// writeTo writes the newest version of each row to a transaction. A row that was added
// and deleted again is not written.
func (t *memTable) writeTo(txn *badger.Txn) error {
	it := t.list.NewIterator()
	defer func() { _ = it.Close() }() // It returns no error.
	for it.SeekToFirst(); it.Valid(); {
		key := y.ParseKey(it.Key())
		value, isNew := rowValue(it.Value()), false
		for it.Valid() && bytes.Equal(y.ParseKey(it.Key()), key) {
			isNew = it.Value().Meta&metaNew != 0 // that of the oldest version
			it.Next()
		}
		var err error
		switch {
		case value != nil:
			err = txn.Set(key, value)
		case !isNew:
			err = txn.Delete(key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tableCursor iterates over the rows of a memTable as of a group.
type tableCursor struct {
	table      *memTable
	seq        uint64
	it         *skl.Iterator
	descending bool
	current    []byte
	row        []byte
}

func newTableCursor(t *memTable, seq uint64, from, to []byte, descending bool) *tableCursor {
	c := &tableCursor{table: t, seq: seq, it: t.list.NewIterator(), descending: descending}
	switch {
	case !descending:
		c.it.Seek(y.KeyWithTs(from, math.MaxUint64))
	case to == nil:
		c.it.SeekToLast()
	default:
		// No version is newer than the maximum: this is the row before to.
		c.it.SeekForPrev(y.KeyWithTs(to, math.MaxUint64))
	}
	c.settle()
	return c
}

// settle moves on to a row that has a version as of the group.
func (c *tableCursor) settle() {
	for c.it.Valid() {
		key := y.ParseKey(c.it.Key())
		if value, found := c.table.get(key, c.seq); found {
			c.current, c.row = key, value
			return
		}
		c.skip(key)
	}
	c.current = nil
}

// skip moves past all versions of a row.
func (c *tableCursor) skip(key []byte) {
	for c.it.Valid() && bytes.Equal(y.ParseKey(c.it.Key()), key) {
		if c.descending {
			c.it.Prev()
		} else {
			c.it.Next()
		}
	}
}

func (c *tableCursor) key() []byte            { return c.current }
func (c *tableCursor) value() ([]byte, error) { return c.row, nil }
func (c *tableCursor) close()                 { _ = c.it.Close() }

func (c *tableCursor) next() {
	c.skip(c.current)
	c.settle()
}
