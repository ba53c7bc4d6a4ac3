package badgerstore

import (
	"bytes"
	"context"
	"errors"

	"github.com/dgraph-io/badger/v4"

	"venuegate/persistence/internal/rows"
)

// snapshot reads the rows as of one commit group: those in memory, and through one
// transaction those of the database.
type snapshot struct {
	view   *view
	txn    *badger.Txn
	filter *keyFilter
	// check verifies what is read of the database.
	check *tableCheck
}

// reading is the snapshot of a reader. Its first read of a row takes it, once all groups
// that are written are durable; a request id that the filter excludes costs neither.
type reading struct {
	ctx    context.Context // ends the wait
	writer *writer
	at     snapshot
	end    func()
}

var _ rows.Snapshot = (*reading)(nil)

func (r *reading) open() (snapshot, error) {
	if r.end != nil {
		return r.at, nil
	}
	views := r.writer.views
	if err := views.wait(r.ctx); err != nil {
		return snapshot{}, err
	}
	current, txn, end := views.read()
	r.at, r.end = snapshot{current, txn, r.writer.filter, r.writer.check}, end
	return r.at, nil
}

func (r *reading) close() {
	if r.end != nil {
		r.end()
	}
}

// Get implements rows.Getter.
func (r *reading) Get(key []byte) ([]byte, error) {
	at, err := r.open()
	if err != nil {
		return nil, err
	}
	return at.Get(key)
}

// Scan implements rows.Snapshot.
func (r *reading) Scan(from, to []byte, descending bool, visit func(key, value []byte) bool) error {
	at, err := r.open()
	if err != nil {
		return err
	}
	return at.Scan(from, to, descending, visit)
}

// LacksRequest implements rows.Snapshot.
func (r *reading) LacksRequest(prefix []byte) bool { return r.writer.filter.lacks(prefix) }

// Get implements rows.Getter.
func (s snapshot) Get(key []byte) ([]byte, error) {
	if s.filter.lacks(key) {
		return nil, nil
	}
	for _, t := range s.view.tables {
		if value, found := t.get(key, s.view.head.Seq); found {
			return value, nil
		}
	}
	item, err := s.item(key)
	if err := s.check.verify(key, key); err != nil {
		return nil, err
	}
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// An empty value must not be nil, which means that there is no row.
	return item.ValueCopy([]byte{})
}

func (s snapshot) item(key []byte) (item *badger.Item, err error) {
	defer s.check.guard(&err)
	return s.txn.Get(key)
}

// LacksRequest implements rows.Snapshot.
func (s snapshot) LacksRequest(prefix []byte) bool { return s.filter.lacks(prefix) }

// cursor iterates over rows in one direction.
type cursor interface {
	// key returns the current key, nil at the end. It is valid until next.
	key() []byte
	// value returns the current value; nil if the row was deleted.
	value() ([]byte, error)
	next()
	close()
}

// Scan implements rows.Snapshot. It merges the rows in memory with those of the
// database; of several rows with the same key the newest counts.
func (s snapshot) Scan(from, to []byte, descending bool, visit func(key, value []byte) bool) error {
	if to != nil && bytes.Compare(from, to) >= 0 {
		return nil
	}
	var cursors []cursor // newest first
	for _, t := range s.view.tables {
		if !t.empty() {
			cursors = append(cursors, newTableCursor(t, s.view.head.Seq, from, to, descending))
		}
	}
	database := newDatabaseCursor(s, from, to, descending)
	cursors = append(cursors, database)
	defer func() {
		for _, c := range cursors {
			c.close()
		}
	}()
	for {
		if err := database.verify(); err != nil {
			return err
		}
		c := first(cursors, descending)
		if c == nil || outside(c.key(), from, to, descending) {
			return nil
		}
		value, err := c.value()
		if err != nil {
			return err
		}
		if value != nil && !visit(c.key(), value) {
			return nil
		}
		for _, other := range cursors {
			if other != c && bytes.Equal(other.key(), c.key()) {
				other.next()
			}
		}
		c.next()
	}
}

// first returns the cursor with the next key, of equal ones the newest; nil at the end.
func first(cursors []cursor, descending bool) cursor {
	var best cursor
	for _, c := range cursors {
		switch {
		case c.key() == nil:
		case best == nil, !descending && bytes.Compare(c.key(), best.key()) < 0,
			descending && bytes.Compare(c.key(), best.key()) > 0:
			best = c
		}
	}
	return best
}

func outside(key, from, to []byte, descending bool) bool {
	if descending {
		return bytes.Compare(key, from) < 0
	}
	return to != nil && bytes.Compare(key, to) >= 0
}

// databaseCursor iterates over the rows of the database.
type databaseCursor struct {
	it *badger.Iterator
	// check verifies what the rows of the range depend on, one after the other: from and to
	// are what is left of it, and verified is set if that begins at the current row.
	check      *tableCheck
	from, to   []byte
	descending bool
	verified   bool
	// err ends the iteration: a block is unreadable.
	err error
}

func newDatabaseCursor(s snapshot, from, to []byte, descending bool) *databaseCursor {
	// Values are stored with their keys; prefetching would start a goroutine for each.
	it := s.txn.NewIterator(badger.IteratorOptions{Reverse: descending, Prefix: commonPrefix(from, to)})
	c := &databaseCursor{it: it, check: s.check, from: from, to: to, descending: descending}
	c.begin()
	return c
}

// begin moves to the first row of the range.
func (c *databaseCursor) begin() {
	defer c.check.guard(&c.err)
	switch {
	case !c.descending:
		c.it.Seek(c.from)
	case c.to == nil:
		c.it.Rewind()
	default:
		// A descending seek may find the upper bound itself, which is not in the range.
		c.it.Seek(c.to)
		if c.it.Valid() && bytes.Equal(c.it.Item().Key(), c.to) {
			c.it.Next()
		}
	}
}

// verify verifies the blocks up to the current row: without that, rows before it may have
// been missed. It is called before the row is used, and at the end of the range.
func (c *databaseCursor) verify() error {
	if c.err != nil {
		return c.err
	}
	if c.verified || !c.check.isPending() {
		return nil
	}
	c.verified = true
	from, to, key := c.from, c.to, c.key()
	if key == nil || outside(key, from, to, c.descending) {
		return c.check.verify(from, to)
	}
	if c.descending {
		from, c.to = key, bytes.Clone(key)
	} else {
		to, c.from = key, bytes.Clone(key)
	}
	return c.check.verify(from, to)
}

func (c *databaseCursor) key() []byte {
	if !c.it.Valid() {
		return nil
	}
	return c.it.Item().Key()
}

func (c *databaseCursor) value() (value []byte, err error) {
	err = c.it.Item().Value(func(v []byte) error {
		value = v
		if v == nil {
			value = []byte{} // An empty value is a row.
		}
		return nil
	})
	return value, err
}

func (c *databaseCursor) close() { c.it.Close() }

func (c *databaseCursor) next() {
	defer c.check.guard(&c.err)
	c.verified = false
	c.it.Next()
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
