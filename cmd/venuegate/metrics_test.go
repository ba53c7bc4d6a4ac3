package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"venuegate/venues"
)

// checkMetrics checks the metrics of a demo that has filled one order of binance: the
// documented names exist, and all names follow the conventions.
func checkMetrics(t *testing.T, s *service) {
	t.Helper()
	want := []string{
		"venuegate_ready 1",
		`venuegate_request_duration_seconds_count{method="POST",route="/v1/orders",status="201"} 1`,
		`venuegate_request_duration_seconds_count{method="GET",route="/v1/stream",status="101"} 2`,
		`venuegate_delivery_duration_seconds_count{kind="webhook",result="delivered"} 1`,
		`venuegate_orders_total{exchange="binance",status="filled"} `,
		`venuegate_venue_call_duration_seconds_count{exchange="binance",operation="place",outcome="ok"} `,
		`venuegate_private_streams{exchange="binance",state="connected"} 1`,
		`venuegate_deliveries{state="delivered"} 1`,
		`venuegate_venue_status{exchange="okx",status="up"} 1`,
		`venuegate_venue_status{exchange="okx",status="down"} 0`,
		`venuegate_venue_clock_offset_seconds{exchange="bybit"} `,
		`venuegate_pool_running{exchange="binance",pool="orders"} 0`,
		`venuegate_pool_running{exchange="",pool="store"} `,
		fmt.Sprintf(`venuegate_actors{kind="account"} %d`, len(venues.All())),
	}
	for _, line := range want {
		eventually(t, "the metric "+line, func() bool {
			status, text := get(t, s.demo.AdminURL+"/metrics")
			return status == http.StatusOK && strings.Contains(text, "\n"+line)
		})
	}
	_, text := get(t, s.demo.AdminURL+"/metrics")
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("lint: problems = %v, error %v, want none", problems, err)
	}
	for _, name := range regexp.MustCompile(`(?m)^# TYPE (\w+)`).FindAllStringSubmatch(text, -1) {
		if !regexp.MustCompile(`^(venuegate|go|process)_`).MatchString(name[1]) {
			t.Errorf("metric %s, want prefix venuegate, go or process", name[1])
		}
	}
}
