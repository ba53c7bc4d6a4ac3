package bybitsim_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"venuegate/venues/simcore/simtest"
)

// amendOf returns the body of an amendment of an order in BTCUSDT.
func amendOf(id string, changes ...string) string {
	body := `{"category":"linear","symbol":"BTCUSDT","orderId":"` + id + `"`
	for _, change := range changes {
		name, value, _ := strings.Cut(change, "=")
		body += `,"` + name + `":"` + value + `"`
	}
	return body + "}"
}

// amends requests an amendment, which must be acknowledged.
func (v *venue) amends(id string, changes ...string) {
	v.Helper()
	simtest.Expect(v, v.post("/v5/order/amend", amendOf(id, changes...)).result(v), simtest.Object{"orderId": id})
}

// expect compares members of a record.
func expect(t testing.TB, o map[string]any, members ...string) {
	t.Helper()
	for _, member := range members {
		name, want, _ := strings.Cut(member, "=")
		if o[name] != want {
			t.Errorf("%s is %v, want %s: %v", name, o[name], want, o)
		}
	}
}

// An acknowledged amendment is applied after the engine delay.
func TestAcknowledgedBeforeItIsAmended(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, clock := slow(t)
		s := v.private("order")
		id := v.placed(order())
		s.data("order")
		v.amends(id, "price=61000", "qty=0.02")
		expect(t, v.found(id), "price=60000", "qty=0.01")
		clock.Advance(engineDelay)
		expect(t, s.data("order"), "orderStatus=New", "price=61000", "qty=0.02", "rejectReason=EC_NoError")
		expect(t, v.found(id), "price=61000", "qty=0.02")
	})
}

// Over the socket, too, the answer precedes the outcome, which the stream publishes.
func TestSocketAcknowledgesBeforeItAmends(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, clock := slow(t)
		s, trader := v.private("order"), v.trader()
		id := v.placed(order())
		s.data("order")
		simtest.Expect(t, trader.call("order.amend", amendOf(id, "price=61000")), simtest.Object{"retCode": 0})
		expect(t, v.found(id), "price=60000")
		clock.Advance(engineDelay)
		expect(t, s.data("order"), "price=61000")
	})
}

// An order that fills before its amendment is published twice as filled.
func TestFillPrecedesTheAmendment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, clock := slow(t)
		s := v.private("order")
		id := v.placed(order("price=64500"))
		s.data("order")
		v.amends(id, "price=64400")
		v.move("64000")
		expect(t, s.data("order"), "orderStatus=Filled", "rejectReason=EC_NoError")
		clock.Advance(engineDelay)
		expect(t, s.data("order"), "orderId="+id, "orderStatus=Filled", "price=64500", "cancelType=UNKNOWN", "rejectReason=EC_OrigClOrdIDDoesNotExist")
		expect(t, v.found(id), "rejectReason=EC_NoError", "price=64500")
		v.post("/v5/order/amend", amendOf(id, "price=64300")).expectCode(t, 110001)
	})
}

// An amendment to a quantity that fills before the engine applies it fails: the
// unchanged order is published again. A quantity that has filled already is rejected
// immediately.
func TestAmendmentToWhatHasFilled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, clock := slow(t)
		s := v.private("order")
		id := v.placed(order("price=65000", "qty=0.1"))
		s.data("order")
		v.amends(id, "qty=0.05")
		v.Script(http.MethodPost, "/market/trade", `{"symbol":"BTCUSDT","side":"sell","qty":"0.06"}`)
		expect(t, s.data("order"), "orderStatus=PartiallyFilled", "rejectReason=EC_NoError")
		clock.Advance(engineDelay)
		expect(t, s.data("order"), "orderStatus=PartiallyFilled", "qty=0.1", "cumExecQty=0.06", "rejectReason=EC_EcInvalidQty")
		expect(t, v.found(id), "qty=0.1", "leavesQty=0.04", "rejectReason=EC_NoError")
		v.post("/v5/order/amend", amendOf(id, "qty=0.05")).expectCode(t, 110064)
	})
}

// Margin that another amendment uses first is missing when the engine applies the
// second.
func TestSecondAmendmentWithoutMargin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, clock := slow(t)
		s := v.private("order")
		first, second := v.placed(order()), v.placed(order())
		s.data("order")
		s.data("order")
		v.amends(first, "qty=20")
		v.amends(second, "qty=20")
		clock.Advance(engineDelay)
		rows := s.With("topic", "order")["data"].([]any)
		if len(rows) == 1 {
			rows = append(rows, s.With("topic", "order")["data"].([]any)...)
		}
		expect(t, rows[0].(simtest.Object), "orderId="+first, "qty=20", "rejectReason=EC_NoError")
		expect(t, rows[1].(simtest.Object), "orderId="+second, "qty=0.01", "rejectReason=EC_Others")
		v.post("/v5/order/amend", amendOf(second, "qty=20")).expectCode(t, 110007)
	})
}

// A post-only order that would take after an amendment is cancelled after the
// acknowledgement.
func TestPostOnlyAmendedToTake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.private("order")
		id := v.placed(order("timeInForce=PostOnly"))
		s.data("order")
		v.amends(id, "price=65100")
		expect(t, s.data("order"), "orderStatus=Cancelled", "rejectReason=EC_PostOnlyWillTakeLiquidity", "leavesQty=0")
	})
}

// Attached stops are amended on their own and published.
func TestAttachedStopsAreAmended(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, clock := slow(t)
		s := v.private("order")
		id := v.placed(order("stopLoss=59000"))
		expect(t, s.data("order"), "stopLoss=59000", "takeProfit=")
		v.amends(id, "takeProfit=70000")
		v.amends(id, "stopLoss=58000")
		expect(t, v.found(id), "stopLoss=59000", "takeProfit=")
		clock.Advance(engineDelay)
		expect(t, s.data("order"), "orderStatus=New", "stopLoss=58000", "takeProfit=70000")
		v.post("/v5/order/amend", amendOf(id, "stopLoss=58000")).expectCode(t, 10001)
		v.post("/v5/order/amend", amendOf(id, "stopLoss=60001")).expectCode(t, 10001)
	})
}

// An untriggered order is amended and cancelled after the engine delay, too.
func TestUntriggeredOrderIsChangedLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, clock := slow(t)
		s := v.private("order")
		id := v.placed(market("triggerPrice=66000", "triggerDirection=1"))
		s.data("order")
		v.amends(id, "triggerPrice=67000")
		expect(t, v.found(id), "triggerPrice=66000")
		clock.Advance(engineDelay)
		expect(t, s.data("order"), "orderStatus=Untriggered", "triggerPrice=67000")
		v.post("/v5/order/cancel", cancelOf(id)).result(t)
		expect(t, v.found(id), "orderStatus=Untriggered")
		clock.Advance(engineDelay)
		expect(t, s.data("order"), "orderStatus=Deactivated", "cancelType=CancelByUser")
	})
}

// A trigger may precede both.
func TestTriggerPrecedesTheChange(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change    func(v *venue, id string)
		published []string
	}{
		"amend":  {func(v *venue, id string) { v.amends(id, "triggerPrice=67000") }, []string{"cancelType=UNKNOWN"}},
		"cancel": {func(v *venue, id string) { v.post("/v5/order/cancel", cancelOf(id)).result(v) }, []string{"cancelType=CancelByUser"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v, clock := slow(t)
				s := v.private("order")
				id := v.placed(market("triggerPrice=66000", "triggerDirection=1"))
				s.data("order")
				test.change(v, id)
				v.move("66100")
				expect(t, s.data("order"), "orderStatus=Triggered", "triggerPrice=66000")
				expect(t, s.data("order"), "orderStatus=Filled", "rejectReason=EC_NoError")
				clock.Advance(engineDelay)
				expect(t, s.data("order"), append(test.published, "orderId="+id, "orderStatus=Filled", "rejectReason=EC_OrigClOrdIDDoesNotExist")...)
			})
		})
	}
}

// Cancelling all acknowledges the orders found; each ends later, or fills before.
func TestAcknowledgedBeforeAllAreCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, clock := slow(t)
		resting, filled := v.placed(order()), v.placed(order("price=64500"))
		untriggered := v.placed(market("triggerPrice=70000", "triggerDirection=1"))
		s := v.private("order")
		if r := v.post("/v5/order/cancel-all", `{"category":"linear","settleCoin":"USDT"}`).result(t); len(r["list"].([]any)) != 3 || r["success"] != "1" {
			t.Errorf("result = %v, want success and a list of 3", r)
		}
		expect(t, v.found(resting), "orderStatus=New")
		expect(t, v.found(untriggered), "orderStatus=Untriggered")
		v.move("64000")
		expect(t, s.data("order"), "orderId="+filled, "orderStatus=Filled")
		clock.Advance(engineDelay)
		published := map[any]simtest.Object{}
		for len(published) < 3 {
			for _, row := range s.With("topic", "order")["data"].([]any) {
				published[row.(simtest.Object)["orderId"]] = row.(simtest.Object)
			}
		}
		expect(t, published[resting], "orderStatus=Cancelled", "cancelType=CancelByUser", "leavesQty=0")
		expect(t, published[untriggered], "orderStatus=Deactivated", "cancelType=CancelByUser")
		expect(t, published[filled], "orderStatus=Filled", "cancelType=CancelByUser", "rejectReason=EC_OrigClOrdIDDoesNotExist")
	})
}
