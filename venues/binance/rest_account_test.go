package binance

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

func TestMode(t *testing.T) {
	s := newScript(t)
	mode, err := s.account.Mode(background)
	if err != nil || mode.Hedge || mode.AccountType != "single_asset" || mode.ReadAt.IsZero() {
		t.Errorf("mode = %+v, err = %v, want single_asset in one-way mode with the time of reading", mode, err)
	}
	s.Replace("GET /fapi/v1/accountConfig", 200, strings.Replace(hedged, `"multiAssetsMargin":false`, `"multiAssetsMargin":true`, 1))
	if mode, err = s.account.Mode(background); err != nil || !mode.Hedge || mode.AccountType != "multi_assets" {
		t.Errorf("mode = %+v, err = %v, want multi_assets in hedge mode", mode, err)
	}
	s.Replace("GET /fapi/v1/accountConfig", 200, `{"canTrade":true}`)
	if _, err = s.account.Mode(background); !errors.Is(err, payload.ErrMissing) {
		t.Errorf("incomplete mode: error %v, want one", err)
	}
}

func TestModeFillsTheLeverageLimits(t *testing.T) {
	s := newScript(t)
	s.Replace("GET /fapi/v1/leverageBracket", 200, `[{"symbol":"ETHUSDT","notionalCoef":1.50,"brackets":[`+
		`{"bracket":2,"initialLeverage":50,"notionalCap":50000,"maintMarginRatio":0.01},{"bracket":1,"initialLeverage":75,"notionalCap":10000,"maintMarginRatio":0.0065,"cum":0}]}]`)
	for range 2 {
		if _, err := s.account.Mode(background); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.sent("GET /fapi/v1/leverageBracket")); n != 1 {
		t.Errorf("leverage limits read %d times, want 1", n)
	}
	if got := s.connector.maxLeverages.of("ETHUSDT"); !venues.EqualOptional(got, dec("75")) || s.connector.maxLeverages.of("BTCUSDT").Valid {
		t.Errorf("maximum leverage %v, want 75 for this instrument only", got)
	}
	var one bracketList
	if err := one.UnmarshalJSON([]byte(`{"symbol":"ETHUSDT","brackets":[]}`)); err != nil || len(one) != 1 {
		t.Errorf("one object instead of a list: %v, error %v, want one row", one, err)
	}
}

func TestBalances(t *testing.T) {
	s := newScript(t)
	asset := func(name, wallet, margin, initial string) string {
		return fmt.Sprintf(`{"asset":%q,"walletBalance":%q,"unrealizedProfit":"0.5","marginBalance":%q,"maintMargin":"0","initialMargin":%q,"availableBalance":"18.65"}`,
			name, wallet, margin, initial)
	}
	const totals = `"totalInitialMargin":"7.5","totalUnrealizedProfit":"0.5","totalMarginBalance":"26.2","availableBalance":"18.7"`
	s.On("GET /fapi/v3/account", 200, `{`+totals+`,"assets":[`+asset("FDUSD", "0", "0.00000000", "0")+`,`+asset("USDT", "3.7", "4.2", "7.59")+`,`+asset("USDC", "2", "2", "0")+`]}`)
	s.On("GET /fapi/v3/account", 200, `{`+totals+`,"assets":[]}`)
	s.On("GET /fapi/v3/account", 200, `{`+totals+`,"assets":[{"asset":"USDT"}]}`)
	balances, err := s.account.Balances(background)
	if err != nil || len(balances) != 2 || balances[0].Currency != "USDT" || balances[1].Currency != "USDC" {
		t.Fatalf("balances = %+v, err = %v, want USDT and USDC", balances, err)
	}
	if b := balances[0]; !b.Equity.Equal(dec("4.2").Decimal) || !b.Available.Equal(dec("18.65").Decimal) || !b.UsedMargin.Equal(dec("7.59").Decimal) ||
		!b.UnrealizedPnl.Equal(dec("0.5").Decimal) || b.Exchange != venues.Binance || b.AccountType != "single_asset" {
		t.Errorf("balance %+v, want 18.65 available and 7.59 used of 4.2", b)
	}
	if balances, err = s.account.Balances(background); err != nil || len(balances) != 1 || !balances[0].Equity.Equal(dec("26.2").Decimal) || balances[0].Currency != "USDT" {
		t.Errorf("unused account: balances %+v, error %v, want 26.2 USDT", balances, err)
	}
	if _, err = s.account.Balances(background); !errors.Is(err, payload.ErrMissing) {
		t.Errorf("incomplete balance: error %v, want one", err)
	}
}

const positionRow = `{"symbol":"BTCUSDT","positionSide":%q,"positionAmt":%q,"entryPrice":"67445.9","markPrice":"67502.68519858","unRealizedProfit":"0.51106678",` +
	`"liquidationPrice":"0","updateTime":1722161166529}`

func TestPositions(t *testing.T) {
	s := newScript(t)
	row := func(side, amount string) string { return fmt.Sprintf(positionRow, side, amount) }
	s.On("GET /fapi/v3/positionRisk", 200, "["+row("LONG", "0.009")+","+row("SHORT", "-0.5")+","+row("BOTH", "0.000")+"]")
	s.On("GET /fapi/v1/symbolConfig", 200, `[{"symbol":"BTCUSDT","marginType":"ISOLATED","isAutoAddMargin":false,"leverage":21,"maxNotionalValue":"1000000"}]`)
	positions, err := s.account.Positions(background)
	if err != nil || len(positions) != 2 {
		t.Fatalf("positions = %+v, err = %v, want 2 positions", positions, err)
	}
	long, short := positions[0], positions[1]
	if long.Side != venues.Long || short.Side != venues.Short || !short.Qty.Equal(dec("0.5").Decimal) {
		t.Errorf("positions %+v, want a long and a short of 0.5", positions)
	}
	if long.LiquidationPrice.Valid || !venues.EqualOptional(long.Leverage, dec("21")) || long.MarginMode != venues.MarginIsolated ||
		!venues.EqualOptional(long.EntryPrice, dec("67445.9")) || !venues.EqualOptional(long.UnrealizedPnl, dec("0.51106678")) {
		t.Errorf("position %+v, want an isolated long with leverage 21 from 67445.9", long)
	}

	s.Replace("GET /fapi/v3/positionRisk", 200, "["+row("BOTH", "-0.009")+"]")
	if positions, err = s.account.Positions(background); err != nil || positions[0].Side != venues.Short {
		t.Errorf("one-way short: positions %+v, error %v, want a short", positions, err)
	}
	s.Replace("GET /fapi/v3/positionRisk", 200, "["+row("BOTH", "0")+"]")
	before := len(s.sent("GET /fapi/v1/symbolConfig"))
	if positions, err = s.account.Positions(background); err != nil || len(positions) != 0 || len(s.sent("GET /fapi/v1/symbolConfig")) != before {
		t.Errorf("no position: positions %+v, error %v, want none and no further request", positions, err)
	}
	for _, bad := range []string{row("MIDDLE", "1"), strings.Replace(row("BOTH", "1"), `"positionAmt":"1",`, "", 1), row("BOTH", "1e3")} {
		s.Replace("GET /fapi/v3/positionRisk", 200, "["+bad+"]")
		if _, err = s.account.Positions(background); err == nil {
			t.Errorf("no error for %s, want one", bad)
		}
	}
}

func TestSetLeverage(t *testing.T) {
	const post, config = "POST /fapi/v1/leverage", "GET /fapi/v1/symbolConfig"
	settings := func(leverage int) string {
		return fmt.Sprintf(`[{"symbol":"BTCUSDT","marginType":"CROSSED","leverage":%d}]`, leverage)
	}
	t.Run("read back", func(t *testing.T) {
		s := newScript(t)
		s.On(config, 200, settings(20))
		s.On(post, 200, `{"leverage":21,"maxNotionalValue":"1000000","symbol":"BTCUSDT"}`)
		s.On(config, 200, settings(21))
		change, err := s.account.SetLeverage(background, "BTCUSDT", venues.MustDecimal("21"))
		if err != nil || !change.Leverage.Equal(dec("21").Decimal) || !venues.EqualOptional(change.PreviousLeverage, dec("20")) {
			t.Errorf("change = %+v, err = %v, want leverage 20 before and 21 after", change, err)
		}
		if got := s.last(post); got != "leverage=21&symbol=BTCUSDT" {
			t.Errorf("request %s, want leverage=21&symbol=BTCUSDT", got)
		}
	})
	t.Run("rejected", func(t *testing.T) {
		for code, reason := range leverageReasons {
			s := newScript(t)
			s.On(config, 200, settings(20))
			s.On(post, 400, fmt.Sprintf(`{"code":%d,"msg":"x"}`, code))
			_, err := s.account.SetLeverage(background, "BTCUSDT", venues.MustDecimal("126"))
			rejected, ok := errors.AsType[*venues.Error](err)
			if !ok || rejected.Code != venues.CodeLeverageChangeRejected || rejected.Details["reason"] != reason || rejected.VenueCode != strconv.Itoa(code) {
				t.Errorf("%d: error %v, want leverage_change_rejected, %s", code, err, reason)
			}
		}
	})
	t.Run("above the limit that is known", func(t *testing.T) { // the venue is not asked
		s := newScript(t)
		s.Replace("GET /fapi/v1/leverageBracket", 200, `[{"symbol":"BTCUSDT","brackets":[{"initialLeverage":125}]}]`)
		if _, err := s.account.Mode(background); err != nil {
			t.Fatal(err)
		}
		asked := s.RequestCount()
		_, err := s.account.SetLeverage(background, "BTCUSDT", venues.MustDecimal("126"))
		if rejected, ok := errors.AsType[*venues.Error](err); !ok || rejected.Details["maxLeverage"] != "125" || rejected.Details["reason"] != venues.ReasonAboveMax {
			t.Errorf("error %v, want above_max with the maximum leverage 125", err)
		}
		if s.RequestCount() != asked || !errors.Is(err, venues.ErrNotSent) {
			t.Errorf("%d requests, error %v, want 0 and ErrNotSent", s.RequestCount()-asked, err)
		}
	})
	t.Run("not whole", func(t *testing.T) {
		s := newScript(t)
		_, err := s.account.SetLeverage(background, "BTCUSDT", venues.MustDecimal("2.5"))
		if venues.CodeOf(err) != venues.CodeLeverageChangeRejected || !errors.Is(err, venues.ErrNotSent) || s.RequestCount() != 0 {
			t.Errorf("error %v, %d requests, want leverage_change_rejected and none sent", err, s.RequestCount())
		}
	})
	t.Run("unknown", func(t *testing.T) {
		s := newScript(t)
		s.On(config, 200, settings(20))
		s.On(post, 502, "<html>")
		if _, err := s.account.SetLeverage(background, "BTCUSDT", venues.MustDecimal("21")); !errors.Is(err, venues.ErrOutcomeUnknown) {
			t.Errorf("error %v, want an unknown outcome", err)
		}
	})
}

// execution is a row of userTrades.
type execution struct {
	id, order int64
	at        time.Time
}

func tradeRow(e execution) string {
	return fmt.Sprintf(`{"symbol":"BTCUSDT","id":%d,"orderId":%d,"side":"SELL","price":"36567.10","qty":"0.010","realizedPnl":"-0.5","marginAsset":"USDT",`+
		`"quoteQty":"365.67100","commission":"-0.14626840","commissionAsset":"BNB","time":%d,"positionSide":"BOTH","maker":true,"buyer":false}`, e.id, e.order, e.at.UnixMilli())
}

func TestFillsWindows(t *testing.T) {
	s := newScript(t)
	to := time.Now().UTC().Truncate(24 * time.Hour)
	from := to.AddDate(0, 0, -31)
	s.On("GET /fapi/v1/userTrades", 200, "["+tradeRow(execution{1, 10, from})+"]")
	s.On("GET /fapi/v1/userTrades", 200, "["+tradeRow(execution{2, 11, from.AddDate(0, 0, 8)})+"]")
	s.On("GET /fapi/v1/userTrades", 200, "[]")
	fills, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: from, To: to})
	if err != nil || len(fills) != 2 {
		t.Fatalf("fills = %+v, err = %v, want 2 fills", fills, err)
	}
	f := fills[0]
	if f.VenueTradeID != "1" || f.VenueOrderID != "10" || f.Side != venues.Sell || !venues.EqualOptional(f.Fee, dec("-0.1462684")) || f.FeeCurrency != "BNB" ||
		f.Liquidity != venues.Maker || !venues.EqualOptional(f.RealizedPnl, dec("-0.5")) || !f.ExecutedAt.Equal(from) {
		t.Errorf("fill %+v, want the maker sell 1 of order 10 with a fee in BNB", f)
	}
	asked := s.sent("GET /fapi/v1/userTrades")
	if len(asked) != 5 {
		t.Fatalf("%d requests for 31 days, want 5", len(asked))
	}
	next := from.UnixMilli()
	for _, p := range asked {
		start, _ := strconv.ParseInt(p.Get("startTime"), 10, 64)
		end, _ := strconv.ParseInt(p.Get("endTime"), 10, 64)
		if start != next || end-start >= (7*24*time.Hour).Milliseconds() {
			t.Errorf("window %v to %v, want another", payload.Millis(start), payload.Millis(end))
		}
		next = end + 1
	}
	if next != to.UnixMilli() {
		t.Errorf("windows end at %v, want the end of the query", payload.Millis(next))
	}
}

// A full page is followed by id. A self-trade has two rows, which may be on different
// pages.
func TestFillsPages(t *testing.T) {
	s := newScript(t)
	from := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -7)
	to := from.Add(24 * time.Hour)
	var all []execution
	for n := range int64(2500) {
		all = append(all, execution{id: n + 1, order: 1, at: from.Add(time.Duration(n) * time.Second)})
		if n == 999 || n == 1200 {
			all = append(all, execution{id: n + 1, order: 2, at: from.Add(time.Duration(n) * time.Second)})
		}
	}
	want := len(all)
	all = append(all, execution{id: 9000, order: 1, at: to}, execution{id: 9001, order: 1, at: to.Add(time.Hour)})
	page := func(start int) string {
		var rows []string
		for _, e := range all[start:min(start+1000, len(all))] {
			rows = append(rows, tradeRow(e))
		}
		return "[" + strings.Join(rows, ",") + "]"
	}
	startOf := func(id int64) int { return slices.IndexFunc(all, func(e execution) bool { return e.id >= id }) }
	s.On("GET /fapi/v1/userTrades", 200, page(0))
	s.On("GET /fapi/v1/userTrades", 200, page(startOf(1000)))
	s.On("GET /fapi/v1/userTrades", 200, page(startOf(1997)))
	fills, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: from, To: to})
	if err != nil || len(fills) != want {
		t.Fatalf("%d fills, want %d, error %v", len(fills), want, err)
	}
	seen := map[string]bool{}
	for _, f := range fills {
		key := f.VenueTradeID + "/" + f.VenueOrderID
		if seen[key] {
			t.Errorf("fill %s returned twice, want !seen[key]", key)
		}
		seen[key] = true
	}
	asked := s.sent("GET /fapi/v1/userTrades")
	if len(asked) != 3 || asked[1].Get("fromId") != "1000" || asked[1].Has("startTime") || asked[2].Get("fromId") != "1997" {
		t.Errorf("requests %v, want 3: by time, from 1000 and from 1997", asked)
	}
}

// The venue keeps executions for three months. Earlier weeks are not requested each time.
func TestFillsBeyondRetentionAreNotRequested(t *testing.T) {
	s := newScript(t)
	s.On("GET /fapi/v1/userTrades", 200, "[]")
	s.On("GET /fapi/v1/income", 200, "[]")
	now := time.Now()
	if _, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: now.AddDate(-2, 0, 0), To: now}); err != nil {
		t.Error(err)
	}
	if _, err := s.account.Traded(background, now.AddDate(-2, 0, 0), now); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"GET /fapi/v1/userTrades", "GET /fapi/v1/income"} {
		asked := s.sent(name)
		first, _ := strconv.ParseInt(asked[0].Get("startTime"), 10, 64)
		if age := now.Sub(payload.Millis(first)); len(asked) > 13 || age > 89*24*time.Hour || age < 87*24*time.Hour {
			t.Errorf("%s: %d requests, from %s ago on, want at most 13 from 88 days ago on", name, len(asked), age)
		}
	}
}

// The last of the weeks that are requested ends with the requested time.
func TestTradedWindows(t *testing.T) {
	s := newScript(t)
	s.On("GET /fapi/v1/income", 200, `[{"symbol":"BTCUSDT","incomeType":"COMMISSION"}]`)
	s.On("GET /fapi/v1/income", 200, `[{"symbol":"ETHUSDT","incomeType":"COMMISSION"},{"symbol":"SOLUSDT","incomeType":"TRANSFER"}]`)
	to := time.Now().Truncate(time.Hour)
	from := to.Add(-10 * 24 * time.Hour)
	if symbols, err := s.account.Traded(background, from, to); err != nil || !slices.Equal(symbols, []string{"BTCUSDT", "ETHUSDT"}) {
		t.Errorf("symbols %v, error %v, want BTCUSDT and ETHUSDT", symbols, err)
	}
	var got []string
	for _, q := range s.sent("GET /fapi/v1/income") {
		got = append(got, q.Get("startTime")+"-"+q.Get("endTime"))
	}
	span := func(from, to time.Time) string { return fmt.Sprintf("%d-%d", from.UnixMilli(), to.UnixMilli()-1) }
	week := from.Add(fillsWindow)
	if want := []string{span(from, week), span(week, to)}; !slices.Equal(got, want) {
		t.Errorf("windows %v, want %v", got, want)
	}
}

func TestFillsStrict(t *testing.T) {
	row := tradeRow(execution{1, 1, time.Now()})
	for name, bad := range map[string]string{
		"side":     strings.Replace(row, `"SELL"`, `"SHORT"`, 1),
		"quantity": strings.Replace(row, `"qty":"0.010",`, "", 1),
		"price":    strings.Replace(row, `"36567.10"`, `"NaN"`, 1),
		"id":       strings.Replace(row, `"id":1`, `"id":0`, 1),
		"list":     `{"rows":[]}`,
	} {
		s := newScript(t)
		s.On("GET /fapi/v1/userTrades", 200, "["+bad+"]")
		if name == "list" {
			s.Replace("GET /fapi/v1/userTrades", 200, bad)
		}
		if _, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour)}); err == nil {
			t.Errorf("%s: no error, want one", name)
		}
	}
}

func TestKeyInfo(t *testing.T) {
	s := newScript(t)
	info, err := s.account.KeyInfo(background)
	if err != nil || info.Known || !info.CanTrade {
		t.Errorf("without a key host: %+v, error %v, want only that it can trade", info, err)
	}
	failing := newScript(t)
	failing.Replace("GET /fapi/v1/accountConfig", 503, `{"msg":"Service Unavailable."}`)
	if info, err := failing.account.KeyInfo(background); err == nil {
		t.Errorf("without a key host and the account: %+v, want an error", info)
	}
	o := s.connector.options
	o.KeyURL = o.RESTURL
	account := newAccount(New(o), s.account.credentials)
	s.On("GET /sapi/v1/account/apiRestrictions", 200, `{"ipRestrict":true,"createTime":1698645219000,"enableReading":true,"enableWithdrawals":true,`+
		`"enableFutures":true,"tradingAuthorityExpirationTime":1790000000000}`)
	info, err = account.KeyInfo(background)
	if err != nil || !info.Known || !info.CanTrade || !info.CanWithdraw || !info.IPBound || info.ExpiresAt.UnixMilli() != 1790000000000 {
		t.Errorf("info = %+v, err = %v, want a key that can trade and withdraw, is bound to addresses and expires at 1790000000000", info, err)
	}
}

// The instruments with isolated margin are listed; a margin type that is unknown is none of both.
func TestMarginInfo(t *testing.T) {
	s := newScript(t)
	const row = `{"symbol":%q,"marginType":%q,"isAutoAddMargin":false,"leverage":21,"maxNotionalValue":"1000000"}`
	rows := func(marginType string) string {
		return "[" + fmt.Sprintf(row, "XRPUSDT", marginType) + "," + fmt.Sprintf(row, "ETHUSDT", "CROSSED") + "," + fmt.Sprintf(row, "BTCUSDT", "ISOLATED") + "]"
	}
	s.On("GET /fapi/v1/symbolConfig", 200, rows("ISOLATED"))
	info, err := s.account.MarginInfo(background)
	if want := []string{"BTCUSDT", "XRPUSDT"}; err != nil || info.Mode != string(venues.MarginCross) || !slices.Equal(info.Isolated, want) {
		t.Errorf("margin = %+v, err = %v, want cross margin but for %v", info, err, want)
	}
	s.Replace("GET /fapi/v1/symbolConfig", 200, rows("PORTFOLIO"))
	if _, err := s.account.MarginInfo(background); !errors.Is(err, payload.ErrUnknownValue) {
		t.Errorf("unknown margin type: error %v, want ErrUnknownValue", err)
	}
}

// The pages of one call are limited.
func TestPagesOfFillsAreLimited(t *testing.T) {
	s := newScript(t)
	s.On("GET /fapi/v1/userTrades", 200, "[]")
	f := fillsReader{account: s.account, symbol: "BTCUSDT", pages: fillsPagesMax - 1}
	if _, err := f.page(background, nil); err != nil {
		t.Errorf("the last page = %v, want no error", err)
	}
	if _, err := f.page(background, nil); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
		t.Errorf("a page more = %v, want exchange_unavailable", err)
	}
	if n := len(s.Sent("GET /fapi/v1/userTrades")); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// The host of the keys has limits of its own: its requests take nothing from those of trading.
func TestRequestsToTheKeyHostCostNothing(t *testing.T) {
	s := newScript(t)
	for keyHost, want := range map[bool]int{true: 0, false: 1} {
		if costs := s.connector.costs(request{keyHost: keyHost, weight: 5}); len(costs) != want {
			t.Errorf("costs %+v of a request with keyHost = %t, want %d", costs, keyHost, want)
		}
	}
}

// The order of a triggered stop is a number, printed as one or as a string, or none.
func TestIDText(t *testing.T) {
	for text, want := range map[string]idText{`"8886774"`: "8886774", `8886774`: "8886774", `""`: "", `null`: ""} {
		var id idText
		if err := json.Unmarshal([]byte(text), &id); err != nil || id != want {
			t.Errorf("%s = %q, %v; want %q", text, id, err, want)
		}
	}
	for _, text := range []string{`"x"`, `-1`, `1.5`, `{}`} {
		if id := new(idText); json.Unmarshal([]byte(text), id) == nil {
			t.Errorf("%s = %q, want an error", text, *id)
		}
	}
}
