package rows

import (
	"fmt"
	"maps"
	"slices"

	"venuegate/persistence"
)

// Kinds has every kind of record, for the external tests.
var Kinds = slices.Collect(maps.Keys(kinds))

// Words are the texts that are stored as one byte.
var Words = words[:]

// Encode encodes a record, an event or a journal row.
func Encode(v any) ([]byte, error) { return encode(identityOf(v), v) }

// Decode decodes the value of an item with the key of another one, whose type it has.
func Decode(sample any, value []byte) (any, error) {
	switch v := sample.(type) {
	case persistence.Event:
		return decodeEvent(v.Seq, value)
	case persistence.JournalEntry:
		return decodeJournal(v.At, v.ID, value)
	case persistence.Record:
		return decodeRecord(v.Key(), value)
	}
	return nil, fmt.Errorf("a %T is not stored", sample)
}

func identityOf(v any) identity {
	switch v := v.(type) {
	case persistence.Event:
		return identity{seq: v.Seq}
	case persistence.JournalEntry:
		return journalIdentity(v.At, v.ID)
	case persistence.Record:
		return identity{Key: v.Key()}
	}
	return identity{}
}
