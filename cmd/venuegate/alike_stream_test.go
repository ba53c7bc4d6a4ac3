package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// bookTopic is the name of the BTCUSDT book on each venue's streams, for the match of
// injected faults.
var bookTopic = map[venues.Venue]string{
	venues.Binance: "btcusdt@depth", venues.Bybit: "orderbook.200.BTCUSDT", venues.OKX: "books:BTC-USDT-SWAP",
}

var streamSuite = suite{"streams", `{}`, []exemption{
	{"next candle", "venueTs", "OKX sends no message time with its candles"},
}, []scenario{
	{"orders, positions and balances", func(w *trader) {
		k := w.subscribe("orders", "positions", "account")
		for _, channel := range []string{"orders", "positions", "account"} {
			w.observe(channel, k.until(channel, func(m record) bool { return m.text("channel") == channel && m.text("type") == "snapshot" }))
		}
	}},
	{"topics are subscribed, rejected and unsubscribed", func(w *trader) {
		k := w.subscribe("trades:" + string(w.venue) + ":ETHUSDT")
		for _, m := range []string{
			`{"op":"subscribe","id":1,"channels":["book:%[1]s:BTC/USDT:USDT:5","book:%[1]s:NOPEUSDT:5","book:%[1]s:BTCUSDT:7","kline:%[1]s:BTCUSDT:7m","fills:%[1]s:BTCUSDT"]}`,
			`{"op":"unsubscribe","id":2,"channels":["book:%[1]s:BTCUSDT:5","trades:%[1]s:BTCUSDT"]}`,
		} {
			k.write(fmt.Sprintf(m, w.venue))
			w.observe("answer", k.until("an answer", func(m record) bool { return m["id"] != nil }))
		}
	}},
	{"a book", func(w *trader) {
		k := w.subscribe("book:" + string(w.venue) + ":BTCUSDT:5")
		snapshot := k.until("the snapshot", func(m record) bool { return m.text("type") == "snapshot" })
		w.observe("snapshot", snapshot)
		w.observe("best prices", record{"bid": bestOf(snapshot, "bids")[0], "ask": bestOf(snapshot, "asks")[0]})
		order := w.place(`"side":"buy","type":"limit","qty":"0.5","price":"65000"`)
		delta := k.until("the new level", func(m record) bool {
			return m.text("type") == "delta" && slices.Equal(bestOf(m, "bids"), []any{"65000", "0.5"})
		})
		w.observe("new level", firstLevel(delta))
		w.cancel(order)
		w.observe("level gone", firstLevel(k.until("its removal", func(m record) bool { return m.text("type") == "delta" })))
	}},
	{"a gap in a book", func(w *trader) {
		k := w.subscribe("book:" + string(w.venue) + ":BTCUSDT:5")
		k.until("the snapshot", func(m record) bool { return m.text("type") == "snapshot" })
		topic, known := bookTopic[w.venue]
		if !known {
			w.t.Fatalf("bookTopic lacks %s", w.venue)
		}
		post(w.t, w.control+"/faults", fmt.Sprintf(`{"match":{"op":%q},"do":"gap","times":1}`, topic))
		w.place(`"side":"buy","type":"limit","qty":"0.5","price":"64990"`)
		eventually(w.t, "the gap", func() bool {
			_, text := get(w.t, w.control+"/faults")
			return strings.Contains(text, `"struck":1`)
		})
		w.place(`"side":"buy","type":"limit","qty":"0.5","price":"64980"`)
		w.observe("stale", k.until("the stale message", func(m record) bool { return m.text("type") == "stale" }))
		w.observe("snapshot", k.until("the snapshot", func(m record) bool { return m.text("type") == "snapshot" }))
		w.trade(http.StatusOK, http.MethodDelete, "/v1/orders", "")
	}},
	{"trades", func(w *trader) {
		k := w.subscribe("trades:" + string(w.venue) + ":BTCUSDT")
		w.place(`"side":"buy","type":"limit","qty":"0.5","price":"65000"`)
		w.marketTrades("sell", "0.4")
		w.observe("trade", k.until("the trade", func(m record) bool { return m.text("data", "qty") == "0.4" }))
		w.trade(http.StatusOK, http.MethodDelete, "/v1/orders", "")
		w.flat()
	}},
	{"candles", func(w *trader) {
		k := w.subscribe("kline:" + string(w.venue) + ":BTCUSDT:1h")
		first := k.until("the snapshot", func(m record) bool { return m.text("type") == "snapshot" })
		delete(first, "venueTs") // present if the stream has published a candle before
		w.observe("first candle", first)
		traded := figure(first, "volume").Add(decimal.NewFromInt(5))
		w.place(`"side":"buy","type":"limit","qty":"5","price":"65000"`)
		w.marketTrades("sell", "5")
		candle := k.until("the candle", func(m record) bool {
			return m.text("type") == "update" && figure(m, "volume").GreaterThanOrEqual(traded)
		})
		w.observe("next candle", candle)
		w.observe("units", record{"turnover of a coin": figure(candle, "turnover").Sub(figure(first, "turnover")).DivRound(figure(candle, "volume").Sub(figure(first, "volume")), 8).String()})
		w.flat()
	}},
	{"the life of an order, as it is streamed", func(w *trader) {
		k := w.subscribe("orders")
		order := w.place(`"side":"buy","type":"limit","qty":"0.5","price":"65000"`)
		w.change(order, `"price":"64999.9","qty":"0.6"`)
		w.change(order, `"price":"65000","qty":"0.5"`)
		w.marketTrades("sell", "0.2")
		w.service.order(order.text("orderId"), "partially_filled")
		w.marketTrades("sell", "0.3")
		for n, m := range k.life("filled") {
			w.observe(fmt.Sprintf("step %d", n), m)
		}
		w.flat()
	}},
	{"the life of a position, as it is streamed", func(w *trader) {
		k := w.subscribe("positions")
		w.opens("0.5")
		w.observe("opened", k.until("the position", func(m record) bool { return m.text("data", "qty") == "0.5" }))
		w.send(http.StatusCreated, "/v1/positions/close", "")
		w.observe("closed", k.until("the end", func(m record) bool { return m.text("data", "qty") == "0" }))
	}},
	{"balances, as they are streamed", func(w *trader) {
		k := w.subscribe("account")
		w.place(`"side":"buy","type":"limit","qty":"0.5","price":"64000"`)
		w.observe("an order holds margin", k.until("the margin", func(m record) bool {
			return m.text("type") == "update" && figure(m, "usedMargin").IsPositive()
		}))
	}},
}}

// life reads the messages of one order up to its end, and returns the last message of
// each status.
func (k *socket) life(end string) []record {
	k.t.Helper()
	var steps []record
	state := func(m record) string {
		return strings.Join([]string{m.text("data", "status"), m.text("data", "filledQty"), m.text("data", "price"), m.text("data", "pendingAction")}, " ")
	}
	k.until(end, func(m record) bool {
		data, _ := m["data"].(map[string]any)
		switch {
		case m.text("type") != "update":
			return false
		case m.text("data", "status") == "pending":
			delete(data, "venueOrderId") // known earlier if the venue acknowledges first
		}
		if len(steps) > 0 && state(steps[len(steps)-1]) == state(m) {
			steps = steps[:len(steps)-1]
		}
		steps = append(steps, m)
		return m.text("data", "status") == end
	})
	return steps
}

// bestOf returns the best level of a side of a book message, nil if there is none.
func bestOf(m record, side string) []any {
	data, _ := m["data"].(map[string]any)
	levels, _ := data[side].([]any)
	if len(levels) == 0 {
		return nil
	}
	level, _ := levels[0].([]any)
	return slices.Clone(level)
}

// firstLevel returns a book message reduced to its best bid; other levels depend on
// the market.
func firstLevel(m record) record {
	m["data"] = map[string]any{"best": bestOf(m, "bids")}
	return m
}

// figure returns a decimal of a message's data.
func figure(m record, name string) decimal.Decimal {
	return venues.MustDecimal(m.text("data", name))
}
