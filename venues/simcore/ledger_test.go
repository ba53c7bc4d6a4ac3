package simcore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simtest"
)

func TestLedgerRecordsOrders(t *testing.T) {
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
	e.Ledger().Reject(simcore.LedgerOrder{ClientOrderID: "rejected", Account: a, Rejection: "-2019 Margin is insufficient."}, e.now)
	rows := e.Ledger().Orders()
	if len(rows) != 4 {
		t.Fatalf("%d rows, want 4", len(rows))
	}
	filled, contracts, waiting, rejected := rows[0], rows[1], rows[2], rows[3]
	if filled.Status != "filled" || filled.FilledQty != "0.01" || len(filled.Fills) == 0 || filled.Type != "market" {
		t.Errorf("row = %+v, want a filled market order of 0.01", filled)
	}
	if contracts.Symbol != "ETH-SWAP" || contracts.Qty != "10" || contracts.BaseQty != "1" || contracts.Status != "new" {
		t.Errorf("row = %+v, want a new order of 10 contracts, 1 in base coin", contracts)
	}
	if waiting.Kind != "conditional" || waiting.Status != "waiting" || waiting.Type != "stop_market" {
		t.Errorf("row = %+v, want a waiting stop_market", waiting)
	}
	if rejected.Status != "refused" || rejected.VenueOrderID != "" || rejected.Rejection == "" {
		t.Errorf("row = %+v, want status refused, no order id and an error text", rejected)
	}
	e.must(e.MovePrice("BTCUSDT", dec("59000")))
	rows = e.Ledger().Orders()
	if child := rows[4]; rows[2].Status != "finished" || child.ParentID != rows[2].VenueOrderID {
		t.Errorf("conditional %+v, its order %+v, want finished and its id as parent", rows[2], child)
	}
}

func TestLedgerFileSurvivesRestart(t *testing.T) {
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
	// The ledger is not closed: its rows must be in the file already.
	data, err := os.ReadFile(path)
	e.must(err)
	rows, err := simcore.ReadLedger(bytes.NewReader(data))
	e.must(err)
	if len(rows) != 2 || rows[1].Status != "filled" {
		t.Fatalf("rows = %+v, want 2, the second filled", rows)
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
		t.Fatalf("rows = %+v, want 3, the first new", rows)
	}
	e.must(again.Err())
	e.must(again.Close())
	if rows := open().Orders(); len(rows) != 3 || rows[2].FilledQty != "0.02" {
		t.Errorf("rows = %+v, want 3, the last filled 0.02", rows)
	}
}

func TestClosedLedgerContinuesInMemory(t *testing.T) {
	ledger, err := simcore.OpenLedger(filepath.Join(t.TempDir(), "ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := ledger.Close(); err != nil {
		t.Fatal(err)
	}
	e := newEngine(t, func(o *simcore.Options) { o.Ledger = ledger })
	e.Ledger().Reject(simcore.LedgerOrder{ClientOrderID: "after"}, testStart)
	simtest.Equal(t, "rows after the file was closed", len(ledger.Orders()), 1)
	if _, err := simcore.OpenLedger(t.TempDir()); err == nil {
		t.Error("a directory is opened as a ledger, want an error")
	}
}

// Several venues share one ledger, with equal order ids.
func TestVenuesShareALedger(t *testing.T) {
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
		t.Fatalf("%d rows, want 2", n)
	}
	for i, name := range []string{"first", "second"} {
		rows := engines[i].Ledger().Orders()
		if len(rows) != 1 || rows[0].Venue != name || rows[0].Status != "filled" || rows[0].VenueOrderID[:3] != "id-" {
			t.Errorf("%s: rows = %+v, want one filled order of the venue", name, rows)
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
					t.Fatalf("two rows of %s, want one", key)
				}
				seen[key] = true
			}
		}
	})
}
