package bybit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
)

const listInstruments = "GET /v5/market/instruments-info"

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

// The mode is read once for all readings of positions and fills, which fail without it.
func TestModeOfReadings(t *testing.T) {
	s := newScript(t)
	s.Clear(readInfo)
	s.ok(readInfo, `{}`)
	s.ok(readInfo, `{"marginMode":"REGULAR_MARGIN","unifiedMarginStatus":5}`)
	day := venues.FillsQuery{Symbol: "BTCUSDT", From: time.UnixMilli(1700000000000), To: time.UnixMilli(1700086400000)}
	if fills, err := s.account.Fills(background, day); err == nil {
		t.Errorf("fills without the mode = %+v, want an error", fills)
	}
	s.ok(readExecutions, nothing)
	for range 3 {
		if _, err := s.account.Positions(background); err != nil {
			t.Errorf("positions = %v, want no error", err)
		}
		if _, err := s.account.Fills(background, day); err != nil {
			t.Errorf("fills = %v, want no error", err)
		}
	}
	if n := len(s.Sent(readInfo)); n != 2 {
		t.Errorf("the mode was read %d times, want 2", n)
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
