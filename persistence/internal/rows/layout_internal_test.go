package rows

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// Kinds has every kind of record, for the external tests.
var Kinds = slices.Collect(maps.Keys(kinds))

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

// TestGoldenValuesAreDecoded decodes values as earlier versions have written them. A
// field may be added to a record. A field that is removed or changes its type makes
// stored records unreadable, so that it needs a migration too.
func TestGoldenValuesAreDecoded(t *testing.T) {
	var current strings.Builder
	for _, e := range layoutSample(t) {
		fmt.Fprintf(&current, "%q %q\n", e.key, e.value)
	}
	for line := range strings.Lines(golden(t, "testdata/values.txt", current.String())) {
		var key, value string
		if _, err := fmt.Sscanf(line, "%q %q", &key, &value); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if _, err := decodePrimary([]byte(key), []byte(value)); err != nil {
			t.Errorf("decode %s = %v, want nil", line, err)
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
		open, closed, protected, fill,
		persistence.IdempotencyRecord{Customer: "cus_1", Scope: "rest", RequestID: "r-1", Attempt: 2, OrderID: "ord_1", FirstReceived: at},
		persistence.AccountState{Customer: "cus_1", Exchange: venues.OKX},
		persistence.Setting{Name: "secret", Value: []byte{2}},
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
	if err := firstError(eventErr, entryErr, signalErr); err != nil {
		t.Fatal(err)
	}
	return append(entities, event, entry, signalEntry)
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
