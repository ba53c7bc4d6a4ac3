package binancesim_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"venuegate/venues/simcore/simtest"
)

func TestMarketOrderAcknowledgedThenFilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		events := v.private()
		answer := v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010&newClientOrderId=first")
		if answer["status"] != "NEW" || answer["executedQty"] != "0.000" {
			t.Errorf(`acknowledgement shows execution: %v, want answer["status"] == "NEW" && answer["executedQty"] == "0.000"`, answer)
		}
		if _, present := answer["avgPrice"]; present {
			t.Error("acknowledgement has avgPrice")
		}
		trace := []string{}
		for len(trace) < 4 {
			message := events.Next()
			name := message["e"].(string)
			if order, ok := message["o"].(map[string]any); ok {
				name += " " + order["x"].(string) + " " + order["X"].(string)
			}
			trace = append(trace, name)
		}
		want := []string{"ORDER_TRADE_UPDATE NEW NEW", "ACCOUNT_UPDATE", "TRADE_LITE", "ORDER_TRADE_UPDATE TRADE FILLED"}
		for i := range want {
			if trace[i] != want[i] {
				t.Errorf("event %d is %s, want %s", i, trace[i], want[i])
			}
		}
		query := v.signed(http.MethodGet, "/fapi/v1/order", "symbol=BTCUSDT&origClientOrderId=first").Object(t)
		if query["status"] != "FILLED" || query["executedQty"] != "0.010" {
			t.Errorf(`query: %v, want query["status"] == "FILLED" && query["executedQty"] == "0.010"`, query)
		}
		positions := v.signed(http.MethodGet, "/fapi/v3/positionRisk", "").List(t)
		if len(positions) != 1 || positions[0]["positionAmt"] != "0.010" {
			t.Errorf(`positions: %v, want len(positions) == 1 && positions[0]["positionAmt"] == "0.010"`, positions)
		}
		trades := v.signed(http.MethodGet, "/fapi/v1/userTrades", "symbol=BTCUSDT").List(t)
		if len(trades) != 1 {
			t.Errorf("trades: %v, want len(trades) == 1", trades)
		}
		account := v.signed(http.MethodGet, "/fapi/v3/account", "").Object(t)
		if got := simtest.Num(account["totalWalletBalance"]); !got.Equal(simtest.Num("100000").Sub(simtest.Num(trades[0]["commission"]))) {
			t.Errorf(`wallet %s, want got.Equal(simtest.Num("100000").Sub(simtest.Num(trades[0]["commission"])))`, got)
		}
	})
}

func TestLimitOrderLifecycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		events := v.private()
		v.order("symbol=ETHUSDT&side=BUY&type=LIMIT&timeInForce=GTX&quantity=1&price=3100.00&newClientOrderId=rest")
		if e := events.Next(); e["e"] != "ORDER_TRADE_UPDATE" {
			t.Fatalf(`e = %v, want e["e"] == "ORDER_TRADE_UPDATE"`, e)
		}
		open := v.signed(http.MethodGet, "/fapi/v1/openOrders", "symbol=ETHUSDT").List(t)
		if len(open) != 1 || open[0]["clientOrderId"] != "rest" || open[0]["price"] != "3100.00" || open[0]["origQty"] != "1.000" {
			t.Errorf(`open: %v, want len(open) == 1 && open[0]["clientOrderId"] == "rest" && open[0]["price"] == "3100.00" && open[0]["origQty"] == "1.000"`, open)
		}
		amended := v.signed(http.MethodPut, "/fapi/v1/order", "symbol=ETHUSDT&side=BUY&origClientOrderId=rest&quantity=2&price=3110").Object(t)
		if amended["origQty"] != "2.000" || amended["price"] != "3110.00" || amended["orderId"] != open[0]["orderId"] {
			t.Errorf(`amended: %v, want amended["origQty"] == "2.000" && amended["price"] == "3110.00" && amended["orderId"] == open[0]["orderId"]`, amended)
		}
		if x := events.Next()["o"].(map[string]any)["x"]; x != "AMENDMENT" {
			t.Errorf(`execution %v, want x == "AMENDMENT"`, x)
		}
		cancelled := v.signed(http.MethodDelete, "/fapi/v1/order", "symbol=ETHUSDT&origClientOrderId=rest").Object(t)
		if cancelled["status"] != "CANCELED" {
			t.Errorf(`cancelled: %v, want cancelled["status"] == "CANCELED"`, cancelled)
		}
		if again := v.signed(http.MethodDelete, "/fapi/v1/order", "symbol=ETHUSDT&origClientOrderId=rest"); again.code() != -2011 {
			t.Errorf("cancelled twice: %s, want again.code() == -2011", again.Body)
		}
	})
}

func TestStopMarketLifecycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010")
		events := v.private()
		r := v.signed(http.MethodPost, "/fapi/v1/algoOrder", "algoType=CONDITIONAL&symbol=BTCUSDT&side=SELL&type=STOP_MARKET&triggerPrice=64000.0&quantity=0.010&reduceOnly=true&clientAlgoId=guard")
		if r.Status != http.StatusOK {
			t.Fatalf("r.Body = %s, want r.Status == http.StatusOK", r.Body)
		}
		v.Script(http.MethodPost, "/market", `{"symbol":"BTCUSDT","price":"63900"}`)
		trace := []string{}
		for len(trace) < 7 {
			message := events.Next()
			name := message["e"].(string)
			if order, ok := message["o"].(map[string]any); ok {
				name += " " + order["X"].(string)
			}
			trace = append(trace, name)
		}
		want := []string{
			"ALGO_UPDATE NEW", "ALGO_UPDATE TRIGGERING", "ORDER_TRADE_UPDATE NEW", "ACCOUNT_UPDATE", "TRADE_LITE",
			"ORDER_TRADE_UPDATE FILLED", "ALGO_UPDATE TRIGGERED",
		}
		for i := range want {
			if trace[i] != want[i] {
				t.Errorf("event %d is %s, want %s", i, trace[i], want[i])
			}
		}
		finished := v.signed(http.MethodGet, "/fapi/v1/algoOrder", "clientAlgoId=guard").Object(t)
		if finished["algoStatus"] != "FINISHED" || finished["actualQty"] != "0.010" {
			t.Errorf(`finished = %v, want finished["algoStatus"] == "FINISHED" && finished["actualQty"] == "0.010"`, finished)
		}
	})
}
