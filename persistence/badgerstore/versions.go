package badgerstore

import (
	"math"
	"sync"

	"github.com/dgraph-io/badger/v4"
)

// versions assigns the versions of the database (badger's managed mode): a transaction
// reads the newest durable version, even while a later one is being written. badger's own
// versions would make rows visible before they are synced, and would coordinate readers
// and the writer through goroutines on which every transaction waits.
type versions struct {
	db *badger.DB

	mu sync.Mutex
	// durable is the newest durable version.
	durable uint64
	// readers is the number of readers of each version, which compaction must keep.
	readers map[uint64]int
}

// firstVersion is the version of a restored database.
const firstVersion = 1

func newVersions(db *badger.DB) *versions {
	v := &versions{db: db, durable: db.MaxVersion(), readers: map[uint64]int{}}
	db.SetDiscardTs(v.durable)
	return v
}

// read returns a transaction that reads what is durable, until end is called.
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

// write returns the transaction of the next version. Only the writer calls it.
func (v *versions) write() *badger.Txn { return v.db.NewTransactionAt(v.newest(), true) }

// commit commits a transaction of write as the next version, which is not visible to
// readers before advance.
func (v *versions) commit(txn *badger.Txn) error { return txn.CommitAt(v.newest()+1, nil) }

// advance makes the next version visible to readers, and releases versions without
// readers to compaction.
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

// readAll returns a transaction that reads all versions, for use without a writer.
func readAll(db *badger.DB) *badger.Txn { return db.NewTransactionAt(math.MaxUint64, false) }
