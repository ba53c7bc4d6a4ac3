package binancesim_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"

	"venuegate/venues/simcore/simtest"
)

// Income consists of the changes of the wallet, those of a trade in two rows.
func TestIncomeAddsUpToTheWallet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.100")
		v.PassFunding("BTCUSDT")
		v.Market(`{"symbol":"BTCUSDT","price":"66000"}`)
		v.order("symbol=BTCUSDT&side=SELL&type=MARKET&quantity=0.100")
		v.Script(http.MethodPost, "/accounts/demo", `{"balance":"50000"}`)
		rows := v.signed(http.MethodGet, "/fapi/v1/income", "").List(t)
		sum := simtest.Num("100000")
		words := []string{}
		for _, row := range rows {
			sum = sum.Add(simtest.Num(row["income"]))
			words = append(words, row["incomeType"].(string))
		}
		if want := `["COMMISSION","FUNDING_FEE","REALIZED_PNL","COMMISSION","TRANSFER"]`; jsonText(words) != want {
			t.Errorf("types = %s, want %s", jsonText(words), want)
		}
		if len(rows) == 5 && (rows[2]["tranId"] != rows[3]["tranId"] || rows[2]["tradeId"] != rows[3]["tradeId"] || rows[2]["tradeId"] == rows[0]["tradeId"]) {
			t.Errorf("profit %v and fee %v of a trade, want the same ids", rows[2], rows[3])
		}
		account := v.signed(http.MethodGet, "/fapi/v3/account", "").Object(t)
		if !sum.Equal(simtest.Num(account["totalWalletBalance"])) {
			t.Errorf("initial balance and income = %s, want the wallet %v", sum, account["totalWalletBalance"])
		}
	})
}

func TestFundingHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		simtest.ExpectRows(t, v.public("/fapi/v1/fundingRate?symbol=BTCUSDT").List(t))
		v.PassFunding("BTCUSDT")
		v.Market(`{"symbol":"BTCUSDT","price":"66000","fundingRate":"-0.0002"}`)
		v.PassFunding("BTCUSDT")
		first := simtest.Object{"symbol": "BTCUSDT", "fundingRate": "0.00010000", "markPrice": "65000.00000000"}
		second := simtest.Object{"fundingRate": "-0.00020000", "markPrice": "66000.00000000"}
		rows := v.public("/fapi/v1/fundingRate?symbol=BTCUSDT").List(t)
		simtest.ExpectRows(t, rows, first, second)
		simtest.ExpectRows(t, v.public("/fapi/v1/fundingRate?symbol=BTCUSDT&limit=1").List(t), second)
		from := "&startTime=" + rows[0]["fundingTime"].(json.Number).String()
		simtest.ExpectRows(t, v.public("/fapi/v1/fundingRate?symbol=BTCUSDT&limit=1"+from).List(t), first)
	})
}

func TestSystemStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		status := func() simtest.Object { return v.public("/sapi/v1/system/status").Object(t) }
		simtest.Expect(t, status(), simtest.Object{"status": 0, "msg": "normal"})
		v.InjectFault(`{"match":{"path":"/fapi"},"do":"maintenance"}`)
		simtest.Expect(t, status(), simtest.Object{"status": 1, "msg": "system_maintenance"})
		v.Script(http.MethodDelete, "/faults", "")
		simtest.Expect(t, status(), simtest.Object{"status": 0})
	})
}

// Order ids are above 2^53 for one symbol only.
func TestOrderIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for _, test := range []struct {
			order string
			wide  bool
		}{
			{limitBuy(), false},
			{"symbol=ETHUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.100&price=3100", true},
			{"symbol=SOLUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=149", false},
		} {
			const exact = 1 << 53
			id, err := v.order(test.order)["orderId"].(json.Number).Int64()
			if err != nil || (id > exact) != test.wide {
				t.Errorf("%s: id %d, %v, want it above %d: %v", test.order, id, err, int64(exact), test.wide)
			}
			symbol := test.order[:len("symbol=BTCUSDT")]
			found := v.signed(http.MethodGet, orderPath, symbol+"&orderId="+strconv.FormatInt(id, 10)).Object(t)
			simtest.Expect(t, found, simtest.Object{"orderId": json.Number(strconv.FormatInt(id, 10))})
		}
	})
}

// A halt is a status of its own, in the list and in the stream, and ends.
func TestHalt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.stream("/market/ws/!contractInfo")
		s.settled()
		for _, test := range []struct{ halt, status string }{{"false", "TRADING"}, {"true", "TRADING_HALT"}} {
			v.Market(`{"symbol":"OMGUSDT","halt":` + test.halt + `}`)
			simtest.Expect(t, s.nextOf("contractInfo"), simtest.Object{"s": "OMGUSDT", "cs": test.status})
			for _, row := range v.public("/fapi/v1/exchangeInfo").Object(t)["symbols"].([]any) {
				if row := row.(map[string]any); row["symbol"] == "OMGUSDT" {
					simtest.Expect(t, row, simtest.Object{"status": test.status})
				}
			}
		}
	})
}
