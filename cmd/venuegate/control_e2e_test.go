package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"venuegate/transport/api"
	"venuegate/venues"
)

// accountsCommand runs `venuegate accounts ...` against a service, with tables for output.
func (s *service) accountsCommand(args ...string) string {
	s.t.Helper()
	status, out, complaint := run(s.t.Context(), append(append([]string{"accounts"}, args...), "--data", s.dir, "-o", "table")...)
	if status != exitOK {
		s.t.Fatalf("accounts %s: status %d, want 0: %s %s", strings.Join(args, " "), status, out, complaint)
	}
	return out
}

// binanceAccount returns the id of the demo's account at binance.
func (s *service) binanceAccount() string {
	s.t.Helper()
	for _, word := range strings.Fields(s.accountsCommand("list", "-q")) {
		if strings.HasSuffix(word, ":binance") {
			return word
		}
	}
	s.t.Fatal("no account at binance")
	return ""
}

func (s *service) buys(status int, qty string) record {
	s.t.Helper()
	return s.trade(status, http.MethodPost, "/v1/orders", fmt.Sprintf(`{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":%q}`, qty))
}

// refused checks a response with status 422.
func (s *service) refused(answer record, code, detail, want string) {
	s.t.Helper()
	if answer.text("error", "code") != code || answer.text("error", "details", detail) != want {
		s.t.Fatalf("%v, want %s with %s %s", answer, code, detail, want)
	}
}

// TestLimitsAndHaltFromTheCommandLine checks that limits reach the running account,
// that a loss locks it, that the lock survives kill -9, and that a halt cancels every
// order at the venue.
func TestLimitsAndHaltFromTheCommandLine(t *testing.T) {
	simFile, sims := startSimProcess(t)
	control := sims[venues.Binance].ControlURL
	dir := t.TempDir()
	s := startService(t, dir, "--sim", simFile)
	id := s.binanceAccount()
	out := s.accountsCommand("limits", id, "--daily-loss", "500", "--max-order-notional", "200000", "--max-open-orders", "3")
	if !strings.Contains(out, "500") || !strings.Contains(out, "200000") {
		t.Fatal(out)
	}
	s.refused(s.buys(http.StatusUnprocessableEntity, "100"), "risk_rejected", "rule", "max_order_notional")
	s.buys(http.StatusCreated, "1")
	post(t, control+"/market", `{"symbol":"BTCUSDT","price":"63000"}`)
	eventually(t, "the lock", func() bool { return strings.Contains(s.accountsCommand("list"), "locked until") })
	s.refused(s.buys(http.StatusUnprocessableEntity, "0.1"), "trading_locked", "limit", "daily_loss")

	s.kill()
	s = startService(t, dir, "--sim", simFile)
	s.refused(s.buys(http.StatusUnprocessableEntity, "0.1"), "trading_locked", "threshold", "500")
	s.accountsCommand("unlock", id)
	if out := s.accountsCommand("limits", id, "--daily-loss", "none"); !strings.Contains(out, "none") || !strings.Contains(out, "trading") {
		t.Fatal(out)
	}
	s.buys(http.StatusCreated, "0.1")
	s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.1","price":"30000"}`)

	if out := s.accountsCommand("halt", id, "--flatten"); !strings.Contains(out, "halted") {
		t.Fatal(out)
	}
	if open := s.trade(http.StatusOK, http.MethodGet, "/v1/orders?exchange=binance", "").items(); len(open) != 0 {
		t.Errorf("open orders = %v, want none", open)
	}
	s.refused(s.buys(http.StatusUnprocessableEntity, "0.1"), "trading_locked", "limit", "halted")
	var types []string
	eventually(t, "the end of the position", func() bool {
		types = nil
		for _, e := range s.trade(http.StatusOK, http.MethodGet, "/v1/events?limit=500", "").items() {
			types = append(types, e.text("type"))
		}
		return strings.Contains(strings.Join(types, " "), "position.closed")
	})
	if all := strings.Join(types, " "); strings.Count(all, "risk.limit_reached") != 1 || strings.Count(all, "position.closed") != 1 {
		t.Errorf("events = %s, want risk.limit_reached and position.closed once each", all)
	}
	s.accountsCommand("resume", id)
	s.buys(http.StatusCreated, "0.1")
}

// TestDisablingACustomerTakesEffectImmediately checks that a cached key is rejected,
// its streams are closed and its hooks reject signals.
func TestDisablingACustomerTakesEffectImmediately(t *testing.T) {
	s := startService(t, t.TempDir())
	stream := s.subscribe("orders")
	s.trade(http.StatusOK, http.MethodGet, "/v1/orders", "")
	s.administer(http.StatusOK, http.MethodDelete, "customers/"+s.customer(), "")
	s.trade(http.StatusUnauthorized, http.MethodGet, "/v1/orders", "")
	s.fire(http.StatusNotFound, s.demo.Hook, orderSignal("binance", "BTCUSDT", "buy", "0.01", ""))
	if code := stream.closeCode(); code != int(api.StreamUnauthorized) {
		t.Errorf("close code of the stream = %d, want %d", code, api.StreamUnauthorized)
	}
}
