package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"venuegate/bench/load"
	"venuegate/transport/registry"
)

// runLoad runs venuegate load and returns its result.
func runLoad(t *testing.T, dir string, args ...string) load.Result {
	t.Helper()
	name := filepath.Join(t.TempDir(), "result.json")
	args = append([]string{"load"}, append(args, "--data", dir, "--duration", "1s", "--warmup", "200ms", "--out", name)...)
	status, out, complaint := run(t.Context(), args...)
	if status != exitOK {
		t.Fatalf("%s: status %d, want 0: %s%s", strings.Join(args, " "), status, out, complaint)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var r load.Result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "vgk_") || strings.Contains(string(text), "whsec_") {
		t.Errorf("the result of %s has a secret", args[1])
	}
	return r
}

// Every scenario measures what it names, without an error, and leaves nothing behind.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	s := startService(t, dir)
	for _, c := range []struct {
		args  string
		kinds []string
	}{
		{"orders --rate 20 --accounts 2", []string{"place"}},
		{"amend --rate 10 --accounts 2", []string{"amend"}},
		{"cancel --rate 8 --accounts 2", []string{"cancel", "place"}},
		{"mixed --rate 20 --accounts 2", []string{"GET /v1/orders", "amend", "cancel", "place"}},
		{"reads --rate 20", []string{"GET /v1/book", "GET /v1/candles", "GET /v1/orders"}},
		{"hooks --rate 10", []string{"signal"}},
		{"events --rate 4", []string{"event", "place"}},
		{"stream --subscribers 6 --verify 2", []string{"book", "trades"}},
		{"reconnect --subscribers 6 --verify 2", []string{"reconnect", "trades, before", "trades, during"}},
		{"slow-readers --subscribers 6 --verify 2 --slow 20% --never-read 20%", []string{"trades, before", "trades, during"}},
	} {
		r := runLoad(t, dir, strings.Fields(c.args)...)
		counts := map[string]int64{}
		for _, l := range r.Latencies {
			counts[l.Kind] = l.Count
			if len(l.Errors) > 0 {
				t.Errorf("%s: errors of %s = %v, want none", c.args, l.Kind, l.Errors)
			}
		}
		for _, kind := range c.kinds {
			if counts[kind] == 0 {
				t.Errorf("%s: counts = %v, want some of %s", c.args, counts, kind)
			}
		}
	}
	if open := s.trade(200, "GET", "/v1/orders?status=open", "").items(); len(open) != 0 {
		t.Errorf("open orders after the loads = %v, want none", open)
	}
	if positions := s.trade(200, "GET", "/v1/positions?exchange=binance", "").items(); len(positions) != 0 {
		t.Errorf("positions after the loads = %v, want none", positions)
	}
	admin, err := newAdminClient(Config{Data: dir, AdminListen: DefaultConfig().AdminListen})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := list[registry.Key](t.Context(), admin, "keys", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if key.Name == "load" && key.RevokedAt.IsZero() {
			t.Errorf("key %s of a load is not revoked", key.ID)
		}
	}
}

func TestLoadRejectsWhatItCannotDo(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"", "one scenario is required"},
		{"orderz", "did you mean `orders`?"},
		{"orders --rate 0 --key k", "must be above zero"},
		{"orders --duration 1ns --key k", "must be above zero"},
		{"orders --accounts 2 --key k", "needs a demo"},
		{"stream --channels trade:binance:BTCUSDT --key k", "unknown channel"},
		{"slow-readers --slow 200% --key k", "percentage"},
		{"orders", "no API key"},
		{"compare a.json", "at least 2 arg"},
		{"compare a.json b.json", "no such file"},
		{"report a.json", "html"},
	} {
		args := append([]string{"load"}, strings.Fields(c.args)...)
		if !strings.HasPrefix(c.args, "compare") && !strings.HasPrefix(c.args, "report") {
			args = append(args, "--data", dir)
		}
		status, _, complaint := run(t.Context(), args...)
		if status == exitOK || !strings.Contains(complaint, c.want) {
			t.Errorf("load %s: status %d, %q, want an error with %q", c.args, status, complaint, c.want)
		}
	}
}
