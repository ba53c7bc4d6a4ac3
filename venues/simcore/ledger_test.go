package simcore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"venuegate/venues/simcore"
)

func TestLedgerShowsOrders(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	request := market(a, simcore.Buy, "0.01")
	request.ClientID = "filled"
	e.place(request)
	request = simcore.OrderRequest{
		Account: a, Symbol: "ETH-SWAP", ClientID: "contracts", Side: simcore.Sell, Type: simcore.Limit,
		Price: dec("3100"), Qty: dec("10"),
	}
	e.place(request)
	e.conditional(stop(a, simcore.Sell, "0.01", "59000"))
	e.Ledger().Refuse(simcore.LedgerOrder{ClientOrderID: "refused", Account: a, Refusal: "-2019 Margin is insufficient."}, e.now)
	rows := e.Ledger().Orders()
	if len(rows) != 4 {
		t.Fatalf("%d rows", len(rows))
	}
	filled, contracts, waiting, refused := rows[0], rows[1], rows[2], rows[3]
	if filled.Status != "filled" || filled.FilledQty != "0.01" || len(filled.Fills) == 0 || filled.Type != "market" {
		t.Errorf("%+v", filled)
	}
	if contracts.Symbol != "ETH-SWAP" || contracts.Qty != "10" || contracts.BaseQty != "1" || contracts.Status != "new" {
		t.Errorf("%+v", contracts)
	}
	if waiting.Kind != "conditional" || waiting.Status != "waiting" || waiting.Type != "stop_market" {
		t.Errorf("%+v", waiting)
	}
	if refused.Status != "refused" || refused.VenueOrderID != "" || refused.Refusal == "" {
		t.Errorf("%+v", refused)
	}
	e.must(e.MovePrice("BTCUSDT", dec("59000")))
	rows = e.Ledger().Orders()
	if child := rows[4]; rows[2].Status != "finished" || child.ParentID != rows[2].VenueOrderID {
		t.Errorf("%+v, child %+v", rows[2], child)
	}
}

func TestLedgerFileSurvives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	open := func() *simcore.Ledger {
		t.Helper()
		ledger, err := simcore.OpenLedger(path)
		if err != nil {
			t.Fatal(err)
		}
		return ledger
	}
	ledger := open()
	e := newEngine(t, func(o *simcore.Options) { o.Ledger = ledger })
	a := e.trader()
	e.place(limit(a, simcore.Buy, "0.01", "59000"))
	e.place(market(a, simcore.Buy, "0.01"))
	// Without a close: what is written is in the file already.
	data, err := os.ReadFile(path)
	e.must(err)
	rows, err := simcore.ReadLedger(bytes.NewReader(data))
	e.must(err)
	if len(rows) != 2 || rows[1].Status != "filled" {
		t.Fatalf("%+v", rows)
	}
	e.must(os.WriteFile(path, append(data, `{"venueOrderId":"to`...), 0o600))

	again := open()
	second := newEngine(t, func(o *simcore.Options) {
		o.Ledger = again
		o.Clock.SetOffset(time.Minute)
	})
	second.place(market(second.trader(), simcore.Sell, "0.02"))
	rows = again.Orders()
	if len(rows) != 3 || rows[0].VenueOrderID == "" || rows[0].Status != "new" {
		t.Fatalf("%+v", rows)
	}
	e.must(again.Err())
	e.must(again.Close())
	if rows := open().Orders(); len(rows) != 3 || rows[2].FilledQty != "0.02" {
		t.Errorf("%+v", rows)
	}
}

func TestLedgerKeepsItsFirstFailure(t *testing.T) {
	ledger, err := simcore.OpenLedger(filepath.Join(t.TempDir(), "ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := ledger.Close(); err != nil {
		t.Fatal(err)
	}
	e := newEngine(t, func(o *simcore.Options) { o.Ledger = ledger })
	e.Ledger().Refuse(simcore.LedgerOrder{ClientOrderID: "after"}, testStart)
	if n := len(ledger.Orders()); n != 1 {
		t.Errorf("%d rows after the file was closed", n)
	}
	if _, err := simcore.OpenLedger(t.TempDir()); err == nil {
		t.Error("a folder opens as a ledger")
	}
}

// One file serves several venues whose ids may be equal.
func TestSharedLedger(t *testing.T) {
	shared := simcore.NewLedger()
	var engines []*engine
	for _, name := range []string{"first", "second"} {
		engines = append(engines, newEngine(t, func(o *simcore.Options) {
			o.Ledger, o.Name = shared, name
			o.FormatID = func(id int64) string { return "id-" + strconv.FormatInt(id&0xffff, 10) }
		}))
	}
	for _, e := range engines {
		e.place(market(e.trader(), simcore.Buy, "0.01"))
	}
	if n := len(shared.Orders()); n != 2 {
		t.Fatalf("%d rows", n)
	}
	for i, name := range []string{"first", "second"} {
		rows := engines[i].Ledger().Orders()
		if len(rows) != 1 || rows[0].Venue != name || rows[0].Status != "filled" || rows[0].VenueOrderID[:3] != "id-" {
			t.Errorf("%s: %+v", name, rows)
		}
	}
}

func FuzzReadLedger(f *testing.F) {
	f.Add([]byte(`{"venueOrderId":"1","kind":"order","status":"new"}` + "\n" + `{"venueOrderId":"1","kind":"order","status":"filled"}` + "\n"))
	f.Add([]byte("{\"kind\":\"order\"}\n\n\x00{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := simcore.ReadLedger(bytes.NewReader(data))
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, row := range rows {
			if key := row.Venue + " " + row.Kind + " " + row.VenueOrderID; row.VenueOrderID != "" {
				if seen[key] {
					t.Fatalf("two rows of %s", key)
				}
				seen[key] = true
			}
		}
	})
}
