package rows

import (
	"context"

	"venuegate/persistence"
)

// Events lists a customer's events after the one named.
func (r Reader) Events(ctx context.Context, customer, after string, limit int) ([]persistence.Event, error) {
	var events []persistence.Event
	size := pageSize(limit)
	err := r.engine.View(ctx, func(s Snapshot) error {
		prefix := newKey(customer, tableEvent)
		from := []byte(prefix)
		if after != "" {
			seq, err := eventSequence(s, customer, after)
			if err != nil {
				return err
			}
			from = append(prefix.clone().number(seq), 0)
		}
		var failed error
		err := s.Scan(from, prefix.end(), false, func(_, value []byte) bool {
			var event persistence.Event
			if event, failed = DecodeEvent(value); failed != nil {
				return false
			}
			events = append(events, event)
			failed = ctx.Err()
			return failed == nil && len(events) < size
		})
		return firstError(failed, err)
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// eventSequence finds where an event stands: its highest sequence, should it
// have been put twice.
func eventSequence(s Snapshot, customer, id string) (uint64, error) {
	prefix := newKey(customer, tableEventID).text(id)
	var seq uint64
	found := false
	var malformed error
	err := s.Scan(prefix, prefix.end(), true, func(key, _ []byte) bool {
		reader := keyReader{rest: key[len(prefix):]}
		seq, malformed, found = reader.number(), reader.err, true
		return false
	})
	if err := firstError(malformed, err); err != nil {
		return 0, err
	}
	if !found {
		return 0, persistence.ErrNotFound
	}
	return seq, nil
}

// Journal reads one page of a customer's journal.
func (r Reader) Journal(ctx context.Context, q persistence.JournalQuery) (persistence.Page[persistence.JournalEntry], error) {
	var page persistence.Page[persistence.JournalEntry]
	err := r.engine.View(ctx, func(s Snapshot) error {
		var err error
		if q.Subject == "" {
			page, err = journalByTime(ctx, s, q)
		} else {
			page, err = journalBySubject(ctx, s, q)
		}
		return err
	})
	return page, err
}

func journalByTime(ctx context.Context, s Snapshot, q persistence.JournalQuery) (persistence.Page[persistence.JournalEntry], error) {
	size := pageSize(q.Limit)
	index := span{prefix: newKey(q.Customer, tableJournal), from: q.From, to: q.To, after: q.After}
	hits, err := index.newest(ctx, s, size+1, func(value []byte) (bool, error) {
		if q.Kind == "" {
			return true, nil
		}
		entry, err := DecodeJournal(value)
		return entry.Kind == q.Kind, err
	})
	if err != nil {
		return persistence.Page[persistence.JournalEntry]{}, err
	}
	return makePage(hits, size, func(h hit) (persistence.JournalEntry, error) { return DecodeJournal(h.value) })
}

func journalBySubject(ctx context.Context, s Snapshot, q persistence.JournalQuery) (persistence.Page[persistence.JournalEntry], error) {
	size := pageSize(q.Limit)
	index := span{prefix: newKey(q.Customer, tableSubject).text(q.Subject), from: q.From, to: q.To, after: q.After}
	hits, err := index.newest(ctx, s, size+1, func(value []byte) (bool, error) {
		reader := keyReader{rest: value}
		kind := reader.text()
		return q.Kind == "" || q.Kind == kind, reader.err
	})
	if err != nil {
		return persistence.Page[persistence.JournalEntry]{}, err
	}
	return makePage(hits, size, func(h hit) (persistence.JournalEntry, error) {
		value, err := s.Get(newKey(q.Customer, tableJournal).moment(h.At.Time).text(h.ID))
		if err != nil {
			return persistence.JournalEntry{}, err
		}
		return DecodeJournal(value)
	})
}

// LastSequence is the highest sequence that a customer's events and journal rows
// ever carried, purged ones included.
func (r Reader) LastSequence(ctx context.Context, customer string) (uint64, error) {
	var seq uint64
	err := r.engine.View(ctx, func(s Snapshot) error {
		var err error
		seq, err = readNumber(s, sequenceKey(customer))
		return err
	})
	return seq, err
}
