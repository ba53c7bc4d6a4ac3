package badgerstore

import (
	"venuegate/persistence/internal/rows"
)

// groupTx is the transaction of one group. It accounts for every change in the
// ledger that the group will write.
type groupTx struct {
	snapshot
	ledger  ledger
	changed bool
	// logBytes is about what the rows take of badger's log.
	logBytes int64
	// recent are the writer's rows as this group sees them; nil is none.
	recent  *rows.Recent[[]byte]
	indexes rows.Indexes
}

var _ rows.Tx = (*groupTx)(nil)

// beginGroup starts from what the newest ledger row says.
func beginGroup(v *versions, head ledger) *groupTx {
	return &groupTx{snapshot: snapshot{v.write()}, ledger: head}
}

// Indexes implements rows.Tx.
func (g *groupTx) Indexes() rows.Indexes { return g.indexes }

// Get implements rows.Getter.
func (g *groupTx) Get(key []byte) ([]byte, error) {
	if value, kept := g.recent.Get(key); kept {
		return value, nil
	}
	value, err := g.snapshot.Get(key)
	if err == nil {
		g.recent.Put(key, value, len(value))
	}
	return value, err
}

// logBytesFixed is what a row takes of badger's log besides its key and value.
const logBytesFixed = 24

// Replace implements rows.Tx.
func (g *groupTx) Replace(key, old, value []byte) error {
	g.changed = true
	g.logBytes += int64(len(key) + len(value) + logBytesFixed)
	if _, kept := g.recent.Get(key); kept {
		g.recent.Put(key, value, len(value))
	}
	g.ledger.replace(key, old, value)
	if value == nil {
		return g.txn.Delete(key)
	}
	return g.txn.Set(key, value)
}

// seal adds the ledger row of a group that follows previous, and removes the one
// that is no longer needed.
func (g *groupTx) seal(previous ledger) error {
	g.ledger.follow(previous)
	if err := g.txn.Set(ledgerKey(g.ledger.seq), g.ledger.encode()); err != nil {
		return err
	}
	if g.ledger.seq <= ledgerRowsMax {
		return nil
	}
	return g.txn.Delete(ledgerKey(g.ledger.seq - ledgerRowsMax))
}
