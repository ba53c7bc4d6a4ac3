package binancesim_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/simcore/simtest"
)

func TestHedgeMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		if r := v.signed(http.MethodPost, "/fapi/v1/positionSide/dual", "dualSidePosition=true"); r.Object(t)["msg"] != "success" {
			t.Fatalf(`r.Body = %s, want r.Object(t)["msg"] == "success"`, r.Body)
		}
		if mode := v.signed(http.MethodGet, "/fapi/v1/positionSide/dual", "").Object(t); mode["dualSidePosition"] != true {
			t.Errorf(`mode = %v, want mode["dualSidePosition"] == true`, mode)
		}
		v.expectRejections(t, []rejection{
			{"without side", http.MethodPost, orderPath, limitBuy(), 400, -4061, ""},
			{"reduce only", http.MethodPost, orderPath, limitBuy("positionSide=LONG", "reduceOnly=true"), 400, -1106, "Parameter 'reduceOnly' sent when not required."},
			{"nothing to close", http.MethodPost, orderPath, limitBuy("positionSide=SHORT"), 400, -2022, ""},
			{"close the wrong way", http.MethodPost, algoPath, stopSell("positionSide=SHORT", "closePosition=true", "quantity="), 400, -4061, ""},
		})
		v.order("symbol=BTCUSDT&side=BUY&positionSide=LONG&type=MARKET&quantity=0.020")
		v.order("symbol=BTCUSDT&side=SELL&positionSide=SHORT&type=MARKET&quantity=0.010")
		rows := v.signed(http.MethodGet, "/fapi/v3/positionRisk", "").List(t)
		if len(rows) != 2 || rows[0]["positionAmt"] != "0.020" || rows[1]["positionAmt"] != "-0.010" || rows[1]["positionSide"] != "SHORT" {
			t.Errorf(`rows = %v, want len(rows) == 2 && rows[0]["positionAmt"] == "0.020" && rows[1]["positionAmt"] == "-0.010" && rows[1]["positionSide"] == "SHORT"`, rows)
		}
		closing := v.order("symbol=BTCUSDT&side=BUY&positionSide=SHORT&type=LIMIT&timeInForce=GTC&quantity=0.010&price=64000")
		if closing["reduceOnly"] != true {
			t.Errorf(`closing = %v, want closing["reduceOnly"] == true`, closing)
		}
		if all := v.signed(http.MethodGet, "/fapi/v2/positionRisk", "symbol=ETHUSDT").List(t); len(all) != 2 {
			t.Errorf("all = %v, want len(all) == 2", all)
		}
	})
}

func TestSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		set := v.signed(http.MethodPost, "/fapi/v1/leverage", "symbol=BTCUSDT&leverage=100").Object(t)
		if jsonText(set["leverage"]) != "100" || set["maxNotionalValue"] != "600000" {
			t.Errorf(`set = %v, want jsonText(set["leverage"]) == "100" && set["maxNotionalValue"] == "600000"`, set)
		}
		if r := v.signed(http.MethodPost, "/fapi/v1/marginType", "symbol=BTCUSDT&marginType=ISOLATED"); r.Status != 200 {
			t.Errorf("r.Body = %s, want r.Status == 200", r.Body)
		}
		config := v.signed(http.MethodGet, "/fapi/v1/symbolConfig", "symbol=BTCUSDT").List(t)
		if len(config) != 1 || config[0]["marginType"] != "ISOLATED" || jsonText(config[0]["leverage"]) != "100" {
			t.Errorf(`config = %v, want len(config) == 1 && config[0]["marginType"] == "ISOLATED" && jsonText(config[0]["leverage"]) == "100"`, config)
		}
		if all := v.signed(http.MethodGet, "/fapi/v1/symbolConfig", "").List(t); len(all) != 9 {
			t.Errorf("%d symbols, want len(all) == 9", len(all))
		}
		brackets := v.signed(http.MethodGet, "/fapi/v1/leverageBracket", "symbol=BTCUSDT").List(t)
		first := brackets[0]["brackets"].([]any)[1].(map[string]any)
		if jsonText(first) != `{"bracket":2,"cum":50,"initialLeverage":100,"maintMarginRatio":0.005,"notionalCap":600000,"notionalFloor":50000}` {
			t.Errorf("%s", jsonText(first))
		}
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.100")
		if r := v.signed(http.MethodPost, "/fapi/v1/positionMargin", "symbol=BTCUSDT&amount=25&type=1"); r.Status != 200 {
			t.Errorf("r.Body = %s, want r.Status == 200", r.Body)
		}
		position := v.signed(http.MethodGet, "/fapi/v3/positionRisk", "symbol=BTCUSDT").List(t)[0]
		if simtest.Num(position["isolatedWallet"]).LessThan(simtest.Num("89")) {
			t.Errorf(`position = %v, want !simtest.Num(position["isolatedWallet"]).LessThan(simtest.Num("89"))`, position)
		}
		rate := v.signed(http.MethodGet, "/fapi/v1/commissionRate", "symbol=BTCUSDT").Object(t)
		if rate["takerCommissionRate"] != "0.000500" {
			t.Errorf(`rate = %v, want rate["takerCommissionRate"] == "0.000500"`, rate)
		}
		if limits := v.signed(http.MethodGet, "/fapi/v1/rateLimit/order", "").List(t); len(limits) != 2 {
			t.Errorf("limits = %v, want len(limits) == 2", limits)
		}
		if balance := v.signed(http.MethodGet, "/fapi/v3/balance", "").List(t); len(balance) != 1 || balance[0]["asset"] != "USDT" {
			t.Errorf(`balance = %v, want len(balance) == 1 && balance[0]["asset"] == "USDT"`, balance)
		}
	})
}

func TestPagesOfTrades(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for range 5 {
			v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010")
		}
		all := v.signed(http.MethodGet, "/fapi/v1/userTrades", "symbol=BTCUSDT").List(t)
		if len(all) != 5 {
			t.Fatalf("%d trades, want len(all) == 5", len(all))
		}
		second := v.rowID("/fapi/v1/userTrades", "symbol=BTCUSDT", 1)
		for _, test := range []struct {
			query string
			want  []int
		}{
			{"limit=2", []int{3, 4}},
			{"limit=2&startTime=" + strconv.FormatInt(time.Now().Add(-time.Hour).UnixMilli(), 10), []int{0, 1}},
			{"limit=3&fromId=" + second, []int{1, 2, 3}},
			{"endTime=" + strconv.FormatInt(time.Now().Add(-time.Hour).UnixMilli(), 10), nil},
		} {
			page := v.signed(http.MethodGet, "/fapi/v1/userTrades", "symbol=BTCUSDT&"+test.query).List(t)
			if len(page) != len(test.want) {
				t.Errorf("%s: %d rows, want len(page) == len(test.want)", test.query, len(page))
				continue
			}
			for i, at := range test.want {
				if page[i]["id"] != all[at]["id"] {
					t.Errorf(`%s: row %d is %v, want page[i]["id"] == all[at]["id"]`, test.query, i, page[i]["id"])
				}
			}
		}
		orders := v.signed(http.MethodGet, "/fapi/v1/allOrders", "symbol=BTCUSDT&limit=2").List(t)
		if len(orders) != 2 || orders[1]["status"] != "FILLED" {
			t.Errorf(`orders = %v, want len(orders) == 2 && orders[1]["status"] == "FILLED"`, orders)
		}
		income := v.signed(http.MethodGet, "/fapi/v1/income", "incomeType=COMMISSION&limit=3&page=2").List(t)
		if len(income) != 2 || income[0]["tradeId"] == "" {
			t.Errorf(`income = %v, want len(income) == 2 && income[0]["tradeId"] != ""`, income)
		}
	})
}

func TestCandles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for _, test := range []struct {
			path string
			rows int
		}{
			{"/fapi/v1/klines?symbol=BTCUSDT&interval=1m&limit=3", 3},
			{"/fapi/v1/continuousKlines?pair=BTCUSDT&contractType=PERPETUAL&interval=1h&limit=4", 4},
			{"/fapi/v1/markPriceKlines?symbol=BTCUSDT&interval=1d&limit=5", 5},
			{"/fapi/v1/indexPriceKlines?pair=BTCUSDT&interval=4h&limit=6", 6},
			{"/fapi/v1/klines?symbol=BTCUSDT&interval=1m&startTime=" + jsonText(time.Now().Add(-10*time.Minute).Truncate(time.Minute).UnixMilli()) + "&limit=2", 2},
			{"/fapi/v1/klines?symbol=BTCUSDT&interval=1m&endTime=1", 0},
		} {
			var rows [][]any
			if err := json.Unmarshal(v.public(test.path).Body, &rows); err != nil || len(rows) != test.rows {
				t.Errorf("%s: %d rows, %v, want err == nil && len(rows) == test.rows", test.path, len(rows), err)
				continue
			}
			for i := 1; i < len(rows); i++ {
				if begin, end := jsonText(rows[i][0]), jsonText(rows[i-1][6]); !simtest.Num(json.Number(begin)).Equal(simtest.Num(json.Number(end)).Add(simtest.Num("1"))) {
					t.Errorf(`%s: row %d begins at %v after %v, want simtest.Num(json.Number(begin)).Equal(simtest.Num(json.Number(end)).Add(simtest.Num("1")))`, test.path, i, rows[i][0], rows[i-1][6])
				}
			}
		}
	})
}
