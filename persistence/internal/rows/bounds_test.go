package rows_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// fieldsOf visits every decimal and time of a value. It allocates pointers and adds
// one entry to maps and lists, so that every field of a record is visited.
func fieldsOf(v reflect.Value, path string, visit func(path string, field reflect.Value)) {
	switch v.Interface().(type) {
	case decimal.Decimal, decimal.NullDecimal, venues.Time:
		visit(path, v)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if isStored(v.Type().Field(i)) {
				fieldsOf(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fieldsOf(v.Elem(), path, visit)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fieldsOf(v.Index(0), path+"[]", visit)
	case reflect.Map:
		entry := reflect.New(v.Type().Elem()).Elem()
		fieldsOf(entry, path+"[]", func(path string, field reflect.Value) {
			visit(path, field)
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.ValueOf("key"), entry)
		})
	default:
		// Other kinds contain no decimals or times.
	}
}

// isStored reports whether a field is part of records.
func isStored(f reflect.StructField) bool { return f.Tag.Get("json") != "-" }

// setDecimal sets a field to d, and reports whether it is a decimal.
func setDecimal(field reflect.Value, d decimal.Decimal) bool {
	switch field.Interface().(type) {
	case decimal.Decimal:
		field.Set(reflect.ValueOf(d))
	case decimal.NullDecimal:
		field.Set(reflect.ValueOf(venues.Some(d)))
	default:
		return false
	}
	return true
}

// Encode rejects a decimal or time that is out of bounds in any field of any record.
func TestDecimalsAndTimesOfEveryFieldAreChecked(t *testing.T) {
	for _, sample := range samples() {
		name := reflect.TypeOf(sample).Name()
		paths := []string{}
		fieldsOf(reflect.New(reflect.TypeOf(sample)).Elem(), name, func(path string, _ reflect.Value) { paths = append(paths, path) })
		for _, path := range paths {
			t.Run(path, func(t *testing.T) { checkField(t, sample, path) })
		}
	}
}

// withField returns the sample with the field at path changed.
func withField(sample persistence.Record, path string, change func(reflect.Value)) persistence.Record {
	record := reflect.New(reflect.TypeOf(sample)).Elem()
	record.Set(reflect.ValueOf(sample))
	fieldsOf(record, reflect.TypeOf(sample).Name(), func(at string, field reflect.Value) {
		if at == path {
			change(field)
		}
	})
	return record.Interface().(persistence.Record)
}

func checkField(t *testing.T, sample persistence.Record, path string) {
	t.Helper()
	isDecimal := false
	outOfBounds := withField(sample, path, func(field reflect.Value) {
		isDecimal = setDecimal(field, venues.MustDecimal("1").Shift(100))
		if !isDecimal {
			field.Set(reflect.ValueOf(venues.At(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))))
		}
	})
	if _, err := rows.Encode(outOfBounds); !errors.Is(err, rows.ErrInvalid) {
		t.Errorf("Encode of a value out of bounds = %v, want ErrInvalid", err)
	}
}

// Encode rejects a time out of bounds in the value of an event, and in the key of a journal
// row.
func TestTimesOfTheLogAreChecked(t *testing.T) {
	inYear := func(year int) venues.Time { return venues.At(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)) }
	for year, want := range map[int]error{-1: rows.ErrInvalid, 0: nil, 9999: nil, 10_000: rows.ErrInvalid} {
		event, entry := storetest.NewEvent(1), storetest.NewJournal(1)
		event.CreatedAt, entry.At = inYear(year), inYear(year)
		for _, v := range []any{event, entry} {
			if _, err := rows.Encode(v); !errors.Is(err, want) {
				t.Errorf("Encode of a %T in the year %d = %v, want %v", v, year, err, want)
			}
		}
		if _, err := rows.Prepare(persistence.Batch{Events: []persistence.Event{event}}); !errors.Is(err, want) {
			t.Errorf("Prepare of an event in the year %d = %v, want %v", year, err, want)
		}
		if _, err := rows.Prepare(persistence.Batch{Journal: []persistence.JournalEntry{entry}}); !errors.Is(err, want) {
			t.Errorf("Prepare of a journal row in the year %d = %v, want %v", year, err, want)
		}
	}
}
