package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// someOrders places an order that stays open and one that is filled, and returns their ids.
func (s *service) someOrders() (open, filled string) {
	s.t.Helper()
	open = s.trade(http.StatusCreated, http.MethodPost, "/v1/orders",
		`{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.011","price":"50000.1","comment":"<img src=x onerror=violations.push(1)>"}`).text("orderId")
	filled = s.trade(http.StatusCreated, http.MethodPost, "/v1/orders",
		`{"exchange":"okx","symbol":"ETHUSDT","side":"sell","type":"market","qty":"1.5"}`).text("orderId")
	return open, s.order(filled, "filled").text("orderId")
}

// cells waits for a row of a table with a text, and returns its cells without spaces.
func (d *devTools) cells(text string) string {
	d.t.Helper()
	row := fmt.Sprintf(`[...document.querySelectorAll("tbody tr")].find(r => r.textContent.includes(%q))`, text)
	d.wait(row)
	return d.evaluate(fmt.Sprintf(`[...%s.querySelectorAll("td")].map(e => e.textContent.replace(/\s/g, "")).join("|")`, row))
}

// TestConsoleOrders changes and cancels an order in a browser. What the page shows is what the
// venue has.
func TestConsoleOrders(t *testing.T) {
	s, page := openConsole(t)
	page.enter(s)
	open, filled := s.someOrders()
	page.open(s.demo.Console.URL + "/orders")
	if got, want := page.cells("BTCUSDT"), "BTCUSDTbinance|buylimit|0.011|0|50000.1|–|○open|api|"; got[:min(len(got), len(want))] != want {
		t.Errorf("row = %s, want %s", got, want)
	}

	page.press("Change BTCUSDT buy 0.011")
	page.wait(`document.querySelector("[role=dialog] input")`)
	page.fill("[role=dialog] input", "49000,5")
	page.wait(`document.querySelector("[role=dialog]").textContent.includes("Use a point")`)
	page.fill("[role=dialog] input", "49000.5")
	page.press("Change the order")
	page.wait(`!document.querySelector("[role=dialog]")`)
	page.wait(`document.querySelector("tbody").textContent.replace(/\s/g, "").includes("49000.5")`)
	if got := s.trade(http.StatusOK, http.MethodGet, "/v1/orders/"+open, "").text("price"); got != "49000.5" {
		t.Errorf("price = %s, want 49000.5", got)
	}

	page.open(s.demo.Console.URL + "/orders?order=" + open)
	page.wait(`document.querySelector("[role=dialog]")?.textContent.includes("<img src=x")`)
	page.press("Cancel")
	page.wait(`document.querySelectorAll("[role=dialog]").length === 2`)
	page.evaluate(`[...document.querySelectorAll("[role=dialog] button")].find(b => b.textContent === "Cancel the order").click()`)
	s.order(open, "cancelled")
	page.wait(`document.querySelectorAll("[role=dialog]").length === 1 && document.querySelector("[role=dialog]").textContent.includes("cancelled")`)
	for _, o := range s.ledger(s.demo.Sim[venues.Binance].ControlURL) {
		if o.text("price") != "49000.5" || o.text("status") != "cancelled" {
			t.Errorf("order at the venue = %v, want it cancelled at 49000.5", o)
		}
	}

	page.open(s.demo.Console.URL + "/orders?status=closed&exchange=okx&order=" + filled)
	page.wait(`document.querySelector("[role=dialog] [aria-label=Fills]")?.textContent.includes("taker")`)
	if got := page.evaluate(`[...document.querySelectorAll("tbody tr")].length`); got != "1" {
		t.Errorf("closed orders at okx = %s, want 1", got)
	}
	page.wantOwnOrigin(s)
}

// TestConsoleCancelAll cancels what is open in one instrument, after it has said what that is.
func TestConsoleCancelAll(t *testing.T) {
	s, page := openConsole(t)
	page.enter(s)
	first, _ := s.someOrders()
	other := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders",
		`{"exchange":"okx","symbol":"ETHUSDT","side":"buy","type":"limit","qty":"1","price":"1000"}`).text("orderId")
	page.open(s.demo.Console.URL + "/orders?symbol=BTCUSDT")
	page.press("Cancel all")
	page.wait(`document.querySelector("[role=dialog]")?.textContent.includes("Cancels 1 order in BTCUSDT on 1 venue")`)
	page.press("Cancel all")
	page.wait(`document.querySelector("[role=dialog] [role=status]")?.textContent === "1 cancelled"`)
	s.order(first, "cancelled")
	if got := s.trade(http.StatusOK, http.MethodGet, "/v1/orders/"+other, "").text("status"); got != "open" {
		t.Errorf("order in another instrument = %s, want open", got)
	}
}

// TestConsolePositions closes a part of a position and then the rest in a browser, and finds
// the executions among the fills and the closed trades.
func TestConsolePositions(t *testing.T) {
	s, page := openConsole(t)
	page.enter(s)
	s.someOrders()
	page.open(s.demo.Console.URL + "/positions")
	if got, want := page.cells("ETHUSDT"), "ETHUSDTokx|short|1.5|"; got[:min(len(got), len(want))] != want {
		t.Errorf("row = %s, want %s", got, want)
	}
	page.press("Close ETHUSDT on okx")
	page.wait(`document.querySelector("[role=dialog] input")`)
	page.fill("[role=dialog] input", "1.000")
	page.press("Close the position · sim")
	page.wait(`document.querySelector("[role=dialog] [role=status]")?.textContent.includes("filled")`)
	page.press("Done")
	page.wait(`!document.querySelector("[role=dialog]")`)
	page.wait(`document.querySelector("tbody tr td:nth-child(3)")?.textContent === "0.5"`)
	page.evaluate(`(real => window.fetch = async (url, init) => {
		const response = await real(url, init);
		if (url === "/v1/positions/close") await new Promise(done => window.answer = done);
		return response;
	})(window.fetch)`)
	escape := func() {
		page.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}))`)
	}
	page.press("Close ETHUSDT on okx")
	page.wait(`document.querySelector("[role=dialog] input")`)
	page.press("Close the position · sim")
	page.wait(`window.answer`)
	escape() // closed now, the dialog would hide the outcome and could be opened to send another order
	page.evaluate(`window.answer()`)
	page.wait(`document.querySelector("[role=dialog] [role=status]")?.textContent.includes("filled")`)
	escape()
	page.wait(`!document.querySelector("[role=dialog]")`)
	page.wait(`document.querySelector("#content").textContent.includes("No open position.")`)
	orders := s.trade(http.StatusOK, http.MethodGet, "/v1/orders?status=closed&exchange=okx&source=console", "").items()
	if len(orders) != 2 || orders[0].text("qty") != "0.5" || orders[1].text("qty") != "1" {
		t.Errorf("orders of the console = %v, want two of 0.5 and 1", orders)
	}

	page.open(s.demo.Console.URL + "/fills")
	page.wait(`document.querySelectorAll("tbody tr").length >= 3`)
	page.open(s.demo.Console.URL + "/trades")
	if got := page.cells("ETHUSDT"); !strings.Contains(got, "|ETHUSDTokx|short|1.5|") {
		t.Errorf("closed trade = %s, want a short of 1.5", got)
	}
	page.wantOwnOrigin(s)
}

// TestConsoleOverview opens the first page, and sees the balances of all venues, and a position
// without stop loss that needs somebody.
func TestConsoleOverview(t *testing.T) {
	s, page := openConsole(t)
	page.enter(s)
	page.wait(`location.pathname === "/console/overview"`)
	page.wait(`document.querySelector("[aria-label='Needs you']").textContent.includes("Nothing needs you.")`)
	s.someOrders()
	page.wait(`document.querySelector("[aria-label='Needs you']").textContent.includes("ETHUSDT on okx: the short position of 1.5 has no stop loss")`)
	page.wait(`document.querySelectorAll("[aria-label=Positions] tbody tr").length === 1`)

	var available decimal.Decimal
	for _, balance := range s.trade(http.StatusOK, http.MethodGet, "/v1/account", "").items() {
		available = available.Add(decimal.RequireFromString(balance.text("available")))
	}
	page.wait(fmt.Sprintf(`[...document.querySelectorAll("[aria-label=Balances] dd")][1].textContent.replace(/\s/g, "") === %q`, available))

	page.click("[aria-label='Needs you'] a")
	page.wait(`location.pathname === "/console/positions" && location.search === "?exchange=okx&symbol=ETHUSDT"`)
	page.wantOwnOrigin(s)
}
