package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
)

// otherCustomers are loaded at a start before the one that the test calls for, so that it
// is still loading when the listener opens.
const otherCustomers = 500

// The service is started startsMin times, and again until a call has come before the customer
// was loaded, which takes a few milliseconds.
const startsMin, startsMax = 3, 30

// After a kill the first responses are maintenance until the customer is loaded. None of
// them says that an account or a channel does not exist.
func TestCallsDuringAStartAreMaintenance(t *testing.T) {
	simFile, sims := startSimProcess(t)
	dir := t.TempDir()
	s := startService(t, dir, "--sim", simFile)
	var customer string
	for i := range otherCustomers {
		customer = s.administer(http.StatusCreated, http.MethodPost, "customers", fmt.Sprintf(`{"name":"customer %d"}`, i)).text("id")
	}
	key := s.administer(http.StatusCreated, http.MethodPost, "keys", fmt.Sprintf(
		`{"customer":%q,"name":"k","scopes":["read","trade","account"]}`, customer)).text("apiKey")
	sim := sims[venues.Binance]
	s.administer(http.StatusCreated, http.MethodPost, "accounts", fmt.Sprintf(
		`{"customer":%q,"exchange":"binance","environment":"sim","apiKey":%q,"apiSecret":%q}`, customer, sim.APIKey, sim.APISecret))
	signed := s.administer(http.StatusCreated, http.MethodPost, "hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"h"}`, customer))
	chart := s.administer(http.StatusCreated, http.MethodPost, "hooks", fmt.Sprintf(`{"customer":%q,"kind":"chart","name":"c"}`, customer))
	public, admin := address(t, s.demo.BaseURL), address(t, s.demo.AdminURL)

	calls := map[string]func() *http.Request{
		"account":  func() *http.Request { return s.newRequest(key, http.MethodGet, "/v1/account", "") },
		"balances": func() *http.Request { return s.newRequest(key, http.MethodGet, "/v1/account?exchange=binance", "") },
		"order": func() *http.Request {
			return s.newRequest(key, http.MethodPost, "/v1/orders", `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.01","price":"1000"}`)
		},
		"signed hook": func() *http.Request {
			in := newSignal(DemoHook{signed.text("id"), signed.text("url"), signed.text("secret")}, `{"action":"notify","comment":"x"}`)
			request := s.newRequest("", http.MethodPost, strings.TrimPrefix(in.url, s.demo.BaseURL), in.body)
			in.sign(request.Header)
			return request
		},
		"chart hook": func() *http.Request {
			return s.newRequest("", http.MethodPost, strings.TrimPrefix(chart.text("url"), s.demo.BaseURL),
				fmt.Sprintf(`{"action":"notify","comment":"x","channelToken":%q}`, chart.text("channelToken")))
		},
	}
	maintenance := 0
	for starts := 0; starts < startsMin || maintenance == 0; starts++ {
		if starts == startsMax {
			t.Fatalf("no call came during one of %d starts, want some", startsMax)
		}
		s.kill()
		next := start(t, "serve", "--demo", "--data", dir, "--sim", simFile, "--listen", public, "--admin-listen", admin)
		s.process = next
		awaitListener(t, public)
		ready := map[string]bool{}
		eventually(t, "the customer to be loaded", func() bool {
			for name, call := range calls {
				if ready[name] {
					continue
				}
				status, text, after, err := attempt(call())
				switch {
				case err != nil: // it does not listen yet
				case status == http.StatusServiceUnavailable:
					if after == "" {
						t.Errorf("%s: response = %d %s without Retry-After, want one", name, status, text)
					}
					maintenance++
				case status == http.StatusNotFound || name == "account" && status == http.StatusOK && !strings.Contains(text, "USDT"):
					t.Fatalf("%s during a start: response = %d %s, want 503 or the result", name, status, text)
				default:
					ready[name] = true
				}
			}
			return len(ready) == len(calls)
		})
	}
}

// awaitListener waits until an address accepts connections, and no longer.
func awaitListener(t *testing.T, address string) {
	t.Helper()
	for end := time.Now().Add(waitMax); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address); err == nil {
			_ = conn.Close()
			return
		}
	}
	t.Fatalf("nothing listens on %s", address)
}

func address(t *testing.T, text string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// newRequest returns a call with a key, which may be empty.
func (s *service) newRequest(key, method, path, body string) *http.Request {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.demo.BaseURL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return request
}

// attempt sends a request to a service that may not be listening.
func attempt(request *http.Request) (status int, text, retryAfter string, err error) {
	client := http.Client{Timeout: waitMax, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), response.Header.Get("Retry-After"), err
}
