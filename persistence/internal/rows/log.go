package rows

import (
	"context"
	"fmt"

	"venuegate/persistence"
)

// Events lists a customer's events after the one named.
func (r Reader) Events(ctx context.Context, customer, after string, limit int) ([]persistence.Event, error) {
	var events []persistence.Event
	err := r.engine.View(ctx, func(s Snapshot) error {
		prefix := newKey(customer, tableEvent)
		from := []byte(prefix)
		if after != "" {
			seq, err := eventSequence(s, customer, after)
			if err != nil {
				return err
			}
			from = behind(prefix, seq)
		}
		var err error
		events, err = eventsFrom(ctx, s, from, prefix.end(), limit)
		return err
	})
	return events, err
}

// EventsSince lists a customer's events with a higher sequence.
func (r Reader) EventsSince(ctx context.Context, customer string, seq uint64, limit int) ([]persistence.Event, error) {
	var events []persistence.Event
	err := r.engine.View(ctx, func(s Snapshot) error {
		prefix := newKey(customer, tableEvent)
		var err error
		events, err = eventsFrom(ctx, s, behind(prefix, seq), prefix.end(), limit)
		return err
	})
	return events, err
}

// Event finds one event of a customer.
func (r Reader) Event(ctx context.Context, customer, id string) (persistence.Event, error) {
	var event persistence.Event
	err := r.engine.View(ctx, func(s Snapshot) error {
		seq, err := eventSequence(s, customer, id)
		if err != nil {
			return err
		}
		value, err := s.Get(newKey(customer, tableEvent).number(seq))
		if err != nil {
			return err
		}
		event, err = DecodeEvent(value)
		return err
	})
	return event, err
}

// behind is the first key after the one of a sequence.
func behind(prefix key, seq uint64) []byte { return append(prefix.clone().number(seq), 0) }

func eventsFrom(ctx context.Context, s Snapshot, from, to []byte, limit int) ([]persistence.Event, error) {
	var events []persistence.Event
	var failed error
	size := pageSize(limit)
	err := s.Scan(from, to, false, func(_, value []byte) bool {
		var event persistence.Event
		if event, failed = DecodeEvent(value); failed != nil {
			return false
		}
		events = append(events, event)
		failed = ctx.Err()
		return failed == nil && len(events) < size
	})
	if err := firstError(failed, err); err != nil {
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
		prefix, byTime := journalPrefix(q)
		index := span{prefix: prefix, from: q.From, to: q.To, after: q.After}
		var err error
		page, err = filtered(ctx, s, index, q.Limit, func(h hit) (persistence.JournalEntry, bool, error) {
			if !byTime {
				var err error
				if h.value, err = indexedJournal(s, q, h); h.value == nil || err != nil {
					return persistence.JournalEntry{}, false, err
				}
			}
			entry, err := DecodeJournal(h.value)
			return entry, matchJournal(q, entry), err
		})
		return err
	})
	return page, err
}

// journalPrefix chooses the index with the fewest rows besides those wanted;
// byTime says that it is the journal itself.
func journalPrefix(q persistence.JournalQuery) (prefix key, byTime bool) {
	switch {
	case q.Subject != "":
		return newKey(q.Customer, tableSubject).text(q.Subject), false
	case q.Channel != "":
		return newKey(q.Customer, tableJournalOf).text(q.Channel), false
	}
	return newKey(q.Customer, tableJournal), true
}

// indexedJournal reads the journal row that an index row names; nil is one of
// another kind than the query's.
func indexedJournal(s Snapshot, q persistence.JournalQuery, h hit) ([]byte, error) {
	reader := keyReader{rest: h.value}
	kind := reader.text()
	if reader.err != nil {
		return nil, fmt.Errorf("%w: index row %q: %w", persistence.ErrIntegrity, h.value, reader.err)
	}
	if q.Kind != "" && q.Kind != kind {
		return nil, nil
	}
	value, err := s.Get(newKey(q.Customer, tableJournal).moment(h.At.Time).text(h.ID))
	if err == nil && value == nil {
		err = fmt.Errorf("%w: an index names journal row %s, which is not there", persistence.ErrIntegrity, h.ID)
	}
	return value, err
}

func matchJournal(q persistence.JournalQuery, j persistence.JournalEntry) bool {
	return (q.Kind == "" || q.Kind == j.Kind) && (q.Subject == "" || q.Subject == j.Subject) &&
		(q.Channel == "" || q.Channel == j.Channel) && (q.Symbol == "" || q.Symbol == j.Symbol) &&
		(q.Result == "" || q.Result == j.Result)
}

// LastSequence is the highest sequence that a customer's events and journal rows
// ever carried, purged ones included.
func (r Reader) LastSequence(ctx context.Context, customer string) (uint64, error) {
	var seq uint64
	err := r.engine.View(ctx, func(s Snapshot) error {
		value, err := s.Get(sequenceKey(customer))
		if err == nil {
			seq, err = decodeNumber(value)
		}
		return err
	})
	return seq, err
}
