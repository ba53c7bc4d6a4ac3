package main

import (
	"net/http"
	"testing"

	"venuegate/transport/api"
)

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
		t.Errorf("the stream was closed with %d", code)
	}
}
