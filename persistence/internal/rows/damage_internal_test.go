package rows

import (
	"context"
	"errors"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// View makes memoryRows an engine.
func (m memoryRows) View(_ context.Context, read func(Snapshot) error) error { return read(m) }

// A damaged record ends a purge and an archive, which must not take it for one that stays.
func TestRetentionReportsDamagedRows(t *testing.T) {
	damaged := []byte{codecVersion, 0x7f}
	until := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	enqueue := func(Operation, func(error)) { t.Error("a row is deleted") }

	m := memoryRows{rows: map[string][]byte{string(newKey("alice", tableEvent).number(1)): damaged}}
	if err := Purge(t.Context(), m, enqueue, persistence.Retention{Events: until}); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Purge = %v, want %v", err, persistence.ErrIntegrity)
	}

	fill := recordPrefix("alice", persistence.KindFill).text(persistence.FillID(venues.Bybit, "ETHUSDT", "1", "2", time.UnixMilli(1_770_000_000_000)))
	m = memoryRows{rows: map[string][]byte{string(fill): damaged}}
	if err := Archive(t.Context(), m, enqueue, persistence.Retention{Fills: until}, nil); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Archive = %v, want %v", err, persistence.ErrIntegrity)
	}
}

// A journal row that an index row refers to must be there: the page is not one without it.
func TestJournalReportsMissingRows(t *testing.T) {
	entry := persistence.JournalEntry{At: venues.At(time.UnixMilli(1_770_000_000_000)), ID: "jnl_1", Kind: "order.placed", Subject: "ord_1"}
	m := memoryRows{rows: map[string][]byte{}}
	for _, r := range journalIndex("alice", entry) {
		m.rows[string(r.key)] = r.value
	}
	got, err := Reader{m}.Journal(t.Context(), persistence.JournalQuery{Customer: "alice", Subject: entry.Subject, Limit: 10})
	if !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Journal = %+v, %v; want %v", got, err, persistence.ErrIntegrity)
	}
}

// The id of an idempotency record contains its attempt.
func TestIdempotencyIDWithoutAttempt(t *testing.T) {
	for _, id := range []string{"rest/r", "rest/r/", "rest/r/x", "rest/r/01"} {
		k := persistence.Key{Kind: persistence.KindIdempotency, Customer: "alice", ID: id}
		if got, err := decodeRecord(k, []byte{codecVersion}); !errors.Is(err, persistence.ErrIntegrity) {
			t.Errorf("decode with the id %q = %+v, %v; want %v", id, got, err, persistence.ErrIntegrity)
		}
	}
}

// An event is found by the sequence in its id only if that is its sequence.
func TestEventWithTheIDOfAnotherSequence(t *testing.T) {
	id := persistence.EventID(persistence.NewID(persistence.PrefixEvent, time.UnixMilli(1_770_000_000_000), zeros{}), 2)
	m := memoryRows{rows: map[string][]byte{}}
	for _, seq := range []uint64{2, 3} {
		e, err := eventEntity("alice", persistence.Event{ID: id, Seq: seq})
		if err != nil {
			t.Fatal(err)
		}
		if want := int(seq - 2); len(e.index) != want {
			t.Errorf("event %d with the id of 2 has %d index rows, want %d", seq, len(e.index), want)
		}
		if seq == 3 {
			m.rows[string(e.key)] = e.value
			for _, r := range e.index {
				m.rows[string(r.key)] = r.value
			}
		}
	}
	if got, err := (Reader{m}).Event(t.Context(), "alice", id); err != nil || got.Seq != 3 {
		t.Errorf("Event = %+v, %v; want sequence 3", got, err)
	}
}

// A list ends with the call that asked for it.
func TestListEndsWithItsContext(t *testing.T) {
	m := memoryRows{rows: map[string][]byte{}}
	for seq := range uint64(3) {
		m.rows[string(newKey("alice", tableEvent).number(seq))] = []byte{codecVersion}
	}
	ctx, cancel := context.WithCancel(t.Context())
	read := 0
	_, err := collect(ctx, m, firstKey, nil, noLimit, func([]byte, []byte) (int, error) {
		read++
		cancel()
		return read, nil
	})
	if !errors.Is(err, context.Canceled) || read != 1 {
		t.Errorf("collect reads %d rows after its context ended and returns %v; want 1 and %v", read, err, context.Canceled)
	}
}
