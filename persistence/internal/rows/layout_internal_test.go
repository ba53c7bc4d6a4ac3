package rows

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// rewrite also replaces values.txt. Its lines that earlier versions wrote must be restored
// afterwards.
var rewrite = flag.Bool("rewrite", false, "rewrite the files of testdata")

// TestLayout compares the keys and index rows of sample entities with golden ones. A
// change leaves index rows behind in existing stores (see the package comment): it needs
// a new schema version and a migration in package badgerstore, and then -rewrite.
func TestLayout(t *testing.T) {
	var got strings.Builder
	sample := layoutSample(t)
	for kind := range kinds {
		name := []byte("r" + kind + "\x00")
		if !slices.ContainsFunc(sample, func(e entity) bool { return bytes.Contains(e.key, name) }) {
			t.Errorf("the sample has no %s", kind)
		}
	}
	for _, e := range sample {
		fmt.Fprintf(&got, "%q\n", e.key)
		for _, r := range e.index {
			fmt.Fprintf(&got, "\t%q = %q\n", r.key, r.value)
		}
	}
	if want := golden(t, "testdata/layout.txt", got.String()); got.String() != want {
		t.Errorf("the layout changed, existing stores need a migration; got\n%s\nwant\n%s", got.String(), want)
	}
}

// TestGoldenValuesAreDecoded decodes values as earlier versions have written them, and
// compares the records with those of the JSON beside. A field may be added to a record. A
// field that is removed, or changes its number or its type, and a word that changes its
// place make stored records unreadable, so that they need a migration too.
func TestGoldenValuesAreDecoded(t *testing.T) {
	var current strings.Builder
	for _, e := range append(layoutSample(t), fullSample(t)...) {
		fmt.Fprintf(&current, "%q %q %q\n", e.key, e.value, jsonOfRow(t, e.key, e.value))
	}
	for line := range strings.Lines(golden(t, "testdata/values.txt", current.String())) {
		var key, value, text string
		if _, err := fmt.Sscanf(line, "%q %q %q", &key, &value, &text); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got, want := jsonOfRow(t, []byte(key), []byte(value)), jsonOfRow(t, []byte(key), append([]byte{codecVersionJSON}, text...))
		if got != want {
			t.Errorf("decoded %q as %s, want %s", value, got, want)
		}
	}
}

// jsonOfRow decodes a primary row and returns the record, event or journal row as JSON.
func jsonOfRow(t *testing.T, key, value []byte) string {
	t.Helper()
	decoded, err := decodePrimary(key, value)
	if err != nil {
		t.Errorf("decode %q %q = %v, want nil", key, value, err)
		return ""
	}
	out, err := json.Marshal(decoded.item)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// fullSample returns one entity of every type with a different value in every field, and one
// with all words.
func fullSample(t *testing.T) []entity {
	t.Helper()
	types := map[reflect.Type]bool{}
	entities := []entity{}
	add := func(e entity, err error) {
		if err != nil {
			t.Fatal(err)
		}
		entities = append(entities, e)
	}
	for _, e := range layoutSample(t) {
		decoded, err := decodePrimary(e.key, e.value)
		if err != nil {
			t.Fatal(err)
		}
		v := reflect.New(reflect.TypeOf(decoded.item)).Elem()
		if types[v.Type()] {
			continue
		}
		types[v.Type()] = true
		n := 0
		setDifferent(v, &n)
		switch item := v.Interface().(type) {
		case persistence.Event:
			add(eventEntity("cus_1", item))
		case persistence.JournalEntry:
			add(journalEntity("cus_1", item))
		case persistence.Delivery:
			item.Status = persistence.DeliveryPending
			add(recordEntity(item.Key(), item))
		case persistence.Record:
			add(recordEntity(item.Key(), item))
		}
	}
	all := persistence.Endpoint{ID: "end_words", Customer: "cus_1"}
	for _, word := range words {
		all.Types = append(all.Types, persistence.EventType(word))
	}
	add(recordEntity(all.Key(), all))
	return entities
}

// setDifferent sets every field of v to a value that depends on n, which it increases.
func setDifferent(v reflect.Value, n *int) {
	*n++
	switch v.Interface().(type) {
	case decimal.Decimal:
		v.Set(reflect.ValueOf(decimal.New(int64(10**n+5), -1)))
		return
	case venues.Optional:
		v.Set(reflect.ValueOf(venues.Some(decimal.New(int64(10**n+5), -1))))
		return
	case venues.Time:
		v.Set(reflect.ValueOf(venues.At(time.Date(2026, 1, 2, 3, 4, *n, 6e6, time.UTC))))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(`{"a":["b"]}`)))
		return
	}
	switch v.Kind() {
	case reflect.Map:
		element := reflect.New(v.Type().Elem()).Elem()
		setDifferent(element, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("XRPUSDT"), element)
	case reflect.String:
		v.SetString(fmt.Sprint("x", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" { // is not stored
				setDifferent(v.Field(i), n)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		setDifferent(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		setDifferent(v.Index(0), n)
	default:
		panic("no value for " + v.Type().String())
	}
}

// TestGoldenJSONIsMigrated encodes values in JSON again, as they were until schema 4: a few
// of each type, and one with every field. It fails if a JSON name has changed since.
func TestGoldenJSONIsMigrated(t *testing.T) {
	stored, err := os.ReadFile("testdata/values-json.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(stored)) {
		var key, value string
		if _, err := fmt.Sscanf(line, "%q %q", &key, &value); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		migrated, err := recode([]byte(key), []byte(value))
		if err != nil {
			t.Errorf("recode %s: %v", line, err)
			continue
		}
		decoded, err := decodePrimary([]byte(key), migrated)
		if err != nil {
			t.Errorf("decode %q of %s: %v", migrated, line, err)
			continue
		}
		before, err := decodePrimary([]byte(key), []byte(value))
		if err != nil {
			t.Errorf("decode %s: %v", line, err)
		}
		got, gotErr := json.Marshal(decoded.item)
		want, wantErr := json.Marshal(before.item)
		if err := firstError(gotErr, wantErr); err != nil || !bytes.Equal(got, want) {
			t.Errorf("migrated %s, %v; want %s", got, err, want)
		}
	}
}

// golden returns the content of a file. With -rewrite it replaces the content first.
func golden(t *testing.T, path, content string) string {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(stored)
}

// layoutSample returns one entity of every kind, event and journal row, and those whose
// index rows depend on a status or on empty fields.
func layoutSample(t *testing.T) []entity {
	t.Helper()
	at := venues.At(time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC))
	open := persistence.OrderRecord{Customer: "cus_1", ClientOrderID: "vg1"}
	open.OrderID, open.RequestID, open.Exchange, open.Symbol = "ord_1", "r-1", venues.OKX, "BTCUSDT"
	open.Status, open.CreatedAt, open.Qty = venues.StatusOpen, at, venues.MustDecimal("0.5")
	closed := open
	closed.OrderID, closed.Status, closed.RequestID, closed.ClientOrderID = "ord_2", venues.StatusFilled, "", ""
	protected := closed
	protected.OrderID = "ord_3"
	protected.Protection = &venues.Protection{StopLoss: &venues.ProtectionLeg{Status: venues.ProtectionLive}}
	fill := persistence.FillRecord{Customer: "cus_1"}
	fill.FillID, fill.OrderID, fill.Exchange, fill.Symbol, fill.ExecutedAt = "fil_1", "ord_1", venues.Bybit, "ETHUSDT", at
	// Their ids contain what the index rows above are for.
	derived, derivedFill := open, fill
	derived.Status = venues.StatusFilled
	derived.OrderID = persistence.NewID(persistence.PrefixOrder, at.Time, strings.NewReader("0123456789"))
	derived.ClientOrderID = "test" + strings.ToLower(strings.TrimPrefix(derived.OrderID, "ord_"))
	derivedFill.OrderID, derivedFill.FillID = derived.OrderID, persistence.FillID(venues.Bybit, "ETHUSDT", "1", "2", at.Time)
	signal := persistence.SignalRecord{ID: "sig_1", Status: persistence.SignalAccepted}
	signal.Customer, signal.ChannelID, signal.ReceivedAt = "cus_1", "hook_1", at
	done := signal
	done.ID, done.Status = "sig_2", persistence.SignalDone
	pending := persistence.Delivery{
		Customer: "cus_1", Endpoint: "end_1", EventID: "evt_1", EventSeq: 7, Status: persistence.DeliveryPending, CreatedAt: at, DueAt: at,
	}
	failed := pending
	failed.EventID, failed.Status = "evt_2", persistence.DeliveryUndelivered
	var entities []entity
	for _, r := range []persistence.Record{
		persistence.Customer{ID: "cus_1", Name: "Alice", CreatedAt: at},
		persistence.APIKey{ID: "key_1", Customer: "cus_1", Hash: []byte{1}, CreatedAt: at},
		persistence.VenueAccount{Customer: "cus_1", Exchange: venues.OKX, Environment: "sim", CreatedAt: at},
		open, closed, protected, fill, derived, derivedFill,
		persistence.IdempotencyRecord{Customer: "cus_1", Scope: "rest", RequestID: "r-1", Attempt: 2, OrderID: "ord_1", FirstReceived: at},
		persistence.AccountState{Customer: "cus_1", Exchange: venues.OKX},
		persistence.Setting{Name: "secret", Value: []byte{2}},
		persistence.User{Login: "ann", Customer: "cus_1", Role: persistence.RoleOwner, CreatedAt: at},
		persistence.Session{ID: "ses_1", User: "ann", Hash: []byte{3}, CreatedAt: at, EndsAt: at},
		persistence.RiskRecord{Customer: "cus_1", Exchange: venues.OKX},
		persistence.PositionRecord{Customer: "cus_1", Exchange: venues.OKX, Symbol: "BTCUSDT"},
		persistence.Channel{ID: "hook_1", Customer: "cus_1", Kind: persistence.ChannelChart, CreatedAt: at},
		signal, done, pending, failed,
		persistence.Endpoint{ID: "end_1", Customer: "cus_1", Kind: persistence.EndpointFile, CreatedAt: at},
		persistence.EndpointCursor{Customer: "cus_1", Endpoint: "end_1", Seq: 7},
		persistence.Alert{ID: "alr_1", Customer: "cus_1", Exchange: venues.OKX, Status: persistence.AlertArmed, CreatedAt: at},
	} {
		e, err := recordEntity(r.Key(), r)
		if err != nil {
			t.Fatal(err)
		}
		entities = append(entities, e)
	}
	event, eventErr := eventEntity("cus_1", persistence.Event{ID: "evt_1", Seq: 7, Type: persistence.EventOrderFilled, CreatedAt: at})
	entry, entryErr := journalEntity("cus_1", persistence.JournalEntry{ID: "jrn_1", Seq: 8, At: at, Kind: "order", Subject: "ord_1"})
	signalEntry, signalErr := journalEntity("cus_1", persistence.JournalEntry{
		ID: "jrn_2", Seq: 9, At: at, Kind: "signal.rule", Subject: "sig_1", Channel: "hook_1", Symbol: "BTCUSDT", Result: "ok",
	})
	derivedEvent, derivedErr := eventEntity("cus_1", persistence.Event{
		ID: persistence.EventID(persistence.NewID(persistence.PrefixEvent, at.Time, strings.NewReader("0123456789")), 10), Seq: 10,
		Type: persistence.EventOrderFilled, CreatedAt: at, Data: []byte(`{"orderId":"` + derived.OrderID + `","fee":null,"symbol":"ETHUSDT"}`),
	})
	nearEntry, nearErr := journalEntity("cus_1", persistence.JournalEntry{ID: "jrn_3", Seq: 11, At: at, Kind: "order.status", Subject: derived.OrderID})
	if err := firstError(eventErr, entryErr, signalErr, derivedErr, nearErr); err != nil {
		t.Fatal(err)
	}
	return append(entities, event, entry, signalEntry, derivedEvent, nearEntry)
}

func TestOrderHasIndexRowsOfItsStatusAndIDs(t *testing.T) {
	open := persistence.OrderRecord{Customer: "a", ClientOrderID: "c"}
	open.OrderID, open.RequestID, open.Status = "o", "r", "open"
	closed := open
	closed.Status, closed.RequestID, closed.ClientOrderID = "filled", "", ""
	if n := len(orderIndex(open)); n != 4 {
		t.Errorf("an open order has %d index rows, want 4", n)
	}
	if n := len(orderIndex(closed)); n != 1 {
		t.Errorf("a closed order without request and client id has %d index rows, want 1", n)
	}
}
