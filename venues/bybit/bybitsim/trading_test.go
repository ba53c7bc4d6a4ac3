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
		if o := v.found(id); o["orderStatus"] != "New" || o["orderLinkId"] != "rest-1" || o["leavesQty"] != "0.01" || o["avgPrice"] != "" {
			t.Errorf(`o = %v, want o["orderStatus"] == "New" && o["orderLinkId"] == "rest-1" && o["leavesQty"] == "0.01" && o["avgPrice"] == ""`, o)
		}
		amended := v.post("/v5/order/amend", `{"category":"linear","symbol":"BTCUSDT","orderLinkId":"rest-1","price":"61000","qty":"0.02"}`)
		if r := amended.result(t); r["orderId"] != id || r["orderLinkId"] != "rest-1" {
			t.Errorf(`r = %v, want r["orderId"] == id && r["orderLinkId"] == "rest-1"`, r)
		}
		if o := v.found(id); o["price"] != "61000" || o["qty"] != "0.02" {
			t.Errorf(`o = %v, want o["price"] == "61000" && o["qty"] == "0.02"`, o)
		}
		v.post("/v5/order/cancel", `{"category":"linear","symbol":"BTCUSDT","orderId":"`+id+`"}`).result(t)
		o := v.found(id)
		if o["orderStatus"] != "Cancelled" || o["cancelType"] != "CancelByUser" || o["rejectReason"] != "EC_PerCancelRequest" || o["leavesQty"] != "0" {
			t.Errorf(`o = %v, want o["orderStatus"] == "Cancelled" && o["cancelType"] == "CancelByUser" && o["rejectReason"] == "EC_PerCancelRequest" && o["leavesQty"] == "0"`, o)
		}
		again := v.post("/v5/order/cancel", `{"category":"linear","symbol":"BTCUSDT","orderId":"`+id+`"}`)
		if again.code(t) != 110001 {
			t.Errorf("again.Body = %s, want again.code(t) == 110001", again.Body)
		}
		if r := v.post("/v5/order/create", order("orderLinkId=rest-1")); r.code(t) != 110072 {
			t.Errorf("r.Body = %s, want r.code(t) == 110072", r.Body)
		}
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
				t.Errorf("topics = %v, want topics[i] == want", topics)
			}
		}
		if o := v.found(id); o["orderStatus"] != "Filled" || o["cumExecQty"] != "0.01" || !simtest.Num(o["price"]).GreaterThan(simtest.Num(o["avgPrice"])) {
			t.Errorf(`o = %v, want o["orderStatus"] == "Filled" && o["cumExecQty"] == "0.01" && simtest.Num(o["price"]).GreaterThan(simtest.Num(o["avgPrice"]))`, o)
		}
		fills := v.get("/v5/execution/list", "category=linear&orderId="+id).rows(t)
		if len(fills) != 1 || fills[0]["closedSize"] != "0" || fills[0]["execType"] != "Trade" || fills[0]["feeRate"] != "0.00055" {
			t.Errorf(`fills = %v, want len(fills) == 1 && fills[0]["closedSize"] == "0" && fills[0]["execType"] == "Trade" && fills[0]["feeRate"] == "0.00055"`, fills)
		}
		p := v.position()
		if p["side"] != "Buy" || p["size"] != "0.01" || !simtest.Num(p["avgPrice"]).IsPositive() {
			t.Errorf(`p = %v, want p["side"] == "Buy" && p["size"] == "0.01" && simtest.Num(p["avgPrice"]).IsPositive()`, p)
		}
		wallet := v.get("/v5/account/wallet-balance", "accountType=UNIFIED").rows(t)[0]
		coin := wallet["coin"].([]any)[0].(map[string]any)
		if coin["coin"] != "USDT" || coin["availableToWithdraw"] != "" || !simtest.Num(coin["walletBalance"]).LessThan(simtest.Num("100000")) {
			t.Errorf(`wallet = %v, want coin["coin"] == "USDT" && coin["availableToWithdraw"] == "" && simtest.Num(coin["walletBalance"]).LessThan(simtest.Num("100000"))`, wallet)
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
		if e := s.data("execution"); e["closedSize"] != "0.01" || e["side"] != "Sell" || e["category"] != "linear" {
			t.Errorf(`e = %v, want e["closedSize"] == "0.01" && e["side"] == "Sell" && e["category"] == "linear"`, e)
		}
		if o := s.data("order"); o["orderId"] != id || o["orderStatus"] != "Filled" || o["reduceOnly"] != true {
			t.Errorf(`o = %v, want o["orderId"] == id && o["orderStatus"] == "Filled" && o["reduceOnly"] == true`, o)
		}
		if p := s.data("position"); p["side"] != "" || p["size"] != "0" || p["entryPrice"] != "0" {
			t.Errorf(`p = %v, want p["side"] == "" && p["size"] == "0" && p["entryPrice"] == "0"`, p)
		}
		p := v.position()
		if p["side"] != "" || p["positionValue"] != "" || p["unrealisedPnl"] != "" || p["avgPrice"] != "0" {
			t.Errorf(`p = %v, want p["side"] == "" && p["positionValue"] == "" && p["unrealisedPnl"] == "" && p["avgPrice"] == "0"`, p)
		}
		if rows := v.get("/v5/position/list", "category=linear&settleCoin=USDT").rows(t); len(rows) != 0 {
			t.Errorf("rows = %v, want len(rows) == 0", rows)
		}
		if r := v.post("/v5/order/create", market("side=Sell", "reduceOnly=true")); r.code(t) != 110017 {
			t.Errorf("r.Body = %s, want r.code(t) == 110017", r.Body)
		}
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
			if o := s.data("order"); o["orderId"] != id || o["orderStatus"] != "Cancelled" || o["rejectReason"] != test.reason || o["leavesQty"] != "0" {
				t.Errorf(`%s: %v, want o["orderId"] == id && o["orderStatus"] == "Cancelled" && o["rejectReason"] == test.reason && o["leavesQty"] == "0"`, test.change, o)
			}
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
			t.Errorf(`r = %v, want len(list) == 1 && list[0].(map[string]any)["orderLinkId"] == "a"`, r)
		}
		r = v.post("/v5/order/cancel-all", `{"category":"linear","symbol":"BTCUSDT"}`).result(t)
		if list := r["list"].([]any); len(list) != 1 || list[0].(map[string]any)["orderLinkId"] != "b" {
			t.Errorf(`r = %v, want len(list) == 1 && list[0].(map[string]any)["orderLinkId"] == "b"`, r)
		}
		if r := v.post("/v5/order/cancel-all", `{"category":"linear"}`); r.code(t) != 10001 {
			t.Errorf("r.Body = %s, want r.code(t) == 10001", r.Body)
		}
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
			if r := v.post("/v5/order/create", test.body); r.code(t) != test.code {
				t.Errorf("%s: %s, want r.code(t) == test.code", name, r.Body)
			}
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
			if rows := v.get("/v5/order/realtime", "category=linear&"+query).rows(t); len(rows) != want {
				t.Errorf("%s: %d orders, want len(rows) == want", query, len(rows))
			}
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
		if r.code(t) != 10002 {
			t.Errorf("r.Body = %s, want r.code(t) == 10002", r.Body)
		}
		if rows := v.get("/v5/order/realtime", "category=linear&orderLinkId=late-1").rows(t); len(rows) != 0 {
			t.Errorf("rows = %v, want len(rows) == 0", rows)
		}
	})
}
