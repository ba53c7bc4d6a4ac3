package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"venuegate/transport/registry"
	"venuegate/venues"
)

func TestLatencyKeepsTheNewestOrders(t *testing.T) {
	l := newLatency(prometheus.NewRegistry())
	received := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const orders = latencyOrdersMax + 1000
	for n := range orders {
		hops := venues.NewHops(received)
		hops.End(venues.HopAuthenticated, received.Add(10*time.Microsecond))
		hops.End(venues.HopAnswered, received.Add(time.Duration(n+11)*time.Microsecond))
		l.order(venues.Bybit, "cus_1", fmt.Sprintf("ord_%d", n), hops)
	}
	report := l.Latency("")
	if len(report.Items) != len(venues.All()) || report.Items[0].Orders != 0 || len(report.Items[0].Slowest) != 0 {
		t.Fatalf("report = %+v, want every venue, and none of binance", report)
	}
	bybit := report.Items[1]
	if bybit.Orders != latencyOrdersMax || len(bybit.Slowest) != slowestMax || bybit.Slowest[0].OrderID != fmt.Sprintf("ord_%d", orders-1) {
		t.Errorf("orders = %d, slowest %+v, want the newest %d, and the last one first", bybit.Orders, bybit.Slowest[0], latencyOrdersMax)
	}
	for _, want := range []registry.HopLatency{
		{Hop: "authenticated", Orders: latencyOrdersMax, P50: 10, P90: 10, P99: 10, P999: 10, Max: 10},
		{Hop: "venue_answered"},
		{Hop: "answered", Orders: latencyOrdersMax, P50: 2024, P90: 2844, P99: 3028, P999: 3046, Max: 3048},
		{Hop: "total", Orders: latencyOrdersMax, P50: 2034, P90: 2854, P99: 3038, P999: 3056, Max: 3058},
	} {
		found := false
		for _, got := range bybit.Hops {
			found = found || got == want
		}
		if !found {
			t.Errorf("hops = %+v, want %+v among them", bybit.Hops, want)
		}
	}
}

// The orders of a customer are reported without those of others.
func TestLatencyOfACustomer(t *testing.T) {
	l := newLatency(prometheus.NewRegistry())
	received := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for n, customer := range []string{"cus_1", "cus_2", "cus_1"} {
		hops := venues.NewHops(received)
		hops.End(venues.HopAnswered, received.Add(time.Duration(n+1)*time.Millisecond))
		l.order(venues.OKX, customer, fmt.Sprintf("ord_%d", n), hops)
	}
	okx := l.Latency("cus_1").Items[2]
	if okx.Orders != 2 || okx.Slowest[0].OrderID != "ord_2" || okx.Slowest[1].OrderID != "ord_0" {
		t.Errorf("report = %+v, want the orders 2 and 0", okx)
	}
	if of := l.Latency("cus_3").Items[2]; of.Orders != 0 || of.Slowest == nil {
		t.Errorf("report = %+v, want no orders", of)
	}
	for _, test := range []struct {
		customer, order string
		want            bool
	}{{"cus_2", "ord_1", true}, {"", "ord_1", true}, {"cus_1", "ord_1", false}, {"", "ord_3", false}} {
		if got, kept := l.OrderLatency(test.customer, test.order); kept != test.want || kept && got.Hops["answered"] != 2000 {
			t.Errorf("order %s of %q = %+v %t, want %t", test.order, test.customer, got, kept, test.want)
		}
	}
}

func TestLatencyOfOrdersAndSignals(t *testing.T) {
	s := startService(t, t.TempDir())
	order := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", `{"exchange":"okx","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01"}`)
	body := orderSignal("okx", "BTCUSDT", "buy", "0.01", "")
	if status, answer := s.deliver(s.demo.Chart.URL, strings.TrimSuffix(body, "}")+fmt.Sprintf(`,"channelToken":%q}`, s.demo.Chart.ChannelToken), "Content-Type", "application/json"); status != http.StatusAccepted {
		t.Fatalf("signal = %d %v, want 202", status, answer)
	}
	var report registry.Latency
	eventually(t, "both orders", func() bool {
		text, err := json.Marshal(s.administer(http.StatusOK, http.MethodGet, "latency", ""))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &report); err != nil {
			t.Fatal(err)
		}
		return report.Items[2].Orders == 2
	})
	ids := map[string]registry.OrderLatency{}
	for _, o := range report.Items[2].Slowest {
		ids[o.OrderID] = o
		sum := int64(0)
		for hop := range venues.HopCount {
			took, ended := o.Hops[hop.String()]
			if !ended {
				t.Errorf("order %s: hops = %v, want %s among them", o.OrderID, o.Hops, hop)
			}
			sum += took
		}
		if sum < o.Total-int64(venues.HopCount) || sum > o.Total {
			t.Errorf("order %s: the hops sum up to %d us, want %d", o.OrderID, sum, o.Total)
		}
	}
	if _, listed := ids[order.text("orderId")]; !listed {
		t.Errorf("slowest = %v, want %s among them", ids, order.text("orderId"))
	}
	_, text := get(t, s.demo.AdminURL+"/metrics")
	for hop := range venues.HopCount {
		if line := fmt.Sprintf(`venuegate_order_hop_duration_seconds_count{hop=%q} 2`, hop.String()); !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("metrics lack %s", line)
		}
	}
}
