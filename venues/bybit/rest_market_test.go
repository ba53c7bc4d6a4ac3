package bybit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
)

func instrumentRow(symbol, status string) string {
	return fmt.Sprintf(`{"symbol":%q,"contractType":"LinearPerpetual","status":%q,"baseCoin":"B","quoteCoin":"USDT","settleCoin":"USDT",`+
		`"leverageFilter":{"maxLeverage":"100.00"},"priceFilter":{"minPrice":"0.10","maxPrice":"199999.80","tickSize":"0.10"},`+
		`"lotSizeFilter":{"maxOrderQty":"100.000","minOrderQty":"0.001","qtyStep":"0.001","maxMktOrderQty":"10.000","minNotionalValue":"5"}}`, symbol, status)
}

// listed adds trading instruments with the tick size of BTCUSDT to the list.
func (s *script) listed(symbols ...string) {
	var all []venues.Instrument
	for _, symbol := range symbols {
		all = append(all, venues.Instrument{
			Symbol: symbol, VenueSymbol: symbol, Status: venues.InstrumentTrading, MaxLeverage: dec("100"),
			TickSize: venues.MustDecimal("0.1"), QtyStep: venues.MustDecimal("0.001"),
		})
	}
	s.connector.instruments.Store(venues.NewInstrumentSet(all))
}

func TestInstruments(t *testing.T) {
	s := newScript(t)
	var rows []string
	for n := range instrumentsPage {
		rows = append(rows, instrumentRow(fmt.Sprintf("A%dUSDT", n), "Trading"))
	}
	s.ok(listInstruments, listOf(rows...))
	s.ok(listInstruments, listOf(
		instrumentRow("BTCUSDT", "Trading"), instrumentRow("BTC-26DEC25", "Trading"), instrumentRow("BTCPERP", "Paused"),
		strings.Replace(instrumentRow("BADUSDT", "Trading"), `"tickSize":"0.10"`, `"tickSize":""`, 1),
		strings.Replace(instrumentRow("ODDUSDT", "Trading"), "LinearPerpetual", "Swaption", 1)))
	s.ok(listInstruments, listOf(instrumentRow("NEWUSDT", "PreLaunch"), instrumentRow("BTCUSDT", "PreLaunch")))
	s.ok(listInstruments, listOf(instrumentRow("OLDUSDT", "Delivering")))
	all, err := s.connector.Instruments(background)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != instrumentsPage+5 {
		t.Errorf("%d instruments, want %d", len(all), instrumentsPage+5)
	}
	var cursors, statuses []string
	for _, r := range s.Sent(listInstruments) {
		cursors, statuses = append(cursors, r.Query.Get("cursor")), append(statuses, r.Query.Get("status"))
	}
	if !slices.Equal(cursors, []string{"", "more:1", "", ""}) || !slices.Equal(statuses, []string{"Trading", "Trading", "PreLaunch", "Delivering"}) {
		t.Errorf("cursors %v of statuses %v, want a second page of Trading, then PreLaunch and Delivering", cursors, statuses)
	}
	for symbol, want := range map[string]venues.InstrumentStatus{
		"BTCUSDT": venues.InstrumentTrading, "BTCUSDC-251226": venues.InstrumentTrading, "BTCUSDC": venues.InstrumentHalted,
		"NEWUSDT": venues.InstrumentPreOpen, "OLDUSDT": venues.InstrumentSettling, "BTC-26DEC25": venues.InstrumentTrading,
	} {
		if i, err := s.connector.instruments.Get(symbol); err != nil || i.Status != want || !i.MinNotional.Valid || !i.MaxMarketQty.Valid {
			t.Errorf("%s: instrument %+v, error %v, want the status %s, a minimum notional and a maximum of market orders", symbol, i, err, want)
		}
	}
	if _, err := s.connector.instruments.Get("NOPEUSDT"); venues.CodeOf(err) != venues.CodeSymbolNotTradable {
		t.Error(err)
	}
}

func TestNoInstruments(t *testing.T) {
	s := newScript(t)
	s.ok(listInstruments, nothing)
	if _, err := s.connector.Instruments(background); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
		t.Error(err)
	}
}

func TestSnapshotAndCandles(t *testing.T) {
	s := newScript(t)
	s.listed("BTCUSDT")
	s.ok("GET /v5/market/orderbook", `{"s":"BTCUSDT","b":[["61800.2","2.909"]],"a":[["61800.3","4.35"]],"ts":1711960701415,"u":1603656}`)
	u, err := s.connector.Snapshot(background, "BTCUSDT")
	if err != nil || !u.Snapshot || u.LastSeq != 1603656 || fmt.Sprint(u.Bids, u.Asks) != "[{618002 2909}] [{618003 4350}]" {
		t.Errorf("u = %+v, err = %v, want the snapshot 1603656 with [{618002 2909}] [{618003 4350}]", u, err)
	}
	s.ok("GET /v5/market/kline", `{"list":[["1687589640000","1","2","0.5","1.5","3","4"],["1687586040000","1","2","0.5","1.5","3","4"]]}`)
	candles, err := s.connector.Candles(background, venues.CandlesQuery{Symbol: "BTCUSDT", Timeframe: "1h", Limit: 5000})
	if err != nil || len(candles) != 2 || !candles[0].Start.Before(candles[1].Start) || candles[1].End.Sub(candles[1].Start) != time.Hour || !candles[0].Closed {
		t.Errorf("candles %+v, error %v, want 2 hours, the first one closed", candles, err)
	}
	if q := s.Sent("GET /v5/market/kline")[0].Query.Encode(); q != "category=linear&interval=60&limit=1000&symbol=BTCUSDT" {
		t.Errorf("query %v, want category=linear&interval=60&limit=1000&symbol=BTCUSDT", q)
	}
	if _, err := s.connector.Candles(background, venues.CandlesQuery{Symbol: "BTCUSDT", Timeframe: "7m", Limit: 1}); venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Error(err)
	}
	if len(intervals) != len(venues.Timeframes()) {
		t.Errorf("%d intervals in use, want %d", len(intervals), len(venues.Timeframes()))
	}
}

// A public answer that cannot be decoded is an exchange_unavailable error that says so.
func TestMalformedMarketData(t *testing.T) {
	for name, results := range map[string][]string{
		"GET /v5/market/orderbook": {
			`{}`, `[]`, `{"s":"BTCUSDT","b":[],"a":[],"u":0}`, `{"s":"ETHUSDT","b":[],"a":[],"u":1}`, `{"s":"BTCUSDT","b":[["1.05","1"]],"a":[],"u":1}`,
			`{"s":"BTCUSDT","b":[["1","-1"]],"a":[],"u":1}`, `{"s":"BTCUSDT","b":[["1"]],"a":[],"u":1}`, `{"s":"BTCUSDT","b":[[1,1]],"a":[],"u":1}`,
		},
		"GET /v5/market/kline": {
			`{"list":[["1"]]}`, `{"list":[{}]}`, `{"list":[["0","1","1","1","1","1","1"]]}`, `{"list":[["1","1","1","","1","1","1"]]}`, `{"list":[["1","1e3","1","1","1","1","1"]]}`,
			`{"list":[["soon","1","1","1","1","1","1"]]}`,
		},
		"GET /v5/market/tickers": {`{}`, `{"list":[]}`, `{"list":[{"lastPrice":"0"}]}`, `{"list":[{"lastPrice":""}]}`, `{"list":[{"lastPrice":"NaN"}]}`},
		"GET /v5/market/time":    {`{}`, `{"timeNano":""}`, `{"timeNano":"-1"}`, `{"timeNano":"now"}`, `[]`},
	} {
		for _, result := range results {
			s := newScript(t)
			s.listed("BTCUSDT")
			s.ok(name, result)
			for call, err := range map[string]error{
				"GET /v5/market/orderbook": second(s.connector.Snapshot(background, "BTCUSDT")),
				"GET /v5/market/kline":     second(s.connector.Candles(background, venues.CandlesQuery{Symbol: "BTCUSDT", Timeframe: "1m", Limit: 1})),
				"GET /v5/market/tickers":   second(s.connector.lastPrice(background, "BTCUSDT")),
				"GET /v5/market/time":      second(s.connector.SyncClock(background)),
			} {
				if call == name && venues.CodeOf(err) != venues.CodeExchangeUnavailable {
					t.Errorf("%s: result %s, error %v, want exchange_unavailable", name, result, err)
				}
			}
		}
	}
}
