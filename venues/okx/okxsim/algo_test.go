package okxsim_test

import (
	"testing"
	"testing/synctest"

	"venuegate/venues/simcore/simtest"
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
		placed.expectItem(t, "0")
		id := placed.Data[0]["algoId"]
		simtest.Expect(t, business.push("orders-algo", state("live")), object{"algoId": id, "algoClOrdId": "s1", "ordType": "conditional"})
		simtest.Expect(t, v.one(v.get("/trade/orders-algo-pending?ordType=conditional,oco")), object{"algoId": id, "slTriggerPx": "64000"})
		v.control("/market", `{"symbol":"BTCUSDT","price":"63900"}`)
		done := business.push("orders-algo", state("effective"))
		child := private.push("orders", func(_, first object) bool { return first["algoId"] == id && first["state"] == "filled" })
		simtest.Expect(t, child, object{"ordId": done["ordId"], "algoClOrdId": "s1", "clOrdId": "", "source": "7", "side": "sell"})
		simtest.Expect(t, v.one(v.get("/trade/order-algo?algoClOrdId=s1")), object{"state": "effective", "actualSide": "sl"})
		v.post("/trade/cancel-algos", `[{"instId":"BTC-USDT-SWAP","algoClOrdId":"s1"}]`).expectItem(t, "51416")
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
		simtest.Expect(t, live, object{"ordType": "oco", "algoClOrdId": "x1", "sz": "1", "side": "sell"})
		v.control("/market", `{"symbol":"BTCUSDT","price":"66100"}`)
		simtest.Expect(t, business.push("orders-algo", state("effective")), object{"algoId": live["algoId"], "actualSide": "tp"})
		simtest.ExpectLen(t, v.get("/trade/orders-algo-pending?ordType=oco").Data, 0)
		simtest.ExpectLen(t, v.get("/account/positions").Data, 0)
		simtest.Expect(t, v.one(v.get("/trade/orders-algo-history?ordType=oco&state=effective")), object{"algoId": live["algoId"]})
	})
}

func TestTriggerWithoutFundsFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		r := v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"trigger","sz":"9000","triggerPx":"66000","orderPx":"-1","algoClOrdId":"t1"}`)
		r.expectItem(t, "0")
		business := v.loggedIn("business")
		business.subscribe(`{"channel":"orders-algo","instType":"SWAP"}`)
		v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":"5","mgnMode":"cross"}`).expectCode(t, "59669")
		v.control("/market", `{"symbol":"BTCUSDT","price":"66100"}`)
		simtest.Expect(t, business.push("orders-algo", state("order_failed")), object{"failCode": "51008", "algoClOrdId": "t1"})
	})
}

func TestStopIsAmended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		business := v.loggedIn("business")
		business.subscribe(`{"channel":"orders-algo","instType":"SWAP"}`)
		v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"trigger","sz":"1","triggerPx":"64000","orderPx":"-1","algoClOrdId":"t1"}`)
		business.push("orders-algo", state("live"))
		v.post("/trade/amend-algos", `{"instId":"BTC-USDT-SWAP","algoClOrdId":"t1","newTriggerPx":"63000","newSz":"2","reqId":"r1"}`).expectItem(t, "0")
		simtest.Expect(t, business.push("orders-algo", state("live")), object{"triggerPx": "63000", "sz": "2", "amendResult": "0", "reqId": "r1"})
		v.control("/market", `{"symbol":"BTCUSDT","price":"63500"}`)
		simtest.Expect(t, v.one(v.get("/trade/orders-algo-pending?ordType=trigger")), object{"triggerPx": "63000", "state": "live"})
		v.post("/trade/cancel-algos", `[{"instId":"BTC-USDT-SWAP","algoClOrdId":"t1"}]`).expectItem(t, "0")
		simtest.Expect(t, business.push("orders-algo", state("canceled")), object{"algoClOrdId": "t1"})
		v.post("/trade/amend-algos", `{"instId":"BTC-USDT-SWAP","algoClOrdId":"t1","newSz":"3"}`).expectItem(t, "51503")
	})
}

func TestTriggeredEntryPlacesItsStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		business := v.loggedIn("business")
		business.subscribe(`{"channel":"orders-algo","instType":"SWAP"}`)
		r := v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"trigger","sz":"1","triggerPx":"65500","orderPx":"-1",`+
			`"attachAlgoOrds":[{"slTriggerPx":"64000","slOrdPx":"-1"}]}`)
		r.expectItem(t, "0")
		v.control("/market", `{"symbol":"BTCUSDT","price":"65600"}`)
		simtest.Expect(t, business.push("orders-algo", func(_, first object) bool { return first["ordType"] == "conditional" }),
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
		r.expectItem(t, "0")
		business := v.loggedIn("business")
		business.subscribe(`{"channel":"orders-algo","instType":"SWAP"}`)
		business.subscribe(`{"channel":"algo-advance","instType":"SWAP"}`)
		first := business.Next()
		if arg, _ := first["arg"].(object); arg["channel"] != "algo-advance" {
			t.Fatalf("first message = %v, want one of channel algo-advance", first)
		}
		simtest.Expect(t, first["data"].([]any)[0].(object), object{"algoClOrdId": "t1", "state": "live", "ordType": "move_order_stop", "callbackRatio": "0.01"})
		v.control("/market", `{"symbol":"BTCUSDT","price":"70000"}`)
		v.control("/market", `{"symbol":"BTCUSDT","price":"69400"}`)
		simtest.Expect(t, v.one(v.get("/trade/orders-algo-pending?ordType=move_order_stop")), object{"state": "live"})
		v.control("/market", `{"symbol":"BTCUSDT","price":"69200"}`)
		simtest.Expect(t, business.push("algo-advance", state("effective")), object{"algoClOrdId": "t1"})
		simtest.ExpectLen(t, v.get("/account/positions").Data, 0)
	})
}
