package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore/simnet"
)

// waitMax bounds every wait of a test for a condition. Only failing tests reach it.
const waitMax = time.Minute

// eventually polls a condition until it holds.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(waitMax)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("still waiting for %s", what)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// do sends a request over a new connection.
func do(t testing.TB, request *http.Request) (int, string) {
	t.Helper()
	client := http.Client{Timeout: waitMax, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func get(t testing.TB, url string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, request)
}

// startSim starts simulated venues for the duration of a test.
func startSim(t testing.TB, o simOptions) map[venues.Venue]SimVenue {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	log, err := newLogger(LogConfig{Format: logConsole, Level: "warn"}, testWriter{t})
	if err != nil {
		t.Fatal(err)
	}
	o.Log = log
	sims, err := startSimulators(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sims.Close(); err != nil {
			t.Error(err)
		}
	})
	return sims.venues
}

// testWriter writes to the log of a test.
type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

// TestSimCommand checks that the command describes the venues, writes the ledger
// file, and ends cleanly when its context ends.
func TestSimCommand(t *testing.T) {
	dir := t.TempDir()
	out, ledger := filepath.Join(dir, "sim.json"), filepath.Join(dir, "ledger")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	type end struct {
		status   int
		out, err string
	}
	ended := make(chan end, 1)
	go func() {
		status, stdout, stderr := run(ctx, "sim", "--out", out, "--ledger", ledger, "--quiet-market", "--seed", "7")
		ended <- end{status, stdout, stderr}
	}()
	eventually(t, "the description", func() bool { _, err := os.Stat(out); return err == nil })
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, error %v, want 0600", info.Mode(), err)
	}
	described, err := readSimFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range venueTable {
		v := described[row.code]
		if status, body := get(t, v.ControlURL+"/ledger"); status != http.StatusOK || !json.Valid([]byte(body)) {
			t.Errorf("%s: ledger = %d %s, want JSON", row.code, status, body)
		}
		if v.APIKey == "" || v.APISecret == "" || !strings.HasPrefix(v.WSURL, "ws://127.0.0.1:") {
			t.Errorf("%s: description = %+v, want a key and a loopback address", row.code, v)
		}
	}
	if status, _ := get(t, described[venues.Binance].RESTURL+"/fapi/v1/time"); status != http.StatusOK {
		t.Errorf("status of binance = %d, want 200", status)
	}
	if _, err := os.Stat(ledger); err != nil {
		t.Error(err)
	}
	stop()
	e := <-ended
	if e.status != exitOK || !strings.Contains(e.out, described[venues.Binance].RESTURL) {
		t.Errorf("status = %d, want %d with the addresses: %s%s", e.status, exitOK, e.out, e.err)
	}
	if conn, err := net.DialTimeout("tcp", strings.TrimPrefix(described[venues.Binance].RESTURL, "http://"), time.Second); err == nil {
		conn.Close()
		t.Error("dial after the end: no error, want one")
	}
}

// TestSimCommandSetsThePace checks that every venue lists as many instruments as required, and
// that their books change as often.
func TestSimCommandSetsThePace(t *testing.T) {
	const symbols = 12
	described := startSim(t, simOptions{Seed: 1, Pace: simnet.Pace{Rate: 100, Symbols: symbols, BookStep: 10 * time.Millisecond}})
	for _, c := range []struct {
		venue               venues.Venue
		path, listed, depth string
	}{
		{venues.Binance, "/fapi/v1/exchangeInfo", `"baseAsset":"SIM`, "/fapi/v1/depth?symbol=SIM3USDT&limit=5"},
		{venues.Bybit, "/v5/market/instruments-info?category=linear", `"baseCoin":"SIM`, "/v5/market/orderbook?category=linear&symbol=SIM3USDT"},
		{venues.OKX, "/api/v5/public/instruments?instType=SWAP", `"ctValCcy":"SIM`, "/api/v5/market/books?instId=SIM3-USDT-SWAP"},
	} {
		base := described[c.venue].RESTURL
		_, instruments := get(t, base+c.path)
		if got := strings.Count(instruments, c.listed); got != symbols-9 {
			t.Errorf("%s: %d further instruments, want %d beside its nine: %s", c.venue, got, symbols-9, instruments)
		}
		_, first := get(t, base+c.depth)
		eventually(t, "a change of the book", func() bool { _, later := get(t, base+c.depth); return later != first })
	}
}

// TestSimulatorsUseConsecutivePorts checks that one configured port determines all ports.
func TestSimulatorsUseConsecutivePorts(t *testing.T) {
	base := freePorts(t, 2*len(venueTable))
	described := startSim(t, simOptions{Listen: fmt.Sprintf("127.0.0.1:%d", base), Seed: 1, Quiet: true})
	for i, row := range venueTable {
		v := described[row.code]
		if v.RESTURL != fmt.Sprintf("http://127.0.0.1:%d", base+2*i) || v.ControlURL != fmt.Sprintf("http://127.0.0.1:%d", base+2*i+1) {
			t.Errorf("%s: addresses = %s, %s, want ports %d and %d", row.code, v.RESTURL, v.ControlURL, base+2*i, base+2*i+1)
		}
	}
}

// freePorts returns the first of n consecutive free ports.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	for base := 20000; base < 60000; base += 97 {
		free := true
		for port := base; free && port < base+n; port++ {
			listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if free = err == nil; free {
				listener.Close()
			}
		}
		if free {
			return base
		}
	}
	t.Fatal("no free ports")
	return 0
}

func TestReadSimFileReportsInvalidContent(t *testing.T) {
	for content, want := range map[string]string{
		"":   "read simulated venues",
		"{}": "any simulated venue",
		`{"ftx":{"restUrl":"http://127.0.0.1:1","wsUrl":"ws://127.0.0.1:1","apiKey":"k"}}`: `"ftx" is unknown`,
		`{"binance":{"restUrl":"http://127.0.0.1:1"}}`:                                     `"binance" is unknown or incomplete`,
	} {
		if _, err := readSimFile(writeFile(t, content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}
