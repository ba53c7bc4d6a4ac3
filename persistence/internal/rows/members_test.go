package rows_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/persistence/internal/rows"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// setRandom sets every field of v to a random value, so that the comparison finds a field
// that is missing in the function of its type in records_*.go.
func setRandom(t *rapid.T, v reflect.Value) {
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
	case reflect.Map:
		if rapid.Bool().Draw(t, "entries") {
			v.Set(reflect.MakeMap(v.Type()))
			for _, key := range []string{"BTCUSDT", "a\"b", "é"} {
				element := reflect.New(v.Type().Elem()).Elem()
				setRandom(t, element)
				v.SetMapIndex(reflect.ValueOf(key), element)
			}
		}
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
			setRandom(t, v.Field(i))
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			setRandom(t, v.Elem())
		}
	case reflect.Slice:
		if n := rapid.IntRange(-1, 3).Draw(t, "length"); n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				setRandom(t, v.Index(i))
			}
		}
	default:
		t.Fatalf("setRandom has no value for a %s", v.Type())
	}
}

// The functions of records_*.go agree with the JSON tags of the types: values are encoded
// and decoded as encoding/json does.
func TestValuesEqualThoseOfEncodingJSON(t *testing.T) {
	for _, sample := range storedSamples() {
		t.Run(reflect.TypeOf(sample).Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := reflect.New(reflect.TypeOf(sample)).Elem()
				setRandom(t, v)
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
					t.Fatalf("encoded\n%s\nwant\n%s", got, want.Bytes())
				}
				decoded, err := decode(v.Interface(), got)
				if err != nil {
					t.Fatalf("decode %s: %v", got, err)
				}
				wantDecoded := reflect.New(reflect.TypeOf(sample))
				if err := json.Unmarshal(got[1:], wantDecoded.Interface()); err != nil {
					t.Fatal(err)
				}
				if gotText, wantText := jsonOf(t, decoded), jsonOf(t, wantDecoded.Interface()); gotText != wantText {
					t.Fatalf("decoded\n%s\nwant\n%s", gotText, wantText)
				}
			})
		})
	}
}

func TestEventDataMustBeJSON(t *testing.T) {
	event := storetest.NewEvent(1)
	event.Data = json.RawMessage(`{"half":`)
	if _, err := rows.Encode(event); !errors.Is(err, rows.ErrInvalid) {
		t.Errorf("Encode of an event with half an object = %v, want ErrInvalid", err)
	}
}

// Encode allocates the value, and the digits of decimals that do not fit an int64. The
// test takes the minimum of many runs, because a sync.Pool drops items at random under
// the race detector.
func TestEncodeAllocatesLittle(t *testing.T) {
	for _, record := range []any{storetest.NewOrder("alice", 1), storetest.NewIdempotency("alice", "r", 1, 1), storetest.NewFill("alice", 1), storetest.NewJournal(1)} {
		allocs := math.Inf(1)
		for range 50 {
			allocs = min(allocs, testing.AllocsPerRun(1, func() {
				if _, err := rows.Encode(record); err != nil {
					t.Fatal(err)
				}
			}))
		}
		if want := 4.0; allocs > want {
			t.Errorf("a %T takes %v allocations, want at most %v", record, allocs, want)
		}
	}
}
