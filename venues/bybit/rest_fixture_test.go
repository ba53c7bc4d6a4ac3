package bybit

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
)

func TestRecordedInstruments(t *testing.T) {
	found := make(map[string]venues.Instrument)
	for _, r := range recordings(t, "rest_instruments_info.jsonl") {
		for _, row := range rowsOf[instrumentRecord](t, r) {
			i, err := row.instrument(time.Now())
			if err != nil {
				t.Errorf("%s: error %v, want none", r.Name, err)
				continue
			}
			if i.Symbol != i.BaseCurrency+i.SettleCurrency || i.Kind != venues.KindPerpetual || i.Status != venues.InstrumentTrading ||
				!i.MaxQty.Valid || !i.MaxLeverage.Valid || !i.MinPrice.Valid || i.MaxPrice.Decimal.LessThan(i.MinPrice.Decimal) {
				t.Errorf("%s: instrument %+v, want a trading perpetual with its limits", r.Name, i)
			}
			back, err := json.Marshal(i)
			var again venues.Instrument
			if err != nil || json.Unmarshal(back, &again) != nil || !again.TickSize.Equal(i.TickSize) || again.Scale() != i.Scale() {
				t.Errorf("%s: back to %s, error %v, want the same instrument", i.Symbol, back, err)
			}
			found[i.Symbol] = i
		}
	}
	bitcoin := found["BTCUSDT"] // the newest record is the last one except in the oldest lists
	if len(found) < 20 || !bitcoin.TickSize.Equal(dec("0.1").Decimal) || bitcoin.Scale() != btc || !bitcoin.MinQty.Equal(dec("0.001").Decimal) {
		t.Errorf("%d instruments, BTCUSDT %+v, want at least 20, and BTCUSDT with tick size 0.1", len(found), bitcoin)
	}
}

func TestRecordedWallets(t *testing.T) {
	cross := accountMode{AccountMode: venues.AccountMode{AccountType: accountUnified}, margin: crossMargin}
	for n, r := range recordings(t, "rest_wallet_balance.jsonl") {
		balances, err := rowsOf[walletRecord](t, r)[0].balances(cross)
		if err != nil {
			t.Errorf("%s: error %v, want none", r.Name, err)
			continue
		}
		usd := map[string]venues.Balance{}
		for _, b := range balances {
			usd[b.Currency] = b
		}
		switch b := usd["USDT"]; n {
		case 0: // all coins are margin: about 140720 USD are available in each
			free := usd["BTC"].Available.Mul(dec("111572.52").Decimal)
			if b.Available.LessThan(dec("100000").Decimal) || free.Sub(dec("140720").Decimal).Abs().GreaterThan(dec("10").Decimal) || len(balances) < 3 {
				t.Errorf("%s: balance %+v, value of the BTC %s, want about 140720 available in every coin", r.Name, b, free)
			}
		case 2: // no totals: the coin's own
			if !b.Available.Equal(dec("20.21").Decimal) || !b.Equity.Equal(dec("20.21").Decimal) {
				t.Errorf("%s: balance %+v, want 20.21 available of 20.21", r.Name, b)
			}
		}
		for _, b := range balances {
			if b.Exchange != venues.Bybit || b.AccountType != "unified" {
				t.Errorf("%s: balance %+v, want one of a unified account", r.Name, b)
			}
		}
	}
	for _, r := range recordings(t, "ws_private_wallet.jsonl") {
		var push struct {
			Data []walletRecord `json:"data"`
		}
		if err := json.Unmarshal(r.Msg, &push); err != nil {
			t.Fatal(err)
		}
		for _, w := range push.Data {
			if _, err := w.balances(cross); err != nil {
				t.Errorf("%s: error %v, want none", r.Name, err)
			}
		}
	}
}

func TestRecordedAccountInfo(t *testing.T) {
	for n, r := range recordings(t, "rest_account_info.jsonl") {
		info := resultOf[accountInfo](t, r)
		mode, err := info.mode(time.Now())
		want := []string{accountClassic, accountUnified}[n]
		if err != nil || mode.AccountType != want || mode.margin != crossMargin || mode.marginMode() != venues.MarginCross {
			t.Errorf("%s: mode %+v, error %v, want a %s account with cross margin", r.Name, mode, err, want)
		}
	}
}

func TestRecordedPositions(t *testing.T) {
	mode := accountMode{AccountMode: venues.AccountMode{AccountType: accountUnified}, margin: crossMargin}
	want := []string{"BTCUSDT long 0.002 at 32685.25", "LTCUSDT long 1.2 at 64.59947917", "LTCUSDT  0 at 0", "BTCUSDT  0 at 0"}
	for n, r := range recordings(t, "rest_position_list.jsonl") {
		for _, row := range rowsOf[positionRecord](t, r) {
			posSide, p, err := row.position(mode)
			got := p.Symbol + " " + string(p.Side) + " " + p.Qty.String() + " at " + p.EntryPrice.Decimal.String()
			if err != nil || posSide != "" || got != want[n] || !p.OpenedAt.IsZero() || p.StopLoss.Valid || !p.Leverage.Valid {
				t.Errorf("%s: %s in position mode %q, %+v, error %v, want %s in one-way mode with leverage and without stop loss", r.Name, got, posSide, p, err, want[n])
			}
		}
	}
}

func TestRecordedOrders(t *testing.T) {
	seen := map[venues.OrderStatus]int{}
	for _, r := range recordings(t, "rest_order_query.jsonl") {
		for _, row := range rowsOf[orderRecord](t, r) {
			if row.OrderID == "" { // an empty list
				continue
			}
			if strings.Contains(r.Name, "subset of fields") {
				row.PositionIdx = "0"
			}
			report, err := row.report()
			if err != nil {
				t.Errorf("%s: error %v, want none", r.Name, err)
				continue
			}
			if report.Type.IsMarket() && report.Price.Valid || report.Symbol == "" || report.RejectReason != nil || report.FilledQty.GreaterThan(report.Qty) {
				t.Errorf("%s: report %+v, want a symbol, no reject reason and at most Qty filled", r.Name, report)
			}
			if report.Type.IsStop() != strings.HasPrefix(r.Name, "demo") {
				t.Errorf("%s: order type %s, want a stop in the recordings of demo only", r.Name, report.Type)
			}
			seen[report.Status]++
		}
	}
	if seen[venues.StatusOpen] == 0 || seen[venues.StatusFilled] == 0 || seen[venues.StatusUntriggered] == 0 {
		t.Errorf("statuses %v, want open, filled and untriggered ones", seen)
	}
}

func TestRecordedAcknowledgements(t *testing.T) {
	for _, r := range recordings(t, "rest_order_ack.jsonl") {
		if ack := resultOf[ackRecord](t, r); ack.OrderID == "" && !strings.Contains(r.Name, "cancel-all") && strings.Contains(string(r.Msg), `"retCode":0`) {
			t.Errorf("%s: answer %+v, want an order id", r.Name, ack)
		}
	}
}

func TestRecordedExecutions(t *testing.T) {
	fills, funding := 0, 0
	for _, r := range recordings(t, "rest_executions.jsonl") {
		for _, row := range rowsOf[executionRecord](t, r) {
			if !row.isFill() {
				funding++
				continue
			}
			fill, err := row.fill(false)
			if err != nil {
				t.Errorf("%s: error %v, want none", r.Name, err)
				continue
			}
			value := fill.Qty.Mul(fill.Price)
			if fill.FeeCurrency != "USDT" || !fill.Fee.Valid || fill.Fee.Decimal.GreaterThan(value.Mul(dec("0.001").Decimal)) || fill.VenueTradeID == "" {
				t.Errorf("%s: fill %+v, want a trade id and a fee in USDT of at most 0.001 of its value", r.Name, fill)
			}
			fills++
		}
	}
	if fills == 0 || funding == 0 {
		t.Errorf("%d fills, %d fundings, want some of both", fills, funding)
	}
}

func TestRecordedCandles(t *testing.T) {
	for _, r := range recordings(t, "rest_kline.jsonl") {
		if strings.Contains(r.Note, "wire shape") {
			continue // re-marshalled to objects, which the venue never sends
		}
		list := resultOf[struct {
			List []klineRow `json:"list"`
		}](t, r).List
		for _, row := range list {
			c, err := row.candle("BTCUSDT", "1m", time.UnixMilli(1687589659062))
			if err != nil || c.High.LessThan(decimal.Max(c.Open, c.Close, c.Low)) || c.End.Sub(c.Start) != time.Minute || !c.Turnover.IsPositive() {
				t.Errorf("%s: candle %+v, error %v, want a minute with a valid range and a turnover", r.Name, c, err)
			}
		}
		if len(list) == 0 {
			t.Errorf("%s: no rows", r.Name)
		}
	}
}

func TestRecordedBooksByREST(t *testing.T) {
	i := &venues.Instrument{Symbol: "BTCUSDT", VenueSymbol: "BTCUSDT", TickSize: dec("0.1").Decimal, QtyStep: dec("0.001").Decimal}
	for _, r := range recordings(t, "rest_orderbook.jsonl") {
		record := resultOf[bookRecord](t, r)
		u, err := record.update(i, time.Now())
		if err != nil {
			t.Errorf("%s: error %v, want none", r.Name, err)
			continue
		}
		if !u.Snapshot || u.LastSeq == 0 || u.VenueTime.IsZero() || u.Bids[0].Price >= u.Asks[0].Price {
			t.Errorf("%s: update %+v, want a numbered snapshot with the time of the venue and the bid below the ask", r.Name, u)
		}
		u.Release()
	}
}

func TestRecordedTimeAndTickers(t *testing.T) {
	for _, r := range recordings(t, "rest_server_time.jsonl") {
		s := newScript(t)
		s.Add("GET /v5/market/time", connectortest.Answer{Status: 200, Body: string(r.Msg)})
		now, err := s.connector.serverTime(background)
		if err != nil || now.UnixNano() != 1696233582169993116 {
			t.Errorf("time %v, error %v, want 1696233582169993116", now, err)
		}
	}
	for _, r := range recordings(t, "rest_tickers.jsonl") {
		if !strings.HasPrefix(string(r.Msg), `{"retCode"`) {
			continue
		}
		s := newScript(t)
		s.Add("GET /v5/market/tickers", connectortest.Answer{Status: 200, Body: string(r.Msg)})
		if last, err := s.connector.lastPrice(background, "BTCUSDT"); err != nil || !last.Equal(dec("68641.3").Decimal) {
			t.Errorf("last price %s, error %v, want 68641.3", last, err)
		}
	}
}

// Answers of endpoints that the service does not use can still be decoded as answers.
func TestRecordedAnswersOfOtherEndpoints(t *testing.T) {
	for _, file := range []string{
		"rest_closed_pnl.jsonl", "rest_open_interest.jsonl", "rest_recent_trade.jsonl", "rest_risk_limit.jsonl", "rest_transaction_log.jsonl",
	} {
		for _, r := range recordings(t, file) {
			if resultOf[map[string]any](t, r) == nil {
				t.Errorf("%s, %s: no result", file, r.Name)
			}
		}
	}
}

// The public archive of trades prints numbers as the stream does.
func TestTradeArchive(t *testing.T) {
	rows := fixturetest.Lines(fixture(t, "public_trade_archive_FXSUSDT_20231010.csv"))
	columns := strings.Split(string(rows[0]), ",")
	for _, row := range rows[1:] {
		cells := strings.Split(string(row), ",")
		for n, column := range columns {
			if column != "price" && column != "size" {
				continue
			}
			if _, err := venues.ParseVenueDecimal(cells[n]); err != nil {
				t.Errorf("column = %s, cells[n] = %q, err = %v, want no error", column, cells[n], err)
			}
		}
	}
}
