package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
)

// badInput is a request that must be rejected, with the expected response.
type badInput struct {
	name, method, path, body string
	status                   int
	code                     string
	details                  []string
}

// refuses sends the requests and checks that none changes anything at the venue.
func (s *service) refuses(t *testing.T, control string, list ...badInput) {
	t.Helper()
	before := venueLedger(t, control)
	for _, c := range list {
		answer := s.trade(c.status, c.method, c.path, c.body)
		text, err := json.Marshal(answer["error"])
		if err != nil {
			t.Fatal(err)
		}
		if answer.text("error", "code") != c.code {
			t.Errorf("%s: %s, want %s", c.name, text, c.code)
		}
		for _, detail := range c.details {
			if !strings.Contains(string(text), detail) {
				t.Errorf("%s: response = %s, want %s in it", c.name, text, detail)
			}
		}
		if after := venueLedger(t, control); after != before {
			t.Fatalf("%s: the venue's ledger is\n%s\nwant it unchanged:\n%s", c.name, after, before)
		}
	}
}

// venueLedger returns the order ledger of the venue.
func venueLedger(t *testing.T, control string) string {
	t.Helper()
	status, ledger := get(t, control+"/ledger")
	if status != http.StatusOK || !strings.Contains(ledger, `"kind":"order"`) {
		t.Fatalf("ledger = %d %s, want 200 with an order", status, ledger)
	}
	return ledger
}

// TestBadInputIsRejectedAndNothingIsSent checks the documented code and details of
// each invalid request over the public listener.
func TestBadInputIsRejectedAndNothingIsSent(t *testing.T) {
	simFile, sims := startSimProcess(t)
	control := sims[venues.Binance].ControlURL
	s := startService(t, t.TempDir(), "--sim", simFile)
	orders, invalid := "/v1/orders", "invalid_request"
	order := func(requestID, more string) string {
		return fmt.Sprintf(`{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"1","price":"60000","requestId":%q%s}`, requestID, more)
	}
	at := func(d time.Duration) string { return time.Now().UTC().Add(d).Format(venues.TimeFormat) }

	price := betweenBestPrices(t, s)
	partly := s.trade(http.StatusCreated, http.MethodPost, orders, fmt.Sprintf(
		`{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"1","price":%q,"requestId":"taken"}`, price)).text("orderId")
	post(t, control+"/market/trade", `{"symbol":"BTCUSDT","side":"sell","qty":"0.1"}`)
	post(t, control+"/market/trade", `{"symbol":"BTCUSDT","side":"sell","qty":"0.3"}`)
	eventually(t, "both fills", func() bool {
		return s.trade(http.StatusOK, http.MethodGet, orders+"/"+partly, "").text("filledQty") == "0.4"
	})
	filled := s.buys(http.StatusCreated, "0.1").text("orderId")
	s.order(filled, "filled")
	cursor := s.trade(http.StatusOK, http.MethodGet, "/v1/fills?symbol=BTCUSDT&limit=1", "").text("nextCursor")
	if cursor == "" {
		t.Fatal("nextCursor of a page of one of three fills is empty, want a cursor")
	}

	s.refuses(
		t, control,
		badInput{"a requestId of 65 characters", http.MethodPost, orders, order(strings.Repeat("x", 65), ""), 400, invalid, []string{`"field":"requestId"`}},
		badInput{"forbidden characters", http.MethodPost, orders, order("a b/c", ""), 400, invalid, []string{`"field":"requestId"`}},
		badInput{"the same key with another body", http.MethodPost, orders, order("taken", ""), 409, "duplicate_request", []string{`"sameBody":false`, `"orderId":"` + partly + `"`, `"status":"partially_filled"`}},
		badInput{"a cursor from other filters", http.MethodGet, "/v1/fills?symbol=ETHUSDT&limit=1&cursor=" + cursor, "", 400, invalid, []string{`"field":"cursor"`}},
		badInput{"a window of 32 days", http.MethodGet, "/v1/fills?from=" + at(-32*24*time.Hour) + "&to=" + at(0), "", 400, invalid, []string{`"maxDays":31`}},
		badInput{"an amend below the filled quantity", http.MethodPatch, orders + "/" + partly, `{"qty":"0.3"}`, 400, invalid, []string{`"field":"qty"`, `"rule":"not_above_filled"`, `"given":"0.3"`}},
		badInput{"an amend to the filled quantity", http.MethodPatch, orders + "/" + partly, `{"qty":"0.4"}`, 400, invalid, []string{`"rule":"not_above_filled"`, `"given":"0.4"`}},
		badInput{"a cancel of a filled order", http.MethodDelete, orders + "/" + filled, "", 404, "not_found", []string{`"status":"filled"`}},
		badInput{"an amend of a filled order", http.MethodPatch, orders + "/" + filled, `{"qty":"2"}`, 404, "not_found", []string{`"status":"filled"`}},
		badInput{"a stop loss above the price", http.MethodPost, orders, order("sl", `,"stopLoss":"61000"`), 400, invalid, []string{`"field":"stopLoss"`}},
		badInput{"a take profit below the price", http.MethodPost, orders, order("tp", `,"takeProfit":"59000"`), 400, invalid, []string{`"field":"takeProfit"`}},
		badInput{"protection of an order that only reduces", http.MethodPost, orders, order("ro", `,"reduceOnly":true,"stopLoss":"59000"`), 400, invalid, []string{`"field":"stopLoss"`, `"rule":"not_applicable"`}},
		badInput{"leverage above the maximum", http.MethodPost, "/v1/positions/leverage", `{"exchange":"binance","symbol":"BTCUSDT","leverage":"1000"}`, 422, "leverage_change_rejected", []string{`"reason":"above_max"`, `"maxLeverage":`}},
	)

	id := s.binanceAccount()
	s.accountsCommand("limits", id, "--daily-loss", "500")
	post(t, control+"/market", `{"symbol":"BTCUSDT","price":"60000"}`)
	eventually(t, "the lock", func() bool { return strings.Contains(s.accountsCommand("list"), "locked until") })
	grow := `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.1"}`
	s.refuses(t, control, badInput{"an order while locked", http.MethodPost, orders, grow, 422, "trading_locked", []string{`"limit":"daily_loss"`, `"threshold":"500"`, `"actual":`, `"until":`}})

	s.accountsCommand("halt", id)
	s.refuses(t, control, badInput{"an order while halted", http.MethodPost, orders, grow, 422, "trading_locked", []string{`"limit":"halted"`}})
}
