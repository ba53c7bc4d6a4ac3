package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
)

// checkedBodies is the number of bodies for each venue, checkedPerKey those for which the limit
// of a key suffices.
const (
	checkedBodies = 150
	checkedPerKey = 50
)

// TestOrderChecksAgreeWithOrders checks random bodies on every venue, and then places them: the
// check passes exactly if the service does not reject the order, and names the same rule.
func TestOrderChecksAgreeWithOrders(t *testing.T) {
	file, _ := startSimProcess(t)
	s := startService(t, t.TempDir(), "--sim", file)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, venue := range venues.All() {
		t.Run(string(venue), func(t *testing.T) {
			t.Parallel()
			w := newTrader(t, s, venue, `{}`)
			w.move(alikePrice)
			w.accountsCommand("limits", w.accountID(), "--max-order-notional", "20000", "--max-open-orders", "8")
			for _, symbol := range []string{"BTCUSDT", "ETHUSDT"} { // a check and an order may see the first quote differently
				eventually(t, "the quote of "+symbol, func() bool {
					status, _ := w.request(http.MethodGet, "/v1/book?exchange="+string(venue)+"&symbol="+symbol, "")
					return status == http.StatusOK
				})
			}
			rng := rand.New(rand.NewPCG(seed, 0))
			for n := range checkedBodies {
				if n%checkedPerKey == 0 {
					w.takeKey()
					w.trade(http.StatusOK, http.MethodDelete, "/v1/orders", "")
				}
				w.checkAndPlace(randomOrder(rng, venue, n))
			}
			w.checksOfAHaltedAccount()
		})
	}
}

// accountID returns the id of the trader's account.
func (w *trader) accountID() string { return w.id + ":" + string(w.venue) }

// request sends a request and returns the status and the object of the response.
func (w *trader) request(method, path, body string) (int, record) {
	w.t.Helper()
	status, text := do(w.t, w.newRequest(w.demo.APIKey, method, path, body))
	var answer record
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		w.t.Fatalf("%s %s: %v: %s", method, path, err, text)
	}
	return status, answer
}

// checkAndPlace checks an order, places it, and compares the two.
func (w *trader) checkAndPlace(body string) {
	w.t.Helper()
	checkStatus, checked := w.request(http.MethodPost, "/v1/orders/check", body)
	status, placed := w.request(http.MethodPost, "/v1/orders", body)
	want := rejectedBy(status, placed)
	got := brokenRules(checkStatus, checked)
	if passes := checkStatus == http.StatusOK && checked["ok"] == true; passes != (want == nil) {
		w.t.Errorf("%s\nthe check is %d %v\nthe order is %d %v, want ok only without a rejection by the service", body, checkStatus, checked, status, placed)
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			w.t.Errorf("%s\nthe check names %q, want %q of the order too", body, got, name)
		}
	}
}

// fieldNames returns "field rule" of faults.
func fieldNames(faults any) []string {
	var names []string
	for _, f := range (record{"items": faults}).items() {
		names = append(names, f.text("field")+" "+f.text("rule"))
	}
	return names
}

// rejectedBy returns what the service rejects an order for; nil if it has passed it on.
func rejectedBy(status int, answer record) []string {
	failure, _ := answer["error"].(map[string]any)
	details, _ := failure["details"].(map[string]any)
	switch {
	case status == http.StatusBadRequest:
		return fieldNames(details["fields"])
	case status != http.StatusUnprocessableEntity || details["order"] != nil: // the venue has rejected it
		return nil
	case details["rule"] != nil:
		return []string{fmt.Sprint(details["rule"])}
	}
	return []string{answer.text("error", "code")}
}

// brokenRules returns what a check names, in the notation of rejectedBy.
func brokenRules(status int, checked record) []string {
	if status == http.StatusBadRequest {
		return rejectedBy(status, checked)
	}
	names := fieldNames(checked["faults"])
	for _, r := range (record{"items": checked["rules"]}).items() {
		if r["passed"] != true {
			names = append(names, r.text("rule"))
		}
	}
	return names
}

// checksOfAHaltedAccount checks that a check shows the halt, and that checks leave nothing
// behind.
func (w *trader) checksOfAHaltedAccount() {
	w.t.Helper()
	w.takeKey()
	w.trade(http.StatusOK, http.MethodDelete, "/v1/orders", "")
	w.accountsCommand("halt", w.accountID())
	state := func() string {
		var b strings.Builder
		for _, path := range []string{"/v1/orders?status=all&limit=500", "/v1/fills", "/v1/events?limit=500"} {
			fmt.Fprintln(&b, w.trade(http.StatusOK, http.MethodGet, path, ""))
		}
		return b.String()
	}
	before := state()
	body := fmt.Sprintf(`{"exchange":%q,"symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.02","price":"50000","requestId":"checked"}`, w.venue)
	for range 10 {
		if status, checked := w.request(http.MethodPost, "/v1/orders/check", body); status != http.StatusOK || !slices.Contains(brokenRules(status, checked), "trading_locked") {
			w.t.Errorf("check of a halted account = %d %v, want trading_locked", status, checked)
		}
	}
	if after := state(); after != before {
		w.t.Errorf("orders, fills and events after checks:\n%s\nwant\n%s", after, before)
	}
	w.accountsCommand("resume", w.accountID())
	checked := w.trade(http.StatusOK, http.MethodPost, "/v1/orders/check", body)
	if checked["ok"] != true || checked.text("notional") != "1000" || checked.text("available") == "" || checked.text("order", "timeInForce") != "gtc" {
		w.t.Errorf("check after the halt = %v, want ok with notional, balance and the order", checked)
	}
	w.trade(http.StatusCreated, http.MethodPost, "/v1/orders", body)
}

// randomOrder returns a body that is often valid. Market orders only buy ETHUSDT, and other
// orders rest, so that no fill changes the account between a check and its order.
func randomOrder(rng *rand.Rand, venue venues.Venue, n int) string {
	if rng.IntN(20) == 0 {
		return pick(rng, `{`, `[]`, `{"qty":"1","qty":"1"}`, `{}`, fmt.Sprintf(`{"exchange":%q}`, venue))
	}
	side := pick(rng, "buy", "sell")
	o := map[string]any{
		"exchange": venue, "symbol": pick(rng, "BTCUSDT", "BTC-USDT-SWAP", "BTC/USDT:USDT"), "side": side, "type": pick(rng, "limit", "limit", "stop_market", "stop_limit"),
		"qty": pick(rng, "0.01", "0.02", "0.05", "0.1", "0.5", "3"), "requestId": fmt.Sprint("check-", n),
	}
	below, above := pick(rng, "52000", "58000.5", "60000"), pick(rng, "70000", "71000.5", "80000")
	entry, stop, target := below, "50000", above
	if side == "sell" {
		entry, stop, target = above, "90000", below
	}
	o["price"] = entry
	switch o["type"] {
	case "stop_market":
		delete(o, "price")
		o["triggerPrice"] = target
	case "stop_limit":
		o["triggerPrice"] = target
	}
	if rng.IntN(4) == 0 {
		o["stopLoss"] = stop
	}
	if rng.IntN(8) == 0 {
		o["symbol"], o["side"], o["type"], o["qty"] = "ETHUSDT", "buy", "market", "0.05"
		delete(o, "price")
		delete(o, "triggerPrice")
		delete(o, "stopLoss")
	}
	for range rng.IntN(3) {
		spoil(rng, o)
	}
	body, _ := json.Marshal(o) //nolint:errchkjson // texts and booleans
	return string(body)
}

// spoil changes a field, so that the order may break a rule.
func spoil(rng *rand.Rand, o map[string]any) {
	switch rng.IntN(12) {
	case 0:
		o["qty"] = pick[any](rng, "0.00000001", "0.0123456", "1000000", "0", "-1", "1e3", 1, nil)
	case 1:
		o["price"] = pick(rng, "60000.123", "0", "-1")
		if o["side"] == "buy" { // a sell would fill
			o["price"] = pick(rng, "60000.123", "0.1", "59000")
		}
	case 2:
		o["triggerPrice"] = pick(rng, "70000.123", "0", "61000")
	case 3:
		o["stopLoss"] = pick(rng, "50000.01", "65000", "95000", "-2")
	case 4:
		o["takeProfit"] = pick(rng, "50000", "65000", "75000.05", "95000")
	case 5:
		o["symbol"] = pick(rng, "NONEUSDT", "!", "")
	case 6:
		o["reduceOnly"] = pick[any](rng, true, false, "yes")
	case 7:
		o["postOnly"] = true
	case 8:
		o["timeInForce"] = pick(rng, "gtc", "ioc", "fok", "day")
	case 9:
		o["comment"] = strings.Repeat("c", pick(rng, 1, 256, 257))
	case 10:
		delete(o, pick(rng, "exchange", "symbol", "side", "type", "qty", "price"))
	case 11:
		o["exchange"] = "nowhere"
	}
}

func pick[T any](rng *rand.Rand, values ...T) T { return values[rng.IntN(len(values))] }
