package okxsim_test

import (
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore/simtest"
)

// trade executes a market order of BTC-USDT-SWAP.
func (v *venue) trade(side, contracts string) string {
	v.Helper()
	return v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"` + side + `","ordType":"market","sz":"` + contracts + `"}`)
}

func (v *venue) move(price string) {
	v.Helper()
	v.Market(`{"symbol":"BTCUSDT","price":"` + price + `","depth":50}`)
}

// expectNear reports a number that differs from want by more than rounding.
func expectNear(t *testing.T, what string, got any, want string) {
	t.Helper()
	if off := simtest.Num(got).Sub(simtest.Num(want)).Abs(); off.GreaterThan(decimal.New(1, -10)) {
		t.Errorf("%s = %v, want %s", what, got, want)
	}
}

// A position has one row of the history, which changes until it is closed in full.
func TestPositionsHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		history := func(query string) []object {
			r := v.get("/account/positions-history" + query)
			r.expectCode(t, "0")
			return r.Data
		}
		v.trade("buy", "2")
		v.PassFunding(btc)
		v.trade("buy", "1")
		simtest.ExpectRows(t, history(""))
		v.move("65100")
		v.trade("sell", "1")
		rows := history("?instId=" + btc)
		simtest.ExpectRows(t, rows, object{
			"type": "1", "direction": "long", "openAvgPx": "65000.1", "openMaxPos": "3", "closeTotalPos": "1", "closeAvgPx": "65099.9",
			// Funding of 0.02 BTC at 65000 and 0.0001.
			"fundingFee": "-0.13", "pnl": "0.998", "liqPenalty": "0", "mgnMode": "cross", "posSide": "net", "triggerPx": "", "lever": "20",
		})
		opened := rows[0]["cTime"]
		// It closes the rest and opens a short position.
		v.trade("sell", "3")
		rows = history("")
		simtest.ExpectRows(t, rows, object{"type": "2", "direction": "long", "cTime": opened, "closeTotalPos": "3", "openMaxPos": "3", "pnl": "2.994"})
		closed := rows[0]
		// 0.03 BTC opened at 65000.1 and closed at 65099.9, at 0.0005.
		expectNear(t, "fee", closed["fee"], "-1.9515")
		expectNear(t, "realizedPnl", closed["realizedPnl"], "0.9125")
		expectNear(t, "pnlRatio", closed["pnlRatio"], "0.0093589599605744")
		short := v.one(v.get("/account/positions"))
		simtest.Expect(t, short, object{"pos": "-1", "pnl": "0", "fundingFee": "0"})
		expectNear(t, "fee of the new position", short["fee"], "-0.3254995")
		v.move("64000")
		v.trade("buy", "1")
		rows = history("")
		simtest.ExpectRows(t, rows, object{"type": "2", "direction": "short", "openAvgPx": "65099.9", "closeAvgPx": "64000.1"}, closed)
		time.Sleep(time.Millisecond) // pages are cut by time
		v.trade("buy", "1")
		v.trade("sell", "1")
		latest := history("?limit=1")[0]
		simtest.ExpectRows(t, history("?before="+closed["uTime"].(string)), latest)
		simtest.ExpectRows(t, history("?after="+latest["uTime"].(string)), rows...)
		for query, want := range map[string]int{"?type=2": 3, "?type=1": 0, "?mgnMode=isolated": 0, "?instType=SWAP": 3, "?instId=ETH-USDT-SWAP": 0, "?posId=" + closed["posId"].(string): 3} {
			simtest.ExpectLen(t, history(query), want)
		}
	})
}

// The history says how a position was liquidated.
func TestHistoryOfALiquidation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":"10","mgnMode":"cross"}`).expectCode(t, "0")
		v.trade("buy", "1200")
		v.move("55000")
		v.WaitFor("the liquidation", func() bool { return len(v.get("/account/positions-history").Data) > 0 })
		row := v.get("/account/positions-history").Data[0]
		simtest.Expect(t, row, object{"type": "3", "triggerPx": "55000", "closeTotalPos": "1200", "direction": "long"})
		if !simtest.Num(row["liqPenalty"]).IsNegative() {
			t.Errorf("liqPenalty = %v, want a cost", row["liqPenalty"])
		}
	})
}

// Bills explain the balance: each is the balance before plus its change.
func TestBills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		bills := func(query string) []object {
			r := v.get("/account/bills" + query)
			r.expectCode(t, "0")
			return r.Data
		}
		first := v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"bill1","tag":"mine","side":"buy","ordType":"market","sz":"2"}`)
		v.PassFunding(btc)
		v.move("65100")
		v.trade("sell", "0.5")
		v.control("/accounts/demo", `{"balance":"120000"}`)
		rows := bills("")
		if len(rows) != 4 {
			t.Fatalf("bills = %v, want four", rows)
		}
		balance, before := simtest.Num("100000"), decimal.Zero
		for n, row := range slices.Backward(rows) {
			balance = balance.Add(simtest.Num(row["balChg"]))
			if !simtest.Num(row["bal"]).Equal(balance) || !simtest.Num(row["billId"]).GreaterThan(before) {
				t.Errorf("bill %d = %v, want the balance %s and an id above %s", n, row, balance, before)
			}
			if row["type"] != "1" && !simtest.Num(row["balChg"]).Equal(simtest.Num(row["pnl"]).Add(simtest.Num(row["fee"]))) {
				t.Errorf("bill %d = %v, want the sum of profit and fee", n, row)
			}
			before = simtest.Num(row["billId"])
		}
		simtest.ExpectRows(
			t, rows,
			object{"type": "1", "subType": "11", "from": "6", "to": "18", "instId": "", "instType": "", "ordId": ""},
			object{"type": "2", "subType": "2", "sz": "0.5", "px": "65099.9", "pnl": "0.499", "execType": "T", "mgnMode": "cross"},
			object{"type": "8", "subType": "173", "balChg": "-0.13", "pnl": "-0.13", "sz": "2", "px": "65000", "instId": btc, "ordId": ""},
			object{"type": "2", "subType": "1", "ordId": first, "clOrdId": "bill1", "tag": "mine", "px": "65000.1", "fillMarkPx": "65000", "pnl": "0"},
		)
		fill := v.get("/trade/fills?ordId=" + first).Data[0]
		simtest.Expect(t, rows[3], object{"billId": fill["billId"], "tradeId": fill["tradeId"]})
		simtest.ExpectRows(t, bills("?after="+rows[1]["billId"].(string)), rows[2], rows[3])
		simtest.ExpectRows(t, bills("?before="+rows[1]["billId"].(string)), rows[0])
		simtest.ExpectRows(t, bills("?type=2&limit=1"), rows[1])
		for query, want := range map[string]int{"?type=8": 1, "?subType=11": 1, "?instId=" + btc: 3, "?ccy=BTC": 0, "?mgnMode=isolated": 0, "?instType=SWAP": 3} {
			simtest.ExpectLen(t, bills(query), want)
		}
		v.control("/clock", `{"offsetMs":`+strconv.Itoa(9*24*3600*1000)+`}`)
		v.WaitFor("the next week", func() bool { return len(bills("?type=2")) == 0 })
		simtest.ExpectLen(t, v.get("/account/bills-archive?type=2").Data, 2)
	})
}

func TestFundingRateHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		history := func(query string) []object {
			r := v.get("/public/funding-rate-history?instId=" + btc + query)
			r.expectCode(t, "0")
			return r.Data
		}
		simtest.ExpectRows(t, history(""))
		v.PassFunding(btc)
		v.Market(`{"symbol":"BTCUSDT","fundingRate":"-0.0003"}`)
		v.PassFunding(btc)
		rows := history("")
		simtest.ExpectRows(
			t, rows, object{"fundingRate": "-0.0003", "realizedRate": "-0.0003", "instId": btc, "instType": "SWAP", "method": "current_period"},
			object{"fundingRate": "0.0001"},
		)
		if gap := simtest.Num(rows[0]["fundingTime"]).Sub(simtest.Num(rows[1]["fundingTime"])); !gap.Equal(simtest.Num("28800000")) {
			t.Errorf("time between two = %s ms, want 8 hours", gap)
		}
		simtest.ExpectRows(t, history("&limit=1"), rows[0])
		simtest.ExpectRows(t, history("&after="+rows[0]["fundingTime"].(string)), rows[1])
		simtest.ExpectRows(t, history("&before="+rows[1]["fundingTime"].(string)), rows[0])
		simtest.Expect(t, v.one(v.get("/public/funding-rate?instId="+btc)), object{"settFundingRate": "-0.0003"})
		v.get("/public/funding-rate-history").expectCode(t, "50014")
	})
}

func TestHistoryTrades(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		trades := func(query string) []object {
			r := v.get("/market/history-trades?instId=" + btc + query)
			r.expectCode(t, "0")
			return r.Data
		}
		for _, qty := range []string{"0.01", "0.02", "0.03"} {
			v.control("/market/trade", `{"symbol":"BTCUSDT","side":"buy","qty":"`+qty+`"}`)
		}
		rows := trades("")
		simtest.ExpectRows(t, rows, object{"sz": "3", "side": "buy"}, object{"sz": "2"}, object{"sz": "1"})
		middle := rows[1]["tradeId"].(string)
		simtest.ExpectRows(t, trades("&after="+middle), rows[2])
		simtest.ExpectRows(t, trades("&type=1&before="+middle), rows[0])
		simtest.ExpectRows(t, trades("&limit=2"), rows[0], rows[1])
		later := strconv.FormatInt(simtest.Num(rows[0]["ts"]).IntPart()+1, 10)
		simtest.ExpectLen(t, trades("&type=2&after="+later), 3)
		simtest.ExpectRows(t, trades("&type=2&before="+later))
		v.get("/market/history-trades?instId="+btc+"&type=3").expectCode(t, "51000")
		v.get("/market/history-trades").expectCode(t, "50014")
	})
}

// The largest size is accepted by the venue, a larger one is not.
func TestMaxSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		size := func(query string) object { return v.one(v.get("/account/max-size?instId=" + btc + query)) }
		v.trade("buy", "10")
		most := size("&tdMode=cross&px=65000")
		simtest.Expect(t, most, object{"instId": btc, "ccy": "USDT"})
		for side, field := range map[string]string{"buy": "maxBuy", "sell": "maxSell"} {
			largest := simtest.Num(most[field])
			if !largest.IsPositive() {
				t.Errorf("%s = %s, want a size", field, largest)
			}
			place := func(size decimal.Decimal) reply {
				return v.post("/trade/order", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"`+side+`","ordType":"limit","px":"65000","sz":"`+size.String()+`"}`)
			}
			place(largest.Add(simtest.Num("0.01"))).expectItem(t, "51008")
			placed := place(largest)
			placed.expectItem(t, "0")
			v.post("/trade/cancel-order", `{"instId":"BTC-USDT-SWAP","ordId":"`+placed.Data[0]["ordId"].(string)+`"}`)
			if side == "sell" { // it has closed the position
				break
			}
		}
		lower, present := size("&tdMode=cross&px=65000&leverage=2"), size("&tdMode=cross&px=65000")
		if !simtest.Num(lower["maxBuy"]).LessThan(simtest.Num(present["maxBuy"])) {
			t.Errorf("maxBuy at a leverage of 2 = %v, want less than %v", lower["maxBuy"], present["maxBuy"])
		}
		// Without a price it is that of the limits, which are worse.
		if far := size("&tdMode=cross"); !simtest.Num(far["maxBuy"]).LessThan(simtest.Num(present["maxBuy"])) {
			t.Errorf("maxBuy at the price limit = %v, want less than %v", far["maxBuy"], present["maxBuy"])
		}
		both := v.get("/account/max-size?tdMode=cross&instId=" + btc + ",ETH-USDT-SWAP")
		simtest.ExpectRows(t, both.Data, object{"instId": btc}, object{"instId": "ETH-USDT-SWAP"})
		for query, code := range map[string]string{
			"instId=" + btc: "50014", "tdMode=cross": "50014", "tdMode=cross&instId=NOPE-USDT-SWAP": "51001", "tdMode=cash&instId=" + btc: "51000",
			"tdMode=cross&px=-1&instId=" + btc: "51000", "tdMode=cross&leverage=1000&instId=" + btc: "59102",
			"tdMode=cross&instId=a,b,c,d,e,f": "51000",
		} {
			v.get("/account/max-size?"+query).expectCode(t, code)
		}
	})
}

// In long/short mode the sizes are those of orders that open, each beside the position
// of its own side.
func TestMaxSizeOfBothSides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.post("/account/set-position-mode", `{"posMode":"long_short_mode"}`).expectCode(t, "0")
		v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":"100","mgnMode":"cross"}`).expectCode(t, "0")
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","posSide":"long","ordType":"market","sz":"1000"}`)
		most := v.one(v.get("/account/max-size?tdMode=cross&px=65000&instId=" + btc))
		order := func(side, posSide string, size decimal.Decimal) reply {
			return v.post("/trade/order", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"`+side+`","posSide":"`+posSide+
				`","ordType":"limit","px":"65000","sz":"`+size.String()+`"}`)
		}
		for _, test := range []struct{ side, posSide, field string }{{"buy", "long", "maxBuy"}, {"sell", "short", "maxSell"}} {
			largest := simtest.Num(most[test.field])
			order(test.side, test.posSide, largest.Add(simtest.Num("0.01"))).expectItem(t, "51004")
			order(test.side, test.posSide, largest).expectItem(t, "0")
		}
	})
}
