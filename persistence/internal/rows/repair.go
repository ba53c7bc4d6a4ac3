package rows

import (
	"bytes"
	"errors"
	"fmt"

	"venuegate/persistence"
)

// RepairIndex is one step of the repair of index rows after rows were lost: it deletes those
// without their primary row, and adds those that a primary row lacks. It changes about rowsMax
// rows at most. A primary row that cannot be decoded stays as it is, and so does an index row
// with another value. It starts at from (nil for
// the first step) and returns where the next step starts, nil after the last.
func RepairIndex(tx interface {
	Tx
	Snapshot
}, from []byte, rowsMax int,
) (next []byte, err error) {
	if from == nil {
		from = firstKey
	}
	var orphans, missing []row
	var failed error
	err = tx.Scan(from, nil, false, func(key, value []byte) bool {
		if len(orphans)+len(missing) >= rowsMax {
			next = bytes.Clone(key)
			return false
		}
		var found []row
		var isOrphan bool
		if found, isOrphan, failed = inspectRow(tx, key, value); isOrphan {
			orphans = append(orphans, row{bytes.Clone(key), bytes.Clone(value)})
		}
		missing = append(missing, found...)
		return failed == nil
	})
	if err := firstError(failed, err); err != nil {
		return nil, err
	}
	for _, r := range orphans {
		if err := tx.Replace(r.key, r.value, nil); err != nil {
			return nil, err
		}
	}
	for _, r := range missing {
		if err := tx.Replace(r.key, nil, r.value); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// inspectRow returns the index rows that a primary row lacks, and reports whether the row is an
// index row without its primary row.
func inspectRow(g Getter, key, value []byte) (missing []row, isOrphan bool, err error) {
	primary, isIndex, err := primaryOf(key)
	if err != nil {
		return nil, false, err
	}
	if isIndex {
		found, err := g.Get(primary)
		return nil, err == nil && found == nil, err
	}
	if primary == nil {
		return nil, false, nil
	}
	e, err := decodeEntity(bytes.Clone(key), bytes.Clone(value))
	switch {
	case errors.Is(err, persistence.ErrIntegrity):
		return nil, false, nil // it stays as it is
	case err != nil:
		return nil, false, err
	}
	for _, r := range e.index {
		found, err := g.Get(r.key)
		if err != nil {
			return nil, false, err
		}
		if found == nil {
			missing = append(missing, r)
		}
	}
	return missing, false, nil
}

// recordIndexes has, for each table of index rows of records, their kind and the parts of its
// keys before the id.
var recordIndexes = map[table]struct {
	kind             persistence.Kind
	hasText, hasTime bool
}{
	tableOrderTime:           {persistence.KindOrder, false, true},
	tableOrderUnfinished:     {persistence.KindOrder, true, true},
	tableOrderRequest:        {persistence.KindOrder, true, true},
	tableOrderClient:         {persistence.KindOrder, true, false},
	tableOrderAdopted:        {persistence.KindOrder, true, false},
	tableFillTime:            {persistence.KindFill, false, true},
	tableFillOrder:           {persistence.KindFill, true, true},
	tableAPIKey:              {persistence.KindAPIKey, false, false},
	tableSignalTime:          {persistence.KindSignal, false, true},
	tableSignalChannel:       {persistence.KindSignal, true, true},
	tableSignalUnfinished:    {persistence.KindSignal, true, true},
	tableDeliveryTime:        {persistence.KindDelivery, false, true},
	tableDeliveryEndpoint:    {persistence.KindDelivery, true, true},
	tableDeliveryEvent:       {persistence.KindDelivery, true, true},
	tableDeliveryPending:     {persistence.KindDelivery, true, true},
	tableDeliveryUndelivered: {persistence.KindDelivery, false, true},
}

// primaryOf returns the primary key of a row, and reports whether the row is an index row. The
// key of a counter is nil.
func primaryOf(k []byte) (primary key, isIndex bool, err error) {
	reader := keyReader{rest: k}
	customer := reader.text()
	switch t := reader.table(); t {
	case tableRecord, tableEvent, tableJournal:
		return k, false, nil
	case tableSequence, tableEpoch:
		return nil, false, nil
	case tableEventID:
		reader.text()
		primary = newKey(customer, tableEvent).number(reader.number())
	case tableJournalSubject, tableJournalChannel:
		reader.text()
		at := reader.time()
		primary = newKey(customer, tableJournal).time(at).text(reader.text())
	default:
		primary = primaryOfRecord(customer, t, &reader)
	}
	if reader.err != nil {
		return nil, false, fmt.Errorf("%w: key %q: %w", persistence.ErrIntegrity, k, reader.err)
	}
	return primary, true, nil
}

// primaryOfRecord returns the primary key of an index row of a record. rest is its key after the table.
func primaryOfRecord(customer string, t table, rest *keyReader) key {
	index, known := recordIndexes[t]
	if !known {
		rest.fail()
		return nil
	}
	if index.hasText {
		rest.text()
	}
	if index.hasTime {
		rest.time()
	}
	if kinds[index.kind].installation {
		customer = ""
	}
	return recordPrefix(customer, index.kind).text(rest.text())
}
