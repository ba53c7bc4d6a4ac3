package rows_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

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

// decode decodes a value whose type is that of sample.
func decode(sample any, value []byte) (any, error) {
	switch sample := sample.(type) {
	case persistence.Event:
		return rows.DecodeEvent(value)
	case persistence.JournalEntry:
		return rows.DecodeJournal(value)
	default:
		return rows.DecodeRecord(sample.(persistence.Record).Key().Kind, value)
	}
}

func TestRecordsAreDecodedAsEncoded(t *testing.T) {
	for _, want := range samples() {
		value, err := rows.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rows.DecodeRecord(want.Key().Kind, value)
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
	got, err := rows.DecodeEvent(value)
	if err != nil || string(got.Data) != string(event.Data) {
		t.Errorf("data = %s, %v; want %s", got.Data, err, event.Data)
	}
}

func TestDecodeRejectsMalformedValues(t *testing.T) {
	order := jsonOf(t, storetest.NewOrder("alice", 1))
	replace := func(old, with string) string {
		if !strings.Contains(order, old) {
			t.Fatalf("value %s has no %s", order, old)
		}
		return "\x01" + strings.Replace(order, old, with, 1)
	}
	for name, value := range map[string]string{
		"nothing":                    "",
		"only a version":             "\x01",
		"version 0":                  "\x00" + order,
		"a later version":            "\x02" + order,
		"null":                       "\x01null",
		"an array":                   "\x01[]",
		"half a record":              "\x01" + order[:len(order)/2],
		"data after it":              "\x01" + order + "{}",
		"white space after it":       "\x01" + order + " ",
		"white space before it":      "\x01 " + order,
		"an unknown field":           replace(`"symbol"`, `"cymbal"`),
		"a number for a decimal":     replace(`"qty":"0.75"`, `"qty":0.75`),
		"null for a decimal":         replace(`"qty":"0.75"`, `"qty":null`),
		"an exponent":                replace(`"qty":"0.75"`, `"qty":"1e9"`),
		"a huge exponent":            replace(`"price":"64000.5"`, `"price":"1e10000000"`),
		"a plus":                     replace(`"price":"64000.5"`, `"price":"+1"`),
		"an empty decimal":           replace(`"filledQty":"0"`, `"filledQty":""`),
		"a number in the protection": replace(`"price":"60000"`, `"price":60000`),
		"an invalid time":            replace(`"2026-03-01T12:00:00.001Z"`, `"yesterday"`),
		"a value above the limit":    replace(`"of alice"`, `"`+strings.Repeat("x", rows.ValueBytesMax)+`"`),
	} {
		if _, err := rows.DecodeRecord(persistence.KindOrder, []byte(value)); !errors.Is(err, persistence.ErrIntegrity) {
			t.Errorf("DecodeRecord of %s = %v, want ErrIntegrity", name, err)
		}
	}
	if _, err := rows.DecodeRecord("?", []byte("\x01{}")); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("DecodeRecord of an unknown kind = %v, want ErrIntegrity", err)
	}
}

func TestMembersAreDecodedInAnyOrder(t *testing.T) {
	const value = "\x01" + `{"removedAt":null,"condition":{"value":"70000.5","op":"crosses_above","field":"mark"},"id":"alr_1","status":"armed",` +
		`"firedAt":null,"customer":"cus_1","createdAt":null,"symbol":"BTCUSDT","exchange":"okx"}`
	got, err := rows.DecodeRecord(persistence.KindAlert, []byte(value))
	if err != nil {
		t.Fatal(err)
	}
	want := persistence.Alert{
		ID: "alr_1", Customer: "cus_1", Exchange: venues.OKX, Symbol: "BTCUSDT", Status: persistence.AlertArmed,
		Condition: venues.PriceCondition{Field: venues.FieldMark, Op: venues.OpCrossesAbove, Value: venues.MustDecimal("70000.5")},
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
		got, err := rows.DecodeRecord(persistence.KindOrder, value)
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
	order := slices.Index(kinds, persistence.KindOrder)
	f.Add(order, []byte("\x01"+`{"qty":"1e10000000"}`))
	f.Add(slices.Index(kinds, persistence.KindChannel), []byte("\x01"+`{"id":"hook_1","rules":{"maxQty":"1e10000000"}}`))
	f.Add(slices.Index(kinds, persistence.KindSignal), []byte("\x01"+`{"id":"sig_1","qty":null,"price":1}`))
	f.Add(slices.Index(kinds, persistence.KindAlert), []byte("\x01"+`{"id":"alr_1","condition":{"field":"last","op":"above","value":""}}`))
	f.Add(order, []byte("\x01"+`{"orderId":"o","qty":"1","filledQty":"0","protection":{"stopLoss":{"price":"1"}}}`))
	f.Fuzz(func(t *testing.T, kind int, value []byte) {
		record, err := rows.DecodeRecord(kinds[uint(kind)%uint(len(kinds))], value)
		if err != nil {
			if !errors.Is(err, persistence.ErrIntegrity) {
				t.Fatalf("decode: %v, want ErrIntegrity", err)
			}
			return
		}
		again, err := rows.Encode(record)
		if err != nil {
			return
		}
		second, err := rows.DecodeRecord(record.Key().Kind, again)
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
		if event, err := rows.DecodeEvent(value); err == nil {
			if again, err := rows.Encode(event); err == nil {
				if _, err := rows.DecodeEvent(again); err != nil {
					t.Fatalf("decode %q again: %v", again, err)
				}
			}
		}
		if entry, err := rows.DecodeJournal(value); err == nil {
			if again, err := rows.Encode(entry); err == nil {
				if _, err := rows.DecodeJournal(again); err != nil {
					t.Fatalf("decode %q again: %v", again, err)
				}
			}
		}
	})
}
