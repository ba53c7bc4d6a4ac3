package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"venuegate/venues"
)

// TestOrdersOverKeptConnections: with orderEntry websocket the service's orders
// reach each venue over its connection for orders.
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
		// A delay of nothing counts what it strikes. The first orders may be before
		// the connection.
		post(t, sims[venue].ControlURL+"/faults", `{"match":`+operation+`,"do":"delay","times":1}`)
		eventually(t, "an order over the connection of "+string(venue), func() bool {
			placed := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", fmt.Sprintf(
				`{"exchange":%q,"symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.01","price":"60000"}`, venue))
			cancelled := s.trade(http.StatusOK, http.MethodDelete, "/v1/orders/"+placed.text("orderId"), "")
			s.order(cancelled.text("orderId"), "cancelled")
			return struckAt(t, sims[venue].ControlURL) == 1
		})
	}
}

// struckAt is how often the scripted faults of a simulated venue have struck.
func struckAt(t *testing.T, control string) int {
	t.Helper()
	_, text := get(t, control+"/faults")
	var list struct {
		Faults []struct {
			Struck int `json:"struck"`
		} `json:"faults"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	struck := 0
	for _, f := range list.Faults {
		struck += f.Struck
	}
	return struck
}
