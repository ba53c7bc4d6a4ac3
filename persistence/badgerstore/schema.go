package badgerstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"venuegate/persistence/internal/rows"
)

// ErrSchemaNewer reports a store that was written by a newer version of the program.
var ErrSchemaNewer = errors.New("the store has a newer schema than this program knows")

// migration executes one step of the migration to the next schema, each in its own
// transaction. It starts at from (nil for the first step) and returns where the next
// step starts, nil after the last. After an interrupted opening it starts at nil
// again, so it must accept rows that are already migrated.
type migration func(tx migrationTx, from []byte) (next []byte, err error)

// migrationTx reads the rows as the migration has changed them so far.
type migrationTx interface {
	rows.Tx
	rows.Snapshot
}

// schema is a version of the layout of rows with the migrations to it. A change to
// package rows that reads old rows differently needs a new version.
type schema struct {
	// migrations[i] migrates version i+1 to i+2; the version of the schema is one more
	// than the number of migrations.
	migrations []migration
}

// currentSchema is version 7.
var currentSchema = schema{migrations: []migration{
	// Version 2 adds kinds of record, members of journal rows and their index rows,
	// which a program of version 1 cannot read. No row is changed.
	func(migrationTx, []byte) ([]byte, error) { return nil, nil },
	// Version 3 stores whether an order is closed in table o of package rows only.
	func(tx migrationTx, from []byte) ([]byte, error) { return rows.ClearClosed(tx, from) },
	// Version 4 has the log, and one ledger row instead of many (legacy.go). Its rows
	// of records are the same.
	func(migrationTx, []byte) ([]byte, error) { return nil, nil },
	// Version 5 may have rows of version 6. An older program must reject a store whose
	// migration was interrupted.
	func(migrationTx, []byte) ([]byte, error) { return nil, nil },
	// Version 6 has shorter values, and index rows only where a record is not found by its
	// id.
	func(tx migrationTx, from []byte) ([]byte, error) { return rows.Compact(tx, from, compactRowsMax) },
	// Version 7 adds users and sessions, which a program of version 6 cannot read. No row
	// is changed.
	func(migrationTx, []byte) ([]byte, error) { return nil, nil },
}}

// compactRowsMax bounds the rows that one step of the migration to schema 6 changes.
const compactRowsMax = 1024

func (s schema) version() uint64 { return uint64(len(s.migrations)) + 1 }

// check returns ErrSchemaNewer for a newer store. A store without a version is new; the
// ledger detects one that has lost its version.
func (s schema) check(found inspection) error {
	version, err := decodeCount(found.schema)
	if err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if version > s.version() {
		return fmt.Errorf("%w: version %d, this program knows %d", ErrSchemaNewer, version, s.version())
	}
	return nil
}

// initialize runs the pending migrations and increments the generation, by which fences of
// earlier openings are rejected.
func (w *writer) initialize() error {
	tx := w.begin()
	stored, err := tx.Get(schemaKey)
	tx.end()
	if err != nil {
		return err
	}
	version, err := decodeCount(stored)
	if err != nil {
		return err
	}
	if version != 0 && version < w.schema.version() && w.diskFull {
		return errNoSpaceToMigrate
	}
	for ; version != 0 && version < w.schema.version(); version++ {
		if err := w.migrate(w.schema.migrations[version-1], version); err != nil {
			return fmt.Errorf("migrate schema %d: %w", version, err)
		}
	}
	tx = w.begin()
	defer tx.end()
	if version == 0 {
		if err := tx.Replace(schemaKey, nil, encodeCount(w.schema.version())); err != nil {
			return err
		}
	}
	if stored, err = tx.Get(generationKey); err != nil {
		return err
	}
	if w.generation, err = decodeCount(stored); err != nil {
		return err
	}
	w.generation++
	if err := tx.Replace(generationKey, stored, encodeCount(w.generation)); err != nil {
		return err
	}
	return w.commitTx(tx)
}

// migrationReportInterval is the time between two reports of the progress of a migration.
const migrationReportInterval = 5 * time.Second

// migrate runs the migration of a version in steps, and logs its begin, its progress and
// its end.
func (w *writer) migrate(m migration, version uint64) error {
	logger := w.logger.With(zap.Uint64("from_schema", version), zap.Uint64("rows", w.views.latest().head.rows))
	logger.Info("the store is migrated to the next schema")
	began := time.Now()
	reported := began
	changed := 0
	var from []byte
	for {
		next, n, err := w.migrateStep(m, version, from)
		if err != nil {
			return err
		}
		changed += n
		if next == nil {
			logger.Info("the store was migrated", zap.Int("changed_rows", changed), zap.Duration("took", time.Since(began)))
			return nil
		}
		if from = next; time.Since(reported) >= migrationReportInterval {
			reported = time.Now()
			logger.Info("the migration continues", zap.Int("changed_rows", changed))
		}
	}
}

// migrateStep runs one step. It returns where the next one starts, nil after the last, and
// the number of changed rows.
func (w *writer) migrateStep(m migration, version uint64, from []byte) (next []byte, changed int, err error) {
	if err := w.checkRoom(); err != nil {
		return nil, 0, err
	}
	tx := w.begin()
	defer tx.end()
	if next, err = m(tx, from); err != nil {
		return nil, 0, err
	}
	if next == nil {
		err = tx.Replace(schemaKey, encodeCount(version), encodeCount(version+1))
	}
	if err != nil || len(tx.changes) == 0 {
		return next, 0, err
	}
	changed = len(tx.changes)
	return next, changed, w.commitTx(tx)
}

// checkRoom returns an error if the disk is full or the flusher has ended. A migration may
// write the whole database again.
func (w *writer) checkRoom() error {
	select {
	case err := <-w.failed:
		w.failed <- err // for close
		return err
	default:
		return w.disk.require(tablesPercent)
	}
}

// commitTx makes a group durable that has no callers.
func (w *writer) commitTx(tx *groupTx) error {
	if err := w.write(tx); err != nil {
		return err
	}
	return w.sync()
}

func encodeCount(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func decodeCount(value []byte) (uint64, error) {
	switch len(value) {
	case 0:
		return 0, nil
	case 8:
		return binary.BigEndian.Uint64(value), nil
	}
	return 0, fmt.Errorf("a count of %d bytes", len(value))
}
