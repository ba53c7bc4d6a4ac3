package rows

import (
	"bytes"
	"context"
	"time"

	"venuegate/persistence"
)

// Purge deletes records and log rows that are older than the retention through the writer
// of an engine. Each step finds stale rows in a snapshot, then deletes in one operation
// those that are still stale.
func Purge(ctx context.Context, engine Viewer, enqueue Enqueue, before persistence.Retention) error {
	var from []byte
	for {
		var found [][]byte
		err := engine.View(ctx, func(s Snapshot) error {
			var err error
			found, from, err = staleRows(ctx, s, before, from)
			return err
		})
		if err != nil {
			return err
		}
		if len(found) > 0 {
			err := Await(ctx, func(done func(error)) {
				enqueue(func(tx Tx, _ uint64) error { return removeStale(tx, found, before) }, done)
			})
			if err != nil {
				return err
			}
		}
		if from == nil {
			return nil
		}
	}
}

// PurgeRowsMax bounds the primary rows that one step of a purge deletes. Commits are
// applied between the steps, so that they are not delayed until its end.
const PurgeRowsMax = 256

// staleRows returns the keys of primary rows that are older than the retention, in the
// order of keys, at most PurgeRowsMax. It starts at from (nil for the first step) and
// returns where the next step starts, nil after the last. Events and journal rows are
// purged in order, up to the first that stays.
func staleRows(ctx context.Context, s Snapshot, before persistence.Retention, from []byte) (found [][]byte, next []byte, err error) {
	scan := staleScan{ctx: ctx, snapshot: s, before: before}
	if from == nil {
		from = firstKey
	}
	for {
		customer, err := customerAt(s, from)
		if customer == nil || err != nil {
			return scan.found, nil, err
		}
		if err := scan.collect(customer, from); err != nil {
			return nil, nil, err
		}
		if len(scan.found) >= PurgeRowsMax {
			last := scan.found[len(scan.found)-1]
			return scan.found, append(bytes.Clone(last), 0), nil
		}
		from = customer.end()
	}
}

// staleScan collects the stale rows of one step.
type staleScan struct {
	ctx      context.Context
	snapshot Snapshot
	before   persistence.Retention
	found    [][]byte
}

// collect scans the rows of a customer that can be stale, in the order of their keys:
// the next step starts after the last row found.
func (s *staleScan) collect(customer key, from []byte) error {
	events := append(customer.clone(), byte(tableEvent))
	journal := append(customer.clone(), byte(tableJournal))
	journalBefore := s.before.Journal
	if bytes.Equal(customer, firstKey) {
		// The installation's rows stay: each holds the hash of the one before it, and
		// the chain is verified from the first.
		journalBefore = time.Time{}
	}
	records := func(kind persistence.Kind) key {
		return append(customer.clone(), byte(tableRecord)).text(string(kind))
	}
	for _, part := range []struct {
		prefix  key
		before  time.Time // of the retention; all rows stay if it is zero
		ordered bool
	}{
		{events, s.before.Events, true},
		{journal, journalBefore, true},
		{records(persistence.KindDelivery), s.before.Events, false},
		{records(persistence.KindIdempotency), s.before.Idempotency, false},
		{records(persistence.KindSession), s.before.Sessions, false},
		{records(persistence.KindSignal), s.before.Journal, false},
	} {
		if part.before.IsZero() || len(s.found) >= PurgeRowsMax {
			continue
		}
		if err := s.collectRows(part.prefix, from, part.ordered); err != nil {
			return err
		}
	}
	return nil
}

// collectRows collects the stale rows with a prefix. In an ordered table the scan ends at the
// first row that stays.
func (s *staleScan) collectRows(prefix key, from []byte, ordered bool) error {
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	var failed error
	err := s.snapshot.Scan(from, prefix.end(), false, func(k, value []byte) bool {
		var stale bool
		if stale, failed = isStale(k, value, s.before); failed != nil {
			return false
		}
		if stale {
			s.found = append(s.found, bytes.Clone(k))
		}
		failed = s.ctx.Err()
		return failed == nil && len(s.found) < PurgeRowsMax && (stale || !ordered)
	})
	return firstError(failed, err)
}

// removeStale deletes those of the rows that still exist and are still older than
// the retention.
func removeStale(tx Tx, keys [][]byte, before persistence.Retention) error {
	for _, k := range keys {
		value, err := tx.Get(k)
		if err != nil {
			return err
		}
		if value == nil {
			continue
		}
		stale, err := isStale(k, value, before)
		if err != nil {
			return err
		}
		if !stale {
			continue
		}
		e, err := decodeEntity(k, value)
		if err != nil {
			return err
		}
		if err := remove(tx, e); err != nil {
			return err
		}
	}
	return nil
}

// isStale reports whether a primary row is older than the retention and may be deleted.
func isStale(key, value []byte, before persistence.Retention) (bool, error) {
	p, err := decodePrimary(key, value)
	if err != nil {
		return false, err
	}
	switch v := p.item.(type) {
	case persistence.IdempotencyRecord:
		return v.FirstReceived.Before(before.Idempotency), nil
	case persistence.Event:
		return v.CreatedAt.Before(before.Events), nil
	case persistence.JournalEntry:
		return v.At.Before(before.Journal), nil
	case persistence.Delivery:
		// Its event is older than this last change, so the event is stale too.
		return v.Status != persistence.DeliveryPending && v.UpdatedAt.Before(before.Events), nil
	case persistence.Session:
		return v.EndsAt.Before(before.Sessions), nil
	case persistence.SignalRecord:
		return v.Status.IsFinal() && v.UpdatedAt.Before(before.Journal), nil
	}
	return false, nil
}
