package main

import (
	"fmt"
	"net/http"
	"slices"
)

var stopSuite = suite{"stops", `{}`, []exemption{
	{"amended", "replaces", "Binance amends no stop: a new order replaces it"},
	{"cancelled", "replaces", "as of the amended stop"},
}, []scenario{
	{"a stop waits, is amended and cancelled", func(w *trader) {
		stop := w.place(`"side":"buy","type":"stop_limit","qty":"0.02","triggerPrice":"66000","price":"66100"`)
		w.observe("answer", stop)
		stop = w.change(stop, `"triggerPrice":"66500","price":"66600"`)
		w.observe("amended", stop)
		w.observe("cancelled", w.cancel(stop))
	}},
	{"a stop that opens is triggered", func(w *trader) {
		stop := w.place(`"side":"buy","type":"stop_market","qty":"0.01","triggerPrice":"65500"`)
		w.observe("answer", stop)
		w.move("65600")
		w.observe("filled", w.service.order(stop.text("orderId"), "filled"))
		w.observeFills(1)
		w.events("stop.triggered", "order.filled")
		w.flat()
	}},
	{"a stop limit is triggered and rests", func(w *trader) {
		stop := w.place(`"side":"buy","type":"stop_limit","qty":"0.02","triggerPrice":"65500","price":"65200"`)
		w.move("65600")
		w.observe("open", w.service.order(stop.text("orderId"), "open"))
		w.events("stop.triggered")
		w.observe("cancelled", w.cancel(stop))
	}},
	{"a reduce-only stop closes the position", func(w *trader) {
		w.opens("0.01")
		stop := w.place(`"side":"sell","type":"stop_market","qty":"0.01","triggerPrice":"64500","reduceOnly":true`)
		w.observe("answer", stop)
		w.events("order.filled")
		w.move("64400")
		w.observe("filled", w.service.order(stop.text("orderId"), "filled"))
		w.events("stop.triggered", "order.filled", "position.closed")
	}},
}}

var protectionSuite = suite{"protection", `{}`, []exemption{
	{"one is taken away", "protection/takeProfit/orderId", "on OKX one order holds both triggers: what is taken away was none of its own"},
}, []scenario{
	{"protection of an order that rests", func(w *trader) {
		order := w.place(`"side":"buy","type":"limit","qty":"0.02","price":"64000","stopLoss":"63000","takeProfit":"66000"`)
		w.observe("answer", order)
		w.observe("moved", w.change(order, `"stopLoss":"63100"`))
		w.observe("taken away", w.change(order, `"takeProfit":null`))
		w.observe("cancelled", w.cancel(order))
	}},
	{"protection of a position is moved", func(w *trader) {
		k := w.subscribe("positions")
		order := w.openProtected()
		w.observe("streamed position", k.until("what protects it", func(m record) bool {
			return m.text("data", "stopLoss") == "64000" && m.text("data", "takeProfit") == "66000"
		}))
		w.observe("order", order)
		w.observe("position", w.protectedPosition("64000", "66000"))
		w.observe("moved", w.change(order, `"stopLoss":"64100"`))
		w.observe("moved position", w.protectedPosition("64100", "66000"))
		w.observe("one is taken away", w.change(order, `"takeProfit":null`))
		w.observe("position with one", w.protectedPosition("64100", ""))
		w.flat()
	}},
	{"a stop loss closes the position", func(w *trader) { w.moveToLeg("63900") }},
	{"a take profit closes the position", func(w *trader) { w.moveToLeg("66100") }},
	{"a position closed by hand takes its protection along", func(w *trader) {
		order := w.openProtected()
		w.events("order.filled")
		w.send(http.StatusCreated, "/v1/positions/close", "")
		w.events("order.filled", "position.closed")
		w.observe("order", w.until("the end of its protection", func() record { return w.get("/v1/orders/" + order.text("orderId")) }, func(o record) bool {
			return o.text("protection", "stopLoss", "status") == "cancelled" && o.text("protection", "takeProfit", "status") == "cancelled"
		}))
		w.observe("open orders", record{"items": w.get("/v1/orders")["items"]})
	}},
}}

// openProtected opens a position with stop loss and take profit and waits until both
// are open.
func (w *trader) openProtected() record {
	w.t.Helper()
	w.waitForPrice()
	order := w.place(`"side":"buy","type":"market","qty":"0.01","stopLoss":"64000","takeProfit":"66000"`)
	return w.until("protection", func() record { return w.get("/v1/orders/" + order.text("orderId")) }, func(o record) bool {
		return o.text("protection", "stopLoss", "status") == "live" && o.text("protection", "takeProfit", "status") == "live"
	})
}

// protectedPosition waits until the position shows its protection.
func (w *trader) protectedPosition(stopLoss, takeProfit string) record {
	w.t.Helper()
	return w.until(fmt.Sprintf("protection at %s and %s", stopLoss, takeProfit), func() record { return w.position("long", "0.01") }, func(p record) bool {
		return p.text("stopLoss") == stopLoss && p.text("takeProfit") == takeProfit
	})
}

// moveToLeg moves the market to a price at which a leg closes the position.
func (w *trader) moveToLeg(price string) {
	w.t.Helper()
	order := w.openProtected()
	w.events("order.filled")
	w.move(price)
	w.events("stop.triggered", "order.filled", "position.closed")
	w.observe("order", w.until("the end of its protection", func() record { return w.get("/v1/orders/" + order.text("orderId")) }, func(o record) bool {
		stop, profit := o.text("protection", "stopLoss", "status"), o.text("protection", "takeProfit", "status")
		return stop == "triggered" && profit == "cancelled" || stop == "cancelled" && profit == "triggered"
	}))
	w.observeFills(2)
	w.observe("open orders", record{"items": w.get("/v1/orders")["items"]})
}

// waitForPrice waits until the service knows the market price, against which the
// protection of a market order is checked.
func (w *trader) waitForPrice() {
	w.t.Helper()
	is := func(e record) bool { return e.text("type") == "alert.fired" }
	for _, op := range []string{"above", "below"} {
		before := len(w.get("/v1/events?limit=500").items())
		value := map[string]string{"above": "64999", "below": "65001"}[op]
		w.administer(http.StatusCreated, http.MethodPost, "alerts", fmt.Sprintf(
			`{"customer":%q,"exchange":%q,"symbol":"BTCUSDT","condition":{"field":"mark","op":%q,"value":%q}}`, w.id, w.venue, op, value))
		eventually(w.t, "the price", func() bool { return slices.ContainsFunc(w.get("/v1/events?limit=500").items()[before:], is) })
	}
	w.seenEvents = len(w.get("/v1/events?limit=500").items())
}
