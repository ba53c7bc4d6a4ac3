package bybitsim_test

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simtest"
)

// An order that closes a position has one record, whatever the number of its fills: its
// profit is the difference of the values less both fees.
func TestClosedPnl(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		closed := func(query string) []map[string]any {
			return v.get("/v5/position/closed-pnl", "category=linear"+query).rows(t)
		}
		v.placed(market("qty=0.02"))
		simtest.ExpectRows(t, closed(""))
		v.move("65100")
		half := v.placed(market("side=Sell", "qty=0.01", "reduceOnly=true"))
		v.only(simcore.Buy, "65050", "0.004")
		if err := v.sim.Exchange().HouseLevel("BTCUSDT", simcore.Buy, simtest.Num("65040"), simtest.Num("1")); err != nil {
			t.Fatal(err)
		}
		// It closes 0.01 in two fills and opens a short position of 0.01.
		rest := v.placed(market("side=Sell", "qty=0.02"))
		rows := closed("")
		if len(rows) != 2 {
			t.Fatalf("records = %v, want two", rows)
		}
		expect(t, rows[0], "orderId="+rest, "side=Sell", "qty=0.02", "closedSize=0.01", "fillCount=2", "execType=Trade", "orderType=Market", "leverage=10",
			"cumEntryValue=650.001", "avgEntryPrice=65000.1", "cumExitValue=650.44", "avgExitPrice=65044",
			// The fee of opening is half of 1300.002 x 0.00055, that of closing 650.44 x 0.00055.
			"openFee=0.35750055", "closeFee=0.357742", "closedPnl=-0.27624255")
		expect(t, rows[1], "orderId="+half, "qty=0.01", "closedSize=0.01", "fillCount=1", "cumExitValue=650.999", "closedPnl=0.28245")
		expect(t, v.found(rest), "closedPnl="+rows[0]["closedPnl"].(string))
		v.Market(`{"symbol":"BTCUSDT","price":"64000","depth":20}`)
		buy := v.placed(market("side=Buy", "qty=0.01", "reduceOnly=true"))
		rows = closed("&limit=1")
		expect(t, rows[0], "orderId="+buy, "side=Buy", "avgEntryPrice=65040", "avgExitPrice=64000.1")
		if !simtest.Num(rows[0]["closedPnl"]).IsPositive() {
			t.Errorf("closedPnl = %v, want a profit of a short position", rows[0]["closedPnl"])
		}
		simtest.ExpectRows(t, closed("&symbol=ETHUSDT"))
		before := strconv.FormatInt(v.Now().UnixMilli()-1000, 10)
		simtest.ExpectRows(t, closed("&endTime="+before))
		simtest.ExpectLen(t, closed("&startTime="+before), 3)
	})
}

// The cursor of a page leads to the next one.
func TestPagesOfClosedPnl(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		v.placed(market("qty=0.05"))
		want := []string{}
		for range 5 {
			want = append([]string{v.placed(market("side=Sell", "qty=0.01", "reduceOnly=true"))}, want...)
		}
		got, cursor := []string{}, ""
		for range 3 {
			page := v.get("/v5/position/closed-pnl", "category=linear&limit=2"+cursor).result(t)
			for _, row := range page["list"].([]any) {
				got = append(got, row.(map[string]any)["orderId"].(string))
			}
			cursor = "&cursor=" + page["nextPageCursor"].(string)
		}
		if len(got) != 5 {
			t.Fatalf("orders of all pages = %v, want %v", got, want)
		}
		for n := range want {
			simtest.Equal(t, "order "+strconv.Itoa(n), got[n], want[n])
		}
	})
}

// A liquidation is marked.
func TestClosedPnlOfALiquidation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		v.placed(market("qty=12"))
		v.move("55000")
		v.WaitFor("the end of the position", func() bool { return v.position()["size"] == "0" })
		expect(t, v.get("/v5/position/closed-pnl", "category=linear").rows(t)[0], "execType=BustTrade", "side=Sell")
		types := map[any]int{}
		for _, row := range v.get("/v5/account/transaction-log", "").rows(t) {
			types[row["type"]]++
		}
		if types["LIQUIDATION"] < 2 || types["TRADE"] == 0 {
			t.Errorf("types of the log = %v, want TRADE, and LIQUIDATION of the fill and of the fee", types)
		}
	})
}

// The log explains the wallet: each balance is the one before plus the change, which is
// the cash flow and the funding less the fee.
func TestTransactionLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		opened := v.placed(market("qty=0.02", "orderLinkId=opens"))
		v.PassFunding("BTCUSDT")
		v.move("65100")
		v.placed(market("side=Sell", "qty=0.005"))
		v.Script(http.MethodPost, "/accounts/demo", `{"balance":"90000"}`)
		rows := v.get("/v5/account/transaction-log", "accountType=UNIFIED&category=linear").rows(t)
		simtest.ExpectLen(t, rows, 3)
		rows = v.get("/v5/account/transaction-log", "").rows(t)
		if len(rows) != 4 {
			t.Fatalf("rows = %v, want four", rows)
		}
		balance := simtest.Num("100000")
		for n, row := range slices.Backward(rows) {
			change := simtest.Num(row["cashFlow"]).Sub(simtest.Num(row["fee"]))
			if row["funding"] != "" {
				change = change.Add(simtest.Num(row["funding"]))
			}
			balance = balance.Add(change)
			if !simtest.Num(row["change"]).Equal(change) || !simtest.Num(row["cashBalance"]).Equal(balance) {
				t.Errorf("row %d = %v, want the change %s and the balance %s", n, row, change, balance)
			}
		}
		expect(t, rows[0], "type=TRANSFER_OUT", "symbol=", "category=", "side=None", "cashBalance=90000")
		expect(t, rows[1], "type=TRADE", "side=Sell", "qty=0.005", "size=0.015", "tradePrice=65099.9", "feeRate=0.00055", "cashFlow=0.499")
		expect(t, rows[2], "type=SETTLEMENT", "side=Buy", "qty=0.02", "size=0.02", "tradePrice=65000", "funding=-0.13", "fee=0", "cashFlow=0", "feeRate=0.0001")
		expect(t, rows[3], "type=TRADE", "side=Buy", "orderId="+opened, "orderLinkId=opens", "size=0.02", "funding=", "cashFlow=0", "currency=USDT")
		fills := v.get("/v5/execution/list", "category=linear").rows(t)
		simtest.Equal(t, "id of the first trade", rows[3]["tradeId"], fills[2]["execId"])
		simtest.Equal(t, "id of the funding", rows[2]["tradeId"], fills[1]["execId"])
		for query, want := range map[string]int{
			"type=TRADE": 2, "type=SETTLEMENT": 1, "currency=USDC": 0, "baseCoin=BTC": 3, "baseCoin=ETH": 0, "category=spot": 0, "limit=3": 3,
		} {
			simtest.Equal(t, query+": rows", len(v.get("/v5/account/transaction-log", query).rows(t)), want)
		}
		v.get("/v5/account/transaction-log", "accountType=CONTRACT").expectCode(t, 10001)
		v.Script(http.MethodPost, "/clock", `{"offsetMs":172800000}`) // two days: the log is that of one
		simtest.ExpectLen(t, v.get("/v5/account/transaction-log", "").rows(t), 0)
	})
}

// The leverage of a symbol is known without a position, one row for each side of hedge
// mode.
func TestSymbolInfo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		info := func(query string) []map[string]any {
			return v.get("/v5/position/symbol-info", "category=linear"+query).rows(t)
		}
		simtest.ExpectRows(t, info("&symbol=BTCUSDT"), simtest.Object{"symbol": "BTCUSDT", "leverage": "10", "positionIdx": 0})
		simtest.ExpectLen(t, info(""), 9)
		v.post("/v5/position/switch-mode", `{"category":"linear","coin":"USDT","mode":3}`).expectCode(t, 0)
		simtest.ExpectRows(t, info("&symbol=ETHUSDT"), simtest.Object{"leverage": "20", "positionIdx": 1}, simtest.Object{"leverage": "20", "positionIdx": 2})
		v.get("/v5/position/symbol-info", "category=linear&symbol=NOPEUSDT").expectCode(t, 10001)
	})
}

// In hedge mode each position pays or receives its own funding.
func TestFundingOfBothSides(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		v.post("/v5/position/switch-mode", `{"category":"linear","coin":"USDT","mode":3}`).expectCode(t, 0)
		v.placed(market("qty=0.02", "positionIdx=1"))
		v.placed(market("side=Sell", "qty=0.01", "positionIdx=2"))
		realised := func() (sides [2]string) {
			for n, p := range v.get("/v5/position/list", "category=linear&symbol=BTCUSDT").rows(t) {
				sides[n] = p["cumRealisedPnl"].(string)
			}
			return sides
		}
		before := realised()
		v.PassFunding("BTCUSDT")
		after := realised()
		for n, want := range []string{"-0.13", "0.065"} { // 1300 and 650 at 0.0001
			if got := simtest.Num(after[n]).Sub(simtest.Num(before[n])); !got.Equal(simtest.Num(want)) {
				t.Errorf("change of the result of position %d = %s, want %s", n+1, got, want)
			}
		}
		for _, row := range v.get("/v5/execution/list", "category=linear&execType=Funding").rows(t) {
			want := map[any]string{"Buy": "0.13", "Sell": "-0.065"}[row["side"]]
			expect(t, row, "execFee="+want, "feeRate=0.0001", "execPrice=65000", "closedSize=0")
		}
	})
}

func TestFundingHistory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		history := func(query string) []map[string]any {
			return v.get("/v5/market/funding/history", "category=linear&symbol=BTCUSDT"+query).rows(t)
		}
		simtest.ExpectRows(t, history(""))
		v.PassFunding("BTCUSDT")
		v.Market(`{"symbol":"BTCUSDT","fundingRate":"-0.0002"}`)
		v.PassFunding("BTCUSDT")
		rows := history("")
		simtest.ExpectRows(t, rows, simtest.Object{"symbol": "BTCUSDT", "fundingRate": "-0.0002"}, simtest.Object{"fundingRate": "0.0001"})
		simtest.ExpectRows(t, history("&limit=1"), rows[0])
		simtest.ExpectRows(t, history("&startTime="+rows[0]["fundingRateTimestamp"].(string)), rows[0])
		simtest.ExpectRows(t, history("&endTime="+rows[1]["fundingRateTimestamp"].(string)), rows[1])
		v.get("/v5/market/funding/history", "category=linear").expectCode(t, 10001)
	})
}
