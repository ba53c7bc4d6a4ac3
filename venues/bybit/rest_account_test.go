package bybit

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
)

func instrumentRow(symbol, status string) string {
	return fmt.Sprintf(`{"symbol":%q,"contractType":"LinearPerpetual","status":%q,"baseCoin":"B","quoteCoin":"USDT","settleCoin":"USDT",`+
		`"leverageFilter":{"maxLeverage":"100.00"},"priceFilter":{"minPrice":"0.10","maxPrice":"199999.80","tickSize":"0.10"},`+
		`"lotSizeFilter":{"maxOrderQty":"100.000","minOrderQty":"0.001","qtyStep":"0.001","maxMktOrderQty":"10.000","minNotionalValue":"5"}}`, symbol, status)
}

const listInstruments = "GET /v5/market/instruments-info"

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

func second[T any](_ T, err error) error { return err }

func TestMode(t *testing.T) {
	for rows, hedge := range map[string]bool{emptyRow: false, hedgeRows: true} {
		s := newScript(t)
		s.Clear(listPositions)
		s.ok(listPositions, rows)
		mode, err := s.account.Mode(background)
		if err != nil || mode.AccountType != "unified" || mode.NoDerivatives || mode.Hedge != hedge || mode.ReadAt.IsZero() {
			t.Errorf("mode %+v, error %v, want unified, hedge mode %v, with the time of reading", mode, err, hedge)
		}
	}
	s := newScript(t)
	s.Clear(readInfo)
	s.ok(readInfo, `{"marginMode":"REGULAR_MARGIN","unifiedMarginStatus":1}`)
	if mode, err := s.account.Mode(background); err != nil || mode.AccountType != "classic" || !mode.NoDerivatives {
		t.Errorf("mode = %+v, err = %v, want a classic account without derivatives", mode, err)
	}
	for _, info := range []string{`{}`, `{"marginMode":"SOME_MARGIN","unifiedMarginStatus":5}`, `{"marginMode":"REGULAR_MARGIN"}`, `[]`} {
		s := newScript(t)
		s.Clear(readInfo)
		s.ok(readInfo, info)
		if _, err := s.account.Mode(background); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("%s: error %v, want exchange_unavailable", info, err)
		}
	}
}

func TestMarginInfo(t *testing.T) {
	for mode, want := range map[string]string{"REGULAR_MARGIN": "cross", "ISOLATED_MARGIN": "isolated", "PORTFOLIO_MARGIN": "portfolio"} {
		s := newScript(t)
		s.Clear(readInfo)
		s.ok(readInfo, `{"marginMode":"`+mode+`","unifiedMarginStatus":5}`)
		if info, err := s.account.MarginInfo(background); err != nil || info.Mode != want || len(info.Isolated) > 0 {
			t.Errorf("%s: margin %+v, error %v, want the mode %s without isolated instruments", mode, info, err, want)
		}
	}
}

func TestBalances(t *testing.T) {
	const coin = `"coin":"USDT","equity":"100","usdValue":"101","walletBalance":"95","locked":"1","bonus":"2","totalOrderIM":"3","totalPositionIM":"4","unrealisedPnl":"5"`
	for name, c := range map[string]struct{ mode, wallet, available, used string }{
		"cross":      {"REGULAR_MARGIN", `{"totalAvailableBalance":"50.5","coin":[{` + coin + `}]}`, "50", "7"},
		"isolated":   {"ISOLATED_MARGIN", `{"totalAvailableBalance":"","coin":[{` + coin + `}]}`, "85", "7"},
		"portfolio":  {"PORTFOLIO_MARGIN", `{"totalAvailableBalance":"50.5","totalInitialMargin":"20.2","coin":[{"coin":"USDT","equity":"100","usdValue":"101","walletBalance":"95","totalOrderIM":"","totalPositionIM":""}]}`, "50", "20"},
		"no row":     {"REGULAR_MARGIN", `{"totalAvailableBalance":"0","totalInitialMargin":"0","coin":[]}`, "0", "0"},
		"no equity":  {"REGULAR_MARGIN", `{"totalAvailableBalance":"8","coin":[{"coin":"USDT","equity":"0","usdValue":"0","walletBalance":"0","totalOrderIM":"0"}]}`, "8", "0"},
		"empty text": {"REGULAR_MARGIN", `{"totalAvailableBalance":"8","coin":[{"coin":"USDT","equity":"8","usdValue":"8","walletBalance":"8","totalOrderIM":"0","unrealisedPnl":"","bonus":""},{"coin":"ETH","equity":"0","walletBalance":"0"}]}`, "8", "0"},
	} {
		s := newScript(t)
		s.Clear(readInfo)
		s.ok(readInfo, `{"marginMode":"`+c.mode+`","unifiedMarginStatus":5}`)
		s.ok(readWallet, `{"list":[`+c.wallet+`]}`)
		balances, err := s.account.Balances(background)
		if err != nil || len(balances) != 1 || balances[0].Available.String() != c.available || balances[0].UsedMargin.String() != c.used {
			t.Errorf("%s: balances %+v, error %v, want one with %s available and %s used", name, balances, err, c.available, c.used)
		}
	}
	for _, wallet := range []string{nothing, `{"list":[{"coin":[{"coin":"USDT"}]}]}`, `{"list":[{"coin":[{"equity":"1","walletBalance":"1"}]}]}`, `{"list":[{"coin":[{"coin":"USDT","equity":"1"}]}]}`, `{"list":[{}]}`, `{"list":[{"coin":[{"coin":"BTC","equity":"1e9"}]}]}`} {
		s := newScript(t)
		s.ok(readWallet, wallet)
		if _, err := s.account.Balances(background); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("%s: error %v, want exchange_unavailable", wallet, err)
		}
	}
}

// A coin with one of its two margins has that one, whatever the totals of the account
// are. Only coins that are neither held nor used are left out.
func TestMarginsOfCoins(t *testing.T) {
	s := newScript(t)
	s.ok(readWallet, `{"list":[{"totalAvailableBalance":"600","totalInitialMargin":"20.2","coin":[`+
		`{"coin":"USDT","equity":"100","usdValue":"100","walletBalance":"100","totalPositionIM":"4"},`+
		`{"coin":"BTC","equity":"0.02","usdValue":"1200","walletBalance":"0.02","totalOrderIM":"0.003"},`+
		`{"coin":"ETH","equity":"0","usdValue":"0","walletBalance":"0","totalOrderIM":"0.1"},`+
		`{"coin":"SOL","equity":"0","usdValue":"0","walletBalance":"0","totalOrderIM":"0","totalPositionIM":"0"}]}]}`)
	balances, err := s.account.Balances(background)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range balances {
		got = append(got, fmt.Sprint(b.Currency, " ", b.Available, " ", b.UsedMargin))
	}
	if want := []string{"USDT 600 4", "BTC 0.01 0.003", "ETH 600 0.1"}; !slices.Equal(got, want) {
		t.Errorf("coins with available and used margin %q, want %q", got, want)
	}
}

// A list that does not end is an error, one whose cursor comes back ends.
func TestEndlessPages(t *testing.T) {
	for name, c := range map[string]struct {
		cursor func(page int) string
		pages  int
		ends   bool
	}{
		"new cursors":       {func(n int) string { return fmt.Sprint("page", n) }, pagesMax, false},
		"one cursor":        {func(int) string { return "same" }, 2, true},
		"alternate cursors": {func(n int) string { return fmt.Sprint("page", n%2) }, 3, true},
	} {
		s := newScript(t)
		for n := range c.pages {
			s.ok(readHistory, `{"list":[{},{}],"nextPageCursor":"`+c.cursor(n)+`"}`)
		}
		rows, err := pages[struct{}](background, s.connector, get("/v5/order/history", nil, s.account, 0), 2)
		if asked := len(s.Sent(readHistory)); asked != c.pages || (err == nil) != c.ends || c.ends && len(rows) != 2*c.pages {
			t.Errorf("%s: %d rows of %d pages, error %v, want %d pages and an end: %v", name, len(rows), asked, err, c.pages, c.ends)
		}
		if !c.ends && venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("%s: error %v, want exchange_unavailable", name, err)
		}
	}
}

func TestPositions(t *testing.T) {
	s := newScript(t)
	s.ok(listPositions, `{"list":[{"symbol":"BTCUSDT","positionIdx":0,"side":"Sell","size":"0.5","avgPrice":"60000","markPrice":"61000","liqPrice":"",`+
		`"unrealisedPnl":"-500","leverage":"10","takeProfit":"0.00","stopLoss":"65000","openTime":1700000000000,"updatedTime":"1700000000001"},`+
		`{"symbol":"ETHUSDT","positionIdx":1,"side":"","size":"0"}]}`)
	s.ok(listPositions, `{"list":[{"symbol":"BTCPERP","positionIdx":"2","side":"Sell","size":"1","avgPrice":"60000"}]}`)
	positions, err := s.account.Positions(background)
	if err != nil || len(positions) != 2 {
		t.Fatalf("positions = %+v, err = %v, want 2 positions", positions, err)
	}
	p := positions[0]
	if p.Key() != "BTCUSDT/short" || p.LiquidationPrice.Valid || p.TakeProfit.Valid || !venues.EqualOptional(p.StopLoss, dec("65000")) ||
		!venues.EqualOptional(p.UnrealizedPnl, dec("-500")) || p.MarginMode != venues.MarginCross || p.AccountType != "unified" || p.OpenedAt.UnixMilli() != 1700000000000 {
		t.Errorf("position %+v, want a cross short with a stop loss at 65000 and a loss of 500", p)
	}
	for symbol, want := range map[string]bool{"BTCUSDT": false, "ETHUSDT": true, "BTCUSDC": true} {
		if hedge, known := s.account.modes.of(symbol); hedge != want || !known {
			t.Errorf("%s: hedge %v, known %v, want %v and known", symbol, hedge, known, want)
		}
	}
	for _, row := range []string{
		`{"symbol":"BTCUSDT","positionIdx":3,"side":"Buy","size":"1"}`, `{"symbol":"BTCUSDT","side":"Up","size":"1"}`, `{"symbol":"BTCUSDT","side":"","size":"1"}`,
		`{"symbol":"BTCUSDT","side":"Buy","size":""}`, `{"symbol":"BTCUSDT","side":"Buy","size":"-1"}`, `{"side":"Buy","size":"1"}`,
	} {
		s := newScript(t)
		s.ok(listPositions, `{"list":[`+row+`]}`)
		if _, err := s.account.Positions(background); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("%s: error %v, want exchange_unavailable", row, err)
		}
	}
}

func leverageRow(leverage string) string {
	return `{"list":[{"symbol":"BTCUSDT","positionIdx":0,"leverage":"` + leverage + `","size":"0","side":""}]}`
}

func TestSetLeverage(t *testing.T) {
	s := newScript(t)
	s.Clear(listPositions)
	s.ok(listPositions, leverageRow("10"))
	s.ok(listPositions, leverageRow("6.50"))
	s.ok(writeLeverage, `{}`)
	change, err := s.account.SetLeverage(background, "BTCUSDT", dec("6.5").Decimal)
	if err != nil || change.Leverage.String() != "6.5" || change.PreviousLeverage.Decimal.String() != "10" {
		t.Errorf("change = %+v, err = %v, want leverage 10 before and 6.5 after", change, err)
	}
	if got := s.Last(writeLeverage).Body; got != `{"category":"linear","symbol":"BTCUSDT","buyLeverage":"6.5","sellLeverage":"6.5"}` {
		t.Errorf("request %s, want both sides with 6.5", got)
	}
	s.Clear(writeLeverage)
	s.reject(writeLeverage, 110043, "Set leverage not modified")
	if change, err = s.account.SetLeverage(background, "BTCUSDT", dec("6.5").Decimal); err != nil || change.Leverage.String() != "6.5" {
		t.Errorf("same leverage again: %+v, error %v, want 6.5", change, err)
	}
	s.Clear(listPositions)
	s.ok(listPositions, strings.Replace(hedgeRows, `"leverage":"10"`, `"leverage":"5"`, 1))
	s.ok(listPositions, hedgeRows)
	if change, err = s.account.SetLeverage(background, "BTCUSDT", dec("10").Decimal); err != nil || change.PreviousLeverage.Valid || change.Leverage.String() != "10" {
		t.Errorf("sides with different leverage: %+v, error %v, want an unknown leverage before and 10 after", change, err)
	}
}

func TestLeverageRejections(t *testing.T) {
	for code, reason := range map[int]string{
		110013: "above_max", 110012: "insufficient_margin", 110044: "insufficient_margin", 110038: "portfolio_margin", 110046: "liquidation",
		110048: "risk_limit", 10001: "above_max",
	} {
		s := newScript(t)
		s.listed("BTCUSDT")
		s.reject(writeLeverage, code, "no")
		_, err := s.account.SetLeverage(background, "BTCUSDT", dec("500").Decimal)
		e, ok := errors.AsType[*venues.Error](err)
		if !ok || e.Code != venues.CodeLeverageChangeRejected || e.Details["reason"] != reason || e.Details["maxLeverage"] != "100" || e.VenueCode != strconv.Itoa(code) {
			t.Errorf("%d: error %v, details %v, want leverage_change_rejected with the reason %s", code, err, e.Details, reason)
		}
	}
	s := newScript(t)
	s.reject(writeLeverage, 10016, "Server error")
	if _, err := s.account.SetLeverage(background, "BTCUSDT", dec("5").Decimal); !errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Error(err)
	}
	s = newScript(t)
	s.Clear(listPositions)
	s.reject(listPositions, 10005, "Permission denied")
	if _, err := s.account.SetLeverage(background, "BTCUSDT", dec("5").Decimal); !errors.Is(err, venues.ErrNotSent) {
		t.Error(err)
	}
}

func executionRow(id string, at time.Time, changes ...string) string {
	const row = `{"symbol":"BTCUSDT","orderId":"order","orderLinkId":"vg01","side":"Buy","orderPrice":"61000","orderQty":"2","leavesQty":"1","orderType":"Market",` +
		`"stopOrderType":"UNKNOWN","execFee":"-0.5","execId":"ID","execPrice":"60000","execQty":"1","execType":"Trade","execTime":"AT","isMaker":true,` +
		`"feeCurrency":"","extraFees":"","createType":"CreateByUser"}`
	return strings.NewReplacer(append(changes, `"ID"`, `"`+id+`"`, `"AT"`, `"`+formatMillis(at)+`"`)...).Replace(row)
}

// A month of executions: windows of a week, newest first in each, without funding, every
// execution once.
func TestFillsWindows(t *testing.T) {
	s := newScript(t)
	from := time.UnixMilli(1700000000000).UTC()
	to := from.Add(16 * 24 * time.Hour)
	second := from.Add(executionsWindow)
	s.ok(readExecutions, listOf(executionRow("b", from.Add(time.Hour)), executionRow("a", from), executionRow("early", from.Add(-time.Millisecond))))
	s.ok(readExecutions, listOf(executionRow("f", second, `"Trade"`, `"Funding"`), executionRow("b", from.Add(time.Hour)), executionRow("c", second, "BTCUSDT", "BTCPERP")))
	s.ok(readExecutions, nothing)
	fills, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: from, To: to})
	if err != nil || len(fills) != 3 {
		t.Fatalf("fills = %+v, err = %v, want 3 fills", fills, err)
	}
	for n, want := range []string{"a USDT", "b USDT", "c USDC"} {
		f := fills[n]
		if f.VenueTradeID+" "+f.FeeCurrency != want || f.Liquidity != venues.Maker || !f.Fee.Decimal.Equal(dec("-0.5").Decimal) || f.VenueOrderID != "order" {
			t.Errorf("fill %d: %+v, want %s of the maker with the fee -0.5", n, f, want)
		}
	}
	asked := s.Sent(readExecutions)
	if len(asked) != 3 {
		t.Fatalf("%d requests, want 3", len(asked))
	}
	for n, r := range asked {
		start, _ := strconv.ParseInt(r.Query.Get("startTime"), 10, 64)
		end, _ := strconv.ParseInt(r.Query.Get("endTime"), 10, 64)
		if start != from.Add(time.Duration(n)*executionsWindow).UnixMilli() || end-start >= executionsWindow.Milliseconds() || end >= to.UnixMilli() {
			t.Errorf("window %d: from %d to %d, want windows of 7 days that end before %d", n, start, end, to.UnixMilli())
		}
	}
}

func TestMalformedFills(t *testing.T) {
	from := time.UnixMilli(1700000000000)
	for _, change := range [][]string{
		{`"side":"Buy"`, `"side":"Hold"`},
		{`"execQty":"1"`, `"execQty":""`},
		{`"execPrice":"60000"`, `"execPrice":"0"`},
		{`"execPrice":"60000"`, `"execPrice":"6e4"`},
		{`"orderId":"order"`, `"orderId":""`},
		{`"execId":"ID"`, `"execId":""`},
		{`"extraFees":""`, `"extraFees":{}`},
		{`"execFee":"-0.5"`, `"execFee":"NaN"`},
	} {
		s := newScript(t)
		s.ok(readExecutions, listOf(executionRow("a", from, change...)))
		if fills, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: from, To: from.Add(time.Hour)}); err == nil {
			t.Errorf("change = %v, fills = %+v, want an error", change, fills)
		}
	}
}

// The venue rejects a delisted symbol with a code that has many meanings, and a message
// in any language: the list of instruments decides.
func TestReadsOfADelistedInstrument(t *testing.T) {
	s := newScript(t)
	ref := venues.OrderRef{Symbol: "OLDUSDT", ClientOrderID: "vg00000001"}
	read := func() (fills, order error) {
		_, fills = s.account.Fills(background, venues.FillsQuery{Symbol: "OLDUSDT", From: time.Now().Add(-time.Hour), To: time.Now()})
		_, order = s.account.Order(background, ref)
		return fills, order
	}
	s.reject(readExecutions, codeParameter, "parâmetro inválido")
	s.reject(readRealtime, codeParameter, "parâmetro inválido")
	if fills, order := read(); venues.IsUnlisted(fills) || venues.IsUnlisted(order) {
		t.Errorf("before the list was read: errors %v and %v, want none that IsUnlisted", fills, order)
	}
	s.connector.instruments.Store(venues.NewInstrumentSet([]venues.Instrument{{Symbol: "BTCUSDT", VenueSymbol: "BTCUSDT"}}))
	if fills, order := read(); !venues.IsUnlisted(fills) || !venues.IsUnlisted(order) {
		t.Errorf("fills = %v, order = %v, want IsUnlisted(fills) and IsUnlisted(order)", fills, order)
	}
	ref.Symbol = "BTCUSDT"
	if _, order := read(); venues.IsUnlisted(order) {
		t.Errorf("listed instrument: error %v, want none that IsUnlisted", order)
	}
}

// A settlement changes the position without an order.
func TestSettlementIsAFill(t *testing.T) {
	s := newScript(t)
	from := time.UnixMilli(1700000000000)
	s.ok(readExecutions, listOf(executionRow("a", from, `"orderId":"order"`, `"orderId":""`, `"execType":"Trade"`, `"execType":"Delivery"`)))
	fills, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: from, To: from.Add(time.Hour)})
	if err != nil || len(fills) != 1 || fills[0].VenueOrderID != "" {
		t.Errorf("fills = %+v, err = %v, want one fill without an order id", fills, err)
	}
}

func TestFeesWithTaxes(t *testing.T) {
	row := executionRecord{ExecFee: payload.Number{Optional: dec("1")}, FeeCurrency: "USDT", ExtraFees: extraFees{{FeeCoin: "USDT", Fee: payload.Number{Optional: dec("0.18")}}, {FeeCoin: "XYZ", Fee: payload.Number{Optional: dec("5")}}}}
	if fee, currency := row.fee(); currency != "USDT" || !fee.Decimal.Equal(dec("1.18").Decimal) {
		t.Errorf("fee %s %s, want 1.18 USDT", fee.Decimal, currency)
	}
	if fee, currency := (&executionRecord{Symbol: "BTCUSDT"}).fee(); fee.Valid || currency != "" {
		t.Errorf("fee %v, currency %q, want neither", fee, currency)
	}
}

func TestKeyInfo(t *testing.T) {
	s := newScript(t)
	s.ok("GET /v5/user/query-api", `{"readOnly":0,"permissions":{"ContractTrade":["Order","Position"],"Wallet":["AccountTransfer","Withdraw"]},"ips":["10.0.0.1"],"expiredAt":"2027-01-02T03:04:05Z"}`)
	info, err := s.account.KeyInfo(background)
	if err != nil || !info.Known || !info.CanTrade || !info.CanWithdraw || !info.IPBound || info.ExpiresAt.Year() != 2027 {
		t.Errorf("info = %+v, err = %v, want a key that can trade and withdraw, is bound to addresses and expires in 2027", info, err)
	}
	s.Clear("GET /v5/user/query-api")
	s.ok("GET /v5/user/query-api", `{"readOnly":1,"permissions":{"ContractTrade":["Order"],"Wallet":[]},"ips":["*"],"expiredAt":"1970-01-01T00:00:00Z"}`)
	if info, err = s.account.KeyInfo(background); err != nil || info.CanTrade || info.CanWithdraw || info.IPBound || !info.ExpiresAt.IsZero() {
		t.Errorf("info = %+v, err = %v, want a key that can neither trade nor withdraw, is not bound to addresses and does not expire", info, err)
	}
}

func TestEnvironments(t *testing.T) {
	for _, name := range Environments() {
		o, ok := Preset(name)
		if !ok || o.Validate() != nil || !strings.HasPrefix(o.RESTURL, "https://") || !strings.HasPrefix(o.StreamURL, "wss://") {
			t.Errorf("%s: options %+v, want valid ones with https and wss", name, o)
		}
	}
	if o, _ := Preset("live_eu"); o.RESTURL != "https://api.bybit.eu" || o.TradeURL != "wss://stream.bybit.eu" {
		t.Errorf("options %+v, want https://api.bybit.eu and wss://stream.bybit.eu", o)
	}
	if o, _ := Preset(Demo); o.withDefaults().PrivateURL != "wss://stream-demo.bybit.com" {
		t.Error("demo: PrivateURL equals StreamURL")
	}
	if o := Sim("http://a", "ws://b").withDefaults(); o.PrivateURL != "ws://b" {
		t.Errorf("options %+v, want PrivateURL ws://b", o)
	}
	for _, name := range []string{"moon", "eu", "live_", "live_moon", ""} {
		if o, ok := Preset(name); ok || !reflect.ValueOf(o).IsZero() {
			t.Errorf("Preset(%q) = %+v, want none", name, o)
		}
	}
	for _, o := range []Options{{}, Sim("x", ""), {Settings: connector.Hosts("x", "y"), RecvWindow: time.Hour}} {
		if o.Validate() == nil {
			t.Errorf("%+v is valid, want an error", o)
		}
	}
	c := New(Sim("http://x", "ws://x"))
	if _, err := c.OpenAccount(venues.Credentials{APIKey: "k"}); venues.CodeOf(err) != venues.CodeUnauthorized {
		t.Error(err)
	}
	if caps := c.Capabilities(); !caps.AttachedProtection || !caps.AmendStops || !caps.AsyncAck || !caps.StreamSnapshots || !caps.ClientIDUniqueForever || c.Venue() != venues.Bybit {
		t.Errorf("capabilities %+v, want those of the venue", caps)
	}
}

func TestSymbols(t *testing.T) {
	c := New(Sim("http://x", "ws://x"))
	for venueSymbol, want := range map[string]string{
		"BTCUSDT": "BTCUSDT", "1000PEPEUSDT": "1000PEPEUSDT", "BTCPERP": "BTCUSDC", "BTC-26DEC25": "BTCUSDC-251226",
		"BTCUSDT-5SEP25": "BTCUSDT-250905", "PERPUSDT": "PERPUSDT",
	} {
		got := canonicalSymbol(venueSymbol)
		if got != want || c.venueSymbol(got) != venueSymbol {
			t.Errorf("canonical symbol of %s = %s, and back %s, want %s and the first", venueSymbol, got, c.venueSymbol(got), want)
		}
	}
	for _, odd := range []string{"", "-", "a b", "BTC\x00"} {
		if got := canonicalSymbol(odd); got != "" {
			t.Errorf("canonical symbol of %q = %q, want none", odd, got)
		}
	}
	for venueSymbol, want := range map[string]string{"BTCUSDT": "USDT", "ETHPERP": "USDC", "BTC-26DEC25": "USDC", "BTCUSDT-26DEC25": "USDT"} {
		if got := settleCoin(venueSymbol); got != want {
			t.Errorf("settle coin of %s = %s, want %v", venueSymbol, got, want)
		}
	}
	if got := payload.Bounded("a\nb" + strings.Repeat("x", 400)); got != "a?b"+strings.Repeat("x", payload.TextBytesMax-3) {
		t.Errorf("bounded text %s, want a?b and %d times x", got, payload.TextBytesMax-3)
	}
}
