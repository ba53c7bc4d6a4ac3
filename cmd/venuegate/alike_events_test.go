package main

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
)

var eventPart = part{"events", `{}`, nil, []chapter{
	{"fills, as receivers of events hear of them", func(w *teller) {
		order := w.place(`"side":"buy","type":"limit","qty":"0.5","price":"65000","comment":"events"`)
		w.houseTrades("sell", "0.2")
		w.events("order.partially_filled")
		w.houseTrades("sell", "0.3")
		w.service.order(order.text("orderId"), "filled")
		w.events("order.filled")
		w.send(http.StatusCreated, "/v1/positions/close", `"qty":"0.01"`)
		w.events("order.filled")
		w.send(http.StatusCreated, "/v1/positions/close", "")
		w.eventsOf("position.closed")
	}},
	{"a signal", func(w *teller) {
		made := w.administer(http.StatusCreated, http.MethodPost, "hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"alike","rules":{}}`, w.id))
		hook := DemoHook{made.text("id"), made.text("url"), made.text("secret")}
		w.note("order", w.fire(http.StatusAccepted, hook, orderSignal(string(w.venue), "BTCUSDT", "buy", "0.01", `,"comment":"signal"`)))
		w.events("order.filled")
		w.note("close", w.fire(http.StatusAccepted, hook, fmt.Sprintf(`{"action":"close","exchange":%q,"symbol":"BTCUSDT"}`, w.venue)))
		w.events("order.filled", "position.closed")
		w.note("nothing to close", w.fire(http.StatusUnprocessableEntity, hook, fmt.Sprintf(`{"action":"close","exchange":%q,"symbol":"BTCUSDT","requestId":"again"}`, w.venue)))
	}},
	{"an alert", func(w *teller) {
		for _, field := range []string{"mark", "last"} {
			w.administer(http.StatusCreated, http.MethodPost, "alerts", fmt.Sprintf(
				`{"customer":%q,"exchange":%q,"symbol":"BTCUSDT","condition":{"field":%q,"op":"above","value":"65500"}}`, w.id, w.venue, field))
			w.move("65600")
			w.events("alert.fired")
			w.move(alikePrice)
		}
	}},
	{"the daily loss", func(w *teller) {
		w.opens("0.1")
		w.events("order.filled")
		w.administer(http.StatusOK, http.MethodPatch, "accounts/"+w.id+":"+string(w.venue), `{"limits":{"dailyLoss":"50"}}`)
		w.move("64000")
		w.events("risk.limit_reached")
		w.refused("an order while locked", http.StatusUnprocessableEntity, "/v1/orders", `"side":"buy","type":"market","qty":"0.01"`)
		w.note("close while locked", w.ended(w.send(http.StatusCreated, "/v1/positions/close", "")))
	}},
}}

// events waits for the next events of the customer and notes them by type: exactly
// these.
func (w *teller) events(types ...string) {
	w.t.Helper()
	fresh := w.freshEvents(func(fresh []record) bool { return len(fresh) >= len(types) })
	w.noteEvents(fresh)
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

// eventsOf waits for one of a type and notes it alone.
func (w *teller) eventsOf(kind string) {
	w.t.Helper()
	is := func(e record) bool { return e.text("type") == kind }
	fresh := w.freshEvents(func(fresh []record) bool { return slices.ContainsFunc(fresh, is) })
	w.noteEvents(fresh[slices.IndexFunc(fresh, is):][:1])
}

// freshEvents waits until the events that are not told yet are enough.
func (w *teller) freshEvents(enough func([]record) bool) []record {
	w.t.Helper()
	var fresh []record
	eventually(w.t, "events", func() bool {
		fresh = w.get("/v1/events?limit=500").items()[w.heardEvents:]
		return enough(fresh)
	})
	w.heardEvents += len(fresh)
	return fresh
}

// noteEvents notes events in the order of their types: the order between events is
// not promised.
func (w *teller) noteEvents(events []record) {
	slices.SortStableFunc(events, func(a, b record) int { return cmp.Compare(a.text("type"), b.text("type")) })
	for _, e := range events {
		w.note("event "+e.text("type"), e)
	}
}
