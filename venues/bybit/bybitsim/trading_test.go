package bybitsim_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// A limit order rests, is amended under its id and is cancelled.
func TestLimitOrderLifecycle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		id := v.placed(order("orderLinkId=rest-1"))
		simtest.Expect(t, v.found(id), simtest.Object{"orderStatus": "New", "orderLinkId": "rest-1", "leavesQty": "0.01", "avgPrice": ""})
		amended := v.post("/v5/order/amend", `{"category":"linear","symbol":"BTCUSDT","orderLinkId":"rest-1","price":"61000","qty":"0.02"}`)
		simtest.Expect(t, amended.result(t), simtest.Object{"orderId": id, "orderLinkId": "rest-1"})
		simtest.Expect(t, v.found(id), simtest.Object{"price": "61000", "qty": "0.02"})
		v.post("/v5/order/cancel", `{"category":"linear","symbol":"BTCUSDT","orderId":"`+id+`"}`).result(t)
		o := v.found(id)
		simtest.Expect(t, o, simtest.Object{"orderStatus": "Cancelled", "cancelType": "CancelByUser", "rejectReason": "EC_PerCancelRequest", "leavesQty": "0"})
		again := v.post("/v5/order/cancel", `{"category":"linear","symbol":"BTCUSDT","orderId":"`+id+`"}`)
		again.expectCode(t, 110001)
		v.post("/v5/order/create", order("orderLinkId=rest-1")).expectCode(t, 110072)
	})
}

// A market order fills immediately and is published once: execution, order,
// position, wallet.
func TestFillIsPublished(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.private()
		id := v.placed(market("orderLinkId=m-1"))
		var topics []string
		for len(topics) < 4 {
			topics = append(topics, s.Next()["topic"].(string))
		}
		for i, want := range []string{"execution", "order", "position", "wallet"} {
			if topics[i] != want {
				t.Errorf("topics = %v, want %s at %d", topics, want, i)
			}
		}
		if o := v.found(id); o["orderStatus"] != "Filled" || o["cumExecQty"] != "0.01" || !simtest.Num(o["price"]).GreaterThan(simtest.Num(o["avgPrice"])) {
			t.Errorf("order = %v, want it filled with 0.01 below its limit price", o)
		}
		fills := v.get("/v5/execution/list", "category=linear&orderId="+id).rows(t)
		simtest.ExpectRows(t, fills, simtest.Object{"closedSize": "0", "execType": "Trade", "feeRate": "0.00055"})
		p := v.position()
		if p["side"] != "Buy" || p["size"] != "0.01" || !simtest.Num(p["avgPrice"]).IsPositive() {
			t.Errorf("position = %v, want 0.01 bought at some price", p)
		}
		wallet := v.get("/v5/account/wallet-balance", "accountType=UNIFIED").rows(t)[0]
		coin := wallet["coin"].([]any)[0].(map[string]any)
		if coin["coin"] != "USDT" || coin["availableToWithdraw"] != "" || !simtest.Num(coin["walletBalance"]).LessThan(simtest.Num("100000")) {
			t.Errorf("wallet = %v, want less than 100000 USDT and no availableToWithdraw", wallet)
		}
	})
}

// After closing, a query by symbol still returns the empty position.
func TestCloseThePosition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.placed(market())
		s := v.private()
		id := v.placed(market("side=Sell", "qty=0", "reduceOnly=true", "closeOnTrigger=true"))
		simtest.Expect(t, s.data("execution"), simtest.Object{"closedSize": "0.01", "side": "Sell", "category": "linear"})
		simtest.Expect(t, s.data("order"), simtest.Object{"orderId": id, "orderStatus": "Filled", "reduceOnly": true})
		simtest.Expect(t, s.data("position"), simtest.Object{"side": "", "size": "0", "entryPrice": "0"})
		p := v.position()
		simtest.Expect(t, p, simtest.Object{"side": "", "positionValue": "", "unrealisedPnl": "", "avgPrice": "0"})
		simtest.ExpectRows(t, v.get("/v5/position/list", "category=linear&settleCoin=USDT").rows(t))
		v.post("/v5/order/create", market("side=Sell", "reduceOnly=true")).expectCode(t, 110017)
	})
}

// An acknowledged order that the engine rejects is cancelled with a reason.
func TestCancelledAfterTheAcknowledgement(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for _, test := range []struct{ change, price, reason string }{
			{"timeInForce=PostOnly", "65100", "EC_PostOnlyWillTakeLiquidity"},
			{"timeInForce=IOC", "64000", "EC_NoImmediateQtyToFill"},
			{"timeInForce=FOK", "64000", "EC_CancelForNoFullFill"},
		} {
			s := v.private("order")
			id := v.placed(order(test.change, "price="+test.price))
			simtest.Expect(t, s.data("order"), simtest.Object{"orderId": id, "orderStatus": "Cancelled", "rejectReason": test.reason, "leavesQty": "0"})
		}
	})
}

func TestCancelAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.placed(order("orderLinkId=a"))
		v.placed(order("orderLinkId=b", "triggerPrice=70000", "triggerDirection=1"))
		r := v.post("/v5/order/cancel-all", `{"category":"linear","settleCoin":"USDT","orderFilter":"Order"}`).result(t)
		if list := r["list"].([]any); len(list) != 1 || list[0].(map[string]any)["orderLinkId"] != "a" {
			t.Errorf("list = %v, want order a alone", list)
		}
		r = v.post("/v5/order/cancel-all", `{"category":"linear","symbol":"BTCUSDT"}`).result(t)
		if list := r["list"].([]any); len(list) != 1 || list[0].(map[string]any)["orderLinkId"] != "b" {
			t.Errorf("list = %v, want order b alone", list)
		}
		v.post("/v5/order/cancel-all", `{"category":"linear"}`).expectCode(t, 10001)
	})
}

func TestRejections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, RateLimits: bybitsim.RateLimits{TradePerSecond: -1}})
		for name, test := range map[string]struct {
			body string
			code int
		}{
			"category":      {order("category=spot"), 10001},
			"symbol":        {order("symbol=NOPEUSDT"), 10001},
			"side":          {order("side=buy"), 10001},
			"link id":       {order("orderLinkId=1234567890123456789012345678901234567"), 10001},
			"step":          {order("qty=0.0015"), 10001},
			"minimum":       {order("qty=0.0001"), 10001},
			"maximum":       {order("qty=1191"), 10001},
			"market":        {market("qty=120"), 10001},
			"tick":          {order("price=60000.05"), 10001},
			"notional":      {order("qty=0.001", "price=1000"), 110094},
			"balance":       {order("qty=100"), 110007},
			"halted":        {order("symbol=OMGUSDT", "price=0.3", "qty=100"), 110074},
			"position mode": {order("positionIdx=1"), 10001},
			"reduce only":   {order("side=Sell", "reduceOnly=true", "price=66000"), 110017},
			"stop side":     {order("stopLoss=61000"), 10001},
			"rising":        {market("triggerPrice=60000", "triggerDirection=1"), 110092},
			"falling":       {market("triggerPrice=70000", "triggerDirection=2"), 110093},
		} {
			simtest.Equal(t, name+": code", v.post("/v5/order/create", test.body).code(t), test.code)
		}
	})
}

// Lists are selected by symbol, else by base coin, else by settlement coin.
func TestListsByCoin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.placed(order("orderLinkId=coin-1"))
		for query, want := range map[string]int{
			"settleCoin=USDT": 1, "settleCoin=USDC": 0, "baseCoin=BTC": 1, "baseCoin=ETH": 0, "baseCoin=BTC&settleCoin=USDC": 1,
			"symbol=BTCUSDT&settleCoin=USDC": 1,
		} {
			simtest.Equal(t, query+": orders", len(v.get("/v5/order/realtime", "category=linear&"+query).rows(t)), want)
		}
	})
}

// A request that arrives after its receive window is rejected.
func TestRequestDelayedBeyondTheWindowIsRejected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/v5/order/create"},"do":"delay","args":{"delayMs":2000},"times":1}`)
		r := v.do(v.request(http.MethodPost, "/v5/order/create", "", order("orderLinkId=late-1"), v.Now().Add(-3500*time.Millisecond)))
		r.expectCode(t, 10002)
		simtest.ExpectRows(t, v.get("/v5/order/realtime", "category=linear&orderLinkId=late-1").rows(t))
	})
}
