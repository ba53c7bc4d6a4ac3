package badgerstore

import (
	"cmp"
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"go.uber.org/zap"
)

// Limits of the writer.
const (
	// QueueBatchesMax and QueueBytesMax bound what waits for the writer; beyond
	// them a batch is answered ErrUnavailable at once.
	QueueBatchesMax = 8192
	QueueBytesMax   = 32 << 20
	// GroupBatchesMax and GroupBytesMax bound one transaction.
	GroupBatchesMax = 256
	GroupBytesMax   = 1 << 20
	// gatherPauseMax bounds how many groups the writer begins at once after it has
	// yielded and nobody came.
	gatherPauseMax = 255
	// knownBytesMax bounds the rows that the writer keeps so that it need not read
	// them again.
	knownBytesMax = 4 << 20
)

// Bounds of the distance between the database and its seal.
const (
	// ledgerRowsMax is how many ledger rows are kept.
	ledgerRowsMax = 4096
	// sealSyncGroups and sealSyncInterval are how long the seal may stay
	// unsynced; the first must be well below ledgerRowsMax.
	sealSyncGroups   = 1024
	sealSyncInterval = time.Second
)

// Defaults of Options.
const (
	FreeBytesMinDefault  = 256 << 20
	MemTableBytesDefault = 16 << 20
)

// Options of a store. The zero value is usable.
type Options struct {
	// Logger hears of openings, refusals and badger's own warnings; nil is
	// silence.
	Logger *zap.Logger
	// FreeBytesMin refuses commits while fewer bytes are free in the file
	// system of the store. Zero is FreeBytesMinDefault, a negative value
	// switches the guard off. On a disk so small that a tenth of it is less,
	// the tenth counts. To open the store half of it must be free.
	FreeBytesMin int64
	// MemTableBytes is how much is kept in memory before it becomes a table:
	// it bounds memory, the log that an opening replays and, at 15 %, the
	// largest transaction. Zero is MemTableBytesDefault, the least is 2 MiB.
	MemTableBytes int64

	stat diskStat // statfs, but for tests
}

const memTableBytesMin = 2 << 20

// Validate names the first field that is out of bounds.
func (o Options) Validate() error {
	if o.MemTableBytes != 0 && o.MemTableBytes < memTableBytesMin {
		return fmt.Errorf("MemTableBytes is %d, the least is %d", o.MemTableBytes, memTableBytesMin)
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	o.FreeBytesMin = cmp.Or(o.FreeBytesMin, FreeBytesMinDefault)
	o.MemTableBytes = cmp.Or(o.MemTableBytes, MemTableBytesDefault)
	if o.stat == nil {
		o.stat = statFree
	}
	return o
}

// Sizes of badger's parts, chosen for a small idle process.
const (
	blockCacheBytes   = 16 << 20
	indexCacheBytes   = 16 << 20
	valueLogFileBytes = 2 << 20
	valueLogThreshold = 1 << 20
	memTablesMax      = 2
	levelZeroTables   = 4
	levelZeroStall    = 8
	compactors        = 2
)

// badger gives the settings of the database. Values stay in the tree: the value
// log only logs a failed sync, and its garbage collection is not needed then.
// Its file is as small as badger allows. Syncing is not left to badger: see wal.
// Conflicts are not looked for: there is one writer, and it gives the versions.
// Nobody reads badger's own counters.
func (o Options) badger(dir string) badger.Options {
	return badger.DefaultOptions(dir).
		WithMetricsEnabled(false).
		WithLogger(badgerLogger{o.Logger.WithOptions(zap.WithCaller(false))}).
		WithSyncWrites(false).
		WithDetectConflicts(false).
		WithNumVersionsToKeep(1).
		WithVerifyValueChecksum(true).
		// Whole tables are verified by checkFiles.
		WithChecksumVerificationMode(options.OnBlockRead).
		WithMemTableSize(o.MemTableBytes).
		WithNumMemtables(memTablesMax).
		WithNumLevelZeroTables(levelZeroTables).
		WithNumLevelZeroTablesStall(levelZeroStall).
		WithNumCompactors(compactors).
		WithCompactL0OnClose(true).
		WithBlockCacheSize(blockCacheBytes).
		WithIndexCacheSize(indexCacheBytes).
		WithValueLogFileSize(valueLogFileBytes).
		WithValueThreshold(min(valueLogThreshold, o.MemTableBytes/10))
}
