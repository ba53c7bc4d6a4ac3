package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"venuegate/venues"
)

// openSignals opens the page of the signals of a channel.
func (d *devTools) openSignals(s *service, h DemoHook) {
	d.t.Helper()
	d.open(s.demo.Console.URL + "/signals?channel=" + h.ID)
	d.wait(`document.querySelector("tbody a[href*='/signals/sig_']")`)
}

// openSignal opens the page of the signal of a channel that has a text in its row.
func (d *devTools) openSignal(s *service, h DemoHook, text string) {
	d.t.Helper()
	d.openSignals(s, h)
	d.wait(fmt.Sprintf(`(e => e && (e.querySelector("a").click(), true))([...document.querySelectorAll("tbody tr")].find(e => e.textContent.includes(%q)))`, text))
	d.wait(`location.pathname.includes("/signals/sig_") && document.querySelector("main ol li")`)
}

// main returns the text of the page.
func (d *devTools) main() string {
	d.t.Helper()
	return d.evaluate(`document.querySelector("main").innerText`)
}

// wantText fails the test unless the page has the texts, in this order.
func (d *devTools) wantText(texts ...string) {
	d.t.Helper()
	rest := d.main()
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			d.t.Errorf("the page has no %q after the texts before it:\n%s", text, d.main())
			return
		}
		rest = after
	}
}

// TestConsoleSignals shows signals that rules have refused, one that was reversed, and texts
// from outside.
func TestConsoleSignals(t *testing.T) {
	s, page := openConsole(t)
	page.enter(s)
	testRejectionsOnThePage(t, s, page)
	testReversalOnThePage(t, s, page)
	testTextsOnThePage(t, s, page)
	page.wantOwnOrigin(s)
}

// testRejectionsOnThePage checks that each rejection is shown with its rule, limit, given value and
// sentence, and that a dry run agrees and trades nothing.
func testRejectionsOnThePage(t *testing.T, s *service, page *devTools) {
	h := s.hook(`"rules":{"symbols":["ETHUSDT"],"maxQty":"1","stopRequired":true,"opposite":"reject"}`)
	control := s.demo.Sim[venues.Bybit].ControlURL
	const stop = `,"stopLoss":"1"`
	s.order(s.fire(http.StatusAccepted, h, orderSignal("bybit", "ETHUSDT", "buy", "0.5", stop)).text("orderId"), "filled")
	before := len(s.ledger(control))
	for _, c := range []struct{ rule, body, given, limit, sentence string }{
		{"symbols", orderSignal("bybit", "BTCUSDT", "buy", "0.1", ""), "BTCUSDT", "ETHUSDT", "may not trade this instrument"},
		{"max_qty", orderSignal("bybit", "ETHUSDT", "buy", "9", stop), "9", "1", "larger than the channel allows"},
		{"stop_required", orderSignal("bybit", "ETHUSDT", "buy", "0.1", ""), "nothing", "true", "demands a stop loss"},
		{"opposite_position", orderSignal("bybit", "ETHUSDT", "sell", "0.1", `,"stopLoss":"9999"`), "sell", "reject", "opposite to the open position"},
	} {
		s.fire(http.StatusUnprocessableEntity, h, c.body)
		page.openSignal(s, h, c.rule)
		page.wantText("refused", c.sentence, "Given "+c.given, "the limit is "+c.limit)
		page.wantText("Received", "Rule", c.rule, "broken", c.sentence, "Finished")
		page.press("Dry run")
		page.wait(`document.querySelector("[data-testid=now]")`)
		page.wantText("Then it was refused, now it would be refused.")
	}
	if after := len(s.ledger(control)); after != before {
		t.Errorf("orders at the venue after the dry runs = %d, want %d", after, before)
	}

	page.open(s.demo.Console.URL + "/signals?channel=" + h.ID + "&reason=max_qty")
	page.wait(`document.querySelectorAll("tbody tr").length === 1`)
	page.openSignals(s, h)
	page.wait(`document.querySelectorAll("tbody tr").length === 5`)
	key := func(name string) {
		page.call("Input.dispatchKeyEvent", record{"type": "keyDown", "key": name, "text": name})
		page.call("Input.dispatchKeyEvent", record{"type": "keyUp", "key": name})
	}
	key("j")
	page.wait(`document.activeElement.closest("tbody tr") === document.querySelectorAll("tbody tr")[0]`)
	key("j")
	page.wait(`document.activeElement.closest("tbody tr") === document.querySelectorAll("tbody tr")[1]`)
	page.evaluate(`document.activeElement.click()`)
	page.wait(`document.querySelector("[data-testid=why]")?.textContent.includes("demands a stop loss")`)
	key("j")
	page.wait(`document.querySelector("[data-testid=why]")?.textContent.includes("larger than the channel allows")`)
	key("k")
	page.wait(`document.querySelector("[data-testid=why]")?.textContent.includes("demands a stop loss") && location.search.includes("channel=")`)
}

// testReversalOnThePage checks that a reversal is shown as steps in order, with the proof that
// the position was flat before the other side was opened, its fills and its event.
func testReversalOnThePage(t *testing.T, s *service, page *devTools) {
	h := s.hook(`"rules":{"opposite":"reverse"}`)
	s.order(s.fire(http.StatusAccepted, h, orderSignal("okx", "SOLUSDT", "buy", "2", "")).text("orderId"), "filled")
	s.order(s.fire(http.StatusAccepted, h, orderSignal("okx", "SOLUSDT", "sell", "3", `,"requestId":"turn"`)).text("orderId"), "filled")
	page.openSignal(s, h, "sell 3")
	for _, texts := range [][2]string{{"Delivery", "position.closed"}, {"Event", "qty3"}, {"Finished", ""}} {
		page.wait(fmt.Sprintf(`[...document.querySelectorAll("main ol li")].some(e => e.textContent.includes(%q) && e.textContent.includes(%q))`, texts[0], texts[1]))
	}
	page.wantText("Received", "opposite_position", "close the position", "wait until nothing is left", "agree that nothing is left", "place the order", "Finished")
	page.wantText("Filled", "2 at", "order.filled", "position.closed")
	page.wantText("2 at", "order.filled", "Filled", "3 at", "order.filled")
	if got := page.evaluate(`[...document.querySelectorAll("[data-testid=plan] > li")].map(e => e.firstChild.textContent.trim()).join("; ")`); got != "close the position; wait until nothing is left of the position; place the order" {
		t.Errorf("plan = %q, want the three steps in order", got)
	}
}

// testTextsOnThePage checks that texts from outside are shown as the text that they are.
func testTextsOnThePage(t *testing.T, s *service, page *devTools) {
	h := s.hook(`"testMode":true,"rules":{}`)
	const name = `<img src=x onerror=violations.push(1)>{{7*7}}`
	s.fire(http.StatusAccepted, h, fmt.Sprintf(`{"action":"order","exchange":"bybit","symbol":"ETHUSDT","side":"buy","qty":"1","comment":"%s\u202e%s",%q:1}`, name, strings.Repeat("x", 100), name))
	page.openSignal(s, h, "buy 1 ETHUSDT")
	page.wantText("test", "Received", name)
	if got := page.evaluate(fmt.Sprintf(`[...document.querySelectorAll("code")].some(e => e.textContent === %q)`, name)); got != "true" {
		t.Errorf("the page does not show the unknown member as text:\n%s", page.main())
	}
	page.call("Emulation.setDeviceMetricsOverride", record{"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true})
	if got := page.evaluate(`document.documentElement.scrollWidth`); got != "390" {
		t.Errorf("width on a phone = %s, want 390", got)
	}
	page.call("Emulation.clearDeviceMetricsOverride", nil)
}
