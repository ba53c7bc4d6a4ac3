package rows

import (
	"fmt"

	"venuegate/persistence"
)

// row is one key with its value.
type row struct {
	key   []byte
	value []byte
}

// entity is a primary row and the index rows that find it.
type entity struct {
	row
	index []row
	// changes says that a later one may take its place.
	changes bool
}

func recordEntity(r persistence.Record) (entity, error) {
	primary, err := recordKey(r.Key())
	if err != nil {
		return entity{}, err
	}
	if err := checkRecord(r); err != nil {
		return entity{}, err
	}
	value, err := Encode(r)
	if err != nil {
		return entity{}, fmt.Errorf("record %s: %w", r.Key(), err)
	}
	return entity{row: row{primary, value}, index: recordIndex(r), changes: true}, nil
}

// checkRecord refuses texts that an index could not hold.
func checkRecord(r persistence.Record) error {
	switch r := r.(type) {
	case persistence.OrderRecord:
		return checkTexts(string(r.Exchange), r.Symbol, r.RequestID, r.ClientOrderID)
	case persistence.FillRecord:
		return checkTexts(string(r.Exchange), r.Symbol, r.OrderID)
	case persistence.APIKey:
		return checkTexts(r.Customer)
	case persistence.IdempotencyRecord:
		return checkScope(r)
	case persistence.SignalRecord:
		return checkSignal(r)
	case persistence.Delivery:
		return checkDelivery(r)
	}
	return nil
}

func eventEntity(customer string, e persistence.Event) (entity, error) {
	if e.ID == "" {
		return entity{}, fmt.Errorf("%w: an event without id", ErrInvalid)
	}
	if err := checkTexts(e.ID); err != nil {
		return entity{}, err
	}
	value, err := Encode(e)
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
	value, err := Encode(j)
	if err != nil {
		return entity{}, fmt.Errorf("journal row %s: %w", j.ID, err)
	}
	primary := newKey(customer, tableJournal).moment(j.At.Time).text(j.ID)
	return entity{row: row{primary, value}, index: journalIndex(customer, j)}, nil
}

// decodeEntity finds the index rows of a primary row as it was written.
func decodeEntity(key, value []byte) (entity, error) {
	decoded, err := decodePrimary(key, value)
	if err != nil {
		return entity{}, err
	}
	var index []row
	switch v := decoded.value.(type) {
	case persistence.Record:
		index = recordIndex(v)
	case persistence.Event:
		index = eventIndex(decoded.customer, v)
	case persistence.JournalEntry:
		index = journalIndex(decoded.customer, v)
	}
	return entity{row: row{key, value}, index: index}, nil
}

// primary is a primary row read back: a Record, Event or JournalEntry.
type primary struct {
	customer string
	value    any
}

func decodePrimary(key, value []byte) (primary, error) {
	reader := keyReader{rest: key}
	p := primary{customer: reader.text()}
	t := reader.table()
	var kind persistence.Kind
	if t == tableRecord {
		kind = persistence.Kind(reader.text())
	}
	if reader.err != nil {
		return p, fmt.Errorf("%w: key %q: %w", persistence.ErrIntegrity, key, reader.err)
	}
	var err error
	switch t {
	case tableRecord:
		p.value, err = DecodeRecord(kind, value)
	case tableEvent:
		p.value, err = DecodeEvent(value)
	case tableJournal:
		p.value, err = DecodeJournal(value)
	default:
		err = fmt.Errorf("%w: key %q is no primary row", persistence.ErrIntegrity, key)
	}
	return p, err
}
