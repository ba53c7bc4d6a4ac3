package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/dgraph-io/badger/v4"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
)

// databaseName is badger's directory within the store's.
const databaseName = "db"

// Store is an open store. It is safe for concurrent use.
type Store struct {
	rows.Reader
	dir    string
	log    *zap.Logger
	schema schema
	lock   *os.File
	disk   *diskGuard
	db     *badger.DB
	wal    *wal
	seal   *seal
	writer *writer

	// reading is held by readers; Close takes it whole.
	reading sync.RWMutex
	closed  bool

	// integrity is what Open found, nil once it is accepted.
	integrityMu sync.Mutex
	integrity   error
}

var _ persistence.Store = (*Store)(nil)

// errClosed answers everything after Close.
var errClosed = fmt.Errorf("%w: the store is closed", persistence.ErrUnavailable)

// Open opens the store in a directory, which it makes if it is absent, and
// reads all of it to verify it (see Integrity): about a second for a hundred
// thousand orders. It fails with ErrLocked if the store is open already, with
// ErrSchemaNewer if a newer program has written it, and with ErrIntegrity if a
// file is damaged so that the database cannot be trusted to read; a backup can
// be restored then.
func Open(dir string, o Options) (*Store, error) { return openSchema(dir, o, currentSchema) }

func openSchema(dir string, o Options, current schema) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	o = o.withDefaults()
	s := &Store{dir: dir, log: o.Logger, schema: current}
	s.Reader = rows.NewReader(s)
	if err := s.open(o); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", dir, err), s.release())
	}
	return s, nil
}

func (s *Store) open(o Options) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	var err error
	if s.lock, err = acquireLock(s.dir); err != nil {
		return err
	}
	s.disk = newDiskGuard(s.dir, o.FreeBytesMin, o.stat)
	if err := s.disk.look(tablesPercent); err != nil {
		return err
	}
	database := filepath.Join(s.dir, databaseName)
	if err := checkFiles(database, o.badger(database)); err != nil {
		return err
	}
	if s.seal, err = s.openSeal(database); err != nil {
		return err
	}
	if err := removeUnborn(database); err != nil {
		return err
	}
	if s.db, err = openBadger(o.badger(database)); err != nil {
		return err
	}
	if s.wal, err = openWAL(database); err != nil {
		return err
	}
	found, err := inspect(s.db)
	if err != nil {
		return err
	}
	if err := s.schema.check(found); err != nil {
		return err
	}
	s.integrity = found.verify(s.seal)
	s.writer = newWriter(s.db, s.wal, s.seal, s.disk, s.schema, s.log)
	return s.start(found)
}

// openSeal makes a seal only for a database that does not exist yet: one that
// lost its seal is not sealed anew in silence.
func (s *Store) openSeal(database string) (*seal, error) {
	fresh := !exists(filepath.Join(s.dir, sealName)) && !exists(filepath.Join(database, badger.ManifestFilename))
	seal, err := openSeal(s.dir)
	if err != nil || !fresh {
		return seal, err
	}
	return seal, errors.Join(seal.reset(ledger{}), syncDir(s.dir))
}

// start begins writing, or, if the store has lost something, only refuses to.
func (s *Store) start(found inspection) error {
	if s.integrity == nil {
		return s.writer.start(found)
	}
	s.log.Error("the store failed its integrity check; commits are refused", zap.Error(s.integrity))
	s.writer.startRefusing(found, s.integrity)
	return nil
}

// openBadger opens the database. badger panics over some damage.
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

// Integrity is nil, or says what the store had lost or altered when it was
// opened.
func (s *Store) Integrity() error {
	s.integrityMu.Lock()
	defer s.integrityMu.Unlock()
	return s.integrity
}

// AcceptLoss makes a store that failed its integrity check writable as it is:
// its rows are sealed anew. It is for an operator who knows what is lost. On a
// sound store it does nothing.
func (s *Store) AcceptLoss(ctx context.Context) error {
	s.integrityMu.Lock()
	defer s.integrityMu.Unlock()
	if s.integrity == nil {
		return nil
	}
	if err := rows.Await(ctx, s.writer.acceptLoss); err != nil {
		return fmt.Errorf("accept loss: %w", err)
	}
	s.log.Warn("a loss was accepted; the store is sealed as it is", zap.Error(s.integrity))
	s.integrity = nil
	return nil
}

// View implements rows.Viewer: what is durable when it begins.
func (s *Store) View(ctx context.Context, read func(rows.Snapshot) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.reading.RLock()
	defer s.reading.RUnlock()
	if s.closed {
		return errClosed
	}
	txn, end := s.writer.versions.read()
	defer end()
	return read(snapshot{txn, s.writer.filter})
}

// Submit implements persistence.Writer. The batch is encoded before Submit
// returns, in the caller's goroutine.
func (s *Store) Submit(b persistence.Batch, done func(error)) {
	commit, err := rows.Prepare(b)
	if err != nil {
		refused := rows.Refused(err)
		s.writer.submit(request{op: func(rows.Tx, uint64) error { return refused }, done: done})
		return
	}
	s.writer.submit(request{op: commit.Apply, size: commit.Size(), barrier: commit.Empty(), done: done})
}

// Commit implements persistence.Writer.
func (s *Store) Commit(ctx context.Context, b persistence.Batch) error {
	return rows.Await(ctx, func(done func(error)) { s.Submit(b, done) })
}

// TakeOwnership implements persistence.Writer.
func (s *Store) TakeOwnership(ctx context.Context, customer string) (persistence.Fence, error) {
	return rows.Own(ctx, s.writer.enqueue, customer)
}

// Purge implements persistence.Store.
func (s *Store) Purge(ctx context.Context, before persistence.Retention) error {
	return rows.Purge(ctx, s, s.writer.enqueue, before)
}

// Close commits what is queued, syncs the seal and waits for readers. Closing
// twice does nothing. It must not be called from an answer. On a full disk it leaves
// the database as a kill would: the next opening reads its log, but no sooner than
// this process has ended.
func (s *Store) Close() error {
	s.writer.stop()
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.release()
}

// release lets go of whatever is open, but of a database that is left, with its lock.
func (s *Store) release() error {
	var errs []error
	left := s.db != nil && s.leavesDatabase()
	if s.db != nil && !left {
		errs = append(errs, s.db.Close())
	}
	if s.wal != nil {
		errs = append(errs, s.wal.close())
	}
	if s.seal != nil {
		errs = append(errs, s.seal.close())
	}
	if s.lock != nil && !left {
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}

// leavesDatabase says whether the disk is too full to close the database: badger makes
// tables of its log then.
func (s *Store) leavesDatabase() bool {
	full := s.disk.look(tablesPercent)
	if full != nil {
		s.log.Warn("the database is left to the next opening as it is", zap.Error(full))
	}
	return full != nil
}
