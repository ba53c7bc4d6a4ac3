package badgerstore

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/dgraph-io/badger/v4"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/persistence/internal/wal"
)

// errNoSpaceToMigrate reports a store of an older schema on a full disk.
var errNoSpaceToMigrate = fmt.Errorf("%w: the store needs space to be migrated", persistence.ErrDiskFull)

// checkSpace sets cramped if there is too little space to compact the database, but enough
// to open it. A new store needs all of the space.
func (s *Store) checkSpace(database string) error {
	full := s.disk.require(tablesPercent)
	if full == nil {
		return nil
	}
	if !exists(filepath.Join(database, badger.ManifestFilename)) {
		return full
	}
	if err := s.reserve.prepareOpen(database); err != nil {
		return err
	}
	s.cramped = true
	return nil
}

// openDatabase opens the database. A cramped one is not compacted, and nothing is written
// to it before reopenDatabase.
func (s *Store) openDatabase(database string) (err error) {
	o := s.options.badger(database)
	if s.cramped {
		o = o.WithNumCompactors(0).WithNumLevelZeroTables(math.MaxInt32 - 1).WithNumLevelZeroTablesStall(math.MaxInt32)
	}
	if s.check != nil {
		// If it is damaged, Close does not make it worse.
		o = o.WithCompactL0OnClose(false)
	}
	if s.db, err = openBadger(o); err != nil || !s.cramped {
		return err
	}
	return s.reserve.settle(database)
}

// loadChecked verifies the tables of a cramped database that cannot be used before, and loads
// it again. The database stays open, because badger would write to close it.
func (s *Store) loadChecked(o Options, cause error) error {
	s.log.Warn("the store is checked before it is used", zap.Error(cause))
	if s.writer != nil {
		if err := s.writer.close(true); err != nil {
			return err
		}
		s.writer = nil
	}
	err := s.check.verifyTo(nil)
	s.check.close()
	s.check = nil
	if err != nil {
		return err
	}
	return s.load(o)
}

// Bounds of the attempts to reopen the database between reads.
const (
	reopenTries = 100
	reopenEvery = time.Millisecond
)

// errBeingRead reports a database that is not reopened because of its readers.
var errBeingRead = fmt.Errorf("%w: the database is being read", persistence.ErrDiskFull)

// reopenDatabase opens a cramped database with compaction, once there is space. It returns
// errBeingRead if there are always readers, of which the background check is one. After
// another error there is no database.
func (s *Store) reopenDatabase() error {
	if !s.cramped {
		return nil
	}
	if s.check.isPending() {
		return errBeingRead
	}
	for tries := 1; !s.reading.TryLock(); tries++ {
		if tries == reopenTries {
			return errBeingRead
		}
		time.Sleep(reopenEvery)
	}
	defer s.reading.Unlock()
	db := s.db
	s.cramped, s.db = false, nil
	if err := db.Close(); err != nil {
		return fmt.Errorf("close the database: %w", err)
	}
	if err := s.openDatabase(filepath.Join(s.dir, databaseName)); err != nil {
		return err
	}
	s.writer.views.setDatabase(s.db)
	return nil
}

// Full implements persistence.Store.
func (s *Store) Full() error { return s.disk.full() }

// FreeBytes returns the free bytes of the file system of the store.
func (s *Store) FreeBytes() (int64, error) {
	free, _, err := s.disk.stat(s.dir)
	return free, err
}

// checkDisk returns nil if commits may use more than the reserve. It logs when that changes.
func (w *writer) checkDisk() error {
	err := w.disk.check(time.Now())
	switch {
	case err != nil && !w.diskFull:
		w.diskFull = true
		w.useReserve()
		left, _ := wal.Reserved(w.logDir)
		w.logger.Warn("the disk is full; commits that increase risk are rejected, others use the reserve",
			zap.Error(err), zap.Int("reserved_segments", left))
	case err == nil && w.diskFull:
		if err := w.resume(); err != nil {
			w.disk.reject(err)
			return err
		}
		w.diskFull = false
		w.logger.Warn("the disk has enough free space again; all commits are accepted")
	}
	return err
}

// useReserve makes the log use its reserve only.
func (w *writer) useReserve() {
	w.reserve.use()
	if w.log != nil {
		w.log.UseReserve(true)
	}
}

// resume hands the rows that were kept in memory to the flusher, unless an earlier commit has
// failed: some of them may not be durable in the log.
func (w *writer) resume() error {
	if err := w.reopen(); err != nil {
		if !errors.Is(err, errBeingRead) {
			w.fail(nil, err)
		}
		return err
	}
	if w.log == nil || w.rejectErr != nil {
		return nil //nolint:nilerr // rejectErr answers writes, not this
	}
	// No row may be in the database before it is durable in the log.
	if err := w.sync(); err != nil {
		w.fail(nil, err)
		return err
	}
	w.log.UseReserve(false)
	for _, t := range w.held {
		w.flusher.add(t)
	}
	w.held = nil
	return nil
}
