package badgerstore

import (
	"os"
	"slices"

	"venuegate/persistence/internal/rows"
)

// segmentBytesSmall is the size of the log's segments in most tests. Each opening fills two
// segments, and the next one reads them; it is more than a group of small rows takes.
const segmentBytesSmall = 256 << 10

// Small makes badger write tables and split groups early, the log have small segments, and
// the store keep no reserve for a full disk, whose 56 MB would be allocated for each store
// and copied with it.
func Small() Options {
	return Options{MemTableBytes: memTableBytesMin, FreeBytesMin: -1, segmentBytes: segmentBytesSmall}
}

// smallSyncing returns the options of a small store whose log is synced by do.
func smallSyncing(do func(log *os.File) error) Options {
	o := Small()
	o.syncLog = do
	return o
}

// AwaitCheck waits for the end of the background check, if there is one.
func (s *Store) AwaitCheck() {
	if s.check != nil {
		<-s.check.finished
	}
}

// OpenSchema4 opens a store as it is, without the migrations to schema 6.
func OpenSchema4(dir string, o Options) (*Store, error) {
	return openSchema(dir, o, schema{migrations: currentSchema.migrations[:3]})
}

// OpenStepping opens a store of schema 4. Each step of its migration changes at most
// rowsMax rows, and before is called before each.
func OpenStepping(dir string, o Options, rowsMax int, before func()) (*Store, error) {
	s := schema{migrations: slices.Clone(currentSchema.migrations)}
	s.migrations[4] = func(tx migrationTx, from []byte) ([]byte, error) {
		before()
		return rows.Compact(tx, from, rowsMax)
	}
	return openSchema(dir, o, s)
}
