package main

import (
	"fmt"
	"strings"
	"testing"

	"venuegate/venues"
)

// openTrade signs in and opens the trade page of BTCUSDT on binance with a live order book.
func openTrade(t *testing.T) (*service, *devTools) {
	t.Helper()
	s, page := openConsole(t)
	page.enter(s)
	page.open(s.demo.Console.URL + "/trade/binance/BTCUSDT")
	page.wait(`document.querySelector("[aria-label='Order book'] [data-state=live]") && document.querySelectorAll("tr[data-price]").length === 20`)
	return s, page
}

// keep records in seen, an array of the page, every text that an element has had.
func (d *devTools) keep(selector string) {
	d.t.Helper()
	d.evaluate(fmt.Sprintf(`(window.seen = [], new MutationObserver(() => {
		const text = document.querySelector(%q)?.textContent;
		if (text !== undefined && seen.at(-1) !== text) seen.push(text);
	}).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true}))`, selector))
}

// place fills in a ticket, opens its review and places the order.
func (d *devTools) place(button string, fields map[string]string) {
	d.t.Helper()
	for name, text := range fields {
		d.fill("input[name="+name+"]", text)
	}
	d.press(button)
	d.wait(`document.querySelector("[aria-label='Review of the order']")`)
	d.press(button)
}

// pressLabel presses the first label with a text.
func (d *devTools) pressLabel(text string) {
	d.t.Helper()
	d.wait(fmt.Sprintf(`(e => e && (e.click(), true))([...document.querySelectorAll("label")].find(e => e.textContent === %q))`, text))
}

// choose selects a value of a list in the ticket.
func (d *devTools) choose(label, value string) {
	d.t.Helper()
	d.wait(fmt.Sprintf(`(e => e && (Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(e, %q),
		e.dispatchEvent(new Event("change", {bubbles: true}))))(document.querySelector("select[aria-label='%s']"))`, value, label))
}

// TestConsoleTicket places, changes and cancels a limit order, and fills a market order. What is
// not a multiple of the steps is named with the nearest values, and the venue has the exact ones.
func TestConsoleTicket(t *testing.T) {
	s, page := openTrade(t)
	control := s.demo.Sim[venues.Binance].ControlURL
	page.fill("input[name=qty]", "0.0105")
	page.fill("input[name=price]", "50000,1")
	page.wait(`document.querySelector("[aria-label='Order ticket']").textContent.includes("Use a point")`)
	page.fill("input[name=price]", "50000.04")
	page.press("50000.1")
	page.press("0.011")
	page.place("Buy 0.011 BTC · sim", nil)
	page.wait(`document.querySelector("[data-outcome=placed]")?.textContent.includes("open")`)
	if got := page.cells("buy limit"); !strings.Contains(got, "|0.011|0|50000.1|") {
		t.Errorf("row = %s, want 0.011 at 50000.1", got)
	}
	if list := s.ledger(control); len(list) != 1 || list[0].text("price") != "50000.1" || list[0].text("qty") != "0.011" {
		t.Errorf("orders at the venue = %v, want one of 0.011 at 50000.1", list)
	}
	page.press("Change buy 0.011 BTCUSDT limit 50\u202f000.1")
	page.fill("[role=dialog] input", "49000.5")
	page.press("Change the order")
	page.press("Cancel buy 0.011 BTCUSDT limit 49\u202f000.5")
	page.press("Cancel the order")
	page.wait(`document.querySelector("[aria-label='Open orders']").textContent.includes("No open orders")`)
	if list := s.ledger(control); list[len(list)-1].text("price") != "49000.5" || list[len(list)-1].text("status") != "cancelled" {
		t.Errorf("orders at the venue = %v, want the last cancelled at 49000.5", list)
	}

	page.choose("Type", "market")
	page.place("Buy 0.011 BTC · sim", nil)
	page.wait(`document.querySelector("[data-outcome=placed]")?.textContent.includes("filled")`)
	page.pressLabel("Positions 1")
	if got := page.cells("long"); !strings.Contains(got, "0.011BTC") {
		t.Errorf("position = %s, want 0.011 BTC", got)
	}
	page.pressLabel("Fills")
	if got := page.cells("taker"); !strings.Contains(got, "|buy|0.011|") {
		t.Errorf("fill = %s, want buy 0.011", got)
	}
	page.wait(`document.querySelector("[aria-label=Chart] canvas")`)
	page.wantOwnOrigin(s)
}

// TestConsoleUnknownOutcome places orders whose outcome is not received: once by the service from
// the venue, once by the page from the service. Each is placed once, and found by itself.
func TestConsoleUnknownOutcome(t *testing.T) {
	s, page := openTrade(t)
	control := s.demo.Sim[venues.Binance].ControlURL
	post(t, control+"/faults", `{"match":{"path":"/fapi/v1/order","op":"POST"},"do":"timeout_after","times":1}`)
	page.keep("[data-outcome]")
	page.choose("Type", "market")
	page.place("Buy 0.011 BTC · sim", map[string]string{"qty": "0.011"})
	page.wait(`document.querySelector("[data-outcome=placed]")?.textContent.includes("filled")`)
	if struck := faultCount(t, control); struck != 1 {
		t.Errorf("answers that were lost = %d, want 1", struck)
	}
	if list := s.ledger(control); len(list) != 1 {
		t.Errorf("orders at the venue = %v, want one", list)
	}

	page.evaluate(`(real => window.fetch = async (url, init) => {
		const response = await real(url, init);
		if (url === "/v1/orders" && init.method === "POST") throw new TypeError("the connection is cut");
		return response;
	})(window.fetch)`)
	page.place("Buy 0.012 BTC · sim", map[string]string{"qty": "0.012"})
	page.wait(`seen.some(text => text.includes("Outcome not received"))`)
	page.wait(`document.querySelector("[data-outcome=placed]")?.textContent.includes("buy 0.012") && document.querySelector("[data-outcome]").textContent.includes("filled")`)
	if list := s.ledger(control); len(list) != 2 {
		t.Errorf("orders at the venue = %v, want two", list)
	}
	page.wantOwnOrigin(s)
}

// TestConsoleBookGap loses a change of an order book at the venue: the page marks its book until
// there is a new one.
func TestConsoleBookGap(t *testing.T) {
	s, page := openTrade(t)
	page.keep("[aria-label='Order book'] [data-state]")
	post(t, s.demo.Sim[venues.Binance].ControlURL+"/faults", `{"match":{"op":"btcusdt@depth"},"do":"gap","times":1}`)
	page.wait(`seen.some(text => text.includes("Book not current since"))`)
	page.wait(`seen.at(-1) === "live"`)
	page.call("Emulation.setDeviceMetricsOverride", record{"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true})
	for _, part := range []string{"Chart", "Book", "Ticket", "Orders"} {
		page.pressLabel(part)
		if got := page.evaluate(`document.documentElement.scrollWidth`); got != "390" {
			t.Errorf("width of %s = %s, want 390", part, got)
		}
	}
	page.wantOwnOrigin(s)
}
