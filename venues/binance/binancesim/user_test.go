package binancesim_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

func (v *venue) listenKey(method string) reply {
	v.Helper()
	return v.do(v.rawRequest(method, "/fapi/v1/listenKey"))
}

func TestListenKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		first := v.listenKey(http.MethodPost).Object(t)["listenKey"]
		if again := v.listenKey(http.MethodPost).Object(t)["listenKey"]; again != first || len(first.(string)) != 64 {
			t.Errorf("listen keys = %v, then %v, want the same key of 64 characters", first, again)
		}
		simtest.Expect(t, v.listenKey(http.MethodPut).Object(t), simtest.Object{"listenKey": first})
		simtest.Equal(t, "body", string(v.listenKey(http.MethodDelete).Body), "{}")
		v.listenKey(http.MethodPut).expectCode(t, -1125)
		if other := v.listenKey(http.MethodPost).Object(t)["listenKey"]; other == first {
			t.Errorf("listen key after the deletion = %v, want a new one", other)
		}
	})
}

func TestPrivateStreamURLForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		key := v.listenKey(http.MethodPost).Object(t)["listenKey"].(string)
		fill := func() { v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010") }
		for _, path := range []string{"/private/ws?listenKey=" + key, "/private/ws/" + key} {
			s := v.stream(path)
			s.settled()
			fill()
			s.nextOf("ORDER_TRADE_UPDATE")
		}
		combined := v.stream("/private/stream?listenKey=" + key)
		combined.settled()
		fill()
		if message := combined.Next(); message["stream"] != key || message["data"].(map[string]any)["e"] != "ORDER_TRADE_UPDATE" {
			t.Errorf("message = %v, want ORDER_TRADE_UPDATE of stream %s", message, key)
		}
		subscribed := v.stream("/private/stream")
		subscribed.Send(`{"method":"SUBSCRIBE","params":["` + key + `"],"id":1}`)
		subscribed.settled()
		fill()
		simtest.Expect(t, subscribed.Next(), simtest.Object{"stream": key})
		filtered := v.stream("/private/ws?listenKey=" + key + "&events=ACCOUNT_UPDATE/ALGO_UPDATE")
		filtered.settled()
		fill()
		fill()
		for range 2 {
			simtest.Expect(t, filtered.Next(), simtest.Object{"e": "ACCOUNT_UPDATE"})
		}
	})
}

func TestEventsCanBeRequired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Quiet: true}, EventsRequired: true})
		silent := v.private()
		key := v.listenKey(http.MethodPost).Object(t)["listenKey"].(string)
		filtered := v.stream("/private/ws?listenKey=" + key + "&events=ORDER_TRADE_UPDATE")
		filtered.settled()
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010")
		filtered.Next()
		silent.settled()
		if len(silent.Messages) != 0 {
			t.Errorf("message = %v, want none", <-silent.Messages)
		}
	})
}

func TestListenKeyExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Quiet: true}, ListenKeyLife: time.Minute})
		s := v.private()
		v.Script(http.MethodPost, "/clock", `{"offsetMs":60000}`)
		event := s.Next()
		if _, isText := event["E"].(string); event["e"] != "listenKeyExpired" || !isText || event["listenKey"] == nil {
			t.Errorf("event = %v, want listenKeyExpired with its key and the time as text", event)
		}
		// The connection stays open and delivers nothing.
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010")
		s.settled()
		v.listenKey(http.MethodPut).expectCode(t, -1125)
		v.listenKey(http.MethodPost)
		again := v.private()
		v.sim.ExpireListenKey("demo")
		again.nextOf("listenKeyExpired")
	})
}

func TestAccountEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.private()
		v.signed(http.MethodPost, "/fapi/v1/leverage", "symbol=BTCUSDT&leverage=50")
		simtest.Expect(t, s.nextOf("ACCOUNT_CONFIG_UPDATE")["ac"].(map[string]any), simtest.Object{"s": "BTCUSDT", "l": 50})
		v.Script(http.MethodPost, "/accounts/demo", `{"balance":"150000"}`)
		a := s.nextOf("ACCOUNT_UPDATE")["a"].(map[string]any)
		balance := a["B"].([]any)[0].(map[string]any)
		if a["m"] != "DEPOSIT" || balance["bc"] != "50000" || len(a["P"].([]any)) != 0 {
			t.Errorf("update = %v, want a deposit of 50000 without positions", a)
		}
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010")
		position := s.nextOf("ACCOUNT_UPDATE")["a"].(map[string]any)["P"].([]any)[0].(map[string]any)
		simtest.Expect(t, position, simtest.Object{"pa": "0.01", "mt": "cross", "ps": "BOTH"})
		v.Script(http.MethodPost, "/clock", `{"offsetMs":28800000}`)
		var funding map[string]any
		for funding == nil || funding["m"] == "ORDER" {
			funding = s.nextOf("ACCOUNT_UPDATE")["a"].(map[string]any)
		}
		if funding["m"] != "FUNDING_FEE" || funding["S"] != "BTCUSDT" || len(funding["P"].([]any)) != 0 {
			t.Errorf("update = %v, want the funding fee of BTCUSDT without positions", funding)
		}
		rows := v.signed(http.MethodGet, "/fapi/v1/income", "incomeType=FUNDING_FEE").List(t)
		if len(rows) != 1 || !simtest.Num(rows[0]["income"]).IsNegative() {
			t.Errorf("income = %v, want one row, below zero", rows)
		}
	})
}

func TestLiquidationEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.private()
		forced := v.stream("/market/ws/btcusdt@forceOrder/!forceOrder@arr")
		forced.settled()
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=30")
		liquidation := simtest.Num(v.signed(http.MethodGet, "/fapi/v3/positionRisk", "").List(t)[0]["liquidationPrice"])
		near := liquidation.Add(simtest.Num("20")).StringFixed(1)
		v.Script(http.MethodPost, "/market", `{"symbol":"BTCUSDT","mark":"`+near+`"}`)
		call := s.nextOf("MARGIN_CALL")
		if p := call["p"].([]any)[0].(map[string]any); p["pa"] != "30" || p["mt"] != "CROSSED" || call["cw"] == nil {
			t.Errorf("margin call = %v, want 30 in cross margin and the wallet", call)
		}
		v.Script(http.MethodPost, "/market", `{"symbol":"BTCUSDT","mark":"60000"}`)
		for {
			message := s.Next()
			o, ok := message["o"].(map[string]any)
			if !ok || o["x"] != "CALCULATED" {
				continue
			}
			if id := o["c"].(string); len(id) < 10 || id[:10] != "autoclose-" || o["f"] != "IOC" || o["S"] != "SELL" {
				t.Errorf("order = %v, want a sell order of type IOC with an id of the liquidation", o)
			}
			break
		}
		simtest.Expect(t, s.Next(), simtest.Object{"e": "ACCOUNT_UPDATE"})
		simtest.ExpectRows(t, v.signed(http.MethodGet, "/fapi/v1/forceOrders", "").List(t), simtest.Object{"status": "FILLED"})
		simtest.Expect(t, forced.nextOf("forceOrder")["o"].(map[string]any), simtest.Object{"S": "SELL", "X": "FILLED"})
	})
}
