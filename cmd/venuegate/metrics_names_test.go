package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"venuegate/venues"
)

// serveBare starts the service without customers, on venues that do not respond, and
// returns the text of /metrics.
func serveBare(t *testing.T) string {
	t.Helper()
	config := "venues:\n"
	for _, exchange := range venues.All() {
		config += fmt.Sprintf("  %s: {environment: sim, restUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1'}\n", exchange)
	}
	admin := fmt.Sprintf("127.0.0.1:%d", freePorts(t, 1))
	p := start(t, "serve", "--config", writeFile(t, config), "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--admin-listen", admin)
	eventually(t, "the service", func() bool { return strings.Contains(p.out.String(), `"serving"`) })
	status, text := get(t, "http://"+admin+"/metrics")
	if status != http.StatusOK {
		t.Fatalf("metrics = %d %s, want 200", status, text)
	}
	return text
}

var metricName = regexp.MustCompile(`venuegate_[a-z0-9_]+`)

// series returns the names of the metrics of /metrics and of their series.
func series(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		if name := metricName.FindString(line); name != "" && (strings.HasPrefix(line, name) || strings.HasPrefix(line, "# TYPE "+name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// promisedSeries exist before anything has happened.
var promisedSeries = []string{
	`venuegate_ready 0`,
	`venuegate_orders_total{exchange="okx",status="filled"} 0`,
	`venuegate_orders_total{exchange="binance",status="unknown"} 0`,
	`venuegate_orders_unknown{exchange="bybit"} 0`,
	`venuegate_orders_unknown_oldest_seconds 0`,
	`venuegate_order_hop_duration_seconds_count{hop="venue_answered"} 0`,
	`venuegate_positions_unprotected 0`,
	`venuegate_unprotected_seconds_total 0`,
	`venuegate_signals_total{kind="chart",result="accepted"} 0`,
	`venuegate_signals_total{kind="webhook",result="bad_signature"} 0`,
	`venuegate_venue_call_duration_seconds_count{exchange="binance",operation="place",outcome="unknown"} 0`,
	`venuegate_venue_call_duration_seconds_count{exchange="okx",operation="protect",outcome="ok"} 0`,
	`venuegate_private_streams{exchange="bybit",state="connected"} 0`,
	`venuegate_private_streams{exchange="bybit",state="disconnected"} 0`,
	`venuegate_venue_weight_used{exchange="binance",limit="orders_1m"} 0`,
	`venuegate_venue_weight_limit{exchange="binance",limit="request_weight_1m"} 2400`,
	`venuegate_venue_weight_limit{exchange="okx",limit="account_orders"} 1000`,
	`venuegate_deliveries{state="pending"} 0`,
	`venuegate_deliveries{state="undelivered"} 0`,
	`venuegate_delivery_oldest_due_seconds 0`,
	`venuegate_delivery_duration_seconds_count{kind="telegram",result="failed"} 0`,
	`venuegate_commit_duration_seconds_count `,
	`venuegate_commit_group_size_count `,
	`venuegate_store_bytes `,
	`venuegate_disk_free_bytes `,
	`venuegate_stream_closes_total{code="4009"} 0`,
	`venuegate_request_duration_seconds_count{method="POST",route="/v1/orders",status="503"} 0`,
}

// Alerts are written before the first fault: what they name exists from the start.
func TestMetricsExistFromTheStart(t *testing.T) {
	text := serveBare(t)
	for _, line := range promisedSeries {
		if !strings.Contains(text, "\n"+line) {
			t.Errorf("metrics lack the line %s", line)
		}
	}
	names := series(text)
	for page, metricsMin := range map[string]int{readme: 3, deployed("alerts.yaml"): 15, deployed("dashboard.json"): 20} {
		content, err := os.ReadFile(filepath.Clean(page))
		if err != nil {
			t.Fatal(err)
		}
		named := metricName.FindAllString(string(content), -1)
		slices.Sort(named)
		if named = slices.Compact(named); len(named) < metricsMin {
			t.Errorf("%s names the metrics %v, want at least %d", page, named, metricsMin)
		}
		for _, name := range named {
			if !slices.Contains(names, name) {
				t.Errorf("%s names %s, which does not exist", page, name)
			}
		}
	}
	checkLabels(t, text)
}

var (
	selector  = regexp.MustCompile(`(venuegate_[a-z0-9_]+)\{([^}]*)\}`)
	grouping  = regexp.MustCompile(`by \(([a-z, ]+)\)`)
	labelName = regexp.MustCompile(`[a-z]+`)
	matcher   = regexp.MustCompile(`([a-z]+)(=~|=)\\?"([^"\\]*)`)
)

// checkLabels checks that the label values that rules and panels select exist.
func checkLabels(t *testing.T, text string) {
	t.Helper()
	for _, page := range []string{deployed("alerts.yaml"), deployed("dashboard.json")} {
		content, err := os.ReadFile(filepath.Clean(page))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range selector.FindAllStringSubmatch(string(content), -1) {
			for _, m := range matcher.FindAllStringSubmatch(s[2], -1) {
				line := regexp.MustCompile(`(?m)^` + s[1] + `\{[^}]*` + m[1] + `="(` + m[3] + `)"`)
				if !line.MatchString(text) {
					t.Errorf("%s selects %s, which does not exist", page, s[0])
				}
			}
		}
		for _, g := range grouping.FindAllStringSubmatch(string(content), -1) {
			for _, label := range labelName.FindAllString(g[1], -1) {
				if !strings.Contains(text, label+`="`) {
					t.Errorf("%s groups by %s, which no metric has", page, label)
				}
			}
		}
	}
}
