package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"venuegate/venues"
)

var marketSuite = suite{"market data by REST", `{}`, []exemption{
	{"ticker*", "turnover24h", "OKX does not publish it"},
}, []scenario{
	{"tickers", func(w *trader) {
		w.place(`"side":"buy","type":"limit","qty":"0.6","price":"65000"`)
		w.marketTrades("sell", "0.4")
		ticker := w.until("the ticker", func() record { return w.market("tickers", "").items()[0] }, func(m record) bool {
			return m.text("last") == "65000" && m.text("bid") == "65000" && m.text("bidQty") == "0.2"
		})
		if low, high := venues.MustDecimal(ticker.text("low24h")), venues.MustDecimal(ticker.text("high24h")); low.GreaterThan(high) {
			w.t.Errorf("low24h = %s, high24h = %s, want a range", low, high)
		}
		w.observe("ticker", ticker)
		all := w.get("/v1/tickers?exchange=" + string(w.venue)).items()
		mine := slices.IndexFunc(all, func(m record) bool { return m.text("symbol") == "BTCUSDT" })
		if listed := w.get("/v1/instruments?status=trading&exchange=" + string(w.venue)).items(); mine < 0 || len(all) < len(listed) {
			w.t.Fatalf("%d tickers, want those of the %d that are traded at least", len(all), len(listed))
		}
		w.observe("ticker in the list", all[mine])
		w.trade(http.StatusOK, http.MethodDelete, "/v1/orders", "")
		w.flat()
	}},
	{"a book", func(w *trader) {
		read := func() record { return w.market("book", "&depth=5") }
		order := w.place(`"side":"buy","type":"limit","qty":"0.5","price":"65000"`)
		placed := func(m record) bool { return slices.Equal(bestOf(m, "bids"), []any{"65000", "0.5"}) }
		book := w.until("the order in the book", read, placed)
		w.observe("book", book)
		w.observe("best prices", record{"bid": bestOf(book, "bids"), "ask": bestOf(book, "asks")[0]})
		w.cancel(order)
		k := w.subscribe("book:" + string(w.venue) + ":BTCUSDT:5")
		snapshot := k.until("the snapshot", func(m record) bool { return m.text("type") == "snapshot" })
		if got, want := figureOf(read(), "seq"), figureOf(snapshot, "seq"); got < want {
			w.t.Errorf("seq = %v beside a subscription, want that of the channel, %v or later", got, want)
		}
	}},
	{"trades", func(w *trader) {
		trade := func(limit string) record {
			return w.until("the trade", func() record { return w.market("trades", "&limit="+limit).items()[0] },
				func(t record) bool { return t.text("qty") == "0.4" })
		}
		w.place(`"side":"buy","type":"limit","qty":"1.1","price":"65000"`)
		w.marketTrades("sell", "0.4")
		w.observe("of the venue", trade("1000"))
		k := w.subscribe("trades:" + string(w.venue) + ":BTCUSDT")
		w.marketTrades("sell", "0.3")
		streamed := k.until("the next trade", func(m record) bool { return m.text("data", "qty") == "0.3" })
		w.marketTrades("sell", "0.4")
		k.until("the last trade", func(m record) bool { return m.text("data", "qty") == "0.4" })
		kept := w.market("trades", "&limit=2").items()
		w.observe("of the stream", kept[1])
		w.flat()
		if kept[0].text("qty") != "0.4" || !maps.Equal(kept[1], streamed["data"].(map[string]any)) {
			w.t.Errorf("trades = %v, want one of 0.4 and before it %v", kept, streamed["data"])
		}
	}},
	{"venues", func(w *trader) {
		items := w.get("/v1/venues").items()
		mine := slices.IndexFunc(items, func(v record) bool { return v.text("exchange") == string(w.venue) })
		if len(items) != len(venues.All()) || mine < 0 || items[mine]["connected"] != true {
			w.t.Fatalf("venues = %v, want all of them, and %s connected", items, w.venue)
		}
		delete(items[mine], "clockOffsetMs") // depends on the machine
		w.observe("venue", items[mine])
	}},
	{"reads that are refused", func(w *trader) {
		for _, query := range []string{"symbol=NOPEUSDT", "symbol=BTCUSDT&depth=7", "depth=5"} {
			status := http.StatusBadRequest
			if query == "symbol=NOPEUSDT" {
				status = http.StatusUnprocessableEntity
			}
			w.observe(query, w.trade(status, http.MethodGet, fmt.Sprintf("/v1/book?exchange=%s&%s", w.venue, query), ""))
		}
	}},
}}

// market reads market data of BTCUSDT at the venue.
func (w *trader) market(what, query string) record {
	w.t.Helper()
	return w.get(fmt.Sprintf("/v1/%s?exchange=%s&symbol=BTC-USDT-SWAP%s", what, w.venue, query))
}

// figureOf returns a number of a message.
func figureOf(m record, name string) float64 {
	n, _ := m[name].(float64)
	return n
}
