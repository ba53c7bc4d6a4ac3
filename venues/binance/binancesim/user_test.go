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
			t.Errorf("%v then %v, want again == first && len(first.(string)) == 64", first, again)
		}
		if renewed := v.listenKey(http.MethodPut).Object(t)["listenKey"]; renewed != first {
			t.Errorf("renewed %v, want renewed == first", renewed)
		}
		if r := v.listenKey(http.MethodDelete); string(r.Body) != "{}" {
			t.Errorf(`r.Body = %s, want string(r.Body) == "{}"`, r.Body)
		}
		if r := v.listenKey(http.MethodPut); r.code() != -1125 {
			t.Errorf("r.Body = %s, want r.code() == -1125", r.Body)
		}
		if other := v.listenKey(http.MethodPost).Object(t)["listenKey"]; other == first {
			t.Error("a dropped key came back")
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
			t.Errorf(`message = %v, want message["stream"] == key && message["data"].(map[string]any)["e"] == "ORDER_TRADE_UPDATE"`, message)
		}
		subscribed := v.stream("/private/stream")
		subscribed.Send(`{"method":"SUBSCRIBE","params":["` + key + `"],"id":1}`)
		subscribed.settled()
		fill()
		if message := subscribed.Next(); message["stream"] != key {
			t.Errorf(`message = %v, want message["stream"] == key`, message)
		}
		filtered := v.stream("/private/ws?listenKey=" + key + "&events=ACCOUNT_UPDATE/ALGO_UPDATE")
		filtered.settled()
		fill()
		fill()
		for range 2 {
			if message := filtered.Next(); message["e"] != "ACCOUNT_UPDATE" {
				t.Errorf(`message = %v, want message["e"] == "ACCOUNT_UPDATE"`, message)
			}
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
			t.Errorf("silent.Messages = %v, want len(silent.Messages) == 0", <-silent.Messages)
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
			t.Errorf(`event = %v, want event["e"] == "listenKeyExpired" && isText && event["listenKey"] != nil`, event)
		}
		// The connection stays open and delivers nothing.
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010")
		s.settled()
		if r := v.listenKey(http.MethodPut); r.code() != -1125 {
			t.Errorf("r.Body = %s, want r.code() == -1125", r.Body)
		}
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
		if ac := s.nextOf("ACCOUNT_CONFIG_UPDATE")["ac"].(map[string]any); ac["s"] != "BTCUSDT" || jsonText(ac["l"]) != "50" {
			t.Errorf(`ac = %v, want ac["s"] == "BTCUSDT" && jsonText(ac["l"]) == "50"`, ac)
		}
		v.Script(http.MethodPost, "/accounts/demo", `{"balance":"150000"}`)
		a := s.nextOf("ACCOUNT_UPDATE")["a"].(map[string]any)
		balance := a["B"].([]any)[0].(map[string]any)
		if a["m"] != "DEPOSIT" || balance["bc"] != "50000" || len(a["P"].([]any)) != 0 {
			t.Errorf(`a = %v, want a["m"] == "DEPOSIT" && balance["bc"] == "50000" && len(a["P"].([]any)) == 0`, a)
		}
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010")
		position := s.nextOf("ACCOUNT_UPDATE")["a"].(map[string]any)["P"].([]any)[0].(map[string]any)
		if position["pa"] != "0.01" || position["mt"] != "cross" || position["ps"] != "BOTH" {
			t.Errorf(`position = %v, want position["pa"] == "0.01" && position["mt"] == "cross" && position["ps"] == "BOTH"`, position)
		}
		v.Script(http.MethodPost, "/clock", `{"offsetMs":28800000}`)
		var funding map[string]any
		for funding == nil || funding["m"] == "ORDER" {
			funding = s.nextOf("ACCOUNT_UPDATE")["a"].(map[string]any)
		}
		if funding["m"] != "FUNDING_FEE" || funding["S"] != "BTCUSDT" || len(funding["P"].([]any)) != 0 {
			t.Errorf(`funding = %v, want funding["m"] == "FUNDING_FEE" && funding["S"] == "BTCUSDT" && len(funding["P"].([]any)) == 0`, funding)
		}
		rows := v.signed(http.MethodGet, "/fapi/v1/income", "incomeType=FUNDING_FEE").List(t)
		if len(rows) != 1 || !simtest.Num(rows[0]["income"]).IsNegative() {
			t.Errorf(`rows = %v, want len(rows) == 1 && simtest.Num(rows[0]["income"]).IsNegative()`, rows)
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
			t.Errorf(`call = %v, want p["pa"] == "30" && p["mt"] == "CROSSED" && call["cw"] != nil`, call)
		}
		v.Script(http.MethodPost, "/market", `{"symbol":"BTCUSDT","mark":"60000"}`)
		for {
			message := s.Next()
			o, ok := message["o"].(map[string]any)
			if !ok || o["x"] != "CALCULATED" {
				continue
			}
			if id := o["c"].(string); len(id) < 10 || id[:10] != "autoclose-" || o["f"] != "IOC" || o["S"] != "SELL" {
				t.Errorf(`o = %v, want len(id) >= 10 && id[:10] == "autoclose-" && o["f"] == "IOC" && o["S"] == "SELL"`, o)
			}
			break
		}
		if message := s.Next(); message["e"] != "ACCOUNT_UPDATE" {
			t.Errorf(`%v after the liquidation, want message["e"] == "ACCOUNT_UPDATE"`, message)
		}
		if rows := v.signed(http.MethodGet, "/fapi/v1/forceOrders", "").List(t); len(rows) != 1 || rows[0]["status"] != "FILLED" {
			t.Errorf(`rows = %v, want len(rows) == 1 && rows[0]["status"] == "FILLED"`, rows)
		}
		if o := forced.nextOf("forceOrder")["o"].(map[string]any); o["S"] != "SELL" || o["X"] != "FILLED" {
			t.Errorf(`o = %v, want o["S"] == "SELL" && o["X"] == "FILLED"`, o)
		}
	})
}
