package bybitsim_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// A stop order rests, triggers and fills under one id.
func TestConditionalOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.placed(market())
		s := v.private("order")
		id := v.placed(market("side=Sell", "reduceOnly=true", "triggerPrice=64000", "triggerDirection=2", "triggerBy=LastPrice", "orderLinkId=stop"))
		if o := s.data("order"); o["orderStatus"] != "Untriggered" || o["stopOrderType"] != "Stop" || o["createType"] != "CreateByStopOrder" {
			t.Errorf(`o = %v, want o["orderStatus"] == "Untriggered" && o["stopOrderType"] == "Stop" && o["createType"] == "CreateByStopOrder"`, o)
		}
		v.move("63900")
		if o := s.data("order"); o["orderStatus"] != "Triggered" || o["orderId"] != id || o["cumExecQty"] != "0" || o["cancelType"] != "UNKNOWN" {
			t.Errorf(`o = %v, want o["orderStatus"] == "Triggered" && o["orderId"] == id && o["cumExecQty"] == "0" && o["cancelType"] == "UNKNOWN"`, o)
		}
		if o := s.data("order"); o["orderStatus"] != "Filled" || o["orderId"] != id || o["orderLinkId"] != "stop" || o["triggerPrice"] != "64000" {
			t.Errorf(`o = %v, want o["orderStatus"] == "Filled" && o["orderId"] == id && o["orderLinkId"] == "stop" && o["triggerPrice"] == "64000"`, o)
		}
		if p := v.position(); p["size"] != "0" {
			t.Errorf(`p = %v, want p["size"] == "0"`, p)
		}
		if r := v.post("/v5/order/create", order("orderLinkId=stop")); r.code(t) != 110072 {
			t.Errorf("r.Body = %s, want r.code(t) == 110072", r.Body)
		}
	})
}

// Triggered is published in a message of its own, before the order's next state.
func TestTriggeredIsPublishedFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.private("execution.fast", "execution", "order", "position", "wallet")
		v.placed(order("price=65900", "triggerPrice=66000", "triggerDirection=1"))
		v.placed(market("triggerPrice=67000", "triggerDirection=1"))
		next := func(topic string) simtest.Object {
			t.Helper()
			m := s.Next()
			if m["topic"] != topic {
				t.Fatalf("%v, want %s", m, topic)
			}
			return m
		}
		states := func(engine bool, want ...string) {
			t.Helper()
			m := next("order")
			if id := m["id"].(string); strings.Contains(id, "_BTCUSDT_") != engine {
				t.Errorf(`id %s, want strings.Contains(id, "_BTCUSDT_") == engine`, id)
			}
			rows := m["data"].([]any)
			if len(rows) != len(want) {
				t.Fatalf("rows = %v, want len(rows) == len(want)", rows)
			}
			for i, row := range rows {
				expect(t, row.(simtest.Object), "orderStatus="+want[i])
			}
		}
		for range 2 {
			states(false, "Untriggered")
			next("position")
			next("wallet")
		}
		v.move("66010")
		states(false, "Triggered")
		states(true, "New")
		next("position")
		next("wallet")
		v.move("67010")
		states(false, "Triggered")
		next("execution.fast")
		next("execution")
		states(true, "Filled")
		next("position")
		next("wallet")
	})
}

// Margin is required only at the trigger: without it the order is cancelled then.
func TestTriggeredWithoutMargin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.private("order", "wallet")
		id := v.placed(order("qty=100", "price=65900", "triggerPrice=66000", "triggerDirection=1"))
		expect(t, s.data("order"), "orderStatus=Untriggered")
		expect(t, s.data("wallet"), "totalInitialMargin=0")
		v.move("66010")
		expect(t, s.data("order"), "orderStatus=Triggered")
		expect(t, s.data("order"), "orderId="+id, "orderStatus=Cancelled", "leavesQty=0", "cumExecQty=0")
		expect(t, v.found(id), "orderStatus=Cancelled")
	})
}

// Between its trigger and the book an order can be queried but not changed.
func TestTriggeringOrderCannotBeChanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock := simtest.NewClock()
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Now: clock.Now}, TriggerDelay: time.Second})
		s := v.private("order")
		id := v.placed(order("price=65900", "triggerPrice=66000", "triggerDirection=1"))
		s.data("order")
		v.move("66010")
		expect(t, s.data("order"), "orderStatus=Triggered")
		expect(t, v.found(id), "orderStatus=Triggered", "leavesQty=0.01", "rejectReason=EC_NoError")
		for path, body := range map[string]string{"/v5/order/cancel": cancelOf(id), "/v5/order/amend": amendOf(id, "price=65800")} {
			if r := v.post(path, body); r.code(t) != 110079 {
				t.Errorf("r.Body = %s, want r.code(t) == 110079", r.Body)
			}
		}
		clock.Advance(time.Second)
		expect(t, s.data("order"), "orderStatus=New", "orderId="+id)
	})
}

// An untriggered order is amended under its id.
func TestConditionalOrderIsAmended(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		id := v.placed(market("triggerPrice=70000", "triggerDirection=1"))
		amend := func(fields string) reply {
			return v.post("/v5/order/amend", `{"category":"linear","symbol":"BTCUSDT","orderId":"`+id+`"`+fields+`}`)
		}
		if r := amend(`,"triggerPrice":"69000","qty":"0.02"`).result(t); r["orderId"] != id {
			t.Errorf(`r = %v, want r["orderId"] == id`, r)
		}
		if o := v.found(id); o["triggerPrice"] != "69000" || o["qty"] != "0.02" || o["orderStatus"] != "Untriggered" {
			t.Errorf(`o = %v, want o["triggerPrice"] == "69000" && o["qty"] == "0.02" && o["orderStatus"] == "Untriggered"`, o)
		}
		for fields, code := range map[string]int{`,"triggerPrice":"60000"`: 110092, ``: 10001} {
			if r := amend(fields); r.code(t) != code {
				t.Errorf("r.Body = %s, want r.code(t) == code", r.Body)
			}
		}
	})
}

func TestConditionalOrderIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		id := v.placed(order("price=70100", "triggerPrice=70000", "triggerDirection=1"))
		v.post("/v5/order/cancel", `{"category":"linear","symbol":"BTCUSDT","orderId":"`+id+`"}`).result(t)
		if o := v.found(id); o["orderStatus"] != "Deactivated" || o["cancelType"] != "CancelByUser" {
			t.Errorf(`o = %v, want o["orderStatus"] == "Deactivated" && o["cancelType"] == "CancelByUser"`, o)
		}
	})
}

// Attached stops become active with the fill; when one triggers, the other is
// deactivated with the venue's own reason.
func TestAttachedStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.placed(market("takeProfit=66000", "stopLoss=64000", "tpslMode=Full", "orderLinkId=parent"))
		if p := v.position(); p["takeProfit"] != "66000" || p["stopLoss"] != "64000" {
			t.Errorf(`p = %v, want p["takeProfit"] == "66000" && p["stopLoss"] == "64000"`, p)
		}
		open := v.get("/v5/order/realtime", "category=linear&symbol=BTCUSDT").rows(t)
		if len(open) != 2 {
			t.Fatalf("open = %v, want len(open) == 2", open)
		}
		for _, o := range open {
			if o["orderStatus"] != "Untriggered" || o["reduceOnly"] != true || o["closeOnTrigger"] != true || o["parentOrderLinkId"] != "parent" {
				t.Errorf(`o = %v, want o["orderStatus"] == "Untriggered" && o["reduceOnly"] == true && o["closeOnTrigger"] == true && o["parentOrderLinkId"] == "parent"`, o)
			}
		}
		s := v.private("order")
		v.move("66100")
		states := map[any]any{}
		for len(states) < 2 {
			for _, row := range s.With("topic", "order")["data"].([]any) {
				o := row.(map[string]any)
				states[o["stopOrderType"]] = o["orderStatus"].(string) + " " + o["cancelType"].(string)
			}
		}
		if states["TakeProfit"] != "Filled UNKNOWN" || states["StopLoss"] != "Deactivated CancelByOCOSlCanceledByTpTriggered" {
			t.Errorf(`states = %v, want states["TakeProfit"] == "Filled UNKNOWN" && states["StopLoss"] == "Deactivated CancelByOCOSlCanceledByTpTriggered"`, states)
		}
		if p := v.position(); p["size"] != "0" || p["takeProfit"] != "" {
			t.Errorf(`p = %v, want p["size"] == "0" && p["takeProfit"] == ""`, p)
		}
	})
}

// The attached stops of a resting order become active when it fills later.
func TestStopsOfARestingOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.placed(order("price=64500", "stopLoss=64000"))
		if open := v.get("/v5/order/realtime", "category=linear&symbol=BTCUSDT").rows(t); len(open) != 1 {
			t.Fatalf("open = %v, want len(open) == 1", open)
		}
		v.move("64400")
		v.WaitFor("the stop", func() bool { return v.position()["stopLoss"] == "64000" })
	})
}

func TestTradingStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, RateLimits: bybitsim.RateLimits{TradePerSecond: -1}})
		set := func(fields string) reply {
			return v.post("/v5/position/trading-stop", `{"category":"linear","symbol":"BTCUSDT","tpslMode":"Full","positionIdx":0,`+fields+`}`)
		}
		if r := set(`"stopLoss":"64000"`); r.code(t) != 10001 {
			t.Errorf("r.Body = %s, want r.code(t) == 10001", r.Body)
		}
		v.placed(market())
		set(`"stopLoss":"64000","takeProfit":"66000"`).result(t)
		if r := set(`"stopLoss":"64000"`); r.code(t) != 34040 {
			t.Errorf("r.Body = %s, want r.code(t) == 34040", r.Body)
		}
		if r := set(`"stopLoss":"65500"`); r.code(t) != 10001 {
			t.Errorf("r.Body = %s, want r.code(t) == 10001", r.Body)
		}
		set(`"stopLoss":"64100","takeProfit":"0"`).result(t)
		if p := v.position(); p["takeProfit"] != "" || p["stopLoss"] != "64100" {
			t.Errorf(`p = %v, want p["takeProfit"] == "" && p["stopLoss"] == "64100"`, p)
		}
		v.placed(market("side=Sell", "reduceOnly=true"))
		if open := v.get("/v5/order/realtime", "category=linear&symbol=BTCUSDT").rows(t); len(open) != 0 {
			t.Errorf("open = %v, want len(open) == 0", open)
		}
	})
}

// In hedge mode a symbol has two positions and orders name theirs.
func TestHedgeMode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		hedge := `{"category":"linear","coin":"USDT","mode":3}`
		v.post("/v5/position/switch-mode", hedge).result(t)
		if r := v.post("/v5/position/switch-mode", hedge); r.code(t) != 110025 {
			t.Errorf("r.Body = %s, want r.code(t) == 110025", r.Body)
		}
		if r := v.post("/v5/order/create", market()); r.code(t) != 10001 {
			t.Errorf("r.Body = %s, want r.code(t) == 10001", r.Body)
		}
		v.placed(market("positionIdx=1"))
		v.placed(market("positionIdx=2", "side=Sell", "qty=0.02"))
		rows := v.get("/v5/position/list", "category=linear&symbol=BTCUSDT").rows(t)
		if len(rows) != 2 || rows[0]["side"] != "Buy" || rows[0]["size"] != "0.01" || rows[1]["side"] != "Sell" || rows[1]["size"] != "0.02" {
			t.Errorf(`rows = %v, want len(rows) == 2 && rows[0]["side"] == "Buy" && rows[0]["size"] == "0.01" && rows[1]["side"] == "Sell" && rows[1]["size"] == "0.02"`, rows)
		}
		v.placed(market("positionIdx=1", "side=Sell", "reduceOnly=true"))
		if r := v.post("/v5/position/switch-mode", `{"category":"linear","coin":"USDT","mode":0}`); r.code(t) != 110024 {
			t.Errorf("r.Body = %s, want r.code(t) == 110024", r.Body)
		}
	})
}

func TestLeverage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		set := func(buy, sell string) int {
			return v.post("/v5/position/set-leverage", `{"category":"linear","symbol":"BTCUSDT","buyLeverage":"`+buy+`","sellLeverage":"`+sell+`"}`).code(t)
		}
		for _, test := range []struct {
			buy, sell string
			code      int
		}{{"5", "5", 0}, {"5", "5", 110043}, {"5", "6", 10001}, {"101", "101", 110013}, {"0", "0", 10001}} {
			if code := set(test.buy, test.sell); code != test.code {
				t.Errorf("%v: %d, want code == test.code", test, code)
			}
		}
		if p := v.position(); p["leverage"] != "5" {
			t.Errorf(`p = %v, want p["leverage"] == "5"`, p)
		}
	})
}

// A price outside the band is moved to its edge unless the account has chosen an
// error.
func TestPriceBand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		id := v.placed(order("side=Sell", "price=50000", "timeInForce=PostOnly"))
		if o := v.found(id); o["price"] != "64350" {
			t.Errorf(`o = %v, want o["price"] == "64350"`, o)
		}
		v.post("/v5/account/set-limit-px-action", `{"category":"linear","modifyEnable":false}`).result(t)
		if r := v.post("/v5/order/create", order("side=Sell", "price=50000")); r.code(t) != 110003 {
			t.Errorf("r.Body = %s, want r.code(t) == 110003", r.Body)
		}
	})
}
