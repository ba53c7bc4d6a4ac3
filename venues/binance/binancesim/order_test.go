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
		simtest.Expect(t, answer, simtest.Object{"status": "NEW", "executedQty": "0.000"})
		if _, present := answer["avgPrice"]; present {
			t.Error("the acknowledgement has avgPrice, want none")
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
		simtest.Expect(t, query, simtest.Object{"status": "FILLED", "executedQty": "0.010"})
		positions := v.signed(http.MethodGet, "/fapi/v3/positionRisk", "").List(t)
		simtest.ExpectRows(t, positions, simtest.Object{"positionAmt": "0.010"})
		trades := v.signed(http.MethodGet, "/fapi/v1/userTrades", "symbol=BTCUSDT").List(t)
		simtest.ExpectLen(t, trades, 1)
		account := v.signed(http.MethodGet, "/fapi/v3/account", "").Object(t)
		if got := simtest.Num(account["totalWalletBalance"]); !got.Equal(simtest.Num("100000").Sub(simtest.Num(trades[0]["commission"]))) {
			t.Errorf("totalWalletBalance = %s, want 100000 less the commission of %v", got, trades[0]["commission"])
		}
	})
}

func TestLimitOrderLifecycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		events := v.private()
		v.order("symbol=ETHUSDT&side=BUY&type=LIMIT&timeInForce=GTX&quantity=1&price=3100.00&newClientOrderId=rest")
		simtest.Expect(t, events.Next(), simtest.Object{"e": "ORDER_TRADE_UPDATE"})
		open := v.signed(http.MethodGet, "/fapi/v1/openOrders", "symbol=ETHUSDT").List(t)
		simtest.ExpectRows(t, open, simtest.Object{"clientOrderId": "rest", "price": "3100.00", "origQty": "1.000"})
		amended := v.signed(http.MethodPut, "/fapi/v1/order", "symbol=ETHUSDT&side=BUY&origClientOrderId=rest&quantity=2&price=3110").Object(t)
		simtest.Expect(t, amended, simtest.Object{"origQty": "2.000", "price": "3110.00", "orderId": open[0]["orderId"]})
		simtest.Expect(t, events.Next()["o"].(map[string]any), simtest.Object{"x": "AMENDMENT"})
		cancelled := v.signed(http.MethodDelete, "/fapi/v1/order", "symbol=ETHUSDT&origClientOrderId=rest").Object(t)
		simtest.Expect(t, cancelled, simtest.Object{"status": "CANCELED"})
		v.signed(http.MethodDelete, "/fapi/v1/order", "symbol=ETHUSDT&origClientOrderId=rest").expectCode(t, -2011)
	})
}

func TestStopMarketLifecycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010")
		events := v.private()
		r := v.signed(http.MethodPost, "/fapi/v1/algoOrder", "algoType=CONDITIONAL&symbol=BTCUSDT&side=SELL&type=STOP_MARKET&triggerPrice=64000.0&quantity=0.010&reduceOnly=true&clientAlgoId=guard")
		if r.Status != http.StatusOK {
			t.Fatalf("answer = %d %s, want 200", r.Status, r.Body)
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
		simtest.Expect(t, finished, simtest.Object{"algoStatus": "FINISHED", "actualQty": "0.010"})
	})
}
