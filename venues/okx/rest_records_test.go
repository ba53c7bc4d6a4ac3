package okx

import (
	"encoding/json"
	"strings"
	"testing"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
)

func TestRecordedOrders(t *testing.T) {
	row := dataOf[orderRecord](t, fixture(t, "rest_orders_history_swap_real_nautilus.json"))[0]
	r, err := row.report(btcSwap(t))
	if err != nil || r.Status != venues.StatusFilled || r.Type != venues.TypeMarket || r.Qty.String() != "0.0003" || r.FilledQty.String() != "0.0003" ||
		r.AvgPrice.Decimal.String() != "103698.9" || r.Price.Valid || r.ReduceOnly {
		t.Errorf("r = %+v, err = %v, want the market order of 0.0003 filled at 103698.9", r, err)
	}
	for _, line := range fixturetest.Lines(fixture(t, "rest_orders_pending_real_roq.jsonl")) {
		for _, row := range dataOf[orderRecord](t, line) {
			r, err := row.report(instrumentOf(t, row.InstID, "100", "0.1", "1"))
			if err != nil || r.Status != venues.StatusOpen || r.ClientOrderID != "abcABC125" {
				t.Errorf("r = %+v, err = %v, want the open order abcABC125", r, err)
			}
		}
	}
}

// Every recorded answer of 2024 and 2025 can be decoded.
func TestRecordedAnswers(t *testing.T) {
	seen := 0
	for _, line := range fixturetest.Lines(fixture(t, "rest_responses_2024_2025_real_ccxt.jsonl")) {
		var recorded struct {
			Call     string          `json:"call"`
			Response json.RawMessage `json:"response"`
		}
		if err := json.Unmarshal(line, &recorded); err != nil {
			t.Fatal(err)
		}
		path := strings.FieldsFunc(recorded.Call, func(r rune) bool { return r == ' ' || r == '?' })[1]
		k, err := instrumentOf(t, "LTC-USDT-SWAP", "0.001", "0.01", "1"), error(nil)
		switch method := recorded.Call[:4]; {
		case method == "POST" && strings.HasPrefix(path, "/api/v5/trade/"):
			s := newScript(t)
			s.On("POST "+path, 200, string(recorded.Response))
			_, err = s.account.sendChange(background, change{path: path, perWindow: 60, instrument: k, body: algoName{}})
		case path == "/api/v5/account/positions":
			var p venues.Position
			p, _, err = dataOf[positionRecord](t, recorded.Response)[0].position(k)
			if p.Qty.String() != "0.001" || p.LiquidationPrice.Valid || p.Side != venues.Long {
				t.Errorf("p = %+v, want a long of 0.001 without a liquidation price", p)
			}
		case path == "/api/v5/trade/order":
			row := dataOf[orderRecord](t, recorded.Response)[0]
			_, err = row.report(instrumentOf(t, row.InstID, "1", "0.1", "0.00000001"))
		case path == "/api/v5/trade/fills-history":
			_, err = dataOf[fillRecord](t, recorded.Response)[0].fill(k)
		case strings.HasPrefix(path, "/api/v5/trade/orders-algo"):
			row := dataOf[algoRecord](t, recorded.Response)[0]
			_, err = row.report(instrumentOf(t, row.InstID, "1", "0.1", "0.00000001"))
		case path == "/api/v5/account/leverage-info":
			if rows := dataOf[leverageRecord](t, recorded.Response); len(rows) == 0 || !rows[0].Lever.Positive().Valid {
				t.Errorf("rows = %+v, want a leverage", rows)
			}
		default:
			continue
		}
		if err != nil {
			t.Errorf("%s: error %v, want none", recorded.Call, err)
		}
		seen++
	}
	if seen < 7 {
		t.Errorf("%d answers, want at least 7", seen)
	}
}

func TestMalformedOrders(t *testing.T) {
	for name, change := range map[string][2]string{
		"no id": {`"ordId":"2896576259728695296"`, `"ordId":""`}, "no size": {`"sz":"0.5"`, `"sz":""`}, "no filled": {`"accFillSz":"0"`, `"accFillSz":""`},
		"side": {`"side":"buy"`, `"side":"hold"`}, "type": {`"limit"`, `"magic"`}, "state": {`"live"`, `"dozing"`}, "book": {`"net"`, `"both"`},
	} {
		var row orderRecord
		if err := json.Unmarshal([]byte(anOrder(change[0], change[1])), &row); err != nil {
			t.Fatal(err)
		}
		if r, err := row.report(btcSwap(t)); err == nil {
			t.Errorf("%s: r = %+v, want an error", name, r)
		}
	}
	for name, change := range map[string][2]string{
		"no id": {`"algoId":"2896574163517353984"`, `"algoId":""`}, "no size": {`"sz":"0.5"`, `"sz":""`}, "side": {`"sell"`, `"hold"`},
		"kind": {`"conditional"`, `"magic"`}, "state": {`"live"`, `"dozing"`}, "book": {`"net"`, `"both"`},
	} {
		var row algoRecord
		if err := json.Unmarshal([]byte(anAlgo(change[0], change[1])), &row); err != nil {
			t.Fatal(err)
		}
		if r, err := row.report(btcSwap(t)); err == nil {
			t.Errorf("algo, %s: %+v, want an error", name, r)
		}
	}
	for _, text := range []string{`{"sz":"1e5"}`, `{"sz":1e5}`, `{"uTime":"x"}`, `{"reduceOnly":"maybe"}`, `{"sz":[]}`} {
		if json.Unmarshal([]byte(text), new(orderRecord)) == nil {
			t.Errorf("%s: no error, want one", text)
		}
	}
}

func TestEndReasons(t *testing.T) {
	for source, want := range map[string]string{
		"": "", "1": "", "36": "", "37": "", "31": venues.ReasonPostOnlyWouldTake, "13": venues.ReasonFOKNotFilled, "14": venues.ReasonIOCNotFilled,
		"17": venues.ReasonNoPosition, "32": "self_trade_prevention", "0": "cancelled_by_venue", "99": "cancelled_by_venue",
	} {
		reason := endReason(&venues.ExecutionReport{Status: venues.StatusCancelled}, source)
		if (reason == nil) != (want == "") || reason != nil && reason.Reason != want {
			t.Errorf("source = %q, reason = %+v, want %q", source, reason, want)
		}
	}
	partly := venues.ExecutionReport{Status: venues.StatusCancelled, FilledQty: venues.MustDecimal("1")}
	if endReason(&partly, "14") != nil || endReason(&venues.ExecutionReport{Status: venues.StatusFilled}, "31") != nil {
		t.Error("an expected end has a reject reason, want none")
	}
}
