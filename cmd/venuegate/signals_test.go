package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/transport/signing"
	"venuegate/venues"
)

// TestSignalsIn sends signals of all kinds of senders to one service.
func TestSignalsIn(t *testing.T) {
	s := startService(t, t.TempDir())
	for _, c := range []struct {
		name string
		test func(*testing.T, *service)
	}{
		{"signed", testSignedSignal},
		{"chart", testChartSignal},
		{"rules", testRules},
		{"reverse", testReverse},
		{"test mode", testTestMode},
		{"forgeries", testForgeries},
		{"alert", testAlert},
		{"rotation", testRotation},
		{"daily loss", testDailyLoss},
		{"race against a limit", testRaceAgainstALimit},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, &service{process: s.process, t: t, dir: s.dir, demo: s.demo}) })
	}
}

// testSignedSignal checks that a signed signal results in an order, an event and a
// timeline, once however often it is sent.
func testSignedSignal(t *testing.T, s *service) {
	in := newSignal(s.demo.Hook, orderSignal("binance", "BTCUSDT", "buy", "0.01", `,"requestId":"e2e-1","comment":"first"`))
	status, answer := s.send(in)
	if status != http.StatusAccepted || answer["accepted"] != true || answer["duplicate"] != false || answer.text("requestId") != "e2e-1" {
		t.Fatalf("response = %d %v, want 202 for a new signal", status, answer)
	}
	id := s.planned(s.demo.Hook.ID, answer, func() (int, record) { return s.send(in) }).text("orderId")
	order := s.order(id, "filled")
	if order.text("source") != "webhook" || order.text("channelId") != s.demo.Hook.ID || order.text("comment") != "first" {
		t.Errorf("order = %v, want the source webhook with channel and comment", order)
	}
	if e := s.event("order.filled", "orderId", id); e.text("data", "source") != "webhook" || e.text("data", "qty") != "0.01" {
		t.Errorf("event = %v, want 0.01 of source webhook", e)
	}
	s.plansEnd(s.demo.Hook.ID)
	rows := s.timeline("channel=" + s.demo.Hook.ID)
	if !slices.Contains(rows, "order.status filled") {
		t.Errorf("timeline = %q, want the filled order in it", rows)
	}
	rows = slices.DeleteFunc(rows, func(row string) bool {
		return strings.HasPrefix(row, "order.") || strings.HasPrefix(row, "signal.repeat")
	})
	if want := []string{"admin.hook", "signal.received order", "signal.step begun", "signal.step filled", "signal.answer done"}; !slices.Equal(rows, want) {
		t.Errorf("timeline %q, want %q", rows, want)
	}
	for range 3 {
		status, again := s.send(in)
		if status != http.StatusOK || again["duplicate"] != true || again.text("orderId") != id || again.text("status") != "filled" {
			t.Errorf("repeat: response = %d %v, want 200 with the filled order %s", status, again, id)
		}
	}
	bare := newSignal(s.demo.Hook, orderSignal("binance", "BTCUSDT", "buy", "0.02", ""))
	_, first := s.send(bare)
	if status, replay := s.send(bare); status != http.StatusOK || replay["duplicate"] != true || replay.text("requestId") != first.text("requestId") {
		t.Errorf("replay: response = %d %v, want 200 with requestId %s", status, replay, first.text("requestId"))
	}
	s.plansEnd(s.demo.Hook.ID)
	if n := len(s.trade(http.StatusOK, http.MethodGet, "/v1/orders?status=all&exchange=binance", "").items()); n != 2 {
		t.Errorf("orders of two signals = %d, want 2", n)
	}
}

// testChartSignal checks that only chart channels accept bare numbers and text
// bodies, and that equal bodies are one signal.
func testChartSignal(t *testing.T, s *service) {
	chart := s.demo.Chart
	body := fmt.Sprintf(`{"action":"order","exchange":"bybit","symbol":"ETHUSDT","side":"buy","qty":0.50,"channelToken":%q}`, chart.ChannelToken)
	send := func() (int, record) { return s.deliver(chart.URL, body, "Content-Type", "text/plain") }
	status, answer := send()
	if status != http.StatusAccepted {
		t.Fatalf("response = %d %v, want 202 for a new signal", status, answer)
	}
	answer = s.planned(chart.ID, answer, send)
	if order := s.order(answer.text("orderId"), "filled"); order.text("source") != "chart" || order.text("qty") != "0.5" {
		t.Errorf("order = %v, want 0.5 of source chart", order)
	}
	if status, again := send(); status != http.StatusOK || again.text("orderId") != answer.text("orderId") {
		t.Errorf("equal body: response = %d %v, want 200 with the first order", status, again)
	}
	wrong := strings.Replace(body, chart.ChannelToken, strings.Repeat("A", 43), 1)
	if status, _ := s.deliver(chart.URL, wrong, "Content-Type", "application/json"); status != http.StatusUnauthorized {
		t.Errorf("wrong token: status = %d, want 401", status)
	}
	if status, _ := s.deliver(chart.URL[:len(chart.URL)-1]+"_", body, "Content-Type", "application/json"); status != http.StatusNotFound {
		t.Errorf("wrong address: status = %d, want 404", status)
	}
}

// testRules checks that a signal that breaks a rule is reported in the response and
// the journal and places no order.
func testRules(t *testing.T, s *service) {
	h := s.hook(`"rules":{"symbols":["ETHUSDT"],"maxQty":"1","stopRequired":true,"opposite":"reject"}`)
	before := len(s.ledger(s.demo.Sim[venues.OKX].ControlURL))
	for rule, c := range map[string]struct{ body, code string }{
		"symbols":       {orderSignal("okx", "BTCUSDT", "buy", "0.1", ""), "symbol_not_tradable"},
		"max_qty":       {orderSignal("okx", "ETHUSDT", "buy", "1.1", ""), "risk_rejected"},
		"stop_required": {orderSignal("okx", "ETHUSDT", "buy", "0.1", ""), "risk_rejected"},
	} {
		answer := s.fire(http.StatusUnprocessableEntity, h, c.body)
		if answer.text("error", "code") != c.code || answer.text("error", "details", "rule") != rule {
			t.Errorf("%s: response = %v, want code %s with the rule", rule, answer, c.code)
		}
	}
	if rows := s.timeline("channel=" + h.ID + "&kind=signal.rule&result=refused"); len(rows) != 3 {
		t.Errorf("rows = %q, want 3 of rejecting rules", s.timeline("channel="+h.ID))
	}
	if after := len(s.ledger(s.demo.Sim[venues.OKX].ControlURL)); after != before {
		t.Errorf("orders at the venue = %d, want %d", after, before)
	}
}

// testReverse checks that a reversal executes its steps in order, each with a journal
// row.
func testReverse(t *testing.T, s *service) {
	h := s.hook(`"rules":{"opposite":"reverse"}`)
	s.order(s.fire(http.StatusAccepted, h, orderSignal("okx", "SOLUSDT", "buy", "2", "")).text("orderId"), "filled")
	s.order(s.fire(http.StatusAccepted, h, orderSignal("okx", "SOLUSDT", "sell", "3", `,"requestId":"turn"`)).text("orderId"), "filled")
	var position record
	eventually(t, "the position to be short", func() bool {
		list := s.trade(http.StatusOK, http.MethodGet, "/v1/positions?exchange=okx&symbol=SOLUSDT", "").items()
		if len(list) != 1 || list[0].text("side") != "short" {
			return false
		}
		position = list[0]
		return true
	})
	if position.text("qty") != "3" {
		t.Errorf("position = %v, want qty 3", position)
	}
	eventually(t, "the plan to be through", func() bool {
		return slices.Contains(s.timeline("channel="+h.ID), "signal.answer done")
	})
	e := s.event("position.closed", "reason", "opposite_signal")
	if e.text("data", "symbol") != "SOLUSDT" || e.text("data", "side") != "long" {
		t.Errorf("event = %v, want the long position in SOLUSDT", e)
	}
}

// testTestMode checks that a change of the mode is in force when its request returns.
func testTestMode(t *testing.T, s *service) {
	h := s.hook(`"rules":{}`)
	control := s.demo.Sim[venues.Bybit].ControlURL
	s.order(s.fire(http.StatusAccepted, h, orderSignal("bybit", "XRPUSDT", "buy", "10", "")).text("orderId"), "filled")
	before := len(s.ledger(control))
	s.administer(http.StatusOK, http.MethodPatch, "hooks/"+h.ID, `{"testMode":true}`)
	for i, body := range []string{
		orderSignal("bybit", "XRPUSDT", "buy", "10", `,"requestId":"tested"`), `{"action":"close","exchange":"bybit","symbol":"XRPUSDT"}`, `{"action":"cancel-all"}`,
	} {
		answer := s.fire(http.StatusAccepted, h, body)
		if answer.text("status") != "test" || answer["orderId"] != nil {
			t.Errorf("signal %d: response = %v, want status test without an order", i, answer)
		}
	}
	if after := len(s.ledger(control)); after != before {
		t.Errorf("orders at the venue in test mode = %d, want %d", after, before)
	}
	if rows := s.timeline("channel=" + h.ID + "&result=test"); len(rows) == 0 {
		t.Errorf("journal = %q, want rows with result test", s.timeline("channel="+h.ID))
	}
	s.administer(http.StatusOK, http.MethodPatch, "hooks/"+h.ID, `{"testMode":false}`)
	s.order(s.fire(http.StatusAccepted, h, `{"action":"close","exchange":"bybit","symbol":"XRPUSDT","requestId":"real"}`).text("orderId"), "filled")
}

// testForgeries checks that forged signals are not executed and do not count against
// the rate limit.
func testForgeries(t *testing.T, s *service) {
	h, other := s.hook(`"rules":{}`), s.hook(`"rules":{}`)
	body := orderSignal("binance", "DOGEUSDT", "buy", "100", "")
	before := len(s.ledger(s.demo.Sim[venues.Binance].ControlURL))
	headers := signing.NewHeaders("")
	refused := func(name, reason string, in signed, altered string) {
		t.Helper()
		signature, timestamp := signing.NewKey(in.secret).Sign(in.at.Unix(), []byte(in.body))
		status, answer := s.deliver(in.url, altered, headers.Signature, signature, headers.Timestamp, timestamp, "Content-Type", "application/json")
		if status != http.StatusUnauthorized || answer.text("error", "code") != "bad_signature" || answer.text("error", "details", "reason") != reason {
			t.Errorf("%s: response = %d %v, want 401 with reason %s", name, status, answer, reason)
		}
	}
	refused("another secret", "signature_mismatch", signed{h.URL, body, "whsec_guessed", time.Now()}, body)
	refused("the secret of another hook", "signature_mismatch", signed{h.URL, body, other.Secret, time.Now()}, body)
	refused("an altered body", "signature_mismatch", newSignal(h, body), strings.Replace(body, "100", "900", 1))
	refused("too old", "stale_timestamp", signed{h.URL, body, h.Secret, time.Now().Add(-signing.Tolerance - time.Second)}, body)
	refused("from the future", "stale_timestamp", signed{h.URL, body, h.Secret, time.Now().Add(signing.Tolerance + 2*waitMax)}, body)
	refused("an event of an endpoint", "signature_mismatch", signed{h.URL, `{"id":"evt_1","type":"order.filled"}`, s.demo.Receiver.Secret, time.Now()}, `{"id":"evt_1","type":"order.filled"}`)
	if status, answer := s.deliver(h.URL, body, "Content-Type", "application/json"); status != http.StatusUnauthorized || answer.text("error", "details", "reason") != "missing_signature" {
		t.Errorf("no signature: response = %d %v, want 401 missing_signature", status, answer)
	}
	// An event signed with the hook's secret is not accepted as a signal.
	if answer := s.fire(http.StatusBadRequest, h, `{"id":"evt_1","type":"order.filled","createdAt":"2026-01-01T00:00:00.000Z","data":{}}`); answer.text("error", "code") != "invalid_request" {
		t.Errorf("reflected event: response = %v, want invalid_request", answer)
	}
	if status, _ := s.send(signed{strings.Replace(h.URL, h.ID, "hook_00000000000000000000000000", 1), body, h.Secret, time.Now()}); status != http.StatusNotFound {
		t.Errorf("unknown hook: status = %d, want 404", status)
	}
	if after := len(s.ledger(s.demo.Sim[venues.Binance].ControlURL)); after != before {
		t.Errorf("orders at the venue = %d, want %d", after, before)
	}
}

func testAlert(t *testing.T, s *service) {
	control := s.demo.Sim[venues.Binance].ControlURL
	post(t, control+"/market", `{"symbol":"LTCUSDT","pause":true}`)
	post(t, control+"/market", `{"symbol":"LTCUSDT","price":"80"}`)
	made := s.administer(http.StatusCreated, http.MethodPost, "alerts", fmt.Sprintf(
		`{"customer":%q,"exchange":"binance","symbol":"LTCUSDT","condition":{"field":"mark","op":"above","value":"90"},"comment":"up"}`, s.customer()))
	post(t, control+"/market", `{"symbol":"LTCUSDT","price":"100"}`)
	e := s.event("alert.fired", "alertId", made.text("id"))
	if e.text("data", "symbol") != "LTCUSDT" || e.text("data", "condition", "value") != "90" {
		t.Errorf("event = %v, want the condition 90 on LTCUSDT", e)
	}
	if alert := s.administer(http.StatusOK, http.MethodGet, "alerts/"+made.text("id"), ""); alert.text("status") != "fired" {
		t.Errorf("alert = %v, want status fired", alert)
	}
}

// testRotation checks that both secrets of a hook are valid while they overlap, before
// and after a rotation of the vault's key.
func testRotation(t *testing.T, s *service) {
	h := s.hook(`"testMode":true`)
	next := h
	next.Secret = s.administer(http.StatusOK, http.MethodPost, "hooks/"+h.ID+"/rotate", `{"overlapSec":3600}`).text("secret")
	body := orderSignal("binance", "BTCUSDT", "buy", "0.01", "")
	s.fire(http.StatusAccepted, h, body)
	s.fire(http.StatusAccepted, next, body)
	if done := s.administer(http.StatusOK, http.MethodPost, "rotate-key", ""); done["accounts"] != 3.0 {
		t.Errorf("sealed again: %v, want 3 accounts", done)
	}
	s.fire(http.StatusAccepted, next, orderSignal("binance", "BTCUSDT", "buy", "0.02", ""))
	last := h
	last.Secret = s.administer(http.StatusOK, http.MethodPost, "hooks/"+h.ID+"/rotate", `{"overlapSec":0}`).text("secret")
	s.fire(http.StatusAccepted, last, body)
	s.fire(http.StatusUnauthorized, next, body)
	s.fire(http.StatusUnauthorized, h, body)
}

// testDailyLoss checks that a loss of real fills locks the account and is delivered as
// an event.
func testDailyLoss(t *testing.T, s *service) {
	control, account := s.demo.Sim[venues.OKX].ControlURL, s.customer()+":okx"
	post(t, control+"/market", `{"symbol":"BNBUSDT","pause":true}`)
	h := s.hook(`"rules":{}`)
	s.order(s.fire(http.StatusAccepted, h, orderSignal("okx", "BNBUSDT", "buy", "5", "")).text("orderId"), "filled")
	s.administer(http.StatusOK, http.MethodPatch, "accounts/"+account, `{"limits":{"dailyLoss":"20"}}`)
	post(t, control+"/market", `{"symbol":"BNBUSDT","price":"400"}`)
	e := s.event("risk.limit_reached", "limit", "daily_loss")
	if e.text("data", "action") != "trading_locked" || e.text("data", "threshold") != "20" || e.text("data", "exchange") != "okx" {
		t.Errorf("event = %v, want trading_locked on okx at 20", e)
	}
	if answer := s.fire(http.StatusUnprocessableEntity, h, orderSignal("okx", "BNBUSDT", "buy", "1", "")); answer.text("error", "code") != "trading_locked" {
		t.Errorf("signal while locked: response = %v, want trading_locked", answer)
	}
	s.order(s.fire(http.StatusAccepted, h, `{"action":"close","exchange":"okx","symbol":"BNBUSDT"}`).text("orderId"), "filled")
	s.administer(http.StatusOK, http.MethodPatch, "accounts/"+account, `{"limits":{}}`)
	s.administer(http.StatusOK, http.MethodPost, "accounts/"+account+"/unlock", "")
}

// testRaceAgainstALimit checks that concurrent signals keep the position within the
// channel's limit.
func testRaceAgainstALimit(t *testing.T, s *service) {
	const signals, senders = 1000, 32
	h := s.hook(`"rules":{"maxQty":"0.2"}`)
	var wait sync.WaitGroup
	work := make(chan int)
	for range senders {
		wait.Go(func() {
			for i := range work {
				body := orderSignal("bybit", "BTCUSDT", "buy", "0.01", fmt.Sprintf(`,"requestId":"race-%d"`, i))
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.demo.AdminURL+"/admin/v1/hooks/"+h.ID+"/fire", strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				request.Header.Set("Authorization", "Bearer "+s.demo.AdminToken)
				if status, text := do(t, request); status != http.StatusAccepted && status != http.StatusUnprocessableEntity && status != http.StatusTooManyRequests {
					t.Errorf("response = %d %s, want 202, 422 or 429", status, text)
				}
			}
		})
	}
	for i := range signals {
		work <- i
	}
	close(work)
	wait.Wait()
	s.plansEnd(h.ID)
	exposure := decimal.Zero
	for _, o := range s.ledger(s.demo.Sim[venues.Bybit].ControlURL) {
		if o.text("symbol") == "BTCUSDT" && o.text("status") == "filled" {
			exposure = exposure.Add(venues.MustDecimal(o.text("filledQty")))
		}
	}
	if want := venues.MustDecimal("0.2"); !exposure.Equal(want) {
		t.Errorf("%s at the venue, the limit is %s", exposure, want)
	}
}
