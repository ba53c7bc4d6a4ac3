package badgerstore

import (
	"math"
	"sync"

	"github.com/dgraph-io/badger/v4"
)

// versions numbers the states of the database. badger would do so itself, but
// would show what is not synced yet, and tell readers and the writer of each
// other by goroutines of its own, whose turn every transaction awaits. So the
// store says which version a transaction reads (badger's managed mode): the
// newest durable one, whatever is being written meanwhile.
type versions struct {
	db *badger.DB

	mu sync.Mutex
	// durable is the newest version that is on the disk.
	durable uint64
	// readers counts who reads each version: compaction must leave it whole.
	readers map[uint64]int
}

// firstVersion is that of a database that was restored.
const firstVersion = 1

func newVersions(db *badger.DB) *versions {
	v := &versions{db: db, durable: db.MaxVersion(), readers: map[uint64]int{}}
	db.SetDiscardTs(v.durable)
	return v
}

// read begins to read what is durable; end must be called.
func (v *versions) read() (txn *badger.Txn, end func()) {
	v.mu.Lock()
	version := v.durable
	v.readers[version]++
	v.mu.Unlock()
	txn = v.db.NewTransactionAt(version, false)
	return txn, func() {
		txn.Discard()
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.readers[version]--; v.readers[version] == 0 {
			delete(v.readers, version)
		}
	}
}

// write begins the transaction of the next version. Only the writer does.
func (v *versions) write() *badger.Txn { return v.db.NewTransactionAt(v.newest(), true) }

// commit gives a transaction of write to badger, as the next version, which
// nobody reads before advance.
func (v *versions) commit(txn *badger.Txn) error { return txn.CommitAt(v.newest()+1, nil) }

// advance tells that the next version is durable, and lets go of those that
// nobody reads any more.
func (v *versions) advance() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.durable++
	oldest := v.durable
	for version := range v.readers {
		oldest = min(oldest, version)
	}
	v.db.SetDiscardTs(oldest)
}

func (v *versions) newest() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.durable
}

// readAll is a transaction that reads whatever is there, before anybody writes.
func readAll(db *badger.DB) *badger.Txn { return db.NewTransactionAt(math.MaxUint64, false) }
