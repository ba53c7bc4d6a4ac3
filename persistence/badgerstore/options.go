package badgerstore

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"go.uber.org/zap"
)

// Limits of the writer.
const (
	// QueueBatchesMax and QueueBytesMax bound the writer's queue; a batch beyond them
	// fails with ErrUnavailable.
	QueueBatchesMax = 8192
	QueueBytesMax   = 32 << 20
	// GroupBatchesMax and GroupBytesMax bound one commit group.
	GroupBatchesMax = 256
	GroupBytesMax   = 1 << 20
	// repliesMax bounds the replies that wait for a delayed sync.
	repliesMax = 1024
	// gatherSkipsLimit bounds the number of groups that the writer begins without
	// yielding; see writer.gather.
	gatherSkipsLimit = 255
	// cacheBytesMax bounds the writer's cache of rows.
	cacheBytesMax = 4 << 20
)

// Times of the writer.
const (
	// flushInterval is the time after which rows are written to the database, if their
	// table is not full before.
	flushInterval = 100 * time.Millisecond
	// sealSyncGroups and sealSyncInterval bound the groups and the time for which the
	// seal may stay unsynced.
	sealSyncGroups   = 1024
	sealSyncInterval = time.Second
)

// Defaults of Options.
const (
	FreeBytesMinDefault  = 256 << 20
	MemTableBytesDefault = 16 << 20
	CheckBytesMaxDefault = 1 << 30
)

// Options are the options of a store. The zero value is usable.
type Options struct {
	// Logger logs openings, rejections and badger's own warnings; nil logs nothing.
	Logger *zap.Logger
	// FreeBytesMin is the number of bytes that must be free in the file system of the
	// store; while fewer are, only commits that may use the reserve are accepted. Zero is
	// FreeBytesMinDefault, a negative value disables the check and the reserve. It is
	// limited to a tenth of the disk.
	FreeBytesMin int64
	// MemTableBytes is the size of badger's memory table: it bounds memory, the log
	// that Open replays and, at 15 %, the largest transaction. Zero is
	// MemTableBytesDefault, the minimum is 2 MiB.
	MemTableBytes int64
	// CheckBytesMax is the size of the tables up to which Open verifies all of them before
	// it returns. Those of a larger store are verified while it is in use; see the package
	// page. Zero is CheckBytesMaxDefault.
	CheckBytesMax int64
	// ObserveGroup is called after each commit group with the number of its batches and
	// the time from its beginning until it was written or answered. It must not block. Nil
	// observes nothing.
	ObserveGroup func(batches int, took time.Duration)

	// Replaced in tests.
	stat         diskStat             // statFree
	syncLog      func(*os.File) error // fdatasync
	segmentBytes int64                // wal.SegmentBytesDefault
}

const memTableBytesMin = 2 << 20

// Validate returns an error that names the first field that is out of bounds.
func (o Options) Validate() error {
	if o.MemTableBytes != 0 && o.MemTableBytes < memTableBytesMin {
		return fmt.Errorf("MemTableBytes is %d, the minimum is %d", o.MemTableBytes, memTableBytesMin)
	}
	if o.CheckBytesMax < 0 {
		return fmt.Errorf("CheckBytesMax is %d, the minimum is 0", o.CheckBytesMax)
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	o.FreeBytesMin = cmp.Or(o.FreeBytesMin, FreeBytesMinDefault)
	o.MemTableBytes = cmp.Or(o.MemTableBytes, MemTableBytesDefault)
	o.CheckBytesMax = cmp.Or(o.CheckBytesMax, CheckBytesMaxDefault)
	if o.stat == nil {
		o.stat = statFree
	}
	return o
}

// Sizes of badger's parts, chosen for a small process.
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

// badger returns the options of the database. Values stay in the LSM tree, because
// badger only logs a failed sync of its value log; the value log then needs no
// garbage collection and is as small as badger allows. The log makes rows durable.
// Conflict detection is off, because one writer assigns the versions, and so are
// badger's own metrics.
func (o Options) badger(dir string) badger.Options {
	return badger.DefaultOptions(dir).
		WithMetricsEnabled(false).
		WithLogger(badgerLogger{o.Logger.WithOptions(zap.WithCaller(false))}).
		WithSyncWrites(false).
		WithDetectConflicts(false).
		WithNumVersionsToKeep(1).
		WithVerifyValueChecksum(true).
		// checkFiles and tableCheck verify whole tables.
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
