package main

import (
	"fmt"
	"net/http"
	"testing"

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
