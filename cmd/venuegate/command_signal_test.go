package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"venuegate/transport/registry"
	"venuegate/venues"
)

// TestSignalIsTestedThenFired tests signals with each policy against an open position, checks
// that nothing has changed, and that firing the same signal ends as the test has predicted.
func TestSignalIsTestedThenFired(t *testing.T) {
	s := startService(t, t.TempDir())
	const held, against = "buy", "sell"
	const okx = `"exchange":"okx","symbol":"BTCUSDT"`
	opening := `{"action":"order",` + okx + `,"side":"` + held + `","qty":"0.02","type":"market","requestId":"%"}`
	opposite := strings.ReplaceAll(opening, held, against)
	for _, c := range []struct {
		name, members, signal string
		// status is that of the signal, plan has the steps, each with a minus if it is rejected.
		status, plan string
	}{
		{"opens", `"rules":{}`, opening, "done", "open"},
		{"reject", `"rules":{"opposite":"reject"}`, opposite, "rejected", "-open"},
		{"ignore", `"rules":{"opposite":"ignore"}`, opposite, "ignored", "-open"},
		{"reverse", `"rules":{"opposite":"reverse"}`, opposite, "done", "-open close open"},
		{"close", `"rules":{"opposite":"close"}`, opening, "done", "-open close"},
		{"nothing to close", `"rules":{}`, `{"action":"close",` + okx + `,"requestId":"%"}`, "rejected", "-close"},
		{"too much", `"rules":{"maxQty":"0.01","stopRequired":true}`, opening, "rejected", ""},
		{"paused", `"rules":{}`, opening, "rejected", ""},
		{"cancel", `"rules":{}`, `{"action":"cancel-all",` + okx + `,"requestId":"%"}`, "done", "cancel"},
		{"notify", `"rules":{}`, `{"action":"notify","comment":"hello","requestId":"%"}`, "done", "notify"},
	} {
		h := s.hook(c.members)
		if c.name == "paused" {
			s.administer(http.StatusOK, http.MethodPatch, "hooks/"+h.ID, `{"paused":true}`)
		}
		signal := strings.ReplaceAll(c.signal, "%", strings.ReplaceAll(c.name, " ", "-"))
		before := s.unchanged(h.ID)
		test := s.testSignal(h.ID, signal)
		if after := s.unchanged(h.ID); after != before {
			t.Errorf("%s: after the test %s, want %s", c.name, after, before)
		}
		var plan []string
		for _, step := range test.Plan {
			if step.Error != nil {
				step.Step = "-" + step.Step
			}
			plan = append(plan, step.Step)
		}
		if got := strings.Join(plan, " "); test.Status != c.status || got != c.plan || (test.Error != nil) != (c.status == "rejected") {
			t.Errorf("%s: status %s, plan %q, error %v, want %s and %q", c.name, test.Status, got, test.Error, c.status, c.plan)
		}
		_, out, _ := run(t.Context(), "hooks", "fire", h.ID, "--signal", signal, "--data", s.dir)
		s.plansEnd(h.ID)
		rows := s.administer(http.StatusOK, http.MethodGet, "journal?kind=signal.answer&customer="+s.customer()+"&channel="+h.ID, "").items()
		if len(rows) != 1 || rows[0].text("result") != c.status {
			t.Errorf("%s: fired it ended as %v, want %s: %s", c.name, rows, c.status, out)
		}
		if again := s.testSignal(h.ID, signal); c.status == "done" && !again.Duplicate {
			t.Errorf("%s: test of the requestId that was fired = %+v, want a duplicate", c.name, again)
		}
	}
}

// TestSignalTestForPeople checks the table of a test, and that a signal without a stop shows
// every rule that it breaks.
func TestSignalTestForPeople(t *testing.T) {
	s := startService(t, t.TempDir())
	h := s.hook(`"testMode":true,"rules":{"maxQty":"0.01","stopRequired":true,"symbols":["BTCUSDT"]}`)
	signal := `{"action":"order","exchange":"binance","symbol":"BTCUSDT","side":"buy","qty":"0.02","type":"market"}`
	status, out, errText := run(t.Context(), "hooks", "test", h.ID, "--signal", signal, "--data", s.dir, "-o", "table")
	if status != exitOK {
		t.Fatalf("status %d, want %d: %s", status, exitOK, errText)
	}
	for _, want := range []string{
		"symbols        channel  BTCUSDT  BTCUSDT  ok", "max_qty        channel  0.01     0.02     failed: ", "stop_required  channel  true     -        failed: ",
		"would end as rejected. Nothing was sent.", "in test mode",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("shown\n%s\nwant %q in it", out, want)
		}
	}
}

// testSignal runs hooks test.
func (s *service) testSignal(hook, signal string) (test registry.SignalTest) {
	s.t.Helper()
	status, out, errText := run(s.t.Context(), "hooks", "test", hook, "--signal", signal, "--data", s.dir)
	if status != exitOK {
		s.t.Fatalf("hooks test %s: status %d, want %d: %s", signal, status, exitOK, errText)
	}
	if err := json.Unmarshal([]byte(out), &test); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	return test
}

// unchanged describes what a test must not change: orders, journals and the venue's ledger.
func (s *service) unchanged(hook string) string {
	s.t.Helper()
	text, err := json.Marshal([]any{
		s.trade(http.StatusOK, http.MethodGet, "/v1/orders?status=all&limit=500", "").items(),
		s.ledger(s.demo.Sim[venues.OKX].ControlURL),
		s.administer(http.StatusOK, http.MethodGet, "journal?limit=1000&customer="+s.customer()+"&channel="+hook, "").items(),
		s.administer(http.StatusOK, http.MethodGet, "journal?limit=1000", "").items(),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// TestSignalIsReadWhole checks that a signal that is too large or empty is not sent.
func TestSignalIsReadWhole(t *testing.T) {
	fits := `"` + strings.Repeat("x", signalMax-2) + `"`
	for name, c := range map[string]struct{ in, err string }{
		"largest":   {fits, ""},
		"too large": {fits + " ", "the signal is larger than 64 KB"},
		"empty":     {"\n", "the signal is empty: set --signal or write it to standard input"},
	} {
		signal, err := readSignal(strings.NewReader(c.in))
		if c.err == "" {
			if err != nil || string(signal) != c.in {
				t.Errorf("%s: %d bytes, error %v, want %d", name, len(signal), err, len(c.in))
			}
			continue
		}
		if err == nil || err.Error() != c.err {
			t.Errorf("%s: error %v, want %s", name, err, c.err)
		}
	}
}

// TestFireNamesTheRequestID checks that a signal whose outcome is not known can be repeated
// without a second order: the error names the requestId with which it was sent.
func TestFireNamesTheRequestID(t *testing.T) {
	var mu sync.Mutex // a client that reads the end of a connection does not wait for the handler
	var sent []byte
	status := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		sent = body
		if status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, adminTokenName), []byte(strings.Repeat("0", 64)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		signal string
		status int
		id     string
		named  bool
	}{
		{`{"action":"close"}`, 0, "", true},
		{`{ }`, http.StatusInternalServerError, "", true},
		{`{"action":"close"}`, http.StatusUnprocessableEntity, "", false},
		{`{"action":"close","requestId":"r-1"}`, 0, "r-1", true},
		{`{"action":"close","requestId":7}`, 0, "", false},
		{`[]`, 0, "", false},
	} {
		mu.Lock()
		sent, status = nil, c.status
		mu.Unlock()
		exit, _, complaint := run(t.Context(), "hooks", "fire", "hook_01AAAAAAAAAAAAAAAAAAAAAAA1", "--signal", c.signal,
			"--data", dir, "--admin-listen", strings.TrimPrefix(server.URL, "http://"))
		var signal struct {
			RequestID string `json:"requestId"`
		}
		mu.Lock()
		sent := sent
		mu.Unlock()
		if err := json.Unmarshal(sent, &signal); c.named && (err != nil || signal.RequestID == "" || c.id != "" && signal.RequestID != c.id) {
			t.Errorf("%s: sent as %s, error %v, want it with requestId %q", c.signal, sent, err, c.id)
		}
		hint := "the outcome is not known"
		if c.named {
			hint += `; repeat with "requestId":"` + signal.RequestID + `"`
		}
		if exit != exitFailed || strings.Contains(complaint, hint) != c.named {
			t.Errorf("%s, answered %d: status %d, %s, want %d and %q: %v", c.signal, c.status, exit, complaint, exitFailed, hint, c.named)
		}
	}
}
