package okxsim_test

import (
	"testing"
	"testing/synctest"
)

func TestStopTriggersAndIsLinkedToItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		business, private := v.loggedIn("business"), v.loggedIn("private")
		business.subscribe(`{"channel":"orders-algo","instType":"SWAP"}`)
		private.subscribe(`{"channel":"orders","instType":"SWAP"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`)
		placed := v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"conditional","sz":"1",`+
			`"slTriggerPx":"64000","slOrdPx":"-1","reduceOnly":true,"algoClOrdId":"s1"}`)
		if placed.sCode() != "0" {
			t.Fatalf(`placed.raw() = %v, want placed.sCode() == "0"`, placed.raw())
		}
		id := placed.Data[0]["algoId"]
		expect(t, business.push("orders-algo", state("live")), object{"algoId": id, "algoClOrdId": "s1", "ordType": "conditional"})
		expect(t, v.one(v.get("/trade/orders-algo-pending?ordType=conditional,oco")), object{"algoId": id, "slTriggerPx": "64000"})
		v.control("/market", `{"symbol":"BTCUSDT","price":"63900"}`)
		done := business.push("orders-algo", state("effective"))
		child := private.push("orders", func(_, first object) bool { return first["algoId"] == id && first["state"] == "filled" })
		expect(t, child, object{"ordId": done["ordId"], "algoClOrdId": "s1", "clOrdId": "", "source": "7", "side": "sell"})
		expect(t, v.one(v.get("/trade/order-algo?algoClOrdId=s1")), object{"state": "effective", "actualSide": "sl"})
		if r := v.post("/trade/cancel-algos", `[{"instId":"BTC-USDT-SWAP","algoClOrdId":"s1"}]`); r.sCode() != "51416" {
			t.Fatalf(`r.raw() = %v, want r.sCode() == "51416"`, r.raw())
		}
	})
}

func TestAttachedStopsBecomeLiveWithTheFillAndCancelEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		business := v.loggedIn("business")
		business.subscribe(`{"channel":"orders-algo","instType":"SWAP"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"p1","side":"buy","ordType":"limit","px":"65010","sz":"1",` +
			`"attachAlgoOrds":[{"attachAlgoClOrdId":"x1","tpTriggerPx":"66000","tpOrdPx":"-1","slTriggerPx":"64000","slOrdPx":"-1"}]}`)
		live := business.push("orders-algo", state("live"))
		expect(t, live, object{"ordType": "oco", "algoClOrdId": "x1", "sz": "1", "side": "sell"})
		v.control("/market", `{"symbol":"BTCUSDT","price":"66100"}`)
		expect(t, business.push("orders-algo", state("effective")), object{"algoId": live["algoId"], "actualSide": "tp"})
		if r := v.get("/trade/orders-algo-pending?ordType=oco"); len(r.Data) != 0 {
			t.Fatalf("r.raw() = %v, want len(r.Data) == 0", r.raw())
		}
		if r := v.get("/account/positions"); len(r.Data) != 0 {
			t.Fatalf("r.raw() = %v, want len(r.Data) == 0", r.raw())
		}
		expect(t, v.one(v.get("/trade/orders-algo-history?ordType=oco&state=effective")), object{"algoId": live["algoId"]})
	})
}

func TestTriggerWithoutFundsFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		r := v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"trigger","sz":"9000","triggerPx":"66000","orderPx":"-1","algoClOrdId":"t1"}`)
		if r.sCode() != "0" {
			t.Fatalf(`r.raw() = %v, want r.sCode() == "0"`, r.raw())
		}
		business := v.loggedIn("business")
		business.subscribe(`{"channel":"orders-algo","instType":"SWAP"}`)
		if r := v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":"5","mgnMode":"cross"}`); r.Code != "59669" {
			t.Fatalf(`r.raw() = %v, want r.Code == "59669"`, r.raw())
		}
		v.control("/market", `{"symbol":"BTCUSDT","price":"66100"}`)
		expect(t, business.push("orders-algo", state("order_failed")), object{"failCode": "51008", "algoClOrdId": "t1"})
	})
}

func TestStopIsAmended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		business := v.loggedIn("business")
		business.subscribe(`{"channel":"orders-algo","instType":"SWAP"}`)
		v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"trigger","sz":"1","triggerPx":"64000","orderPx":"-1","algoClOrdId":"t1"}`)
		business.push("orders-algo", state("live"))
		if r := v.post("/trade/amend-algos", `{"instId":"BTC-USDT-SWAP","algoClOrdId":"t1","newTriggerPx":"63000","newSz":"2","reqId":"r1"}`); r.sCode() != "0" {
			t.Fatalf(`r.raw() = %v, want r.sCode() == "0"`, r.raw())
		}
		expect(t, business.push("orders-algo", state("live")), object{"triggerPx": "63000", "sz": "2", "amendResult": "0", "reqId": "r1"})
		v.control("/market", `{"symbol":"BTCUSDT","price":"63500"}`)
		expect(t, v.one(v.get("/trade/orders-algo-pending?ordType=trigger")), object{"triggerPx": "63000", "state": "live"})
		if r := v.post("/trade/cancel-algos", `[{"instId":"BTC-USDT-SWAP","algoClOrdId":"t1"}]`); r.sCode() != "0" {
			t.Fatalf(`r.raw() = %v, want r.sCode() == "0"`, r.raw())
		}
		expect(t, business.push("orders-algo", state("canceled")), object{"algoClOrdId": "t1"})
		if r := v.post("/trade/amend-algos", `{"instId":"BTC-USDT-SWAP","algoClOrdId":"t1","newSz":"3"}`); r.sCode() != "51503" {
			t.Fatalf(`r.raw() = %v, want r.sCode() == "51503"`, r.raw())
		}
	})
}

func TestTriggeredEntryPlacesItsStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		business := v.loggedIn("business")
		business.subscribe(`{"channel":"orders-algo","instType":"SWAP"}`)
		r := v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"trigger","sz":"1","triggerPx":"65500","orderPx":"-1",`+
			`"attachAlgoOrds":[{"slTriggerPx":"64000","slOrdPx":"-1"}]}`)
		if r.sCode() != "0" {
			t.Fatalf(`r.raw() = %v, want r.sCode() == "0"`, r.raw())
		}
		v.control("/market", `{"symbol":"BTCUSDT","price":"65600"}`)
		expect(t, business.push("orders-algo", func(_, first object) bool { return first["ordType"] == "conditional" }),
			object{"state": "live", "slTriggerPx": "64000", "sz": "1", "side": "sell"})
	})
}

// A trailing stop has its own channel, which begins with the live ones. It follows
// the price and triggers when the price comes back.
func TestTrailingStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`)
		r := v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"move_order_stop","sz":"1",`+
			`"callbackRatio":"0.01","reduceOnly":true,"algoClOrdId":"t1"}`)
		if r.sCode() != "0" {
			t.Fatalf(`r.raw() = %v, want r.sCode() == "0"`, r.raw())
		}
		business := v.loggedIn("business")
		business.subscribe(`{"channel":"orders-algo","instType":"SWAP"}`)
		business.subscribe(`{"channel":"algo-advance","instType":"SWAP"}`)
		first := business.Next()
		if arg, _ := first["arg"].(object); arg["channel"] != "algo-advance" {
			t.Fatalf(`first = %v, want arg["channel"] == "algo-advance"`, first)
		}
		expect(t, first["data"].([]any)[0].(object), object{"algoClOrdId": "t1", "state": "live", "ordType": "move_order_stop", "callbackRatio": "0.01"})
		v.control("/market", `{"symbol":"BTCUSDT","price":"70000"}`)
		v.control("/market", `{"symbol":"BTCUSDT","price":"69400"}`)
		expect(t, v.one(v.get("/trade/orders-algo-pending?ordType=move_order_stop")), object{"state": "live"})
		v.control("/market", `{"symbol":"BTCUSDT","price":"69200"}`)
		expect(t, business.push("algo-advance", state("effective")), object{"algoClOrdId": "t1"})
		if r := v.get("/account/positions"); len(r.Data) != 0 {
			t.Errorf("r.raw() = %v, want len(r.Data) == 0", r.raw())
		}
	})
}
