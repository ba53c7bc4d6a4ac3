package rows_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
	"venuegate/venues"
)

// fieldsOf visits every decimal and moment of a value, with pointers made and
// maps given one entry, so that a field added to a record is found.
func fieldsOf(v reflect.Value, path string, visit func(path string, field reflect.Value)) {
	switch v.Interface().(type) {
	case decimal.Decimal, decimal.NullDecimal, venues.Time:
		visit(path, v)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fieldsOf(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fieldsOf(v.Elem(), path, visit)
	case reflect.Map:
		entry := reflect.New(v.Type().Elem()).Elem()
		fieldsOf(entry, path+"[]", func(path string, field reflect.Value) {
			visit(path, field)
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.ValueOf("key"), entry)
		})
	default:
		// Nothing else holds one.
	}
}

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

// Every decimal and every moment of every record is checked before it is
// written, and every decimal is read strictly.
func TestEveryFieldIsChecked(t *testing.T) {
	for _, sample := range samples() {
		name := reflect.TypeOf(sample).Name()
		paths := []string{}
		fieldsOf(reflect.New(reflect.TypeOf(sample)).Elem(), name, func(path string, _ reflect.Value) { paths = append(paths, path) })
		for _, path := range paths {
			t.Run(path, func(t *testing.T) { checkField(t, sample, path) })
		}
	}
}

// with is the sample with one field changed.
func with(sample persistence.Record, path string, change func(reflect.Value)) persistence.Record {
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
	outOfBounds := with(sample, path, func(field reflect.Value) {
		isDecimal = setDecimal(field, venues.MustDecimal("1").Shift(100))
		if !isDecimal {
			field.Set(reflect.ValueOf(venues.At(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))))
		}
	})
	if _, err := rows.Encode(outOfBounds); !errors.Is(err, rows.ErrInvalid) {
		t.Errorf("a value out of bounds was encoded: %v", err)
	}
	if !isDecimal {
		return
	}
	const number = "123456789.25"
	value, err := rows.Encode(with(sample, path, func(field reflect.Value) { setDecimal(field, venues.MustDecimal(number)) }))
	if err != nil {
		t.Fatal(err)
	}
	kind := sample.Key().Kind
	if _, err := rows.DecodeRecord(kind, value); err != nil {
		t.Errorf("a decimal was not read: %v", err)
	}
	bare := strings.Replace(string(value), `"`+number+`"`, number, 1)
	if bare == string(value) {
		t.Fatalf("%s does not show the decimal", value)
	}
	if _, err := rows.DecodeRecord(kind, []byte(bare)); err == nil {
		t.Error("a bare number was taken for a decimal")
	}
}
