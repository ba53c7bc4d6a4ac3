package badgerstore

import (
	"venuegate/persistence/internal/rows"
)

// groupTx is the transaction of one commit group. It updates the group's ledger with
// every change.
type groupTx struct {
	snapshot
	ledger  ledger
	changed bool
	// logBytes is the approximate size of the rows in badger's log.
	logBytes int64
	cache    rows.RowCache
}

var _ rows.Tx = (*groupTx)(nil)

// begin starts the group that follows the one with the ledger row head.
func (w *writer) begin(head ledger) *groupTx {
	return &groupTx{snapshot: snapshot{w.versions.write(), w.filter}, ledger: head, cache: w.cache}
}

// Cache implements rows.Tx.
func (g *groupTx) Cache() rows.RowCache { return g.cache }

// logBytesFixed is the size of a row in badger's log in addition to key and value.
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

// addLedger writes the ledger row of the group after previous, and deletes the oldest
// one.
func (g *groupTx) addLedger(previous ledger) error {
	g.ledger.chainTo(previous)
	if err := g.txn.Set(ledgerKey(g.ledger.seq), g.ledger.encode()); err != nil {
		return err
	}
	if g.ledger.seq <= ledgerRowsMax {
		return nil
	}
	return g.txn.Delete(ledgerKey(g.ledger.seq - ledgerRowsMax))
}
