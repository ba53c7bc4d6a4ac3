package rows_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// fill gives every field of a value something, or nothing: one that is added to a
// record and forgotten where it is written by hand is found.
func fill(t *rapid.T, v reflect.Value) {
	number := func() decimal.Decimal {
		return decimal.New(rapid.Int64().Draw(t, "coefficient"), rapid.Int32Range(-20, 6).Draw(t, "exponent"))
	}
	switch v.Interface().(type) {
	case decimal.Decimal:
		if rapid.Bool().Draw(t, "set") {
			v.Set(reflect.ValueOf(number()))
		}
		return
	case venues.Optional:
		if rapid.Bool().Draw(t, "known") {
			v.Set(reflect.ValueOf(venues.Some(number())))
		}
		return
	case venues.Time:
		if rapid.Bool().Draw(t, "set") {
			v.Set(reflect.ValueOf(venues.At(time.UnixMicro(rapid.Int64Range(0, 1<<57).Draw(t, "µs")))))
		}
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(rapid.SampledFrom([]string{`{}`, `{"a": ["<", null ]}`, ` "x"`, "\"\u2028\""}).Draw(t, "data"))))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[ -~]{1,8}`), rapid.String(),
			rapid.SampledFrom([]string{`"`, `\`, "\x00", "\x7f", "<&>", "\u2028", "\xff", "é\n"})).Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	case reflect.Int:
		v.SetInt(rapid.Int64().Draw(t, "integer"))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Byte().Draw(t, "byte")))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "count"))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem())
		}
	case reflect.Slice:
		if n := rapid.IntRange(-1, 3).Draw(t, "length"); n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(t, v.Index(i))
			}
		}
	default:
		t.Fatalf("nothing to fill a %s with", v.Type())
	}
}

// What is written by hand is what encoding/json writes.
func TestValuesAreThoseOfTheStandardLibrary(t *testing.T) {
	for _, sample := range []any{
		persistence.OrderRecord{},
		persistence.IdempotencyRecord{},
		persistence.FillRecord{},
		persistence.JournalEntry{},
		persistence.Event{},
	} {
		t.Run(reflect.TypeOf(sample).Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := reflect.New(reflect.TypeOf(sample)).Elem()
				fill(t, v)
				got, err := rows.Encode(v.Interface())
				if err != nil {
					t.Skip(err.Error())
				}
				var want bytes.Buffer
				encoder := json.NewEncoder(&want)
				encoder.SetEscapeHTML(false)
				if err := encoder.Encode(v.Interface()); err != nil {
					t.Fatal(err)
				}
				if string(got) != "\x01"+string(bytes.TrimSpace(want.Bytes())) {
					t.Fatalf("%s\nwant\n%s", got, want.Bytes())
				}
			})
		})
	}
}

func TestEventDataMustBeJSON(t *testing.T) {
	event := storetest.NewEvent(1)
	event.Data = json.RawMessage(`{"half":`)
	if _, err := rows.Encode(event); err == nil {
		t.Error("encoded")
	}
}

// The records of an order are written without reflection.
func TestEncodeAllocatesLittle(t *testing.T) {
	for _, record := range []any{storetest.NewOrder("alice", 1), storetest.NewIdempotency("alice", "r", 1, 1), storetest.NewFill("alice", 1), storetest.NewJournal(1)} {
		allocs := testing.AllocsPerRun(100, func() {
			if _, err := rows.Encode(record); err != nil {
				t.Fatal(err)
			}
		})
		if allocs > 4 { // the copies of the record and of the value, and a price of many digits
			t.Errorf("a %T takes %v allocations", record, allocs)
		}
	}
}

func BenchmarkEncodeOrder(b *testing.B) {
	order := any(storetest.NewOrder("alice", 1))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rows.Encode(order); err != nil {
			b.Fatal(err)
		}
	}
}
