package rows_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// samples returns one record of every kind.
func samples() []persistence.Record {
	at := venues.At(time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC))
	return []persistence.Record{
		persistence.Customer{ID: "cus_1", Name: "<Alice>", CreatedAt: at},
		persistence.APIKey{ID: "key_1", Customer: "cus_1", Hash: []byte{1}, Scopes: []persistence.Scope{"read"}, CreatedAt: at},
		persistence.VenueAccount{Customer: "cus_1", Exchange: venues.OKX, Sealed: []byte{0}, CreatedAt: at},
		storetest.NewOrder("cus_1", 1),
		storetest.NewIdempotency("cus_1", "r", 1, 1),
		storetest.NewFill("cus_1", 1),
		persistence.AccountState{Customer: "cus_1", Exchange: venues.OKX, FillsUntil: map[string]venues.Time{"BTCUSDT": at}},
		persistence.Setting{Name: "s", Value: []byte{2}},
		storetest.NewUser("cus_1", 1),
		storetest.NewSession("user-1", 1),
		persistence.RiskRecord{Customer: "cus_1", Exchange: venues.OKX, Day: at},
		persistence.PositionRecord{Customer: "cus_1", Exchange: venues.OKX, Symbol: "BTCUSDT", Long: &persistence.PositionTotals{}},
		storetest.NewChannel("cus_1", 1),
		storetest.NewSignal("cus_1", 1),
		storetest.NewEndpoint("cus_1", 1),
		persistence.EndpointCursor{Customer: "cus_1", Endpoint: "end_1", Seq: 1<<64 - 1, Event: "evt_1"},
		storetest.NewDelivery("cus_1", 1),
		storetest.NewAlert("cus_1", 1),
	}
}

// storedSamples returns one value of every stored type: the records of samples, an event
// and a journal row.
func storedSamples() []any {
	stored := []any{storetest.NewEvent(1), storetest.NewJournal(1)}
	for _, record := range samples() {
		stored = append(stored, record)
	}
	return stored
}

func TestSamplesHaveEveryKind(t *testing.T) {
	got := map[persistence.Kind]bool{}
	for _, record := range samples() {
		got[record.Key().Kind] = true
	}
	for _, want := range rows.Kinds {
		if !got[want] {
			t.Errorf("samples has no %s", want)
		}
	}
}

func TestRecordsAreDecodedAsEncoded(t *testing.T) {
	for _, want := range samples() {
		value, err := rows.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rows.Decode(want, value)
		if err != nil {
			t.Errorf("decode %s: %v", value[1:], err)
			continue
		}
		if reflect.TypeOf(got) != reflect.TypeOf(want) || jsonOf(t, got) != jsonOf(t, want) {
			t.Errorf("decoded %s, want %s", jsonOf(t, got), jsonOf(t, want))
		}
	}
}

// jsonOf returns v as JSON, by which records are compared: decimals of equal value may
// differ in memory.
func jsonOf(t interface {
	Helper()
	Fatal(args ...any)
}, v any,
) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestEventDataIsNotChanged(t *testing.T) {
	event := storetest.NewEvent(1)
	value, err := rows.Encode(event)
	if err != nil {
		t.Fatal(err)
	}
	got, err := rows.Decode(event, value)
	if err != nil || string(got.(persistence.Event).Data) != string(event.Data) {
		t.Errorf("decoded %+v, %v; want the data %s", got, err, event.Data)
	}
}

// The parts of the values below are written by hand, with the numbers of records_*.go.
func TestDecodeRejectsMalformedValues(t *testing.T) {
	valid, err := rows.Encode(storetest.NewOrder("alice", 1))
	if err != nil {
		t.Fatal(err)
	}
	const qty, comment, createdAt, protection = "\x08", "\x17", "\x1c", "\x14"
	for name, value := range map[string]string{
		"nothing":                       "",
		"version 0":                     "\x00",
		"a later version":               "\x03",
		"half an object in JSON":        "\x01{",
		"an unknown field in JSON":      "\x01{\"cymbal\":\"\"}",
		"data after the JSON":           "\x01{} ",
		"half a record":                 string(valid[:len(valid)/2]),
		"data after it":                 string(valid) + "\x00",
		"an unknown member":             "\x02\x7f",
		"a member twice":                "\x02\x01\x01a\x01\x01a",
		"members in another order":      "\x02" + comment + "\x01a" + qty + "\x00\x02",
		"the end of an object":          "\x02\x00",
		"a text without its end":        "\x02" + comment + "\x02a",
		"a long text without its end":   "\x02" + comment + "\x40\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01a",
		"an unknown form of a text":     "\x02" + comment + "\x45",
		"an unknown word":               "\x02" + comment + "\xff",
		"the ULID of no reference":      "\x02" + comment + "\x42\x00",
		"an id in the prefix of one":    "\x02" + comment + "\x41\x41\x00" + strings.Repeat("a", 32),
		"half a ULID":                   "\x02" + comment + "\x41\x00aaaaaaaa",
		"a decimal without coefficient": "\x02" + qty + "\x00",
		"a huge exponent":               "\x02" + qty + "\x80\x80\x80\x80\x10\x02",
		"a large exponent":              "\x02" + qty + "\x90\x03\x02",
		"a decimal of another form":     "\x02" + qty + "\x06\x02",
		"a decimal in words":            "\x02" + qty + "\x02\x03one",
		"a time after the year 9999":    "\x02" + createdAt + "\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
		"an object without its end":     "\x02" + protection,
		"an unknown member of one":      "\x02" + protection + "\x7f\x00",
		"a value above the limit":       "\x02" + comment + "\x40\x80\x80\x04" + strings.Repeat("x", rows.ValueBytesMax),
	} {
		if _, err := rows.Decode(storetest.NewOrder("alice", 1), []byte(value)); !errors.Is(err, persistence.ErrIntegrity) {
			t.Errorf("Decode of %s = %v, want ErrIntegrity", name, err)
		}
	}
	for name, value := range map[string]string{
		"no JSON":               "\x02\x04\x01\x01{",
		"an unknown form":       "\x02\x04\x03\x00",
		"an object without end": "\x02\x04\x02\x01a\x01b",
		"a quote":               "\x02\x04\x02\x01a\x01\"\x44",
	} {
		if got, err := rows.Decode(storetest.NewEvent(1), []byte(value)); !errors.Is(err, persistence.ErrIntegrity) {
			t.Errorf("Decode of an event with data of %s = %+v, %v; want ErrIntegrity", name, got, err)
		}
	}
}

// A value as in the test above, but without a mistake, is decoded.
func TestDecodeReadsEveryForm(t *testing.T) {
	const id = "01KJMMA2G0EAMZK0Z0VVFNFG0E"
	at, err := ulid.ParseStrict(id)
	if err != nil {
		t.Fatal(err)
	}
	want := persistence.OrderRecord{Customer: "alice", ClientOrderID: "test" + strings.ToLower(id)}
	want.OrderID, want.Exchange, want.Qty, want.AvgPrice = "ord_"+id, venues.Binance, venues.MustDecimal("-0.8"), venues.Some(venues.MustDecimal("2"))
	want.Comment, want.CreatedAt = "x"+id, venues.At(ulid.Time(at.Time()).Add(2*time.Millisecond))
	want.Replaces, want.ReplacedBy = "ord_01KJMMA2G000000000000000GG", strings.Repeat("y", 64)
	value := "\x02" + "\x02\x89" + "\x08\x03\x0f" + "\x11\x02\x012" + "\x17\x42\x01x" +
		"\x19\x41\x80\x01\x9c\xa9\x45\x0a\x00" + strings.Repeat("\x00", 8) + "\x02\x10" + "\x1a\x40\x40" + want.ReplacedBy +
		"\x1c\x04" + "\x29\x43\x04test"
	got, err := rows.Decode(want, []byte(value))
	if err != nil {
		t.Fatal(err)
	}
	if jsonOf(t, got) != jsonOf(t, want) {
		t.Errorf("decoded %s, want %s", jsonOf(t, got), jsonOf(t, want))
	}
}

// Encode rejects every value that could not be decoded to the same record.
func TestOrderIsDecodedOrNotEncoded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order := storetest.NewOrder("alice", 1)
		mantissa := venues.MustDecimal(rapid.StringMatching(`-?[0-9]{1,18}(\.[0-9]{1,18})?`).Draw(t, "mantissa"))
		order.Qty = mantissa.Shift(rapid.Int32Range(-60, 60).Draw(t, "exponent"))
		order.AvgPrice = venues.Some(order.Qty.Mul(mantissa))
		order.CreatedAt = venues.At(time.UnixMilli(rapid.Int64Range(-1<<48, 1<<49).Draw(t, "ms")))
		order.Comment = rapid.String().Draw(t, "comment")
		value, err := rows.Encode(order)
		if err != nil {
			if !errors.Is(err, rows.ErrInvalid) {
				t.Fatalf("Encode: %v, want ErrInvalid", err)
			}
			return
		}
		got, err := rows.Decode(order, value)
		if err != nil {
			t.Fatalf("decode %s: %v", value[1:], err)
		}
		read := got.(persistence.OrderRecord)
		if !read.Qty.Equal(order.Qty) || !read.CreatedAt.Equal(order.CreatedAt.Time) || read.Comment != order.Comment {
			t.Fatalf("decoded %+v, want %+v", read, order)
		}
	})
}

func FuzzDecode(f *testing.F) {
	kinds := make([]persistence.Kind, 0, len(samples()))
	for i, r := range samples() {
		kinds = append(kinds, r.Key().Kind)
		value, err := rows.Encode(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i, value)
	}
	f.Fuzz(func(t *testing.T, kind int, value []byte) {
		sample := samples()[uint(kind)%uint(len(kinds))]
		decoded, err := rows.Decode(sample, value)
		if err != nil {
			if !errors.Is(err, persistence.ErrIntegrity) {
				t.Fatalf("decode: %v, want ErrIntegrity", err)
			}
			return
		}
		record := decoded.(persistence.Record)
		again, err := rows.Encode(record)
		if err != nil {
			return
		}
		second, err := rows.Decode(record, again)
		if err != nil || jsonOf(t, second) != jsonOf(t, record) {
			t.Fatalf("decoded %s, %v; want %s", jsonOf(t, second), err, jsonOf(t, record))
		}
	})
}

func FuzzDecodeLog(f *testing.F) {
	for seq := range 3 {
		event, _ := rows.Encode(storetest.NewEvent(seq))
		entry, _ := rows.Encode(storetest.NewJournal(seq))
		f.Add(event)
		f.Add(entry)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		for _, sample := range []any{storetest.NewEvent(1), storetest.NewJournal(1)} {
			item, err := rows.Decode(sample, value)
			if err != nil {
				continue
			}
			if again, err := rows.Encode(item); err == nil {
				if second, err := rows.Decode(item, again); err != nil || jsonOf(t, second) != jsonOf(t, item) {
					t.Fatalf("decoded %s, %v; want %s", jsonOf(t, second), err, jsonOf(t, item))
				}
			}
		}
	})
}
