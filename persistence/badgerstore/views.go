package badgerstore

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/dgraph-io/badger/v4"
)

// view is the state of the rows after one commit group. It never changes.
type view struct {
	// head is the ledger after the group.
	head ledger
	// tables are the rows that are not in the database yet, newest first. They may
	// hold rows of later groups too.
	tables []*memTable
	// version is the version of the database that holds the older rows.
	version uint64
}

// views holds the view that readers get, and assigns the versions of the database
// (badger's managed mode). badger's own versions would coordinate readers and the writer
// through goroutines on which every transaction waits.
type views struct {
	db *badger.DB

	mu      sync.Mutex
	current *view
	// unsynced is closed when all groups that are written are durable; nil if they are.
	unsynced chan struct{}
	// readers is the number of readers of each version, which compaction must keep.
	readers map[uint64]int
}

// firstVersion is the version of a restored database.
const firstVersion = 1

func newViews(db *badger.DB, head ledger) *views {
	v := &views{db: db, current: &view{head: head, version: db.MaxVersion()}, readers: map[uint64]int{}}
	db.SetDiscardTs(v.current.version)
	return v
}

// setDatabase replaces the database, which has the same rows. There must be no readers.
func (v *views) setDatabase(db *badger.DB) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.db = db
	db.SetDiscardTs(v.current.version)
}

// reset replaces the view by the rows of the database as they are.
func (v *views) reset(head ledger) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.current = &view{head: head, version: v.db.MaxVersion()}
}

// hold makes readers wait for the next call of advance or release: a group is written
// and not durable.
func (v *views) hold() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.unsynced == nil {
		v.unsynced = make(chan struct{})
	}
}

// release ends the wait of readers; those groups do not become durable.
func (v *views) release() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.releaseLocked()
}

func (v *views) releaseLocked() {
	if v.unsynced != nil {
		close(v.unsynced)
		v.unsynced = nil
	}
}

// wait returns when all groups written so far are durable, or when ctx ends.
func (v *views) wait(ctx context.Context) error {
	v.mu.Lock()
	unsynced := v.unsynced
	v.mu.Unlock()
	if unsynced == nil {
		return nil
	}
	select {
	case <-unsynced:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read returns the current view and a transaction that reads its version of the
// database, until end is called.
func (v *views) read() (current *view, txn *badger.Txn, end func()) {
	v.mu.Lock()
	current = v.current
	v.readers[current.version]++
	v.mu.Unlock()
	txn = v.db.NewTransactionAt(current.version, false)
	return current, txn, func() {
		txn.Discard()
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.readers[current.version]--; v.readers[current.version] == 0 {
			delete(v.readers, current.version)
		}
	}
}

// latest returns the current view, for the writer and the flusher.
func (v *views) latest() *view {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.current
}

// advance makes the groups up to head visible, which are durable.
func (v *views) advance(head ledger) {
	v.mu.Lock()
	defer v.mu.Unlock()
	next := *v.current
	next.head = head
	v.current = &next
	v.releaseLocked()
}

// addTable adds a table, whose groups are later than those of all others.
func (v *views) addTable(t *memTable) {
	v.mu.Lock()
	defer v.mu.Unlock()
	next := *v.current
	next.tables = append([]*memTable{t}, v.current.tables...)
	v.current = &next
}

// write writes a table, the oldest one, to the database in one transaction, together
// with the ledger after its newest group.
func (v *views) write(t *memTable) error {
	version := v.latest().version + 1
	txn := v.db.NewTransactionAt(version-1, true)
	defer txn.Discard()
	err := t.writeTo(txn)
	if err == nil {
		err = txn.Set(ledgerKey, t.head.encode())
	}
	if err == nil {
		err = txn.CommitAt(version, nil)
	}
	if err != nil {
		return fmt.Errorf("write to the database: %w", err)
	}
	v.written(t, version)
	return nil
}

// written removes a table whose rows are in the database as of a version, and releases
// versions without readers to compaction.
func (v *views) written(t *memTable, version uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	next := *v.current
	next.tables = slices.DeleteFunc(slices.Clone(v.current.tables), func(other *memTable) bool { return other == t })
	next.version = version
	v.current = &next
	oldest := version
	for used := range v.readers {
		oldest = min(oldest, used)
	}
	v.db.SetDiscardTs(oldest)
}

// readAll returns a transaction that reads all versions, for use without a writer.
func readAll(db *badger.DB) *badger.Txn { return db.NewTransactionAt(math.MaxUint64, false) }
