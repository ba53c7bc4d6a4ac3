package okx

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/payload"
)

// Recorded and documented order events are legal sequences of statuses.
func TestRecordedOrderEventsAreLegal(t *testing.T) {
	spot := func(row *orderRecord) *instrument { return instrumentOf(t, row.InstID, "1", "0.01", "0.000001") }
	status, fills := venues.StatusPending, 0
	rows := pushesOf[orderRecord](t, "ws_orders_lifecycle_spot_market_real_bbgo.jsonl", channelOrders)
	for n := range rows {
		r, err := decodeOrderEvent(&rows[n], spot(&rows[n]))
		if err != nil {
			t.Fatal(err)
		}
		if !status.CanBecome(r.Status) {
			t.Errorf("status %s became %s, want a legal change", status, r.Status)
		}
		status = r.Status
		if r.Fill != nil {
			fills++
		}
	}
	if len(rows) != 3 || status != venues.StatusFilled || fills != 1 {
		t.Errorf("%d events, %s, %d fills, want 3 events, filled, 1 fill", len(rows), status, fills)
	}
	rows = pushesOf[orderRecord](t, "ws_orders_real_roq.jsonl", channelOrders)
	for n := range rows {
		r, err := decodeOrderEvent(&rows[n], spot(&rows[n]))
		if err != nil || r.Status != venues.StatusOpen || !venues.StatusPending.CanBecome(r.Status) {
			t.Errorf("r = %+v, err = %v, want an open order", r, err)
		}
	}
}

// Every order, algo order and position of the venue's own samples can be decoded.
func TestDocumentedSamples(t *testing.T) {
	orders, algos, positions, instruments := 0, 0, 0, 0
	for _, line := range fixturetest.Lines(fixture(t, "docs_samples.jsonl")) {
		var sample struct {
			URL   string          `json:"source_url"`
			Label string          `json:"label"`
			Body  json.RawMessage `json:"body"`
		}
		if err := json.Unmarshal(line, &sample); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(sample.Label, "Request") || sample.Body[0] != '{' {
			continue
		}
		var m privateMessage
		if err := json.Unmarshal(sample.Body, &m); err != nil || m.Event != "" || len(m.Data) == 0 || m.Data[0] != '[' {
			continue
		}
		k := func(instID string) *instrument { return instrumentOf(t, instID, "1", "0.1", "0.00000001") }
		var err error
		switch _, page, _ := strings.Cut(sample.URL, "#"); {
		case strings.Contains(page, "advance-algo"):
		case strings.Contains(page, "-get-algo-order") || strings.HasSuffix(page, "ws-algo-orders-channel"):
			algos++
			err = eachRow(m.Data, func(row *algoRecord) error { _, err := row.report(k(row.InstID)); return err })
		case strings.Contains(page, "trade-get-order") || strings.HasSuffix(page, "ws-order-channel"):
			orders++
			err = eachRow(m.Data, func(row *orderRecord) error { _, err := decodeOrderEvent(row, k(row.InstID)); return err })
		case strings.HasSuffix(page, "get-positions") || strings.HasSuffix(page, "websocket-positions-channel"):
			positions++
			err = eachRow(m.Data, func(row *positionRecord) error { _, _, err := row.position(k(row.InstID)); return err })
		case strings.HasSuffix(page, "get-instruments"):
			instruments++
			err = eachRow(m.Data, func(row *instrumentRecord) error { return nil })
		}
		if err != nil {
			t.Errorf("sample.URL = %s, err = %v, want no error", sample.URL, err)
		}
	}
	if orders < 4 || algos < 4 || positions < 3 || instruments < 1 {
		t.Errorf("%d orders, %d algos, %d positions, %d instruments, want at least 4, 4, 3 and 1", orders, algos, positions, instruments)
	}
}

func TestRecordedPublicPushes(t *testing.T) {
	trades, marks, candles := 0, 0, 0
	for _, name := range []string{
		"ws_public_2026_09_real.jsonl", "ws_public_btcusdtswap_2026_real_ccxt.jsonl", "ws_public_misc_real_roq.jsonl", "ws_trades_spot_real_gct.jsonl",
	} {
		for _, line := range fixturetest.Lines(fixture(t, name)) {
			arg, ok := scanArg(line)
			if !ok {
				continue
			}
			var name topicArg
			if err := json.Unmarshal(arg, &name); err != nil {
				t.Fatal(err)
			}
			k := instrumentOf(t, name.InstID, "0.01", "0.1", "0.01")
			var parser fastjson.Parser
			var err error
			switch name.Channel {
			case channelTrades:
				var some []venues.Trade
				some, _, err = decodeTrades(&parser, line, k)
				trades += len(some)
			case channelMark:
				var some []venues.MarkPrice
				some, err = decodeMarks(&parser, line, k)
				marks += len(some)
			case "candle1m":
				var some []venues.Candle
				some, err = decodeCandles(&parser, line, k, "1m")
				candles += len(some)
			}
			if err != nil {
				t.Errorf("%s: err = %v, want no error", line, err)
			}
		}
	}
	if trades != 6 || marks != 1 || candles != 3 {
		t.Errorf("%d trades, %d marks, %d candles, want 6, 1 and 3", trades, marks, candles)
	}
}

func TestRecordedNotices(t *testing.T) {
	events := 0
	for _, line := range fixturetest.Lines(fixture(t, "ws_events_real.jsonl")) {
		var m privateMessage
		if err := json.Unmarshal(line, &m); err != nil {
			t.Errorf("%s: err = %v, want no error", line, err)
		}
		if m.Event != "" {
			events++
		}
	}
	if events != 10 {
		t.Errorf("%d events, want 10", events)
	}
	if rows := pushesOf[statusRecord](t, "ws_events_real.jsonl", "status"); len(rows) != 1 || rows[0].State != "completed" || rows[0].End.IsZero() {
		t.Errorf("rows = %+v, want one completed maintenance with its end", rows)
	}
	positions := pushesOf[struct {
		PosData []positionRecord `json:"posData"`
	}](t, "ws_balance_and_position_real.jsonl", "balance_and_position")
	if len(positions) != 2 || len(positions[1].PosData) != 1 {
		t.Fatalf("positions = %+v, want 2 positions, the second with one row", positions)
	}
	if p, _, err := positions[1].PosData[0].position(btcSwap(t)); err != nil || p.Qty.String() != "0.01" {
		t.Errorf("p = %+v, err = %v, want a quantity of 0.01", p, err)
	}
	for _, row := range dataOf[instrumentTier](t, fixture(t, "rest_position_tiers_2026_real.json")) {
		if !row.MaxLever.Positive().Valid {
			t.Errorf("row = %+v, want row.MaxLever.Positive().Valid", row)
		}
	}
}

// instrumentTier is a row of the venue's position tiers. The first one has the leverage
// that instruments have too.
type instrumentTier struct {
	MaxLever payload.Number `json:"maxLever"`
}

const (
	tradeMessage  = `{"arg":{"channel":"trades","instId":"BTC-USDT-SWAP"},"data":[{"tradeId":"5","px":"1","sz":"1","side":"buy","ts":"1786540436090"}]}`
	markMessage   = `{"arg":{"channel":"mark-price","instId":"BTC-USDT-SWAP"},"data":[{"markPx":"7","ts":"1786540436090"}]}`
	candleMessage = `{"arg":{"channel":"candle1m","instId":"BTC-USDT-SWAP"},"data":[["1786538760000","2","3","1","2","1","1","1","0"]]}`
)

// Each decoder rejects each fault that applies to it.
func TestMalformedMarketMessages(t *testing.T) {
	k, parser := btcSwap(t), new(fastjson.Parser)
	connectortest.RejectMalformed(t, map[string]func([]byte) error{
		tradeMessage:  func(m []byte) error { _, _, err := decodeTrades(parser, m, k); return err },
		markMessage:   func(m []byte) error { _, err := decodeMarks(parser, m, k); return err },
		candleMessage: func(m []byte) error { _, err := decodeCandles(parser, m, k, "1m"); return err },
	}, [][2]string{
		{`"5"`, `"x"`},
		{`"px":"1"`, `"px":"0"`},
		{`"px":"1"`, `"px":"1e5"`},
		{`"sz":"1"`, `"sz":""`},
		{`"buy"`, `"hold"`},
		{`"1786540436090"`, `"0"`},
		{`"1786540436090"`, `"soon"`},
		{`"tradeId":"5",`, ``},
		{`"7"`, `"-7"`},
		{`"markPx":"7",`, ``},
		{`"data":[{`, `"data":[7,{`},
		{`"data":[[`, `"data":[7,[`},
		{`"data":[[`, `"data":[[],[`},
		{`"data":[[`, `"data":[["1"],[`},
		{`"data":[["1786538760000",`, `"data":[[1,`},
		{`"data":[["1786538760000"`, `"data":[["0"`},
		{`"data"`, `"date"`},
		{"BTC-USDT-SWAP", "ETH-USDT-SWAP"},
		{`"trades"`, `"books"`},
		{`"candle1m"`, `"candle5m"`},
		{`"1","0"]`, `"1","2"]`},
		{`{"arg"`, `[{"arg"`},
	})
}

func FuzzPublicPush(f *testing.F) {
	for _, message := range []string{tradeMessage, markMessage, candleMessage} {
		f.Add([]byte(message))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		k := btcSwap(t)
		var parser fastjson.Parser
		trades, ids, err := decodeTrades(&parser, message, k)
		if err == nil && (len(trades) == 0 || len(trades) != len(ids) || !trades[0].Qty.IsPositive()) {
			t.Fatalf("trades %+v, want an id for each and quantities above zero", trades)
		}
		_, _ = decodeMarks(&parser, message, k)
		_, _ = decodeCandles(&parser, message, k, "1m")
		arg, split := scanArg(message)
		slow, ok := parseArg(message)
		var name topicArg
		if !split || json.Unmarshal(arg, &name) != nil || name.text() != string(arg) {
			return // not a stream's name
		}
		if ok && json.Valid(message) && strings.Count(string(message), `"arg"`) == 1 && string(arg) != string(slow) {
			t.Fatalf("scanned %s, parsed %s, want the same", arg, slow)
		}
	})
}

func FuzzPrivateRows(f *testing.F) {
	f.Add([]byte(anOrder()))
	f.Add([]byte(anAlgo()))
	f.Add([]byte(longBTC))
	f.Fuzz(func(t *testing.T, row []byte) {
		k := btcSwap(t)
		var order orderRecord
		if json.Unmarshal(row, &order) == nil {
			if r, err := decodeOrderEvent(&order, k); err == nil && (!r.Status.Valid() || r.VenueOrderID == "") {
				t.Fatalf("report %+v, want a valid status and an id", r)
			}
		}
		var algo algoRecord
		if json.Unmarshal(row, &algo) == nil {
			if r, err := algo.report(k); err == nil && (!r.Status.Valid() || r.VenueOrderID == "") {
				t.Fatalf("report %+v, want a valid status and an id", r)
			}
		}
		var position positionRecord
		if json.Unmarshal(row, &position) == nil {
			if p, _, err := position.position(k); err == nil && p.Qty.IsNegative() {
				t.Fatalf("position %+v, want no negative quantity", p)
			}
		}
	})
}

func FuzzInstrument(f *testing.F) {
	f.Add([]byte(strings.TrimSuffix(strings.TrimPrefix(swaps, `{"code":"0","data":[`), `],"msg":""}`)))
	f.Add([]byte(`{"instType":"SWAP","instId":"BTC-USDT-SWAP","ctVal":"0.01","ctMult":"1","tickSz":"0.1","lotSz":"0.01","minSz":"0.01"}`))
	f.Fuzz(func(t *testing.T, row []byte) {
		var record instrumentRecord
		if json.Unmarshal(row, &record) != nil {
			return
		}
		k, err := record.instrument(venues.At(payload.Millis(1)).Time)
		if err != nil {
			return
		}
		if !k.QtyStep.IsPositive() || !k.ContractSize.IsPositive() || k.Symbol == "" {
			t.Fatalf("k = %+v, want a symbol, a quantity step and a contract size", k)
		}
	})
}
