package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"venuegate/venues"
)

// TestTestModeWritesNothing sends signals of every action to channels in test mode and
// checks that no venue receives a request that changes anything.
func TestTestModeWritesNothing(t *testing.T) { writeNothing(t, 1_000) }

const (
	// signalsPerHook is below the limit of a channel per minute.
	signalsPerHook = 50
	// hooksPerCustomer is below the limit of a customer.
	hooksPerCustomer = 90
	// signalSenders is the number of concurrent senders.
	signalSenders = 16
)

// testSignals are the bodies of signals in turn, with the exchange for %s.
var testSignals = []string{
	`{"action":"order","exchange":"%s","symbol":"BTCUSDT","side":"buy","qty":"0.01"}`,
	`{"action":"order","exchange":"%s","symbol":"ETHUSDT","side":"sell","qty":"0.5","orderType":"limit","price":"9000","stopLoss":"9500","takeProfit":"8000"}`,
	`{"action":"close","exchange":"%s","symbol":"BTCUSDT"}`,
	`{"action":"cancel-all","exchange":"%s"}`,
	`{"action":"notify","exchange":"%s","comment":"test"}`,
}

func writeNothing(t *testing.T, signals int) {
	t.Helper()
	s := startService(t, t.TempDir())
	for _, exchange := range venues.All() { // there is something to close and to cancel
		s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", fmt.Sprintf(`{"exchange":%q,"symbol":"BTCUSDT","side":"sell","type":"market","qty":"0.02"}`, exchange))
		s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", fmt.Sprintf(`{"exchange":%q,"symbol":"BTCUSDT","side":"buy","type":"limit","price":"50000","qty":"0.02"}`, exchange))
	}
	before := s.writes()
	if slices.Contains(before, 0) {
		t.Fatalf("requests of the venues = %v, want some of each", before)
	}
	hooks := s.createTestHooks((signals + signalsPerHook - 1) / signalsPerHook)
	s.sendSignals(hooks)
	for _, h := range hooks {
		eventually(t, "the end of every signal", func() bool { return s.tested(h) == signalsPerHook })
	}
	if after := s.writes(); !slices.Equal(after, before) {
		t.Errorf("requests after %d signals = %v, want %v as before", len(hooks)*signalsPerHook, after, before)
	}
	s.trade(http.StatusOK, http.MethodDelete, "/v1/orders", "") // without test mode the counter changes
	if after := s.writes(); slices.Equal(after, before) {
		t.Errorf("requests after a cancel = %v, want more than %v", after, before)
	}
}

// testHook is a channel in test mode with its customer.
type testHook struct {
	DemoHook
	customer string
}

// createTestHooks makes n channels in test mode, of as many customers as it takes,
// each with an account at every venue.
func (s *service) createTestHooks(n int) []testHook {
	s.t.Helper()
	hooks := make([]testHook, 0, n)
	customer := s.customer()
	for i := range n {
		if i > 0 && i%hooksPerCustomer == 0 {
			customer = s.administer(http.StatusCreated, http.MethodPost, "customers", fmt.Sprintf(`{"name":"test mode %d"}`, i)).text("id")
			for _, exchange := range venues.All() {
				s.connectNew(customer, exchange)
			}
		}
		made := s.administer(http.StatusCreated, http.MethodPost, "hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"test","testMode":true}`, customer))
		hooks = append(hooks, testHook{DemoHook{made.text("id"), made.text("url"), made.text("secret")}, customer})
	}
	return hooks
}

// connectNew connects a new account of a simulated venue to a customer.
func (s *service) connectNew(customer string, exchange venues.Venue) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.demo.Sim[exchange].ControlURL+"/accounts", strings.NewReader("{}"))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	_, text := do(s.t, request)
	var made SimVenue
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
	s.administer(http.StatusCreated, http.MethodPost, "accounts", fmt.Sprintf(
		`{"customer":%q,"exchange":%q,"apiKey":%q,"apiSecret":%q,"passphrase":%q}`, customer, exchange, made.APIKey, made.APISecret, made.Passphrase))
}

// sendSignals sends each channel its signals.
func (s *service) sendSignals(hooks []testHook) {
	s.t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: signalSenders}}
	defer client.CloseIdleConnections()
	work := make(chan signed)
	var wait sync.WaitGroup
	for range signalSenders {
		wait.Go(func() {
			for in := range work {
				status, answer, err := in.deliver(s.t.Context(), client)
				if err != nil || status != http.StatusAccepted || !slices.Contains([]string{"test", "pending"}, answer.text("status")) || answer["orderId"] != nil {
					s.t.Errorf("%s: response = %d %v, error %v, want 202 without an order", in.body, status, answer, err)
				}
			}
		})
	}
	for i := range signalsPerHook {
		for _, h := range hooks {
			body := fmt.Sprintf(testSignals[i%len(testSignals)], venues.All()[i%len(venues.All())])
			work <- newSignal(h.DemoHook, fmt.Sprintf(`%s,"requestId":"r-%d"}`, strings.TrimSuffix(body, "}"), i))
		}
	}
	close(work)
	wait.Wait()
}

// tested returns the number of signals of a channel that ended as tests.
func (s *service) tested(h testHook) int {
	s.t.Helper()
	page := s.administer(http.StatusOK, http.MethodGet, "journal?limit=1000&kind=signal.answer&result=test&customer="+h.customer+"&channel="+h.ID, "")
	return len(page.items())
}

// writes returns how many requests that change something each venue has counted.
func (s *service) writes() []int {
	s.t.Helper()
	var list []int
	for _, exchange := range venues.All() {
		_, text := get(s.t, s.demo.Sim[exchange].ControlURL+"/ledger")
		var ledger struct {
			Writes int `json:"writes"`
		}
		if err := json.Unmarshal([]byte(text), &ledger); err != nil {
			s.t.Fatal(err)
		}
		list = append(list, ledger.Writes)
	}
	return list
}
