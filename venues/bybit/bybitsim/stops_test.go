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
		simtest.Expect(t, s.data("order"), simtest.Object{"orderStatus": "Untriggered", "stopOrderType": "Stop", "createType": "CreateByStopOrder"})
		v.move("63900")
		simtest.Expect(t, s.data("order"), simtest.Object{"orderStatus": "Triggered", "orderId": id, "cumExecQty": "0", "cancelType": "UNKNOWN"})
		simtest.Expect(t, s.data("order"), simtest.Object{"orderStatus": "Filled", "orderId": id, "orderLinkId": "stop", "triggerPrice": "64000"})
		simtest.Expect(t, v.position(), simtest.Object{"size": "0"})
		v.post("/v5/order/create", order("orderLinkId=stop")).expectCode(t, 110072)
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
				t.Errorf("id = %s, want the symbol in it: %t", id, engine)
			}
			rows := m["data"].([]any)
			if len(rows) != len(want) {
				t.Fatalf("%d orders, want %d: %v", len(rows), len(want), rows)
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
			v.post(path, body).expectCode(t, 110079)
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
		simtest.Expect(t, amend(`,"triggerPrice":"69000","qty":"0.02"`).result(t), simtest.Object{"orderId": id})
		simtest.Expect(t, v.found(id), simtest.Object{"triggerPrice": "69000", "qty": "0.02", "orderStatus": "Untriggered"})
		for fields, code := range map[string]int{`,"triggerPrice":"60000"`: 110092, ``: 10001} {
			amend(fields).expectCode(t, code)
		}
	})
}

func TestConditionalOrderIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		id := v.placed(order("price=70100", "triggerPrice=70000", "triggerDirection=1"))
		v.post("/v5/order/cancel", `{"category":"linear","symbol":"BTCUSDT","orderId":"`+id+`"}`).result(t)
		simtest.Expect(t, v.found(id), simtest.Object{"orderStatus": "Deactivated", "cancelType": "CancelByUser"})
	})
}

// Attached stops become active with the fill; when one triggers, the other is
// deactivated with the venue's own reason.
func TestAttachedStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.placed(market("takeProfit=66000", "stopLoss=64000", "tpslMode=Full", "orderLinkId=parent"))
		simtest.Expect(t, v.position(), simtest.Object{"takeProfit": "66000", "stopLoss": "64000"})
		open := v.get("/v5/order/realtime", "category=linear&symbol=BTCUSDT").rows(t)
		if len(open) != 2 {
			t.Fatalf("%d open orders, want 2: %v", len(open), open)
		}
		for _, o := range open {
			simtest.Expect(t, o, simtest.Object{"orderStatus": "Untriggered", "reduceOnly": true, "closeOnTrigger": true, "parentOrderLinkId": "parent"})
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
		simtest.Equal(t, "take profit", states["TakeProfit"], "Filled UNKNOWN")
		simtest.Equal(t, "stop loss", states["StopLoss"], "Deactivated CancelByOCOSlCanceledByTpTriggered")
		simtest.Expect(t, v.position(), simtest.Object{"size": "0", "takeProfit": ""})
	})
}

// The attached stops of a resting order become active when it fills later.
func TestStopsOfARestingOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.placed(order("price=64500", "stopLoss=64000"))
		simtest.ExpectLen(t, v.get("/v5/order/realtime", "category=linear&symbol=BTCUSDT").rows(t), 1)
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
		set(`"stopLoss":"64000"`).expectCode(t, 10001)
		v.placed(market())
		set(`"stopLoss":"64000","takeProfit":"66000"`).result(t)
		set(`"stopLoss":"64000"`).expectCode(t, 34040)
		set(`"stopLoss":"65500"`).expectCode(t, 10001)
		set(`"stopLoss":"64100","takeProfit":"0"`).result(t)
		simtest.Expect(t, v.position(), simtest.Object{"takeProfit": "", "stopLoss": "64100"})
		v.placed(market("side=Sell", "reduceOnly=true"))
		simtest.ExpectRows(t, v.get("/v5/order/realtime", "category=linear&symbol=BTCUSDT").rows(t))
	})
}

// In hedge mode a symbol has two positions and orders name theirs.
func TestHedgeMode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		hedge := `{"category":"linear","coin":"USDT","mode":3}`
		v.post("/v5/position/switch-mode", hedge).result(t)
		v.post("/v5/position/switch-mode", hedge).expectCode(t, 110025)
		v.post("/v5/order/create", market()).expectCode(t, 10001)
		v.placed(market("positionIdx=1"))
		v.placed(market("positionIdx=2", "side=Sell", "qty=0.02"))
		rows := v.get("/v5/position/list", "category=linear&symbol=BTCUSDT").rows(t)
		simtest.ExpectRows(t, rows, simtest.Object{"side": "Buy", "size": "0.01"}, simtest.Object{"side": "Sell", "size": "0.02"})
		v.placed(market("positionIdx=1", "side=Sell", "reduceOnly=true"))
		v.post("/v5/position/switch-mode", `{"category":"linear","coin":"USDT","mode":0}`).expectCode(t, 110024)
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
			simtest.Equal(t, "code of leverages "+test.buy+" and "+test.sell, set(test.buy, test.sell), test.code)
		}
		simtest.Expect(t, v.position(), simtest.Object{"leverage": "5"})
	})
}

// A price outside the band is moved to its edge unless the account has chosen an
// error.
func TestPriceBand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		id := v.placed(order("side=Sell", "price=50000", "timeInForce=PostOnly"))
		simtest.Expect(t, v.found(id), simtest.Object{"price": "64350"})
		v.post("/v5/account/set-limit-px-action", `{"category":"linear","modifyEnable":false}`).result(t)
		v.post("/v5/order/create", order("side=Sell", "price=50000")).expectCode(t, 110003)
	})
}
