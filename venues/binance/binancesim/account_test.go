package binancesim_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/simcore/simtest"
)

func TestHedgeMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		simtest.Expect(t, v.signed(http.MethodPost, "/fapi/v1/positionSide/dual", "dualSidePosition=true").Object(t), simtest.Object{"msg": "success"})
		simtest.Expect(t, v.signed(http.MethodGet, "/fapi/v1/positionSide/dual", "").Object(t), simtest.Object{"dualSidePosition": true})
		v.expectRejections(t, []rejection{
			{"without side", http.MethodPost, orderPath, limitBuy(), 400, -4061, ""},
			{"reduce only", http.MethodPost, orderPath, limitBuy("positionSide=LONG", "reduceOnly=true"), 400, -1106, "Parameter 'reduceOnly' sent when not required."},
			{"nothing to close", http.MethodPost, orderPath, limitBuy("positionSide=SHORT"), 400, -2022, ""},
			{"close the wrong way", http.MethodPost, algoPath, stopSell("positionSide=SHORT", "closePosition=true", "quantity="), 400, -4061, ""},
		})
		v.order("symbol=BTCUSDT&side=BUY&positionSide=LONG&type=MARKET&quantity=0.020")
		v.order("symbol=BTCUSDT&side=SELL&positionSide=SHORT&type=MARKET&quantity=0.010")
		rows := v.signed(http.MethodGet, "/fapi/v3/positionRisk", "").List(t)
		simtest.ExpectRows(t, rows, simtest.Object{"positionAmt": "0.020"}, simtest.Object{"positionAmt": "-0.010", "positionSide": "SHORT"})
		closing := v.order("symbol=BTCUSDT&side=BUY&positionSide=SHORT&type=LIMIT&timeInForce=GTC&quantity=0.010&price=64000")
		simtest.Expect(t, closing, simtest.Object{"reduceOnly": true})
		simtest.ExpectLen(t, v.signed(http.MethodGet, "/fapi/v2/positionRisk", "symbol=ETHUSDT").List(t), 2)
	})
}

func TestSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		set := v.signed(http.MethodPost, "/fapi/v1/leverage", "symbol=BTCUSDT&leverage=100").Object(t)
		simtest.Expect(t, set, simtest.Object{"leverage": 100, "maxNotionalValue": "600000"})
		v.signed(http.MethodPost, "/fapi/v1/marginType", "symbol=BTCUSDT&marginType=ISOLATED").ExpectStatus(t, 200)
		config := v.signed(http.MethodGet, "/fapi/v1/symbolConfig", "symbol=BTCUSDT").List(t)
		simtest.ExpectRows(t, config, simtest.Object{"marginType": "ISOLATED", "leverage": 100})
		simtest.ExpectLen(t, v.signed(http.MethodGet, "/fapi/v1/symbolConfig", "").List(t), 9)
		brackets := v.signed(http.MethodGet, "/fapi/v1/leverageBracket", "symbol=BTCUSDT").List(t)
		first := brackets[0]["brackets"].([]any)[1].(map[string]any)
		if jsonText(first) != `{"bracket":2,"cum":50,"initialLeverage":100,"maintMarginRatio":0.005,"notionalCap":600000,"notionalFloor":50000}` {
			t.Errorf("first bracket = %s, want that of 100 times leverage", jsonText(first))
		}
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.100")
		v.signed(http.MethodPost, "/fapi/v1/positionMargin", "symbol=BTCUSDT&amount=25&type=1").ExpectStatus(t, 200)
		position := v.signed(http.MethodGet, "/fapi/v3/positionRisk", "symbol=BTCUSDT").List(t)[0]
		if simtest.Num(position["isolatedWallet"]).LessThan(simtest.Num("89")) {
			t.Errorf("isolatedWallet = %v, want at least 89", position["isolatedWallet"])
		}
		rate := v.signed(http.MethodGet, "/fapi/v1/commissionRate", "symbol=BTCUSDT").Object(t)
		simtest.Expect(t, rate, simtest.Object{"takerCommissionRate": "0.000500"})
		simtest.ExpectLen(t, v.signed(http.MethodGet, "/fapi/v1/rateLimit/order", "").List(t), 2)
		simtest.ExpectRows(t, v.signed(http.MethodGet, "/fapi/v3/balance", "").List(t), simtest.Object{"asset": "USDT"})
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
			t.Fatalf("%d trades, want 5", len(all))
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
				t.Errorf("%s: %d rows, want %d", test.query, len(page), len(test.want))
				continue
			}
			for i, at := range test.want {
				if page[i]["id"] != all[at]["id"] {
					t.Errorf("%s: id of row %d = %v, want %v", test.query, i, page[i]["id"], all[at]["id"])
				}
			}
		}
		orders := v.signed(http.MethodGet, "/fapi/v1/allOrders", "symbol=BTCUSDT&limit=2").List(t)
		simtest.ExpectRows(t, orders, simtest.Object{}, simtest.Object{"status": "FILLED"})
		income := v.signed(http.MethodGet, "/fapi/v1/income", "incomeType=COMMISSION&limit=3&page=2").List(t)
		simtest.ExpectRows(t, income, simtest.Object{"tradeId": simtest.Any}, simtest.Object{})
	})
}

func TestCandles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		monthAgo := time.Now().AddDate(0, -1, 0).Truncate(time.Minute).UnixMilli()
		for _, test := range []struct {
			path string
			rows int
		}{
			{"/fapi/v1/klines?symbol=BTCUSDT&interval=1m&limit=3", 3},
			{"/fapi/v1/continuousKlines?pair=BTCUSDT&contractType=PERPETUAL&interval=1h&limit=4", 4},
			{"/fapi/v1/markPriceKlines?symbol=BTCUSDT&interval=1d&limit=5", 5},
			{"/fapi/v1/indexPriceKlines?pair=BTCUSDT&interval=4h&limit=6", 6},
			{"/fapi/v1/klines?symbol=BTCUSDT&interval=1m&startTime=" + jsonText(time.Now().Add(-10*time.Minute).Truncate(time.Minute).UnixMilli()) + "&limit=2", 2},
			{"/fapi/v1/klines?symbol=BTCUSDT&interval=1m&startTime=" + jsonText(monthAgo) + "&limit=1500", 1500},
			{"/fapi/v1/klines?symbol=BTCUSDT&interval=1m&startTime=" + jsonText(monthAgo) + "&endTime=" + jsonText(monthAgo+119_999), 2},
			{"/fapi/v1/klines?symbol=BTCUSDT&interval=1m&endTime=1", 0},
		} {
			var rows [][]any
			if err := json.Unmarshal(v.public(test.path).Body, &rows); err != nil || len(rows) != test.rows {
				t.Errorf("%s: %d rows, %v, want %d", test.path, len(rows), err, test.rows)
				continue
			}
			if strings.Contains(test.path, "startTime="+jsonText(monthAgo)) && jsonText(rows[0][0]) != jsonText(monthAgo) {
				t.Errorf("%s: the first row begins at %v, want %d", test.path, rows[0][0], monthAgo)
			}
			for i := 1; i < len(rows); i++ {
				if begin, end := jsonText(rows[i][0]), jsonText(rows[i-1][6]); !simtest.Num(json.Number(begin)).Equal(simtest.Num(json.Number(end)).Add(simtest.Num("1"))) {
					t.Errorf("%s: begin of row %d = %s, want the millisecond after %s", test.path, i, begin, end)
				}
			}
		}
	})
}
