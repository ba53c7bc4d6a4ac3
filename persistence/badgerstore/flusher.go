package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"go.uber.org/zap"

	"venuegate/persistence/internal/fsync"
	"venuegate/persistence/internal/wal"
)

// tablesWaitingMax bounds the tables that wait for the flusher. The writer waits while
// there are more.
const tablesWaitingMax = 8

// flusher writes tables to the database, in one goroutine, and deletes the segments of
// the log that hold nothing else. The database is synced only before that.
type flusher struct {
	views  *views
	log    *wal.Log
	logger *zap.Logger
	// seal is used to learn up to which group it is durable. The log is kept from there
	// on, so that the seal can be compared with it.
	seal *seal

	// reserve is filled again after it was used.
	reserve *reserve

	// sync is syncDatabase, replaced in tests.
	sync func(database string) error

	tables chan *memTable
	// discards is set when the tables that wait are not written any more.
	discards atomic.Bool
	failed   chan<- error
	finished chan struct{}
}

func startFlusher(views *views, log *wal.Log, seal *seal, reserve *reserve, failed chan<- error, logger *zap.Logger) *flusher {
	f := &flusher{
		views: views, log: log, seal: seal, reserve: reserve, logger: logger, sync: syncDatabase,
		tables: make(chan *memTable, tablesWaitingMax), failed: failed, finished: make(chan struct{}),
	}
	go f.run()
	return f
}

// add adds a table, which must not change any more. It waits while too many do.
func (f *flusher) add(t *memTable) { f.tables <- t }

// stop waits until all tables are written or one of them has failed. With discard, those
// that wait are not written: their rows are in the log.
func (f *flusher) stop(discard bool) {
	f.discards.Store(discard)
	close(f.tables)
	<-f.finished
}

func (f *flusher) run() {
	defer close(f.finished)
	var failed error
	for t := range f.tables {
		if failed != nil || f.discards.Load() {
			continue // Its rows stay in memory and in the log.
		}
		if failed = f.flush(t); failed != nil {
			f.failed <- failed
		}
	}
}

// flush writes a table to the database, prepares the next segment of the log, completes
// the reserve, and trims the log.
func (f *flusher) flush(t *memTable) error {
	if err := f.views.write(t); err != nil {
		return err
	}
	if err := f.log.Prepare(); err != nil {
		// The writer will try again, and reject its commits if it cannot.
		f.logger.Warn("the next segment of the log was not prepared", zap.Error(err))
	}
	f.reserve.fill()
	err := f.trim(t.head.Seq)
	if err != nil && !errors.Is(err, errSync) {
		f.logger.Warn("the log was not trimmed", zap.Error(err))
		return nil
	}
	return err
}

// trim deletes the segments of the log up to a group that is in the database, if there
// are any, after a sync of the database.
func (f *flusher) trim(seq uint64) error {
	seq = min(seq, f.seal.synced.Load())
	if trimmable, err := f.log.IsTrimmable(seq); err != nil || !trimmable {
		return err
	}
	if err := f.sync(f.views.db.Opts().Dir); err != nil {
		return fmt.Errorf("sync the database: %w", err)
	}
	return f.log.Trim(seq)
}

// errSync reports a failed sync. A later one may succeed although pages were lost.
var errSync = errors.New("the sync has failed")

// Endings of badger's files: its own logs of rows that are not in its tables yet, its
// value logs, and its tables.
const (
	memLogSuffix   = ".mem"
	valueLogSuffix = ".vlog"
	tableSuffix    = ".sst"
)

// filesOf returns the paths of the files of a directory with that ending.
func filesOf(dir, suffix string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// syncDatabase makes all rows of the database durable: those in badger's logs by a
// sync, those in its tables are. badger may delete a log meanwhile, whose rows are then
// in a table.
func syncDatabase(database string) error {
	logs, err := filesOf(database, memLogSuffix)
	for _, path := range logs {
		err = errors.Join(err, syncFile(path))
	}
	return errors.Join(err, fsync.Dir(database))
}

func syncFile(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err = fsync.File(file); err != nil {
		err = fmt.Errorf("%w: %w", errSync, err)
	}
	return errors.Join(err, file.Close())
}

// removeEmptyLogs deletes empty logs of badger, which a kill leaves between creation
// and first write. badger would fail to open them.
func removeEmptyLogs(database string) error {
	for _, suffix := range []string{memLogSuffix, valueLogSuffix} {
		logs, err := filesOf(database, suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, path := range logs {
			info, err := os.Lstat(path)
			if err != nil {
				return fmt.Errorf("stat a log: %w", err)
			}
			if info.Mode().IsRegular() && info.Size() == 0 {
				if err := os.Remove(path); err != nil {
					return fmt.Errorf("remove an empty log: %w", err)
				}
			}
		}
	}
	return nil
}
