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
	known    rows.Known
}

var _ rows.Tx = (*groupTx)(nil)

// begin starts a group from a ledger row.
func (w *writer) begin(head ledger) *groupTx {
	return &groupTx{snapshot: snapshot{w.versions.write(), w.filter}, ledger: head, known: w.known}
}

// Known implements rows.Tx.
func (g *groupTx) Known() rows.Known { return g.known }

// logBytesFixed is what a row takes of badger's log besides its key and value.
const logBytesFixed = 24

// Replace implements rows.Tx.
func (g *groupTx) Replace(key, old, value []byte) error {
	g.changed = true
	g.logBytes += int64(len(key) + len(value) + logBytesFixed)
	g.ledger.replace(key, old, value)
	if value == nil {
		return g.txn.Delete(key)
	}
	g.filter.add(key)
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
