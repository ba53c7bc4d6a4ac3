package rows

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"venuegate/persistence"
)

// Events lists a customer's events after the event with the id after, by sequence. An
// empty after starts at the oldest event; an unknown one is ErrNotFound.
func (r Reader) Events(ctx context.Context, customer, after string, limit int) ([]persistence.Event, error) {
	return view(ctx, r.engine, func(s Snapshot) ([]persistence.Event, error) {
		prefix := newKey(customer, tableEvent)
		from := []byte(prefix)
		if after != "" {
			seq, err := eventSequence(s, customer, after)
			if err != nil {
				return nil, err
			}
			from = afterSequence(prefix, seq)
		}
		return eventsFrom(ctx, s, from, prefix.end(), limit)
	})
}

// EventsSince lists a customer's events with a sequence above seq, by sequence.
func (r Reader) EventsSince(ctx context.Context, customer string, seq uint64, limit int) ([]persistence.Event, error) {
	prefix := newKey(customer, tableEvent)
	return view(ctx, r.engine, func(s Snapshot) ([]persistence.Event, error) {
		return eventsFrom(ctx, s, afterSequence(prefix, seq), prefix.end(), limit)
	})
}

// Event returns one event of a customer.
func (r Reader) Event(ctx context.Context, customer, id string) (persistence.Event, error) {
	return view(ctx, r.engine, func(s Snapshot) (none persistence.Event, err error) {
		seq, err := eventSequence(s, customer, id)
		if err != nil {
			return none, err
		}
		value, err := s.Get(newKey(customer, tableEvent).number(seq))
		if err != nil {
			return none, err
		}
		return decodeEvent(seq, value)
	})
}

// afterSequence returns the lowest key after that of the event with a sequence.
func afterSequence(prefix key, seq uint64) []byte { return append(prefix.clone().number(seq), 0) }

// eventsFrom returns the events with from <= key < to, by sequence, at most a page.
func eventsFrom(ctx context.Context, s Snapshot, from, to []byte, limit int) ([]persistence.Event, error) {
	return collect(ctx, s, from, to, pageSize(limit), func(key, value []byte) (none persistence.Event, err error) {
		_, id, err := identify(key)
		if err != nil {
			return none, err
		}
		return decodeEvent(id.seq, value)
	})
}

// eventSequence returns the sequence of an event by its id; the highest one if it was
// put twice.
func eventSequence(s Snapshot, customer, id string) (uint64, error) {
	derived, found, err := derivedSequence(s, customer, id)
	if err != nil {
		return 0, err
	}
	prefix := newKey(customer, tableEventID).text(id)
	last, err := lastRow(s, prefix)
	if errors.Is(err, persistence.ErrNotFound) && found {
		return derived, nil
	}
	if err != nil {
		return 0, err
	}
	reader := keyReader{rest: last.key[len(prefix):]}
	return max(derived, reader.number()), reader.err
}

// derivedSequence returns the sequence that an event id contains, and reports whether there
// is that event.
func derivedSequence(g Getter, customer, id string) (seq uint64, found bool, err error) {
	seq, ok := persistence.EventSequence(id)
	if !ok {
		return 0, false, nil
	}
	value, err := g.Get(newKey(customer, tableEvent).number(seq))
	if err != nil || value == nil {
		return 0, false, err
	}
	event, err := decodeEvent(seq, value)
	if err != nil || event.ID != id {
		return 0, false, err
	}
	return seq, true, nil
}

// Journal returns one page of a customer's journal.
func (r Reader) Journal(ctx context.Context, q persistence.JournalQuery) (persistence.Page[persistence.JournalEntry], error) {
	entries := timeRange{prefix: newKey(q.Customer, tableJournal), from: q.From, to: q.To, after: q.After}
	return view(ctx, r.engine, func(s Snapshot) (persistence.Page[persistence.JournalEntry], error) {
		load := func(in timeRange, h hit) (persistence.JournalEntry, bool, error) {
			if !bytes.Equal(in.prefix, entries.prefix) {
				var err error
				if h.value, err = indexedJournal(s, q, h); h.value == nil || err != nil {
					return persistence.JournalEntry{}, false, err
				}
			}
			entry, err := decodeJournal(h.At, h.ID, h.value)
			return entry, matchJournal(q, entry), err
		}
		return filteredPage(ctx, s, q.Limit, load, journalRanges(q, entries)...)
	})
}

// journalRanges selects the tables with the fewest rows to skip: an index, or the range entries
// of the journal rows themselves. Those near their subject are found without an index row.
func journalRanges(q persistence.JournalQuery, entries timeRange) []timeRange {
	index := entries
	switch {
	case q.Subject != "":
		index.prefix = newKey(q.Customer, tableJournalSubject).text(q.Subject)
		from, end, ok := nearTime(q.Subject)
		if !ok {
			return []timeRange{index}
		}
		later, earlier := index, index
		if later.from.Before(end) {
			later.from = end
		}
		if earlier.to.IsZero() || earlier.to.After(from) {
			earlier.to = from
		}
		return []timeRange{later, entries.within(from, end), earlier}
	case q.Channel != "":
		index.prefix = newKey(q.Customer, tableJournalChannel).text(q.Channel)
		return []timeRange{index}
	}
	return []timeRange{entries}
}

// indexedJournal reads the journal row of an index row. It returns nil, without a read,
// if the kind does not match the query.
func indexedJournal(s Snapshot, q persistence.JournalQuery, h hit) ([]byte, error) {
	reader := keyReader{rest: h.value}
	kind := reader.text()
	if reader.err != nil {
		return nil, fmt.Errorf("%w: index row %q: %w", persistence.ErrIntegrity, h.value, reader.err)
	}
	if q.Kind != "" && q.Kind != kind {
		return nil, nil
	}
	value, err := s.Get(newKey(q.Customer, tableJournal).time(h.At.Time).text(h.ID))
	if err == nil && value == nil {
		err = fmt.Errorf("%w: an index row without its journal row %s", persistence.ErrIntegrity, h.ID)
	}
	return value, err
}

func matchJournal(q persistence.JournalQuery, j persistence.JournalEntry) bool {
	return (q.Kind == "" || q.Kind == j.Kind) && (q.Subject == "" || q.Subject == j.Subject) &&
		(q.Channel == "" || q.Channel == j.Channel) && (q.Symbol == "" || q.Symbol == j.Symbol) &&
		(q.Result == "" || q.Result == j.Result)
}

// LastSequence returns the highest sequence number that an event or journal row of a
// customer has used, including purged ones.
func (r Reader) LastSequence(ctx context.Context, customer string) (uint64, error) {
	return view(ctx, r.engine, func(s Snapshot) (uint64, error) {
		value, err := s.Get(sequenceKey(customer))
		if err != nil {
			return 0, err
		}
		return decodeNumber(value)
	})
}
