package rows

import (
	"bytes"
	"context"
	"errors"
	"time"

	"venuegate/persistence"
)

// ArchiveRowsMax bounds the records of one persistence.Archive.Write.
const ArchiveRowsMax = 4096

// archiveMargin is how long before the cut of a position, and before the last reading of a
// venue's executions, a fill must have been executed to be deleted. It is more than the
// overlaps of readings.
const archiveMargin = 48 * time.Hour

// Archive writes the closed orders and the fills that are older than the retention to an
// archive, and deletes them through the writer of an engine once they are durable there.
// Rows that have changed meanwhile stay.
func Archive(ctx context.Context, engine Viewer, enqueue Enqueue, before persistence.Retention, to persistence.Archive) error {
	from := firstKey
	for {
		scan := archiveScan{ctx: ctx, before: before}
		err := engine.View(ctx, func(s Snapshot) error {
			var err error
			from, err = scan.collect(s, from)
			return err
		})
		if err != nil {
			return err
		}
		if len(scan.records) > 0 {
			// An empty deletion: if the writer rejects it, nothing is archived. Otherwise every
			// call would write the same records again without being able to delete them.
			if err := removeRows(ctx, enqueue, nil); err != nil {
				return err
			}
			if err := to.Write(scan.records); err != nil {
				return err
			}
		}
		if err := removeArchived(ctx, enqueue, scan.found); err != nil {
			return err
		}
		if from == nil {
			return nil
		}
	}
}

// Bounds of the attempts to delete rows that are archived.
const (
	removeTriesMax = 10
	removePause    = time.Second
)

// removeArchived deletes rows in steps. It tries again if the writer rejects one, because its
// queue may have been full.
func removeArchived(ctx context.Context, enqueue Enqueue, found []row) error {
	for tries := 1; len(found) > 0; tries++ {
		step := found[:min(len(found), PurgeRowsMax)]
		err := removeRows(ctx, enqueue, step)
		if err == nil {
			found, tries = found[len(step):], 0
			continue
		}
		if tries == removeTriesMax || !errors.Is(err, persistence.ErrUnavailable) {
			return err
		}
		select {
		case <-time.After(removePause):
		case <-ctx.Done():
			return err
		}
	}
	return nil
}

// removeRows deletes rows in one operation.
func removeRows(ctx context.Context, enqueue Enqueue, found []row) error {
	return Await(ctx, func(done func(error)) {
		enqueue(func(tx Tx, _ uint64) error { return removeUnchanged(tx, found) }, done)
	})
}

// removeUnchanged deletes those of the primary rows that still have their value.
func removeUnchanged(tx Tx, found []row) error {
	for _, r := range found {
		value, err := tx.Get(r.key)
		if err != nil {
			return err
		}
		if value == nil || !bytes.Equal(value, r.value) {
			continue
		}
		e, err := decodeEntity(r.key, value)
		if err != nil {
			return err
		}
		if err := remove(tx, e); err != nil {
			return err
		}
	}
	return nil
}

// archiveScan collects the rows of one call of the archive.
type archiveScan struct {
	ctx    context.Context
	before persistence.Retention

	found   []row
	records []persistence.Record
}

// collect collects rows in the order of their keys, starting at from. It returns where the
// next scan starts, nil after the last.
func (s *archiveScan) collect(snapshot Snapshot, from []byte) (next []byte, err error) {
	for {
		customer, err := customerAt(snapshot, from)
		if customer == nil || err != nil {
			return nil, err
		}
		if !bytes.Equal(customer, firstKey) {
			if err := s.collectCustomer(snapshot, customer, from); err != nil {
				return nil, err
			}
		}
		if len(s.found) >= ArchiveRowsMax {
			return append(bytes.Clone(s.found[len(s.found)-1].key), 0), nil
		}
		from = customer.end()
	}
}

// collectCustomer collects fills, then orders: their kinds are in this order.
func (s *archiveScan) collectCustomer(snapshot Snapshot, customer key, from []byte) error {
	base := append(customer.clone(), byte(tableRecord)) // of the keys of records
	if !s.before.Fills.IsZero() {
		needed, err := fillsNeeded(snapshot, base)
		if err != nil {
			return err
		}
		mayGo := func(r persistence.Record) (bool, error) {
			f := r.(persistence.FillRecord)
			if !f.ExecutedAt.Before(s.before.Fills) || !f.ExecutedAt.Before(needed(&f)) {
				return false, nil
			}
			return isFinished(snapshot, base, f.OrderID)
		}
		if err := s.collectKind(snapshot, base, persistence.KindFill, persistence.PrefixFill, s.before.Fills, from, mayGo); err != nil {
			return err
		}
	}
	if s.before.Orders.IsZero() {
		return nil
	}
	entries, err := entriesOfLegs(snapshot, customer)
	if err != nil {
		return err
	}
	mayGo := func(r persistence.Record) (bool, error) {
		o := r.(persistence.OrderRecord)
		return !o.Unfinished() && !entries[o.OrderID] && o.UpdatedAt.Before(s.before.Orders), nil
	}
	return s.collectKind(snapshot, base, persistence.KindOrder, persistence.PrefixOrder, s.before.Orders, from, mayGo)
}

// collectKind collects the stale records of a kind. Their ids begin with the prefix and the
// time: those from before on are not read.
func (s *archiveScan) collectKind(snapshot Snapshot, base key, kind persistence.Kind, prefix string, before time.Time, from []byte, mayGo func(persistence.Record) (bool, error)) error {
	begin := base.clone().text(string(kind))
	firstKept := persistence.NewID(prefix, before, zeros{})
	end := append(begin.clone(), firstKept...)
	if len(s.found) >= ArchiveRowsMax || bytes.Compare(from, end) >= 0 {
		return nil
	}
	var failed error
	err := snapshot.Scan(maxKey(from, begin), end, false, func(k, value []byte) bool {
		var p decodedRow
		if p, failed = decodePrimary(k, value); failed != nil {
			return false
		}
		record := p.item.(persistence.Record)
		var goes bool
		if goes, failed = mayGo(record); failed != nil {
			return false
		}
		if goes {
			s.found = append(s.found, row{bytes.Clone(k), bytes.Clone(value)})
			s.records = append(s.records, record)
		}
		failed = s.ctx.Err()
		return failed == nil && len(s.found) < ArchiveRowsMax
	})
	return firstError(failed, err)
}

// zeros is the entropy of the lowest id of a time.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// isFinished reports whether an order can no longer change, or does not exist.
func isFinished(snapshot Snapshot, base key, orderID string) (bool, error) {
	if orderID == "" {
		return true, nil
	}
	k := base.clone().text(string(persistence.KindOrder)).text(orderID)
	value, err := snapshot.Get(k)
	if value == nil || err != nil {
		return true, err
	}
	p, err := decodePrimary(k, value)
	if err != nil {
		return false, err
	}
	o := p.item.(persistence.OrderRecord)
	return !o.Unfinished(), nil
}

// entriesOfLegs returns the ids of the orders whose positions unfinished orders protect. They
// stay although they are closed: an account loads the unfinished orders together with them.
func entriesOfLegs(snapshot Snapshot, customer key) (map[string]bool, error) {
	entries := map[string]bool{}
	unfinished := append(customer.clone(), byte(tableOrderUnfinished))
	var failed error
	err := snapshot.Scan(unfinished, unfinished.end(), false, func(k, _ []byte) bool {
		reader := keyReader{rest: k}
		name := reader.text()
		reader.table()
		reader.text() // exchange
		reader.time()
		id := reader.text()
		if failed = reader.err; failed != nil {
			return false
		}
		var leg persistence.OrderRecord
		if leg, failed = indexedRecord[persistence.OrderRecord](snapshot, orderKey(name, id)); failed == nil {
			entries[leg.EntryOrderID] = true
		}
		return failed == nil
	})
	return entries, firstError(failed, err)
}

// fillsNeeded returns a function that returns the time from which on the fills of an
// instrument are needed to compute its position and to recognize executions that a venue
// lists again. It is the zero time if all are.
func fillsNeeded(snapshot Snapshot, base key) (func(*persistence.FillRecord) time.Time, error) {
	cuts := map[string]time.Time{}
	err := eachOf(snapshot, base, persistence.KindPosition, func(r persistence.Record) {
		p := r.(persistence.PositionRecord)
		cut := p.CutAt.Time
		if p.KnownSince.After(cut) {
			cut = p.KnownSince.Time
		}
		cuts[string(p.Exchange)+"/"+p.Symbol] = cut
	})
	if err != nil {
		return nil, err
	}
	readUntil := map[string]time.Time{}
	err = eachOf(snapshot, base, persistence.KindAccountState, func(r persistence.Record) {
		state := r.(persistence.AccountState)
		for symbol, until := range state.FillsUntil {
			readUntil[string(state.Exchange)+"/"+symbol] = until.Time
		}
	})
	return func(f *persistence.FillRecord) time.Time {
		of := string(f.Exchange) + "/" + f.Symbol
		cut, until := cuts[of], readUntil[of]
		if until.Before(cut) {
			cut = until
		}
		if cut.IsZero() {
			return cut
		}
		return cut.Add(-archiveMargin)
	}, err
}

// eachOf calls visit for each record of a kind.
func eachOf(snapshot Snapshot, base key, kind persistence.Kind, visit func(persistence.Record)) error {
	prefix := base.clone().text(string(kind))
	var failed error
	err := snapshot.Scan(prefix, prefix.end(), false, func(k, value []byte) bool {
		var p decodedRow
		if p, failed = decodePrimary(k, value); failed == nil {
			visit(p.item.(persistence.Record))
		}
		return failed == nil
	})
	return firstError(failed, err)
}
