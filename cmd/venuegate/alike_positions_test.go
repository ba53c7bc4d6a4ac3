package main

import (
	"net/http"

	"venuegate/venues"
)

var positionSuite = suite{"positions", `{}`, []exemption{
	{"position", "liquidationPrice", "Bybit reports none outside its price limits"},
	{"fill 0", "liquidity", "OKX does not report it for a liquidation"},
}, []scenario{
	{"a position is opened, added to, reduced and closed", func(w *trader) {
		w.opens("0.3")
		w.observe("opened", w.position("long", "0.3"))
		w.observe("account", w.account(true))
		w.opens("0.2")
		w.observe("added to", w.position("long", "0.5"))
		w.move("64000")
		w.observe("part closed", w.ended(w.send(http.StatusCreated, "/v1/positions/close", `"qty":"0.01","requestId":"close-1"`)))
		w.observe("reduced", w.position("long", "0.49"))
		rest := w.place(`"side":"sell","type":"limit","qty":"0.49","price":"64000","reduceOnly":true`)
		w.move("64000")
		w.observe("closed", w.service.order(rest.text("orderId"), "filled"))
		w.eventsOf("position.closed")
		w.observe("no position", w.until("the end", func() record { return w.get("/v1/positions?symbol=BTCUSDT&exchange=" + string(w.venue)) },
			func(list record) bool { return len(list.items()) == 0 }))
		w.observe("account without a position", w.account(false))
	}},
	{"a position is turned round", func(w *trader) {
		w.opens("0.01")
		w.place(`"side":"sell","type":"market","qty":"0.02"`)
		w.observe("position", w.position("short", "0.01"))
		w.events("order.filled", "order.filled", "position.closed")
		w.flat()
	}},
	{"leverage", func(w *trader) {
		w.observe("set", w.send(http.StatusOK, "/v1/positions/leverage", `"leverage":"7"`))
		w.observe("set again", w.send(http.StatusOK, "/v1/positions/leverage", `"leverage":"7"`))
		w.opens("0.1")
		w.observe("position", w.position("long", "0.1"))
		w.observe("set while open", w.send(http.StatusOK, "/v1/positions/leverage", `"leverage":"9"`))
		w.observe("position after", w.until("the new leverage", func() record { return w.position("long", "0.1") }, func(p record) bool { return p.text("leverage") == "9" }))
		w.flat()
	}},
	{"a position large enough to be liquidated", func(w *trader) {
		w.send(http.StatusOK, "/v1/positions/leverage", `"leverage":"20"`)
		w.opens("5")
		w.observe("position", w.until("its liquidation price", func() record { return w.position("long", "5") },
			func(p record) bool { return p["liquidationPrice"] != nil }))
		w.events("order.filled")
		w.move("40000")
		w.eventsOf("position.closed")
		w.observeFills(2)
		w.observe("positions", w.get("/v1/positions"))
	}},
}}

var hedgeSuite = suite{"hedge mode", `{"positionMode":"hedge"}`, []exemption{
	{"short", "liquidationPrice", "Bybit reports none outside its price limits"},
}, []scenario{
	{"both sides", func(w *trader) {
		w.service.order(w.place(`"side":"buy","type":"market","qty":"0.02"`).text("orderId"), "filled")
		w.service.order(w.place(`"side":"sell","type":"market","qty":"0.01"`).text("orderId"), "filled")
		w.observe("long", w.position("long", "0.02"))
		w.observe("short", w.position("short", "0.01"))
		less := w.place(`"side":"sell","type":"market","qty":"0.01","reduceOnly":true`)
		w.observe("less of the long one", w.service.order(less.text("orderId"), "filled"))
		w.observe("long after", w.position("long", "0.01"))
		w.observe("close without a side", w.send(http.StatusUnprocessableEntity, "/v1/positions/close", ""))
		w.observe("stop of the short one", w.place(`"side":"buy","type":"stop_market","qty":"0.01","triggerPrice":"66000","reduceOnly":true`))
		w.observeFills(3)
	}},
}}

// account waits for the account record of an account with or without a position.
func (w *trader) account(holds bool) record {
	w.t.Helper()
	return w.until("the margin", func() record { return w.get("/v1/account?exchange=" + string(w.venue)).items()[0] },
		func(a record) bool { return venues.MustDecimal(a.text("usedMargin")).IsPositive() == holds })
}
