package main

import (
	"fmt"
	"net/http"
)

var recordSuite = suite{"records and rejections", `{}`, []exemption{
	{"too much margin", "error/details/venueSubCode", "OKX alone has codes below its codes"},
	{"instrument", "minNotional", "OKX has none: the least quantity is its only floor"},
}, []scenario{
	{"instrument", func(w *trader) {
		w.observe("instrument", w.until("the leverage", func() record { return w.list("/v1/instruments")[0] },
			func(i record) bool { return i["maxLeverage"] != nil }))
	}},
	{"requests that are refused before they are sent", func(w *trader) {
		for _, r := range []struct{ name, order string }{
			{"price off the tick", `"side":"buy","type":"limit","qty":"0.02","price":"64000.05"`},
			{"quantity off the step", `"side":"buy","type":"limit","qty":"0.02000001","price":"64000"`},
			{"quantity below the least", `"side":"buy","type":"limit","qty":"0.0000001","price":"64000"`},
			{"stop loss above the entry", `"side":"buy","type":"limit","qty":"0.02","price":"64000","stopLoss":"64500"`},
			{"stop loss above the market", `"side":"buy","type":"market","qty":"0.02","stopLoss":"66000"`},
			{"reduce-only that is protected", `"side":"sell","type":"limit","qty":"0.02","price":"66000","reduceOnly":true,"stopLoss":"66500","takeProfit":"65500"`},
			{"fill-or-kill that is post-only", `"side":"buy","type":"limit","qty":"0.02","price":"64000","timeInForce":"fok","postOnly":true`},
		} {
			w.refused(r.name, http.StatusBadRequest, "/v1/orders", r.order)
		}
	}},
	{"requests that the venue or its state refuses", func(w *trader) {
		w.refused("too much margin", http.StatusUnprocessableEntity, "/v1/orders", `"side":"buy","type":"limit","qty":"40","price":"64000"`)
		w.refused("reduce-only without a position", http.StatusUnprocessableEntity, "/v1/orders", `"side":"sell","type":"market","qty":"0.02","reduceOnly":true`)
		w.refused("close without a position", http.StatusUnprocessableEntity, "/v1/positions/close", "")
		w.refused("leverage above the maximum", http.StatusUnprocessableEntity, "/v1/positions/leverage", `"leverage":"9999"`)
		w.observe("unknown symbol", w.trade(http.StatusUnprocessableEntity, http.MethodPost, "/v1/orders",
			fmt.Sprintf(`{"exchange":%q,"symbol":"NOPEUSDT","side":"buy","type":"market","qty":"1"}`, w.venue)))
		w.observe("no order after all", record{"items": w.get("/v1/orders")["items"]})
	}},
}}

var orderSuite = suite{"orders", `{}`, []exemption{
	{"post-only that would take", "error/venueCode", "Binance rejects it in the response, with a code; the others cancel it, with a reason"},
	{"post-only that would take", "venueOrderId", "Binance refuses it in the answer: there is no order"},
	{"fill-or-kill without a match", "error/venueCode", "as of a post-only order"},
	{"fill-or-kill without a match", "venueOrderId", "as of a post-only order"},
	{"immediate-or-cancel without a match", "error/venueMessage", "Binance gives no reason: the order is just expired"},
}, []scenario{
	{"a market order", func(w *trader) {
		placed := w.ended(w.place(`"side":"buy","type":"market","qty":"0.01","comment":"first"`))
		w.observe("answer", placed)
		w.observe("record", w.service.order(placed.text("orderId"), "filled"))
		w.observeFills(1)
		w.observe("closed orders", w.list("/v1/orders?status=closed")[0])
		w.flat()
	}},
	{"a resting order is amended and cancelled", func(w *trader) {
		order := w.place(`"side":"buy","type":"limit","qty":"0.02","price":"64000","requestId":"alike-1"`)
		w.observe("answer", order)
		w.refused("a repeat", http.StatusConflict, "/v1/orders", `"side":"buy","type":"limit","qty":"0.02","price":"64000","requestId":"alike-1"`)
		w.observe("open orders", w.list("/v1/orders")[0])
		order = w.change(order, `"price":"63900","qty":"0.03"`)
		w.observe("amended", order)
		w.observe("amended in vain", w.trade(http.StatusBadRequest, http.MethodPatch, "/v1/orders/"+order.text("orderId"), `{"price":"63900.05"}`))
		w.observe("cancelled", w.cancel(order))
		w.observe("cancelled twice", w.trade(http.StatusNotFound, http.MethodDelete, "/v1/orders/"+order.text("orderId"), ""))
		w.observe("amended too late", w.trade(http.StatusNotFound, http.MethodPatch, "/v1/orders/"+order.text("orderId"), `{"price":"63800"}`))
	}},
	{"an order is filled in part, then whole", func(w *trader) {
		order := w.place(`"side":"buy","type":"limit","qty":"0.5","price":"65000"`)
		w.marketTrades("sell", "0.2")
		w.observe("in part", w.service.order(order.text("orderId"), "partially_filled"))
		w.observe("amended to less than is filled", w.trade(http.StatusBadRequest, http.MethodPatch, "/v1/orders/"+order.text("orderId"), `{"qty":"0.1"}`))
		w.marketTrades("sell", "0.3")
		w.observe("whole", w.service.order(order.text("orderId"), "filled"))
		w.observeFills(2)
		w.flat()
	}},
	{"an order is filled in part, then cancelled", func(w *trader) {
		order := w.place(`"side":"sell","type":"limit","qty":"0.5","price":"65000"`)
		w.marketTrades("buy", "0.2")
		w.service.order(order.text("orderId"), "partially_filled")
		w.observe("cancelled", w.cancel(order))
		w.flat()
	}},
	{"orders that end at once", func(w *trader) {
		w.endsWith("post_only_would_take", "post-only that would take", w.ended(w.place(`"side":"buy","type":"limit","qty":"0.02","price":"65500","postOnly":true`)))
		resting := w.place(`"side":"buy","type":"limit","qty":"0.02","price":"64000","postOnly":true`)
		w.observe("post-only that rests", resting)
		w.cancel(resting)
		w.endsWith("ioc_not_filled", "immediate-or-cancel without a match", w.ended(w.place(`"side":"buy","type":"limit","qty":"0.02","price":"64000","timeInForce":"ioc"`)))
		w.endsWith("fok_not_filled", "fill-or-kill without a match", w.ended(w.place(`"side":"buy","type":"limit","qty":"0.02","price":"64000","timeInForce":"fok"`)))
		w.observe("immediate-or-cancel", w.service.order(w.place(`"side":"buy","type":"limit","qty":"0.01","price":"65500","timeInForce":"ioc"`).text("orderId"), "filled"))
		w.flat()
	}},
	{"all orders are cancelled", func(w *trader) {
		w.place(`"side":"buy","type":"limit","qty":"0.02","price":"64000"`)
		w.place(`"side":"sell","type":"stop_market","qty":"0.02","triggerPrice":"60000"`)
		w.observe("answer", w.trade(http.StatusOK, http.MethodDelete, "/v1/orders?symbol=BTCUSDT&exchange="+string(w.venue), ""))
		w.observe("what is left", record{"items": w.get("/v1/orders")["items"]})
	}},
}}

// endsWith observes an order that has ended at once, with the text of its error, which must
// have the code.
func (w *trader) endsWith(code, name string, order record) {
	w.t.Helper()
	if order.text("error", "code") != code {
		w.t.Errorf("%s: error = %v, want the code %s", name, order["error"], code)
	}
	w.observe(name, order)
	w.observe(name+", text", record{"error text": order.text("error", "message")})
}
