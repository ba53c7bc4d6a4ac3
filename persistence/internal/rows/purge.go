package rows

import (
	"bytes"
	"context"
	"time"

	"venuegate/persistence"
)

// PurgeRowsMax bounds the records that one step of a purge removes, so that
// commits pass between the steps.
const PurgeRowsMax = 256

// stale finds primary rows older than the retention, one customer after another,
// at most PurgeRowsMax. It begins at from (nil is the beginning) and gives where
// to continue, nil at the end. Events and journal rows leave in order, up to the
// first that stays.
func stale(ctx context.Context, s Snapshot, before persistence.Retention, from []byte) (found [][]byte, next []byte, err error) {
	w := sweep{ctx: ctx, snapshot: s, before: before}
	if from == nil {
		from = firstCustomer
	}
	for {
		customer, err := customerAt(s, from)
		if customer == nil || err != nil {
			return w.found, nil, err
		}
		if err := w.customer(customer, from); err != nil {
			return nil, nil, err
		}
		if len(w.found) >= PurgeRowsMax {
			last := w.found[len(w.found)-1]
			return w.found, append(bytes.Clone(last), 0), nil
		}
		from = customer.end()
	}
}

// firstCustomer is the lowest key that newKey makes; the engine's own rows come
// before it.
var firstCustomer = []byte{0x00, 0x01}

// customerAt finds the customer of the first row at or after from, as the prefix
// of its keys; nil if there is none.
func customerAt(s Snapshot, from []byte) (key, error) {
	var prefix key
	var malformed error
	err := s.Scan(from, nil, false, func(k, _ []byte) bool {
		reader := keyReader{rest: k}
		reader.text()
		prefix, malformed = bytes.Clone(k[:len(k)-len(reader.rest)]), reader.err
		return false
	})
	return prefix, firstError(malformed, err)
}

// sweep collects stale rows of one step.
type sweep struct {
	ctx      context.Context
	snapshot Snapshot
	before   persistence.Retention
	found    [][]byte
}

// customer looks through what can be stale, in the order of the keys.
func (w *sweep) customer(customer key, from []byte) error {
	events := append(customer.clone(), byte(tableEvent))
	journal := append(customer.clone(), byte(tableJournal))
	keepJournal := w.before.Journal
	if bytes.Equal(customer, firstCustomer) {
		// The installation's rows are chained, from the first one on.
		keepJournal = time.Time{}
	}
	records := func(kind persistence.Kind) key {
		return append(customer.clone(), byte(tableRecord)).text(string(kind))
	}
	return firstError(
		w.rows(events, from, w.before.Events, true),
		w.rows(journal, from, keepJournal, true),
		w.rows(records(persistence.KindDelivery), from, w.before.Events, false),
		w.rows(records(persistence.KindIdempotency), from, w.before.Idempotency, false),
		w.rows(records(persistence.KindSignal), from, w.before.Journal, false),
	)
}

// rows collects the stale rows under a prefix. In an ordered table the first row
// that stays ends the search.
func (w *sweep) rows(prefix key, from []byte, before time.Time, ordered bool) error {
	if before.IsZero() || len(w.found) >= PurgeRowsMax {
		return nil
	}
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	var failed error
	err := w.snapshot.Scan(from, prefix.end(), false, func(k, value []byte) bool {
		var stale bool
		if stale, failed = isStale(k, value, w.before); failed != nil {
			return false
		}
		if stale {
			w.found = append(w.found, bytes.Clone(k))
		}
		failed = w.ctx.Err()
		return failed == nil && len(w.found) < PurgeRowsMax && (stale || !ordered)
	})
	return firstError(failed, err)
}

// removeStale removes the rows that are still there and still older than the
// retention.
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

func isStale(key, value []byte, before persistence.Retention) (bool, error) {
	p, err := decodePrimary(key, value)
	if err != nil {
		return false, err
	}
	switch v := p.value.(type) {
	case persistence.IdempotencyRecord:
		return v.FirstReceived.Before(before.Idempotency), nil
	case persistence.Event:
		return v.CreatedAt.Before(before.Events), nil
	case persistence.JournalEntry:
		return v.At.Before(before.Journal), nil
	case persistence.Delivery:
		// Its last change is later than its event, which is therefore stale too.
		return v.Status != persistence.DeliveryPending && v.UpdatedAt.Before(before.Events), nil
	case persistence.SignalRecord:
		return v.Status.IsFinal() && v.UpdatedAt.Before(before.Journal), nil
	}
	return false, nil
}
