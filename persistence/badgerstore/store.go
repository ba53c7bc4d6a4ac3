package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"

	"github.com/dgraph-io/badger/v4"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/persistence/internal/fsync"
	"venuegate/persistence/internal/rows"
	"venuegate/persistence/internal/wal"
)

// Directories in the directory of the store.
const (
	databaseName = "db"
	logName      = "log"
)

// Store is an open store. It is safe for concurrent use.
type Store struct {
	rows.Reader
	dir    string
	log    *zap.Logger
	schema schema
	lock   *os.File
	disk   *diskSpace
	// reserve is kept for a full disk. cramped is set while the database is open without
	// compaction, because there was no space for it.
	reserve *reserve
	cramped bool
	options Options
	db      *badger.DB
	seal    *seal
	writer  *writer
	// check verifies the tables of a large store while it is in use; nil if Open has
	// verified them.
	check *tableCheck

	// reading is read-locked by readers and locked by Close. It guards closed.
	reading sync.RWMutex
	closed  bool

	// integrity is the damage that was found, nil after AcceptLoss.
	integrityMu sync.Mutex
	integrity   error
}

var _ persistence.Store = (*Store)(nil)

// errClosed is returned after Close.
var errClosed = fmt.Errorf("%w: the store is closed", persistence.ErrUnavailable)

// Open opens the store in a directory, which it creates if absent. It reads all rows
// to verify them (see Integrity), which takes about a second for a hundred thousand
// orders, unless the store is large (Options.CheckBytesMax). It returns ErrLocked if the
// store is already open, ErrSchemaNewer if a newer program has written it, and
// persistence.ErrIntegrity if a file is so damaged that the database cannot be read; then
// a backup can be restored.
func Open(dir string, o Options) (*Store, error) { return openSchema(dir, o, currentSchema) }

func openSchema(dir string, o Options, current schema) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	o = o.withDefaults()
	s, err := openOnce(dir, o, current)
	if errors.Is(err, errCheckFirst) {
		o.Logger.Warn("the store is checked before it is used", zap.Error(err))
		o.CheckBytesMax = math.MaxInt64
		s, err = openOnce(dir, o, current)
	}
	if err == nil && s.check != nil {
		s.startCheck()
	}
	return s, err
}

// openOnce opens a store without its background check. It returns errCheckFirst if the
// store cannot be opened before it is checked.
func openOnce(dir string, o Options, current schema) (*Store, error) {
	s := &Store{dir: dir, log: o.Logger, schema: current, options: o}
	s.Reader = rows.NewReader(s)
	err := s.open(o)
	if err == nil {
		return s, nil
	}
	if s.check != nil && isUnverified(err) && !errors.Is(err, errCheckFirst) {
		err = fmt.Errorf("%w: %w", errCheckFirst, err)
	}
	return nil, errors.Join(fmt.Errorf("open store %s: %w", dir, err), s.release())
}

func (s *Store) open(o Options) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	var err error
	if s.lock, err = acquireLock(s.dir); err != nil {
		return err
	}
	s.disk = newDiskSpace(s.dir, o.FreeBytesMin, o.stat)
	s.reserve = &reserve{dir: s.dir, disk: s.disk, logger: o.Logger}
	database := filepath.Join(s.dir, databaseName)
	if s.check, err = checkFiles(database, o.badger(database), s.checkBytesMax()); err != nil {
		return err
	}
	if err := s.checkSpace(database); err != nil {
		return err
	}
	if s.seal, err = s.openSeal(database); err != nil {
		return err
	}
	if err := removeEmptyLogs(database); err != nil {
		return err
	}
	if err := s.openDatabase(database); err != nil {
		return err
	}
	if err = s.load(o); s.cramped && s.check != nil && isUnverified(err) {
		return s.loadChecked(o, err)
	}
	return err
}

// load reads the opened database, and starts the writer.
func (s *Store) load(o Options) error {
	found, err := s.inspect()
	if err != nil {
		return err
	}
	if err := s.schema.check(found); err != nil {
		return err
	}
	if !s.cramped {
		s.reserve.fill()
	}
	if s.check != nil {
		s.check.report = s.reportDamage
	}
	return s.start(o, found)
}

// openSeal opens the seal. It writes a first one only for a new database, so that a
// database that has lost its seal is reported as damaged.
func (s *Store) openSeal(database string) (*seal, error) {
	fresh := !exists(filepath.Join(s.dir, sealName)) && !exists(filepath.Join(database, badger.ManifestFilename))
	seal, err := openSeal(s.dir)
	if err != nil || !fresh {
		return seal, err
	}
	return seal, errors.Join(seal.reset(wal.Position{}), fsync.Dir(s.dir))
}

// start compares database, seal and log, and starts the writer. It rejects commits if
// the store is damaged.
func (s *Store) start(o Options, found inspection) error {
	sealed, err := s.seal.read()
	if errors.Is(err, errUnsealed) && found.head.Seq == 0 && found.counted.rows == 0 {
		// A new store whose seal, like everything else, did not become durable.
		err = s.seal.reset(wal.Position{})
	}
	err = errors.Join(err, found.err)
	if s.cramped && (found.legacy != nil || len(found.staleKeys) > 0) {
		return errNoSpaceToMigrate
	}
	if found.legacy != nil {
		err = errors.Join(err, found.legacy.verifySeal(sealed))
	}
	// A seal of schema 3 is also there if the conversion was interrupted.
	converted := sealed.isLegacy && found.head.Sum == 0 && sealed.Seq <= found.head.Seq
	if err == nil && (len(found.staleKeys) > 0 || converted) {
		err = s.convertLegacy(&found, &sealed)
	}
	s.writer = newWriter(s, o, found)
	end := found.head.Position
	if found.legacy == nil && found.err == nil {
		var replayErr error
		end, replayErr = s.writer.replay(found, sealed)
		err = errors.Join(err, replayErr)
	}
	if err == nil && sealed.isPartial {
		s.log.Warn("a slot of the seal is damaged", zap.Uint64("sealed_commit", sealed.Seq), zap.Uint64("newest_commit", end.Seq))
		err = s.seal.complete(sealed, end)
	}
	switch {
	case err == nil:
		if err := s.unmarkDamaged(); err != nil {
			return err
		}
		return s.writer.start(end)
	case isOfSystem(err):
		return err
	case s.check != nil:
		return fmt.Errorf("%w: %w", persistence.ErrIntegrity, err)
	case s.cramped && errors.Is(err, errRows):
		return fmt.Errorf("%w: the rows of the log cannot be applied again: %w", persistence.ErrDiskFull, err)
	}
	s.integrity = fmt.Errorf("%w: %w", persistence.ErrIntegrity, err)
	s.log.Error("the store failed its integrity check; commits are rejected", zap.Error(s.integrity))
	if sealed.Seq > end.Seq {
		end = sealed.Position
	}
	s.writer.startRejecting(found, end, s.integrity)
	return nil
}

// convertLegacy converts an intact database of schema 3 or older.
func (s *Store) convertLegacy(found *inspection, sealed *sealed) error {
	if err := setLedger(s.db, found.head, found.staleKeys); err != nil {
		return fmt.Errorf("convert the ledger: %w", err)
	}
	if err := s.seal.reset(found.head.Position); err != nil {
		return err
	}
	found.legacy, found.staleKeys, sealed.Position = nil, nil, found.head.Position
	return nil
}

// openBadger opens the database. It recovers from badger's panics on some damage.
func openBadger(o badger.Options) (db *badger.DB, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			db, err = nil, fmt.Errorf("%w: the database cannot be opened: %v", persistence.ErrIntegrity, cause)
		}
	}()
	db, err = badger.OpenManaged(o)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return db, nil
}

// Integrity returns nil, or an ErrIntegrity with the damage that was found when the
// store was opened or, in a large one, since.
func (s *Store) Integrity() error {
	s.integrityMu.Lock()
	defer s.integrityMu.Unlock()
	return s.integrity
}

// AcceptLoss makes a store that failed its integrity check writable: its rows are
// sealed as they are. Then it repairs the index rows, also those of an intact store, for which
// an earlier call may have been interrupted. It should be called only for an operator who knows
// what is lost. Damage that was found after Open can be accepted once the store is opened again.
func (s *Store) AcceptLoss(ctx context.Context) error {
	s.integrityMu.Lock()
	defer s.integrityMu.Unlock()
	if err := rows.Await(ctx, s.writer.enqueueAcceptLoss); err != nil {
		return fmt.Errorf("accept loss: %w", err)
	}
	if s.integrity != nil {
		s.log.Warn("the loss was accepted; the store is sealed as it is", zap.Error(s.integrity))
		s.integrity = nil
	}
	return nil
}

// View implements rows.Viewer.
func (s *Store) View(ctx context.Context, read func(rows.Snapshot) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.reading.RLock()
	defer s.reading.RUnlock()
	if s.closed || s.db == nil {
		return errClosed
	}
	r := reading{ctx: ctx, writer: s.writer}
	defer r.close()
	return read(&r)
}

// Submit implements persistence.Writer. It encodes the batch in the caller's goroutine.
func (s *Store) Submit(b persistence.Batch, done func(error)) {
	commit, err := rows.Prepare(b)
	if err != nil {
		rejection := rows.Rejected(err)
		s.writer.submit(request{op: func(rows.Tx, uint64) error { return rejection }, done: done})
		return
	}
	s.writer.submit(request{op: commit.Apply, size: commit.Size(), barrier: commit.Empty(), written: b.Written, reserve: b.Reserve, done: done})
}

// Commit implements persistence.Writer.
func (s *Store) Commit(ctx context.Context, b persistence.Batch) error {
	return rows.Await(ctx, func(done func(error)) { s.Submit(b, done) })
}

// TakeOwnership implements persistence.Writer.
func (s *Store) TakeOwnership(ctx context.Context, customer string) (persistence.Fence, error) {
	return rows.TakeOwnership(ctx, s.writer.enqueueReserved, customer)
}

// Purge implements persistence.Store.
func (s *Store) Purge(ctx context.Context, before persistence.Retention) error {
	return rows.Purge(ctx, s, s.writer.enqueue, before)
}

// Archive implements persistence.Store.
func (s *Store) Archive(ctx context.Context, before persistence.Retention, to persistence.Archive) error {
	return rows.Archive(ctx, s, s.writer.enqueue, before, to)
}

// Close commits the queued batches, syncs the seal and waits for readers. It must not
// be called from done. A second call does nothing. On a full disk Close leaves the
// database as a kill would: the next opening replays its log, but only after this
// process has ended.
func (s *Store) Close() error {
	s.check.stop()
	s.writer.stop()
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.release()
}

// release closes what is open. On a full disk it leaves the database open, and its lock.
func (s *Store) release() error {
	var errs []error
	left := s.db != nil && (s.cramped || s.leavesDatabaseOpen())
	s.check.close()
	if s.writer != nil {
		errs = append(errs, s.writer.close(left))
	}
	if s.db != nil && !left {
		errs = append(errs, s.db.Close())
	}
	if s.seal != nil {
		errs = append(errs, s.seal.close())
	}
	if s.lock != nil && !left {
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}

// leavesDatabaseOpen reports whether the disk is too full to close the database, for
// which badger writes its log to tables.
func (s *Store) leavesDatabaseOpen() bool {
	full := s.disk.require(tablesPercent)
	if full != nil {
		s.log.Warn("the disk is full; the database is not closed", zap.Error(full))
	}
	return full != nil
}
