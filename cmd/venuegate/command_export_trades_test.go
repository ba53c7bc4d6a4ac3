package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"venuegate/venues"
)

// The exported trades are the closed positions that the account has published, on every
// venue: with a partial close, a reversal and a fee.
func TestExportTrades(t *testing.T) {
	dir := t.TempDir()
	s := startService(t, dir)
	for _, venue := range venues.All() {
		for i, order := range []string{
			`"side":"buy","qty":"0.02","comment":"=opened"`, `"side":"sell","qty":"0.01"`, `"side":"sell","qty":"0.03"`, `"side":"buy","qty":"0.02"`,
		} {
			placed := s.trade(http.StatusCreated, http.MethodPost, "/v1/orders",
				fmt.Sprintf(`{"exchange":%q,"symbol":"BTCUSDT","type":"market","requestId":"%s%d",%s}`, venue, venue, i, order))
			s.order(placed.text("orderId"), "filled")
		}
	}
	published := map[string]record{}
	eventually(t, "two closed positions on each venue", func() bool {
		for _, e := range s.trade(http.StatusOK, http.MethodGet, "/v1/events?limit=500", "").items() {
			if data, ok := e["data"].(map[string]any); ok && e.text("type") == "position.closed" {
				published[record(data).text("exchange")+" "+record(data).text("side")] = data
			}
		}
		return len(published) == 2*len(venues.All())
	})
	rows := readCSV(t, export(t, "trades", "--data", dir))
	if len(rows) != len(published) {
		t.Errorf("%d trades, want %d", len(rows), len(published))
	}
	for _, row := range rows {
		want := published[row["exchange"]+" "+row["side"]]
		for _, name := range []string{"symbol", "qty", "entryPrice", "exitPrice", "realizedPnl", "fee", "reason", "openedAt"} {
			if want.text(name) == "" || row[name] != want.text(name) {
				t.Errorf("%s %s: %s = %q, want %q as published", row["exchange"], row["side"], name, row[name], want.text(name))
			}
		}
		if comment := map[string]string{"long": "'=opened", "short": ""}[row["side"]]; row["comment"] != comment || row["feeCurrency"] != "USDT" || row["closedAt"] == "" || row["heldSeconds"] == "" {
			t.Errorf("trade = %v, want comment %q, a fee in USDT, when it was closed and how long it was held", row, comment)
		}
	}
	if rows := readCSV(t, export(t, "trades", "--data", dir, "--exchange", "okx", "--symbol", "BTC-USDT-SWAP", "--from", rows[0]["closedAt"][:10])); len(rows) != 2 {
		t.Errorf("%d trades on okx, want 2", len(rows))
	}
	if short := s.customer()[:20]; len(readCSV(t, export(t, "trades", "--data", dir, "--customer", short))) != len(rows) {
		t.Errorf("trades of customer %s: other than %d, want those of the only one", short, len(rows))
	}
	if rows := readCSV(t, export(t, "trades", "--data", dir, "--to", "2026-01-01")); len(rows) != 0 {
		t.Errorf("%d trades of an earlier year, want 0", len(rows))
	}
}

// A response that is cut off after a whole line is not taken for all trades.
func TestExportOfTradesFailsIfItIsCutOff(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, `{"exchange":"binance"}`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, adminTokenName), []byte(strings.Repeat("0", 64)), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, complaint := run(t.Context(), "export", "trades", "--customer", "cus_01AAAAAAAAAAAAAAAAAAAAAAA1", "--data", dir, "--admin-listen", strings.TrimPrefix(server.URL, "http://"))
	if want := "incomplete after 1 trades"; status != exitFailed || !strings.Contains(complaint, want) {
		t.Errorf("status %d, %s, want %d with %q", status, complaint, exitFailed, want)
	}
}
