package badgerstore

import (
	"slices"

	"venuegate/persistence/internal/rows"
)

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
