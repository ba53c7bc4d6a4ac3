package okxsim_test

import (
	"testing"
	"testing/synctest"

	"venuegate/venues/simcore/simtest"
)

// A pending cancellation is not started again, and an ended order cannot be
// cancelled.
func TestPendingCancellation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, s, clock := slow(t)
		v.acknowledged("/trade/cancel-order", cancelResting)
		v.post("/trade/cancel-order", cancelResting).expectItem(t, "51410")
		simtest.Expect(t, item(t, s.operate("c1", "cancel-order", `"instIdCode":10459,"clOrdId":"a1"`)), object{"sCode": "51410"})
		clock.Advance(engineDelay)
		simtest.Expect(t, s.push("orders", state("canceled")), object{"clOrdId": "a1", "cancelSource": "1"})
		v.post("/trade/cancel-order", cancelResting).expectItem(t, "51400")
	})
}

// A cancellation that failed may be requested again.
func TestFailedCancellationMayBeRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, s, clock := slow(t)
		v.acknowledged("/trade/cancel-order", cancelResting)
		v.Market(`{"symbol":"BTCUSDT","price":"63800"}`)
		s.push("orders", state("filled"))
		clock.Advance(engineDelay)
		v.WaitFor("the end of the cancellation", func() bool {
			return v.post("/trade/cancel-order", cancelResting).sCode() == "51400"
		})
	})
}

// Three amendments of an order may be pending; each is published.
func TestPendingAmendments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, s, clock := slow(t)
		for n, price := range []string{"63900", "63800", "63700"} {
			v.acknowledged("/trade/amend-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a1","reqId":"r`+string(rune('1'+n))+`","newPx":"`+price+`"}`)
		}
		fourth := `{"instId":"BTC-USDT-SWAP","clOrdId":"a1","reqId":"r4","newPx":"63600"}`
		r := v.post("/trade/amend-order", fourth)
		r.expectItem(t, "51513")
		simtest.ExpectRows(t, r.Data, object{"reqId": "r4"})
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"a2","side":"buy","ordType":"limit","px":"64000","sz":"0.05"}`)
		v.acknowledged("/trade/amend-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a2","newPx":"63500"}`)
		clock.Advance(engineDelay)
		for _, want := range []object{{"reqId": "r1", "px": "63900"}, {"reqId": "r2", "px": "63800"}, {"reqId": "r3", "px": "63700"}} {
			simtest.Expect(t, s.push("orders", func(_, first object) bool { return first["amendResult"] == "0" && first["clOrdId"] == "a1" }), want)
		}
		v.acknowledged("/trade/amend-order", fourth)
		clock.Advance(engineDelay)
		simtest.Expect(t, s.push("orders", func(_, first object) bool { return first["reqId"] == "r4" }), object{"px": "63600", "amendResult": "0"})
	})
}

// An amendment after a pending cancellation fails.
func TestAmendmentAfterACancellation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, s, clock := slow(t)
		v.acknowledged("/trade/cancel-order", cancelResting)
		v.acknowledged("/trade/amend-order", amendResting+`}`)
		clock.Advance(engineDelay)
		s.push("orders", state("canceled"))
		simtest.Expect(t, s.push("orders", state("canceled")), object{"reqId": "r1", "amendResult": "-1", "code": "51503"})
	})
}

func TestBatchOfAmendmentsNamesEachOrderOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(restingBuy)
		twice := `[{"instId":"BTC-USDT-SWAP","clOrdId":"a1","newPx":"63900"},{"instId":"BTC-USDT-SWAP","clOrdId":"a1","newPx":"63800"}]`
		v.post("/trade/amend-batch-orders", twice).expectCode(t, "51512")
		simtest.Expect(t, v.resting(), object{"px": "64000"})
	})
}

const restingStop = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","sz":"1","side":"sell","ordType":"trigger","triggerPx":"64000","orderPx":"-1","algoClOrdId":"s1"}`

// Changes of stops are applied after the engine delay, too.
func TestPendingChangesOfStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, _, clock := slow(t)
		business := v.loggedIn("business")
		business.subscribe(`{"channel":"orders-algo","instType":"SWAP"}`)
		v.acknowledged("/trade/order-algo", restingStop)
		live := business.push("orders-algo", state("live"))
		amend := func(id, trigger string) string {
			return `{"instId":"BTC-USDT-SWAP","algoClOrdId":"s1","reqId":"` + id + `","newTriggerPx":"` + trigger + `","newOrdPx":"-1"}`
		}
		v.post("/trade/amend-algos", amend("r0", "x")).expectItem(t, "51000")
		v.acknowledged("/trade/amend-algos", amend("r1", "63000"))
		simtest.Expect(t, v.one(v.get("/trade/order-algo?algoClOrdId=s1")), object{"triggerPx": "64000", "algoId": live["algoId"]})
		clock.Advance(engineDelay)
		simtest.Expect(t, business.push("orders-algo", state("live")), object{"triggerPx": "63000", "reqId": "r1", "amendResult": "0"})

		v.acknowledged("/trade/cancel-algos", `[{"instId":"BTC-USDT-SWAP","algoClOrdId":"s1"}]`)
		v.acknowledged("/trade/amend-algos", amend("r2", "62000"))
		clock.Advance(engineDelay)
		simtest.Expect(t, business.push("orders-algo", state("canceled")), object{"triggerPx": "63000"})
		simtest.Expect(t, business.push("orders-algo", state("canceled")), object{"reqId": "r2", "amendResult": "-1", "triggerPx": "63000"})
		v.post("/trade/cancel-algos", `[{"instId":"BTC-USDT-SWAP","algoClOrdId":"s1"}]`).expectItem(t, "51400")
	})
}

// operate sends an operation and skips to its answer.
func (s *stream) operate(id, op, arg string) object {
	s.Helper()
	s.Send(operation(id, op, arg))
	return s.With("id", id)
}
