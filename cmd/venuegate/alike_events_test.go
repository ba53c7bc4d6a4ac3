package main

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
)

var eventSuite = suite{"events", `{}`, nil, []scenario{
	{"fills, as events", func(w *trader) {
		order := w.place(`"side":"buy","type":"limit","qty":"0.5","price":"65000","comment":"events"`)
		w.marketTrades("sell", "0.2")
		w.events("order.partially_filled")
		w.marketTrades("sell", "0.3")
		w.service.order(order.text("orderId"), "filled")
		w.events("order.filled")
		w.send(http.StatusCreated, "/v1/positions/close", `"qty":"0.01"`)
		w.events("order.filled")
		w.send(http.StatusCreated, "/v1/positions/close", "")
		w.eventsOf("position.closed")
	}},
	{"a signal", func(w *trader) {
		made := w.administer(http.StatusCreated, http.MethodPost, "hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"alike","rules":{}}`, w.id))
		hook := DemoHook{made.text("id"), made.text("url"), made.text("secret")}
		w.observe("order", w.fire(http.StatusAccepted, hook, orderSignal(string(w.venue), "BTCUSDT", "buy", "0.01", `,"comment":"signal"`)))
		w.events("order.filled")
		w.observe("close", w.fire(http.StatusAccepted, hook, fmt.Sprintf(`{"action":"close","exchange":%q,"symbol":"BTCUSDT"}`, w.venue)))
		w.events("order.filled", "position.closed")
		w.observe("nothing to close", w.fire(http.StatusUnprocessableEntity, hook, fmt.Sprintf(`{"action":"close","exchange":%q,"symbol":"BTCUSDT","requestId":"again"}`, w.venue)))
	}},
	{"an alert", func(w *trader) {
		for _, field := range []string{"mark", "last"} {
			w.administer(http.StatusCreated, http.MethodPost, "alerts", fmt.Sprintf(
				`{"customer":%q,"exchange":%q,"symbol":"BTCUSDT","condition":{"field":%q,"op":"above","value":"65500"}}`, w.id, w.venue, field))
			w.move("65600")
			w.events("alert.fired")
			w.move(alikePrice)
		}
	}},
	{"the daily loss", func(w *trader) {
		w.opens("0.1")
		w.events("order.filled")
		w.administer(http.StatusOK, http.MethodPatch, "accounts/"+w.id+":"+string(w.venue), `{"limits":{"dailyLoss":"50"}}`)
		w.move("64000")
		w.events("risk.limit_reached")
		w.refused("an order while locked", http.StatusUnprocessableEntity, "/v1/orders", `"side":"buy","type":"market","qty":"0.01"`)
		w.observe("close while locked", w.ended(w.send(http.StatusCreated, "/v1/positions/close", "")))
	}},
}}

// events waits for the customer's next events, which must have exactly these types,
// and observes them.
func (w *trader) events(types ...string) {
	w.t.Helper()
	fresh := w.freshEvents(func(fresh []record) bool { return len(fresh) >= len(types) })
	w.observeEvents(fresh)
	got := make([]string, len(fresh))
	for n, e := range fresh {
		got[n] = e.text("type")
	}
	slices.Sort(got)
	slices.Sort(types)
	if !slices.Equal(got, types) {
		w.t.Errorf("events %q, want %q", got, types)
	}
}

// eventsOf waits for an event of a type and observes only that one.
func (w *trader) eventsOf(kind string) {
	w.t.Helper()
	is := func(e record) bool { return e.text("type") == kind }
	fresh := w.freshEvents(func(fresh []record) bool { return slices.ContainsFunc(fresh, is) })
	w.observeEvents(fresh[slices.IndexFunc(fresh, is):][:1])
}

// freshEvents waits until there are enough unseen events.
func (w *trader) freshEvents(enough func([]record) bool) []record {
	w.t.Helper()
	var fresh []record
	eventually(w.t, "events", func() bool {
		fresh = w.get("/v1/events?limit=500").items()[w.seenEvents:]
		return enough(fresh)
	})
	w.seenEvents += len(fresh)
	return fresh
}

// observeEvents observes events sorted by type, because their order is not
// guaranteed.
func (w *trader) observeEvents(events []record) {
	slices.SortStableFunc(events, func(a, b record) int { return cmp.Compare(a.text("type"), b.text("type")) })
	for _, e := range events {
		w.observe("event "+e.text("type"), e)
	}
}
