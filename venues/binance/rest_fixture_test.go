package binance

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
)

type recordedBody struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Query  string          `json:"query"`
	Label  string          `json:"label"`
	Body   json.RawMessage `json:"body"`
}

// readers decode the venue's answers by path. Paths without a reader are not used by this
// connector.
var readers = map[string]func(json.RawMessage) error{
	"/fapi/v1/order":          one[orderRecord](func(o *orderRecord) error { _, err := o.report(); return err }),
	"/fapi/v1/openOrder":      one[orderRecord](func(o *orderRecord) error { _, err := o.report(); return err }),
	"/papi/v1/um/allOrders":   list[orderRecord](func(o *orderRecord) error { _, err := o.report(); return err }),
	"/fapi/v1/algoOrder":      one[algoRecord](func(o *algoRecord) error { _, err := o.report(); return err }),
	"/fapi/v1/openAlgoOrders": list[algoRecord](func(o *algoRecord) error { _, err := o.report(); return err }),
	"/fapi/v1/userTrades":     list[tradeRecord](func(r *tradeRecord) error { _, err := r.fill(); return err }),
	"/fapi/v3/positionRisk":   list[positionRecord](func(p *positionRecord) error { _, _, err := p.position(); return err }),
	"/fapi/v2/positionRisk":   list[positionRecord](func(p *positionRecord) error { _, _, err := p.position(); return err }),
	"/fapi/v3/account":        one[accountRecord](func(a *accountRecord) error { _, err := a.balances(singleAsset); return err }),
	"/fapi/v2/account":        one[accountRecord](func(a *accountRecord) error { _, err := a.balances(singleAsset); return err }),
	"/fapi/v1/symbolConfig":   list[symbolConfig](func(c *symbolConfig) error { _, err := parseMarginMode(c.MarginType); return err }),
	"/fapi/v1/depth": one[bookRecord](func(d *bookRecord) error {
		_, err := d.update("X", venues.Scale{PriceDecimals: 8, QtyDecimals: 8}, time.Now())
		return err
	}),
	"/fapi/v1/klines":      list[klineRow](func(k *klineRow) error { _, err := k.candle("X", "1m", time.Now()); return err }),
	"/fapi/v1/aggTrades":   list[aggTradeRecord](func(r *aggTradeRecord) error { _, err := r.trade("X"); return err }),
	"/fapi/v1/batchOrders": list[json.RawMessage](readBatchElement),
}

func one[T any](check func(*T) error) func(json.RawMessage) error {
	return func(body json.RawMessage) error {
		var value T
		if err := json.Unmarshal(body, &value); err != nil {
			return err
		}
		return check(&value)
	}
}

func list[T any](check func(*T) error) func(json.RawMessage) error {
	return func(body json.RawMessage) error {
		var values []T
		if err := json.Unmarshal(body, &values); err != nil {
			return err
		}
		for n := range values {
			if err := check(&values[n]); err != nil {
				return err
			}
		}
		return nil
	}
}

func readBatchElement(element *json.RawMessage) error {
	if code, _, _ := parseError(*element); code < 0 {
		return nil
	}
	return one[orderRecord](func(o *orderRecord) error { _, err := o.report(); return err })(*element)
}

func TestRecordedPrivateBodies(t *testing.T) {
	read := 0
	for _, b := range fixturetest.Objects[recordedBody](t, venues.Binance, "rest_private.real.jsonl") {
		reader := readers[b.Path]
		if reader == nil {
			continue
		}
		read++
		if err := reader(b.Body); err != nil {
			t.Errorf("%s %s (%s): error %v for %.300s, want none", b.Method, b.Path, b.Label, err, b.Body)
		}
	}
	if read < 18 {
		t.Errorf("%d bodies decoded, want more", read)
	}
}

func TestRecordedMarketBodies(t *testing.T) {
	read := 0
	for _, b := range fixturetest.Objects[recordedBody](t, venues.Binance, "rest_market_data.real.jsonl") {
		if code, _, _ := parseError(b.Body); code == -1121 {
			if err := classified(400, string(b.Body)); venues.CodeOf(err) != venues.CodeSymbolNotTradable {
				t.Errorf("error %v, want symbol_not_tradable", err)
			}
			read++
		}
		if reader := readers[b.Path]; reader != nil {
			read++
			if err := reader(b.Body); err != nil {
				t.Errorf("b.Path = %s, b.Query = %s, err = %v, want no error", b.Path, b.Query, err)
			}
		}
	}
	if read < 10 {
		t.Errorf("%d bodies decoded, want more", read)
	}
}

func TestRecordedAlgoOrder(t *testing.T) {
	for _, b := range fixturetest.Objects[recordedBody](t, venues.Binance, "rest_private.real.jsonl") {
		if b.Path != "/fapi/v1/algoOrder" {
			continue
		}
		var record algoRecord
		if err := json.Unmarshal(b.Body, &record); err != nil {
			t.Fatal(err)
		}
		r, err := record.report()
		if err != nil || r.Status != venues.StatusFilled || r.Type != venues.TypeStopMarket || !r.ReduceOnly || r.VenueOrderID != "974828356187" ||
			!venues.EqualOptional(r.AvgPrice, dec("69067.6")) || !r.FilledQty.Equal(dec("0.002").Decimal) {
			t.Errorf("report %+v, error %v, want a reduce-only stop filled with 0.002 at 69067.6", r, err)
		}
	}
}

func TestRecordedCandles2020(t *testing.T) {
	s := newScript(t)
	s.On("GET /fapi/v1/klines", 200, string(fixture(t, "rest_klines_LTCUSDT_5m_2020.real.json")))
	candles, err := s.connector.Candles(background, venues.CandlesQuery{Symbol: "LTCUSDT", Timeframe: "5m", Limit: 500})
	if err != nil || len(candles) != 500 {
		t.Fatalf("%d candles, error %v, want 500", len(candles), err)
	}
	for n, c := range candles {
		if c.End.Sub(c.Start) != 5*time.Minute || !c.Closed || c.High.LessThan(c.Low) || n > 0 && !c.Start.Equal(candles[n-1].End) {
			t.Errorf("candle %d: %+v, want five closed minutes after the one before", n, c)
		}
	}
	if got := s.last("GET /fapi/v1/klines"); got != "interval=5m&limit=500&symbol=LTCUSDT" {
		t.Errorf("request %s, want interval=5m&limit=500&symbol=LTCUSDT", got)
	}
}

// The samples of the documentation that are used here. Its generator truncates some of
// them, as noted.
func TestDocumentedBodies(t *testing.T) {
	paths := map[string]string{
		"accountInformationV3": "/fapi/v3/account", "accountInformationV2": "/fapi/v2/account",
		"positionInformationV3": "/fapi/v3/positionRisk", "positionInformationV2": "/fapi/v2/positionRisk",
		"symbolConfiguration": "/fapi/v1/symbolConfig", "accountTradeList": "/fapi/v1/userTrades",
		"newOrder": "/fapi/v1/order", "modifyOrder": "/fapi/v1/order", "cancelOrder": "/fapi/v1/order", "queryOrder": "/fapi/v1/order",
		"allOrders": "/papi/v1/um/allOrders", "currentAllOpenOrders": "/papi/v1/um/allOrders",
		"newAlgoOrder": "/fapi/v1/algoOrder", "queryAlgoOrder": "/fapi/v1/algoOrder", "currentAllAlgoOpenOrders": "/fapi/v1/openAlgoOrders",
	}
	read := map[string]bool{}
	for _, d := range fixturetest.Objects[struct {
		Group, Operation string
		Body             json.RawMessage
	}](t, venues.Binance, "doc_samples_2026-07.jsonl") {
		path, used := paths[d.Operation]
		if !used || !strings.HasPrefix(d.Group, "rest") {
			continue
		}
		read[d.Operation] = true
		if err := readers[path](d.Body); err != nil {
			t.Errorf("%s: error %v for %.400s, want none", d.Operation, err, d.Body)
		}
	}
	if len(read) < 10 {
		t.Errorf("bodies decoded: %v, want all", read)
	}
}

// Vectors of the documentation, one of which is wrong because of a stray space.
func TestRecordedSigningVectors(t *testing.T) {
	var vectors []struct {
		Secret      venues.Secret
		QueryString string
		Body        string
		Signature   string
	}
	if err := json.Unmarshal(fixture(t, "signing_vectors.json"), &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		if got := sign(v.Secret, v.QueryString, v.Body); got != v.Signature {
			t.Errorf("%s|%s: %s, want %s", v.QueryString, v.Body, got, v.Signature)
		}
	}
}
