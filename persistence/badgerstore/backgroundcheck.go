package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/persistence/internal/fsync"
)

var (
	// errCheckFirst reports a store that cannot be opened before it is checked.
	errCheckFirst = errors.New("the store must be checked before it is used")
	// errCheckStopped reports a check that Close has ended.
	errCheckStopped = errors.New("the check was stopped")
)

// isUnverified reports whether an error is that of a store which must be checked first.
func isUnverified(err error) bool {
	return errors.Is(err, errCheckFirst) || errors.Is(err, persistence.ErrIntegrity)
}

// damagedName is the name of the file that marks a store in which damage was found while it
// was in use: the next Open checks it first.
const damagedName = "damaged"

// checkBytesMax returns the size of the tables up to which they are verified first.
func (s *Store) checkBytesMax() int64 {
	if exists(filepath.Join(s.dir, damagedName)) {
		return math.MaxInt64
	}
	return s.options.CheckBytesMax
}

// inspect reads the whole database, or only its head if the tables are verified later.
func (s *Store) inspect() (inspection, error) {
	if s.check == nil {
		return inspect(s.db)
	}
	if err := s.check.pin(s.db); err != nil {
		return inspection{}, err
	}
	return s.inspectHead()
}

// inspectHead reads the rows that describe a database, without the others. It returns
// errCheckFirst if more than these must be read.
func (s *Store) inspectHead() (inspection, error) {
	txn := readAll(s.db)
	defer txn.Discard()
	at := snapshot{view: &view{}, txn: txn, check: s.check}
	found := inspection{filter: newKeyFilter(storedRows(s.db))}
	row, err := at.Get(ledgerKey)
	if err == nil {
		found.schema, err = at.Get(schemaKey)
	}
	if err != nil {
		return found, fmt.Errorf("read the database: %w", err)
	}
	if err := s.schema.check(found); err != nil {
		return found, err
	}
	if version, _ := decodeCount(found.schema); row == nil || version != s.schema.version() {
		return found, errCheckFirst
	}
	found.head, found.err = decodeLedger(row)
	found.counted = found.head
	return found, nil
}

// startCheck starts the background check of a store that was opened before it was checked.
func (s *Store) startCheck() {
	s.check.finished = make(chan struct{})
	s.log.Info("the store is checked while it is in use", zap.Int("tables", len(s.check.byKey)))
	began := time.Now()
	go func() {
		defer close(s.check.finished)
		switch err := s.checkUntilDone(); {
		case err == nil:
			s.check.close()
			s.writer.filter.complete.Store(true)
			s.check.complete.Store(true) // at last, because the database may then be opened again
			s.log.Info("the store was checked", zap.Duration("took", time.Since(began)))
		case !errors.Is(err, errCheckStopped):
			_ = s.check.damaged(err)
		}
	}()
}

// The pause after a check that an error of the system has interrupted. It doubles each time.
const (
	checkPauseMin = time.Second
	checkPauseMax = 5 * time.Minute
)

// checkUntilDone checks the rows. After an error of the system it tries again: it counts all
// rows, and verifies the tables that are left.
func (s *Store) checkUntilDone() error {
	return untilDone(s.check.ctx, s.checkRows, func(err error, pause time.Duration) {
		s.log.Warn("the check of the store was interrupted; it is tried again", zap.Error(err), zap.Duration("pause", pause))
	})
}

// untilDone calls check until it returns nil or an error other than one of the system or
// ErrUnavailable, and interrupted before each pause.
func untilDone(ctx context.Context, check func() error, interrupted func(error, time.Duration)) error {
	for pause := checkPauseMin; ; pause = min(2*pause, checkPauseMax) {
		err := check()
		if !isOfSystem(err) && !errors.Is(err, persistence.ErrUnavailable) {
			return err
		}
		interrupted(err, pause)
		select {
		case <-ctx.Done():
			return errCheckStopped
		case <-time.After(pause):
		}
	}
}

// checkRows verifies all tables, and compares the rows of one commit group with its ledger.
func (s *Store) checkRows() (err error) {
	current, txn, end := s.writer.views.read()
	defer end()
	defer s.check.guard(&err)
	counted := inspection{filter: s.writer.filter}
	var failed error
	err = snapshot{view: current, txn: txn}.Scan(nil, nil, false, func(key, value []byte) bool {
		if failed = s.check.verifyTo(key); failed == nil {
			counted.add(key, value)
		}
		return failed == nil
	})
	if err = errors.Join(err, failed); err == nil {
		err = s.check.verifyTo(nil)
	}
	if err == nil {
		err = counted.counted.compare(current.head)
	}
	return err
}

// reportDamage makes a store that is in use reject commits, because of damage that was found
// in it.
func (s *Store) reportDamage(cause error) {
	err := fmt.Errorf("%w: %w", persistence.ErrIntegrity, cause)
	s.integrityMu.Lock()
	s.integrity = err
	s.integrityMu.Unlock()
	s.log.Error("the store failed its integrity check; commits are rejected", zap.Error(err))
	if err := s.markDamaged(); err != nil {
		s.log.Error("the damage was not marked for the next start", zap.Error(err))
	}
	s.writer.broken <- err
}

// markDamaged makes the next Open check the store first.
func (s *Store) markDamaged() error {
	if err := os.WriteFile(filepath.Join(s.dir, damagedName), nil, 0o600); err != nil {
		return err
	}
	return fsync.Dir(s.dir)
}

// unmarkDamaged removes the mark of a store that Open has checked.
func (s *Store) unmarkDamaged() error {
	err := os.Remove(filepath.Join(s.dir, damagedName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
