package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

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

	// sync is syncDatabase, replaced in tests.
	sync func(database string) error

	tables   chan *memTable
	failed   chan<- error
	finished chan struct{}
}

func startFlusher(views *views, log *wal.Log, seal *seal, failed chan<- error, logger *zap.Logger) *flusher {
	f := &flusher{
		views: views, log: log, seal: seal, logger: logger, sync: syncDatabase,
		tables: make(chan *memTable, tablesWaitingMax), failed: failed, finished: make(chan struct{}),
	}
	go f.run()
	return f
}

// add adds a table, which must not change any more. It waits while too many do.
func (f *flusher) add(t *memTable) { f.tables <- t }

// stop waits until all tables are written or one of them has failed.
func (f *flusher) stop() {
	close(f.tables)
	<-f.finished
}

func (f *flusher) run() {
	defer close(f.finished)
	var failed error
	for t := range f.tables {
		if failed != nil {
			continue // Its rows stay in memory and in the log.
		}
		if failed = f.flush(t); failed != nil {
			f.failed <- failed
		}
	}
}

// flush writes a table to the database and trims the log.
func (f *flusher) flush(t *memTable) error {
	if err := f.views.write(t); err != nil {
		return err
	}
	if err := f.log.Prepare(); err != nil {
		// The writer will try again, and reject its commits if it cannot.
		f.logger.Warn("the next segment of the log was not prepared", zap.Error(err))
	}
	segments, err := f.log.Segments()
	if err != nil || segments == 1 {
		return err
	}
	return f.trim(t.head.Seq)
}

// trim deletes the segments of the log up to a group that is in the database.
func (f *flusher) trim(seq uint64) error {
	if err := f.sync(f.views.db.Opts().Dir); err != nil {
		return fmt.Errorf("sync the database: %w", err)
	}
	return f.log.Trim(min(seq, f.seal.synced.Load()))
}

// memLogPattern matches badger's own logs, of rows that are not in its tables yet.
const memLogPattern = "*.mem"

// syncDatabase makes all rows of the database durable: those in badger's logs by a
// sync, those in its tables are. badger may delete a log meanwhile, whose rows are then
// in a table.
func syncDatabase(database string) error {
	logs, err := filepath.Glob(filepath.Join(database, memLogPattern))
	for _, path := range logs {
		err = errors.Join(err, syncFile(path))
	}
	return errors.Join(err, syncDir(database))
}

func syncFile(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(fdatasync(file), file.Close())
}

// fdatasync makes the content of a file durable, including what was written through a
// memory mapping, and the metadata that is needed to read it.
func fdatasync(file *os.File) error {
	for {
		if err := unix.Fdatasync(int(file.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// logPatterns match the files that badger creates empty before it sets their size.
var logPatterns = []string{memLogPattern, "*.vlog"}

// removeEmptyLogs deletes empty logs of badger, which a kill leaves between creation
// and first write. badger would fail to open them.
func removeEmptyLogs(database string) error {
	for _, pattern := range logPatterns {
		logs, err := filepath.Glob(filepath.Join(database, pattern))
		if err != nil {
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
