package main

import (
	"fmt"
	"net/http"
	"slices"
)

var stopPart = part{"stops", `{}`, []exemption{
	{"amended", "replaces", "Binance amends no stop: a new order replaces it"},
	{"cancelled", "replaces", "as of the amended stop"},
}, []chapter{
	{"a stop waits, is amended and cancelled", func(w *teller) {
		stop := w.place(`"side":"buy","type":"stop_limit","qty":"0.02","triggerPrice":"66000","price":"66100"`)
		w.note("answer", stop)
		stop = w.change(stop, `"triggerPrice":"66500","price":"66600"`)
		w.note("amended", stop)
		w.note("cancelled", w.cancel(stop))
	}},
	{"a stop that opens is triggered", func(w *teller) {
		stop := w.place(`"side":"buy","type":"stop_market","qty":"0.01","triggerPrice":"65500"`)
		w.note("answer", stop)
		w.move("65600")
		w.note("filled", w.service.order(stop.text("orderId"), "filled"))
		w.noteFills(1)
		w.events("stop.triggered", "order.filled")
		w.flat()
	}},
	{"a stop limit is triggered and rests", func(w *teller) {
		stop := w.place(`"side":"buy","type":"stop_limit","qty":"0.02","triggerPrice":"65500","price":"65200"`)
		w.move("65600")
		w.note("open", w.service.order(stop.text("orderId"), "open"))
		w.events("stop.triggered")
		w.note("cancelled", w.cancel(stop))
	}},
	{"a reduce-only stop closes the position", func(w *teller) {
		w.opens("0.01")
		stop := w.place(`"side":"sell","type":"stop_market","qty":"0.01","triggerPrice":"64500","reduceOnly":true`)
		w.note("answer", stop)
		w.events("order.filled")
		w.move("64400")
		w.note("filled", w.service.order(stop.text("orderId"), "filled"))
		w.events("stop.triggered", "order.filled", "position.closed")
	}},
}}

var protectionPart = part{"protection", `{}`, []exemption{
	{"one is taken away", "protection/takeProfit/orderId", "on OKX one order holds both triggers: what is taken away was none of its own"},
}, []chapter{
	{"protection of an order that rests", func(w *teller) {
		order := w.place(`"side":"buy","type":"limit","qty":"0.02","price":"64000","stopLoss":"63000","takeProfit":"66000"`)
		w.note("answer", order)
		w.note("moved", w.change(order, `"stopLoss":"63100"`))
		w.note("taken away", w.change(order, `"takeProfit":null`))
		w.note("cancelled", w.cancel(order))
	}},
	{"protection of a position is moved", func(w *teller) {
		k := w.subscribe("positions")
		order := w.guarded()
		w.note("streamed position", k.until("what protects it", func(m record) bool {
			return m.text("data", "stopLoss") == "64000" && m.text("data", "takeProfit") == "66000"
		}))
		w.note("order", order)
		w.note("position", w.protectedPosition("64000", "66000"))
		w.note("moved", w.change(order, `"stopLoss":"64100"`))
		w.note("moved position", w.protectedPosition("64100", "66000"))
		w.note("one is taken away", w.change(order, `"takeProfit":null`))
		w.note("position with one", w.protectedPosition("64100", ""))
		w.flat()
	}},
	{"a stop loss closes the position", func(w *teller) { w.leaves("63900") }},
	{"a take profit closes the position", func(w *teller) { w.leaves("66100") }},
	{"a position closed by hand takes its protection along", func(w *teller) {
		order := w.guarded()
		w.events("order.filled")
		w.send(http.StatusCreated, "/v1/positions/close", "")
		w.events("order.filled", "position.closed")
		w.note("order", w.until("the end of its protection", func() record { return w.get("/v1/orders/" + order.text("orderId")) }, func(o record) bool {
			return o.text("protection", "stopLoss", "status") == "cancelled" && o.text("protection", "takeProfit", "status") == "cancelled"
		}))
		w.note("open orders", record{"items": w.get("/v1/orders")["items"]})
	}},
}}

// guarded opens a position with both legs and waits until they live.
func (w *teller) guarded() record {
	w.t.Helper()
	w.knowsThePrice()
	order := w.place(`"side":"buy","type":"market","qty":"0.01","stopLoss":"64000","takeProfit":"66000"`)
	return w.until("protection", func() record { return w.get("/v1/orders/" + order.text("orderId")) }, func(o record) bool {
		return o.text("protection", "stopLoss", "status") == "live" && o.text("protection", "takeProfit", "status") == "live"
	})
}

// protectedPosition waits until the position says how it is protected.
func (w *teller) protectedPosition(stopLoss, takeProfit string) record {
	w.t.Helper()
	return w.until(fmt.Sprintf("protection at %s and %s", stopLoss, takeProfit), func() record { return w.position("long", "0.01") }, func(p record) bool {
		return p.text("stopLoss") == stopLoss && p.text("takeProfit") == takeProfit
	})
}

// leaves lets the market go where one of the legs closes the position.
func (w *teller) leaves(price string) {
	w.t.Helper()
	order := w.guarded()
	w.events("order.filled")
	w.move(price)
	w.events("stop.triggered", "order.filled", "position.closed")
	w.note("order", w.until("the end of its protection", func() record { return w.get("/v1/orders/" + order.text("orderId")) }, func(o record) bool {
		stop, profit := o.text("protection", "stopLoss", "status"), o.text("protection", "takeProfit", "status")
		return stop == "triggered" && profit == "cancelled" || stop == "cancelled" && profit == "triggered"
	}))
	w.noteFills(2)
	w.note("open orders", record{"items": w.get("/v1/orders")["items"]})
}

// knowsThePrice waits until the service has heard where the market stands: what
// protects a market order is held against that.
func (w *teller) knowsThePrice() {
	w.t.Helper()
	is := func(e record) bool { return e.text("type") == "alert.fired" }
	for _, op := range []string{"above", "below"} {
		before := len(w.get("/v1/events?limit=500").items())
		value := map[string]string{"above": "64999", "below": "65001"}[op]
		w.administer(http.StatusCreated, http.MethodPost, "alerts", fmt.Sprintf(
			`{"customer":%q,"exchange":%q,"symbol":"BTCUSDT","condition":{"field":"mark","op":%q,"value":%q}}`, w.id, w.venue, op, value))
		eventually(w.t, "the price", func() bool { return slices.ContainsFunc(w.get("/v1/events?limit=500").items()[before:], is) })
	}
	w.heardEvents = len(w.get("/v1/events?limit=500").items())
}
