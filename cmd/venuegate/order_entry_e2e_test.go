package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"venuegate/venues"
)

// TestOrdersOverKeptConnections checks that with orderEntry websocket the orders reach
// each venue over a kept connection.
func TestOrdersOverKeptConnections(t *testing.T) {
	simFile, sims := startSimProcess(t)
	s := startService(t, t.TempDir(), "--sim", simFile, "--config", writeFile(t, `
venues:
  binance: {orderEntry: websocket}
  bybit: {orderEntry: websocket}
  okx: {orderEntry: websocket}
`))
	for venue, operation := range map[venues.Venue]string{
		venues.Binance: `{"path":"/ws-fapi/v1","op":"order.place"}`,
		venues.Bybit:   `{"path":"/v5/trade","op":"order.create"}`,
		venues.OKX:     `{"path":"/ws/v5/private","op":"op:order"}`,
	} {
		// A delay of zero counts the requests that it matches. The first orders may be
		// sent before the connection is open.
		post(t, sims[venue].ControlURL+"/faults", `{"match":`+operation+`,"do":"delay","times":1}`)
		eventually(t, "an order over the connection of "+string(venue), func() bool {
			placed := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", fmt.Sprintf(
				`{"exchange":%q,"symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.01","price":"60000"}`, venue))
			cancelled := s.trade(http.StatusOK, http.MethodDelete, "/v1/orders/"+placed.text("orderId"), "")
			s.order(cancelled.text("orderId"), "cancelled")
			return faultCount(t, sims[venue].ControlURL) == 1
		})
	}
}

// faultCount returns how often the injected faults of a simulated venue have matched.
func faultCount(t *testing.T, control string) int {
	t.Helper()
	_, text := get(t, control+"/faults")
	var list struct {
		InjectedFaults []struct {
			Struck int `json:"struck"`
		} `json:"faults"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	struck := 0
	for _, f := range list.InjectedFaults {
		struck += f.Struck
	}
	return struck
}
