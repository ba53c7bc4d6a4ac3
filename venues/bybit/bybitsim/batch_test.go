package bybitsim_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"venuegate/venues/simcore/simtest"
)

// batchOf returns the body of a batch of orders.
func batchOf(elements ...string) string {
	return `{"category":"linear","request":[` + strings.Join(elements, ",") + `]}`
}

// element is order without its category, which a batch has once.
func element(changes ...string) string {
	return strings.Replace(order(changes...), `"category":"linear",`, "", 1)
}

// expectElements compares the codes of a batch with want; a failed order has no id.
func expectElements(t *testing.T, rows, codes any, want ...int) []simtest.Object {
	t.Helper()
	list, _ := rows.(simtest.Object)["list"].([]any)
	extended, _ := codes.(simtest.Object)["list"].([]any)
	if len(list) != len(want) || len(extended) != len(want) {
		t.Fatalf("%d rows and %d codes, want %d: %v %v", len(list), len(extended), len(want), rows, codes)
	}
	orders := []simtest.Object{}
	for n := range want {
		row, code := list[n].(simtest.Object), extended[n].(simtest.Object)
		if simtest.Expect(t, code, simtest.Object{"code": want[n]}); want[n] == 0 {
			simtest.Expect(t, code, simtest.Object{"msg": "OK"})
			simtest.Expect(t, row, simtest.Object{"orderId": simtest.Any})
		} else {
			simtest.Expect(t, row, simtest.Object{"orderId": ""})
		}
		simtest.Expect(t, row, simtest.Object{"category": "linear", "symbol": "BTCUSDT"})
		orders = append(orders, row)
	}
	return orders
}

// expectBatch is expectElements for an answer over REST.
func (r reply) expectBatch(t *testing.T, want ...int) []simtest.Object {
	t.Helper()
	whole := r.Object(t)
	simtest.Expect(t, whole, simtest.Object{"retCode": 0, "retMsg": "OK"})
	return expectElements(t, whole["result"], whole["retExtInfo"], want...)
}

// A batch is a success in which each order has its own code.
func TestBatches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		rows := v.post("/v5/order/create-batch", batchOf(element("orderLinkId=a"), element("orderLinkId=b", "qty=100"), element("orderLinkId=c", "price=61000"))).
			expectBatch(t, 0, 110007, 0)
		simtest.ExpectRows(t, rows, simtest.Object{"orderLinkId": "a", "createAt": simtest.Any}, simtest.Object{"orderLinkId": "b", "createAt": ""}, simtest.Object{"orderLinkId": "c"})
		first, third := rows[0]["orderId"].(string), rows[2]["orderId"].(string)
		expect(t, v.found(first), "orderStatus=New", "price=60000", "orderLinkId=a")
		rows = v.post("/v5/order/amend-batch", batchOf(
			`{"symbol":"BTCUSDT","orderId":"`+first+`","price":"60100"}`, `{"symbol":"BTCUSDT","orderLinkId":"none","price":"60100"}`, `{"symbol":"BTCUSDT","orderLinkId":"c","qty":"0.02"}`)).
			expectBatch(t, 0, 110001, 0)
		simtest.ExpectRows(t, rows, simtest.Object{"orderId": first, "orderLinkId": "a", "createAt": nil}, simtest.Object{"orderLinkId": "none"}, simtest.Object{"orderId": third})
		expect(t, v.found(first), "price=60100")
		expect(t, v.found(third), "qty=0.02")
		v.post("/v5/order/cancel-batch", batchOf(`{"symbol":"BTCUSDT","orderId":"`+first+`"}`, `{"symbol":"BTCUSDT","orderLinkId":"none"}`)).expectBatch(t, 0, 110001)
		expect(t, v.found(first), "orderStatus=Cancelled")
		expect(t, v.found(third), "orderStatus=New")
	})
}

// Conditional orders can be created and cancelled in a batch, not amended.
func TestBatchOfConditionalOrders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.post("/v5/order/create-batch", batchOf(element("orderLinkId=stop", "triggerPrice=70000", "triggerDirection=1"))).expectBatch(t, 0)
		v.post("/v5/order/amend-batch", batchOf(`{"symbol":"BTCUSDT","orderLinkId":"stop","triggerPrice":"71000"}`)).expectBatch(t, 110001)
		v.post("/v5/order/cancel-batch", batchOf(`{"symbol":"BTCUSDT","orderLinkId":"stop"}`)).expectBatch(t, 0)
	})
}

// Each order of a batch counts against the limit of the endpoint, which single orders
// do not use. Those beyond it are rejected.
func TestBatchesAreLimitedByOrders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		elements := func(n int) []string {
			all := []string{}
			for range n {
				all = append(all, element())
			}
			return all
		}
		r := v.post("/v5/order/create-batch", batchOf(elements(8)...))
		r.ExpectHeader(t, "X-Bapi-Limit", "10")
		r.ExpectHeader(t, "X-Bapi-Limit-Status", "2")
		r = v.post("/v5/order/create-batch", batchOf(elements(4)...))
		r.expectBatch(t, 0, 0, 10006, 10006)
		v.post("/v5/order/create-batch", batchOf(element())).expectCode(t, 10006)
		v.post("/v5/order/create", order()).expectCode(t, 0)
	})
}

func TestMalformedBatches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := funded(t)
		many := make([]string, 21)
		for n := range many {
			many[n] = element()
		}
		for name, body := range map[string]string{
			"no category": `{"request":[` + element() + `]}`, "other category": strings.Replace(batchOf(element()), "linear", "spot", 1),
			"no orders": batchOf(), "no list": `{"category":"linear","request":{}}`, "too many": batchOf(many...), "number": `{"category":"linear","request":[1]}`,
		} {
			if got := v.post("/v5/order/create-batch", body).code(t); got != 10001 {
				t.Errorf("%s: code %d, want 10001", name, got)
			}
		}
		simtest.ExpectRows(t, v.get("/v5/order/realtime", "category=linear&symbol=BTCUSDT").rows(t))
		v.post("/v5/order/create-batch", batchOf(many[:20]...)).expectBatch(t, make([]int, 20)...)
	})
}

// The order entry socket takes batches with the same answers and limits.
func TestBatchesOverTheTradeSocket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.trader()
		call := func(op, arg string, want ...int) []simtest.Object {
			m := s.call(op, arg)
			simtest.Expect(t, m, simtest.Object{"retCode": 0, "retMsg": "OK", "op": op})
			simtest.Equal(t, "left of "+op, fmt.Sprint(header(m, "X-Bapi-Limit-Status")), fmt.Sprint(10-len(want)))
			return expectElements(t, m["data"], m["retExtInfo"], want...)
		}
		rows := call("order.create-batch", batchOf(element("orderLinkId=a"), element("positionIdx=1"), element("orderLinkId=b")), 0, 10001, 0)
		id := rows[0]["orderId"].(string)
		call("order.amend-batch", batchOf(`{"symbol":"BTCUSDT","orderId":"`+id+`","price":"60200"}`), 0)
		expect(t, v.found(id), "price=60200")
		call("order.cancel-batch", batchOf(`{"symbol":"BTCUSDT","orderLinkId":"a"}`, `{"symbol":"BTCUSDT","orderLinkId":"b"}`), 0, 0)
		expect(t, v.found(id), "orderStatus=Cancelled")
		simtest.Expect(t, s.call("order.create-batch", batchOf()), simtest.Object{"retCode": 10001, "retExtInfo": simtest.Any})
		simtest.Expect(t, s.call("order.create-batch", batchOf(element())), simtest.Object{"retCode": 0})
	})
}
