package okx

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

func TestMode(t *testing.T) {
	for body, want := range map[string]venues.AccountMode{
		netMode:       {AccountType: "futures"},
		longShortMode: {AccountType: "futures", Hedge: true},
		strings.Replace(netMode, `"acctLv":"2"`, `"acctLv":"3"`, 1): {AccountType: "multi_currency"},
		strings.Replace(netMode, `"acctLv":"2"`, `"acctLv":"1"`, 1): {AccountType: "spot", NoDerivatives: true},
	} {
		s := newScript(t)
		s.Replace("GET /api/v5/account/config", 200, body)
		mode, err := s.account.Mode(background)
		if err != nil || mode.AccountType != want.AccountType || mode.NoDerivatives != want.NoDerivatives || mode.Hedge != want.Hedge || mode.ReadAt.IsZero() {
			t.Errorf("mode = %+v, err = %v, want %+v with the time of reading", mode, err, want)
		}
	}
	for _, bad := range []string{nothing, strings.Replace(netMode, "net_mode", "flat", 1), strings.Replace(netMode, `"2"`, `"9"`, 1), answerOf(`[]`)} {
		s := newScript(t)
		s.Replace("GET /api/v5/account/config", 200, bad)
		if mode, err := s.account.Mode(background); err == nil {
			t.Errorf("%s: mode = %+v, want an error", bad, mode)
		}
	}
}

func TestKeyInfo(t *testing.T) {
	s := newScript(t)
	info, err := s.account.KeyInfo(background)
	if err != nil || !info.Known || !info.CanTrade || info.CanWithdraw || !info.IPBound {
		t.Errorf("info = %+v, err = %v, want a key that can trade, cannot withdraw and is bound to addresses", info, err)
	}
	s.Replace("GET /api/v5/account/config", 200, answerOf(`{"acctLv":"2","posMode":"net_mode","perm":"read_only,withdraw","ip":""}`))
	info, err = s.account.KeyInfo(background)
	if err != nil || info.CanTrade || !info.CanWithdraw || info.IPBound {
		t.Errorf("info = %+v, err = %v, want a key that can withdraw, cannot trade and is not bound to addresses", info, err)
	}
}

func TestRecordedBalances(t *testing.T) {
	s := newScript(t)
	s.On("GET /api/v5/account/balance", 200, string(fixture(t, "rest_account_balance_real_nautilus.json")))
	balances, err := s.account.Balances(background)
	if err != nil || len(balances) != 1 {
		t.Fatalf("balances = %+v, err = %v, want one balance", balances, err)
	}
	b := balances[0]
	if b.Currency != "USDT" || b.AccountType != "futures" || b.Equity.String() != "99.89469657000001" || b.Available.String() != "94.42612990333333" ||
		b.UsedMargin.String() != "5.468566666666667" || b.UnrealizedPnl.String() != "-0.0273000000000002" {
		t.Errorf("b = %+v, want the USDT balance of the recording", b)
	}
	for name, want := range map[string]int{"ws_account_real_nautilus.json": 3, "ws_account_empty_real_nautilus.json": 1} {
		message := string(fixture(t, name))
		data := message[strings.Index(message, `"data"`):]
		s.Replace("GET /api/v5/account/balance", 200, `{"code":"0",`+data)
		balances, err := s.account.Balances(background)
		if err != nil || len(balances) < want || !hasUSDT(balances) {
			t.Errorf("%s: balances = %+v, err = %v, want at least %d with USDT", name, balances, err, want)
		}
	}
	for _, row := range pushesOf[balanceRecord](t, "ws_account_real_roq.jsonl", channelAccount) {
		balances, err := row.balances("futures")
		if err != nil || len(balances) != 4 || balances[0].Available.String() != "0.0121475" {
			t.Errorf("balances = %+v, err = %v, want 4 balances, the first with 0.0121475 available", balances, err)
		}
	}
	for _, bad := range []string{nothing, answerOf(`{"details":[{"ccy":"USDT","eq":"","availEq":"1"}]}`), answerOf(`{"details":[{"ccy":"USDT","eq":"1e3","availEq":"1"}]}`), answerOf(`{"details":[{"eq":"1","availEq":"1"}]}`)} {
		s.Replace("GET /api/v5/account/balance", 200, bad)
		if balances, err := s.account.Balances(background); err == nil {
			t.Errorf("%s: balances = %+v, want an error", bad, balances)
		}
	}
}

func hasUSDT(balances []venues.Balance) bool {
	for _, b := range balances {
		if b.Currency == "USDT" {
			return true
		}
	}
	return false
}

const (
	longBTC  = `{"instId":"BTC-USDT-SWAP","posSide":"net","pos":"50","avgPx":"43684","markPx":"43691.04","liqPx":"","upl":"0.07","lever":"10.0","mgnMode":"cross","cTime":"1644330337903","uTime":"1644330337904","closeOrderAlgo":[{"slTriggerPx":"40000","tpTriggerPx":"","closeFraction":"1"}]}`
	shortBTC = `{"instId":"BTC-USDT-SWAP","posSide":"short","pos":"50","avgPx":"43684","markPx":"","liqPx":"50000","upl":"","lever":"5","mgnMode":"isolated","cTime":"","uTime":""}`
)

func TestPositions(t *testing.T) {
	s := newScript(t)
	s.Replace("GET /api/v5/account/positions", 200, answerOf(longBTC, shortBTC,
		strings.NewReplacer(`"pos":"50"`, `"pos":"-7"`, "BTC-", "ETH-").Replace(longBTC),
		strings.Replace(longBTC, `"pos":"50"`, `"pos":"0"`, 1), // closed, matched by a filter
		strings.Replace(longBTC, "BTC-USDT-SWAP", "BTC-USD-SWAP", 1)))
	positions, err := s.account.Positions(background)
	if err != nil || len(positions) != 3 {
		t.Fatalf("positions = %+v, err = %v, want 3 positions", positions, err)
	}
	p := positions[0]
	if p.Symbol != "BTCUSDT" || p.Side != venues.Long || p.Qty.String() != "0.5" || p.LiquidationPrice.Valid || p.Leverage.Decimal.String() != "10" ||
		p.MarginMode != venues.MarginCross || p.StopLoss.Decimal.String() != "40000" || p.TakeProfit.Valid || p.OpenedAt.UnixMilli() != 1644330337903 || p.AccountType != "futures" {
		t.Errorf("p = %+v, want a long of 0.5 with cross margin, leverage 10 and a stop loss at 40000", p)
	}
	if p := positions[1]; p.Side != venues.Short || p.Qty.String() != "0.5" || p.MarginMode != venues.MarginIsolated || p.UnrealizedPnl.Valid {
		t.Errorf("p = %+v, want a short of 0.5 with isolated margin and unknown profit", p)
	}
	if p := positions[2]; p.Side != venues.Short || p.Qty.String() != "0.7" {
		t.Errorf("p = %+v, want a short of 0.7", p)
	}
	if mode, err := s.account.marginMode(background, "BTCUSDT"); mode != venues.MarginIsolated || err != nil {
		t.Errorf("margin mode %s, error %v, want isolated", mode, err)
	}
	for _, bad := range []string{
		strings.Replace(longBTC, `"net"`, `"both"`, 1), strings.Replace(longBTC, `"net"`, `""`, 1), strings.Replace(longBTC, `"cross"`, `"cash"`, 1),
		strings.Replace(longBTC, `"pos":"50"`, `"pos":""`, 1), strings.Replace(longBTC, "BTC-USDT-SWAP", "NEW-USDT-SWAP", 1),
	} {
		s.Replace("GET /api/v5/account/positions", 200, answerOf(bad))
		if positions, err := s.account.Positions(background); err == nil {
			t.Errorf("%s: positions = %+v, want an error", bad, positions)
		}
	}
	s = newScript(t) // the account type of the positions is that of its mode
	s.Replace("GET /api/v5/account/config", 200, nothing)
	s.On("GET /api/v5/account/positions", 200, answerOf(longBTC))
	if positions, err := s.account.Positions(background); err == nil {
		t.Errorf("positions without the mode = %+v, want an error", positions)
	}
}

// A listed instrument is supported, whatever its venue symbol: one region names its
// perpetual-style futures differently.
func TestListedInstrumentWithAnotherName(t *testing.T) {
	const name = "BTC-USD_UM_XPERP-310404"
	listed := strings.NewReplacer(`"SWAP"`, `"FUTURES"`, "BTC-USDT-SWAP", name, `"BTC-USDT"`, `"BTC-USD"`, `"USDT"`, `"USDC"`).Replace(
		answerOf(strings.Split(strings.SplitN(swaps, "[", 2)[1], "},")[0] + "}"))
	longXPerp := strings.Replace(longBTC, "BTC-USDT-SWAP", name, 1)
	s := newScript(t)
	s.Clear("GET /api/v5/public/instruments")
	s.On("GET /api/v5/public/instruments", 200, nothing)
	s.On("GET /api/v5/public/instruments", 200, listed)
	s.Replace("GET /api/v5/account/positions", 200, answerOf(longXPerp))
	positions, err := s.account.Positions(background)
	if err != nil || len(positions) != 1 || positions[0].Symbol != "BTCUSDUMXPERP-310404" {
		t.Errorf("positions = %+v, err = %v, want one position in BTCUSDUMXPERP-310404", positions, err)
	}
	if k, err := s.connector.cachedByVenueSymbol(name); err != nil || k == nil {
		t.Errorf("k = %+v, err = %v, want the instrument", k, err)
	}
	s.Replace("GET /api/v5/account/positions", 200, answerOf(strings.Replace(longXPerp, name, "ETH-USD_UM_XPERP-310404", 1)))
	if positions, err := s.account.Positions(background); err != nil || len(positions) > 0 {
		t.Errorf("unlisted: positions %+v, error %v, want none", positions, err)
	}
}

func TestRecordedPositions(t *testing.T) {
	for _, row := range pushesOf[positionRecord](t, "ws_positions_real.jsonl", channelPositions) {
		p, posSide, err := row.position(btcSwap(t))
		if err != nil || posSide != "" || p.Side != venues.Long || p.Qty.String() != "0.01" || p.LiquidationPrice.Decimal.String() != "23739.456120525683" {
			t.Errorf("p = %+v, err = %v, want a long of 0.01 in one-way mode with liquidation price 23739.456120525683", p, err)
		}
	}
}

func TestSetLeverage(t *testing.T) {
	const set, info = "POST /api/v5/account/set-leverage", "GET /api/v5/account/leverage-info"
	row := func(lever string) string {
		return `{"instId":"BTC-USDT-SWAP","mgnMode":"cross","posSide":"","lever":"` + lever + `"}`
	}
	s := newScript(t)
	s.On(info, 200, answerOf(row("3")))
	s.On(info, 200, answerOf(row("5.00000000"), row("5")))
	s.On(set, 200, answerOf(row("5")))
	change, err := s.account.SetLeverage(background, "BTCUSDT", venues.MustDecimal("5"))
	if err != nil || change.PreviousLeverage.Decimal.String() != "3" || !change.Leverage.Equal(venues.MustDecimal("5")) {
		t.Fatalf("change = %+v, err = %v, want leverage 3 before and 5 after", change, err)
	}
	s.wantSent(set, `{"instId":"BTC-USDT-SWAP","lever":"5","mgnMode":"cross"}`)
	for code, reason := range map[string]string{
		"59000": venues.ReasonOpenOrders, "59107": venues.ReasonOpenOrders, "59102": venues.ReasonAboveMax, "59104": venues.ReasonOpenPosition, "59108": "insufficient_margin",
	} {
		s.Replace(set, 200, `{"code":"`+code+`","data":[],"msg":"no"}`)
		_, err := s.account.SetLeverage(background, "BTCUSDT", venues.MustDecimal("200"))
		e, _ := errors.AsType[*venues.Error](err)
		if e == nil || e.Code != venues.CodeLeverageChangeRejected || e.Details["reason"] != reason || e.Details["maxLeverage"] != "100" || errors.Is(err, venues.ErrOutcomeUnknown) {
			t.Errorf("code %s: error %v, want leverage_change_rejected with reason %s", code, err, reason)
		}
	}
	s.Replace(set, 502, `<html>`)
	if _, err := s.account.SetLeverage(background, "BTCUSDT", venues.MustDecimal("5")); !errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Error(err)
	}
	s.Replace(set, 200, answerOf(row("5")))
	s.Replace(info, 200, answerOf(row("3")))
	s.On(info, 500, `<html>`)
	if _, err := s.account.SetLeverage(background, "BTCUSDT", venues.MustDecimal("5")); !errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Errorf("leverage not read back: error %v, want an unknown outcome", err)
	}
	if _, err := s.account.SetLeverage(background, "BTCUSDT", venues.MustDecimal("0")); !errors.Is(err, venues.ErrNotSent) {
		t.Error(err)
	}
}

// Isolated margin in hedge mode has leverage per side.
func TestSetLeverageOfBothSides(t *testing.T) {
	const set = "POST /api/v5/account/set-leverage"
	s := newScript(t)
	s.Replace("GET /api/v5/account/config", 200, longShortMode)
	s.Replace("GET /api/v5/account/positions", 200, answerOf(shortBTC))
	s.On("GET /api/v5/account/leverage-info", 200, answerOf(`{"instId":"BTC-USDT-SWAP","lever":"5"}`))
	s.On(set, 200, answerOf(`{}`))
	if _, err := s.account.SetLeverage(background, "BTCUSDT", venues.MustDecimal("5")); err != nil {
		t.Fatal(err)
	}
	sent := s.Sent(set)
	if len(sent) != 2 || !strings.Contains(sent[0].Payload, `"posSide":"long"`) || !strings.Contains(sent[1].Payload, `"posSide":"short"`) || !strings.Contains(sent[0].Payload, "isolated") {
		t.Errorf("sent = %+v, want isolated leverage for long, then short", sent)
	}
}

func TestFills(t *testing.T) {
	s := newScript(t)
	now := time.Now().Truncate(time.Millisecond)
	row := func(trade string, at time.Time) string {
		ms := at.UnixMilli()
		return strings.NewReplacer("TRADE", trade, "MS", venues.FormatDecimal(decimalOf(ms))).Replace(
			`{"instId":"BTC-USDT-SWAP","ordId":"9","tradeId":"TRADE","billId":"bTRADE","side":"sell","fillSz":"3","fillPx":"60000","fee":"-0.9","feeCcy":"USDT","fillPnl":"1.5","execType":"T","fillTime":"MS","ts":"MS"}`)
	}
	page := make([]string, 0, ordersPage)
	for n := range ordersPage {
		page = append(page, row(venues.FormatDecimal(decimalOf(int64(300-n))), now.Add(-time.Duration(n)*time.Minute)))
	}
	s.On("GET /api/v5/trade/fills", 200, answerOf(page...))
	s.On("GET /api/v5/trade/fills", 200, answerOf(row("201", now.Add(-99*time.Minute)), row("200", now.Add(-100*time.Minute)), row("-5", now.Add(-101*time.Minute))))
	s.On("GET /api/v5/trade/fills-history", 200, answerOf(row("7", now.Add(-70*time.Hour)), row("6", now.Add(-90*time.Hour))))
	fills, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: now.Add(-80 * time.Hour), To: now})
	if err != nil || len(fills) != 102 { // the newest is at To, one is too old, one came twice
		t.Fatalf("%d fills, error %v, want 102", len(fills), err)
	}
	if fills[0].VenueTradeID != "7" || fills[1].VenueTradeID != "-5" || fills[101].VenueTradeID != "299" {
		t.Errorf("trade ids %s, %s and %s, want 7, -5 and 299", fills[0].VenueTradeID, fills[1].VenueTradeID, fills[101].VenueTradeID)
	}
	f := fills[0]
	if f.Qty.String() != "0.03" || f.Fee.Decimal.String() != "0.9" || f.Side != venues.Sell || f.Liquidity != venues.Taker || f.RealizedPnl.Decimal.String() != "1.5" || f.VenueOrderID != "9" {
		t.Errorf("f = %+v, want a taker sell of 0.03 by order 9 with fee 0.9 and profit 1.5", f)
	}
	sent := s.Sent("GET /api/v5/trade/fills")
	if len(sent) != 2 || !strings.Contains(sent[1].Payload, "after=b201") || !strings.Contains(sent[0].Payload, "instType=SWAP&instId=BTC-USDT-SWAP") {
		t.Errorf("sent = %+v, want 2 pages of BTC-USDT-SWAP, the second after b201", sent)
	}
	for _, bad := range []string{`"fillSz":"0"`, `"fillPx":""`, `"tradeId":""`, `"ordId":""`, `"side":"both"`} {
		name, _, _ := strings.Cut(bad, ":")
		text := row("1", now)
		start := strings.Index(text, name)
		end := start + strings.Index(text[start:], ",")
		s.Replace("GET /api/v5/trade/fills", 200, answerOf(text[:start]+bad+text[end:]))
		if _, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: now.Add(-time.Hour), To: now}); err == nil {
			t.Errorf("%s: no error, want one", bad)
		}
	}
}

// Fills and Traded divide a period between the history and the list without delay. The lists
// overlap by fillsSlack, the delay of the venue's record.
func TestFillListsOverlap(t *testing.T) {
	to := time.Now()
	from := to.Add(-80 * time.Hour)
	for name, read := range map[string]func(*script) error{
		"fills": func(s *script) error {
			_, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: from, To: to})
			return err
		},
		"traded": func(s *script) error {
			_, err := s.account.Traded(background, from, to)
			return err
		},
	} {
		s := newScript(t)
		s.On("GET "+recentFillsPath, 200, nothing)
		s.On("GET "+fillsPath, 200, nothing)
		if err := read(s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		millis := func(path, parameter string) int64 {
			ms, err := strconv.ParseInt(s.Last("GET "+path).Query.Get(parameter), 10, 64)
			if err != nil {
				t.Fatalf("%s: %s of %s: %v", name, parameter, path, err)
			}
			return ms
		}
		if begin, end := millis(fillsPath, "begin"), millis(recentFillsPath, "end"); begin != from.UnixMilli() || end != to.Add(fillsSlack).UnixMilli() {
			t.Errorf("%s: read from %d to %d, want %d to %d", name, begin, end, from.UnixMilli(), to.Add(fillsSlack).UnixMilli())
		}
		if overlap := millis(fillsPath, "end") - millis(recentFillsPath, "begin"); overlap != fillsSlack.Milliseconds() {
			t.Errorf("%s: the lists overlap by %d ms, want %d", name, overlap, fillsSlack.Milliseconds())
		}
	}
}

func TestRecordedFills(t *testing.T) {
	k := instrumentOf(t, "BTC-USDT", "1", "0.1", "0.00000001")
	for _, row := range dataOf[fillRecord](t, fixture(t, "rest_fills_spot_real_bbgo.json")) {
		f, err := row.fill(k)
		if err != nil || f.Fee.Decimal.String() != "0.000001" || f.Liquidity != venues.Taker || f.ExecutedAt.UnixMilli() != 1710390459571 {
			t.Errorf("f = %+v, err = %v, want fee 0.000001, taker, at 1710390459571", f, err)
		}
	}
}

func decimalOf(n int64) decimal.Decimal { return decimal.New(n, 0) }
