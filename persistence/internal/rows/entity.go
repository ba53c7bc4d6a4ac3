package rows

import (
	"fmt"
	"strconv"

	"venuegate/persistence"
	"venuegate/venues"
)

// row is a key with its value.
type row struct {
	key   []byte
	value []byte
}

// entity is a primary row with its index rows: all rows of a record, an event or a
// journal row.
type entity struct {
	row
	index []row
	// mutable is set for an encoded record: later batches may replace it, so it is cached.
	// Events and journal rows never change, and decoded entities are only deleted.
	mutable bool
}

// recordEntity encodes a record, which has the key k. Its errors wrap ErrInvalid, like those of the two
// functions below.
func recordEntity(k persistence.Key, r persistence.Record) (entity, error) {
	primary, err := recordKey(k)
	if err != nil {
		return entity{}, err
	}
	if check := kinds[k.Kind].check; check != nil {
		if err := check(r); err != nil {
			return entity{}, err
		}
	}
	value, err := encode(identity{Key: k}, r)
	if err != nil {
		return entity{}, fmt.Errorf("record %s: %w", k, err)
	}
	return entity{row: row{primary, value}, index: indexOf(k.Kind, r), mutable: true}, nil
}

func eventEntity(customer string, e persistence.Event) (entity, error) {
	if e.ID == "" {
		return entity{}, fmt.Errorf("%w: an event without id", ErrInvalid)
	}
	if err := checkTexts(e.ID); err != nil {
		return entity{}, err
	}
	value, err := encode(identity{seq: e.Seq}, e)
	if err != nil {
		return entity{}, fmt.Errorf("event %s: %w", e.ID, err)
	}
	return entity{row: row{newKey(customer, tableEvent).number(e.Seq), value}, index: eventIndex(customer, e)}, nil
}

func journalEntity(customer string, j persistence.JournalEntry) (entity, error) {
	if j.ID == "" {
		return entity{}, fmt.Errorf("%w: a journal row without id", ErrInvalid)
	}
	if err := checkTexts(j.ID, j.Kind, j.Subject, j.Channel); err != nil {
		return entity{}, err
	}
	value, err := encode(journalIdentity(j.At, j.ID), j)
	if err != nil {
		return entity{}, fmt.Errorf("journal row %s: %w", j.ID, err)
	}
	primary := newKey(customer, tableJournal).time(j.At.Time).text(j.ID)
	return entity{row: row{primary, value}, index: journalIndex(customer, j)}, nil
}

// decodeEntity decodes a primary row and computes its index rows, so that they can be
// deleted with it.
func decodeEntity(key, value []byte) (entity, error) {
	decoded, err := decodePrimary(key, value)
	if err != nil {
		return entity{}, err
	}
	var index []row
	switch v := decoded.item.(type) {
	case persistence.Record:
		index = indexOf(decoded.kind, v)
	case persistence.Event:
		index = eventIndex(decoded.customer, v)
	case persistence.JournalEntry:
		index = journalIndex(decoded.customer, v)
	}
	return entity{row: row{key, value}, index: index}, nil
}

// decodedRow is a decoded primary row.
type decodedRow struct {
	customer string
	// kind is the kind of a Record; empty for the others.
	kind persistence.Kind
	// item is a Record, Event or JournalEntry.
	item any
}

// decodePrimary decodes a primary row. Its errors wrap ErrIntegrity.
func decodePrimary(key, value []byte) (decodedRow, error) {
	t, id, err := identify(key)
	if err != nil {
		return decodedRow{}, err
	}
	p := decodedRow{customer: id.Customer, kind: id.Kind}
	switch t {
	case tableRecord:
		p.item, err = decodeRecord(id.Key, value)
	case tableEvent:
		p.item, err = decodeEvent(id.seq, value)
	default:
		p.item, err = decodeJournal(id.at, id.ID, value)
	}
	return p, err
}

// identify returns the table of a primary row and what its key contains.
func identify(key []byte) (table, identity, error) {
	reader := keyReader{rest: key}
	id := identity{Key: persistence.Key{Customer: reader.text()}}
	t := reader.table()
	switch t {
	case tableRecord:
		id.Kind, id.ID = persistence.Kind(reader.text()), reader.text()
		if id.Kind == persistence.KindIdempotency {
			id.ID += "/" + strconv.FormatUint(reader.number(), 10)
		}
	case tableEvent:
		id.seq = reader.number()
	case tableJournal:
		id.at = venues.At(reader.time())
		id.ID = reader.text()
	default:
		reader.fail()
	}
	if len(reader.rest) > 0 {
		reader.fail()
	}
	if reader.err != nil {
		return 0, identity{}, fmt.Errorf("%w: key %q is not that of a primary row: %w", persistence.ErrIntegrity, key, reader.err)
	}
	return t, id, nil
}
