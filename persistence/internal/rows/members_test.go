package rows_test

import (
	"encoding/json"
	"errors"
	"math"
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
			v.Set(reflect.ValueOf(venues.Some(number().Mul(number()))))
		}
		return
	case venues.Time:
		if rapid.Bool().Draw(t, "set") {
			v.Set(reflect.ValueOf(venues.At(time.UnixMilli(rapid.Int64Range(-1<<45, 1<<47).Draw(t, "ms")))))
		}
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(rapid.SampledFrom(eventData).Draw(t, "data"))))
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
		v.SetString(anyText().Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	case reflect.Int:
		v.SetInt(rapid.Int64Range(0, math.MaxInt64).Draw(t, "integer"))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Byte().Draw(t, "byte")))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "count"))
	case reflect.Struct:
		for i := range v.NumField() {
			if isStored(v.Type().Field(i)) {
				setRandom(t, v.Field(i))
			}
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

// eventData are JSON values: objects of plain strings, which are stored in another form,
// and values that are nearly such an object.
var eventData = []string{
	`{}`, `{"a":"b"}`, `{"":""}`, `{"orderId":"ord_01KJMMA2G0EAMZK0Z0VVFNFG0E","fee":null,"symbol":"BTCUSDT"}`, `{"a":"b","a":"c"}`,
	`{"a":"b","c":1}`, `{"a":"\n"}`, `{"a":"é"}`, `{"é":"a"}`, `{"a":{"b":"c"}}`, `{"a":["b"]}`, `null`, `"x"`, `[]`, `1`, `"{}"`, "\"\u2028\"",
}

// anyText generates texts of every form in which they are stored.
func anyText() *rapid.Generator[string] {
	const id = "01KJMMA2G0EAMZK0Z0VVFNFG0E"
	return rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[ -~]{1,8}`), rapid.String(), rapid.SampledFrom(rows.Words),
		rapid.StringMatching(`[a-z]{60,140}`), rapid.StringMatching(`(ord_|fil_|é|)[0-7][0-9A-HJKMNP-TV-Z]{25}`),
		rapid.StringMatching(`test[0-7][0-9a-hjkmnp-tv-z]{25}`), rapid.StringMatching(`[a-z]{60,70}`+id),
		rapid.SampledFrom([]string{
			`"`, `\`, "\x00", "\x7f", "<&>", "\u2028", "é\n", id, "ord_" + id, id + id, "test01kjmma2g0eamzk0z0vvfnfg0e",
			"ord_81KJMMA2G0EAMZK0Z0VVFNFG0E", "ord_01KJMMA2G0EAMZK0Z0VVFNFG0U", "ord_01kJMMA2G0EAMZK0Z0VVFNFG0E",
		}))
}

// Every field of every stored type is decoded as it was encoded, with the key of the
// value.
func TestEveryFieldIsDecodedAsEncoded(t *testing.T) {
	for _, sample := range storedSamples() {
		t.Run(reflect.TypeOf(sample).Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := reflect.New(reflect.TypeOf(sample)).Elem()
				setRandom(t, v)
				if claim, is := v.Interface().(persistence.IdempotencyRecord); is {
					claim.Scope = "rest"
					v.Set(reflect.ValueOf(claim))
				}
				want := v.Interface()
				value, err := rows.Encode(want)
				if err != nil {
					t.Skip(err.Error())
				}
				got, err := rows.Decode(want, value)
				if err != nil {
					t.Fatalf("decode %q of %s: %v", value, jsonOf(t, want), err)
				}
				if gotText, wantText := jsonOf(t, got), jsonOf(t, want); gotText != wantText {
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

// The words are few enough for one byte each, short enough to be looked up, and different.
func TestWordsCanBeStored(t *testing.T) {
	known := map[string]bool{}
	for _, word := range rows.Words {
		if known[word] {
			t.Errorf("the word %q is there twice", word)
		}
		known[word] = true
		order := storetest.NewOrder("alice", 1)
		order.Comment = word
		after, err := rows.Encode(order)
		order.Comment = ""
		none, _ := rows.Encode(order)
		if want := len(none) + 2; err != nil || len(after) != want {
			t.Errorf("an order with the comment %q has %d bytes, %v; want %d", word, len(after), err, want)
		}
	}
	if len(rows.Words) > 128 {
		t.Errorf("%d words, want at most 128", len(rows.Words))
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
