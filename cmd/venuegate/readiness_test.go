package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"venuegate/transport/api"
	"venuegate/venues"
)

// readiness reads /readyz of the public listener.
func (s *service) readiness() (status int, r api.Readiness) {
	s.t.Helper()
	status, text := get(s.t, s.demo.BaseURL+"/readyz")
	if err := json.Unmarshal([]byte(text), &r); err != nil || r.Ready != (status == http.StatusOK) {
		s.t.Fatalf("readyz = %d %s, error %v, want 200 with ready, or 503 without", status, text, err)
	}
	return status, r
}

// While every venue refuses connections nothing can be traded; when they respond again,
// all is as before.
func TestReadinessFollowsTheVenues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sim.json")
	simulate := []string{"sim", "--quiet-market", "--listen", fmt.Sprintf("127.0.0.1:%d", freePorts(t, 2*len(venues.All()))), "--out", file}
	simulators := start(t, simulate...)
	eventually(t, "the simulated venues", func() bool {
		_, err := readSimFile(file)
		return err == nil
	})
	s := startService(t, t.TempDir(), "--sim", file)
	s.subscribe("trades:binance:BTCUSDT", "trades:bybit:BTCUSDT")
	var r api.Readiness
	eventually(t, "every stream", func() bool {
		_, r = s.readiness()
		for _, v := range r.Venues {
			if v.Status != "up" || v.Streams.Connected != v.Streams.Wanted || v.Private != (api.StreamCounts{Wanted: 1, Connected: 1}) {
				return false
			}
		}
		return r.Ready && len(r.Venues) == len(venues.All()) && r.Venues[0].Streams.Wanted > 0 && r.Venues[1].Streams.Wanted > 0 && r.Customers == (api.CustomerCounts{})
	})
	admin, text := get(t, s.demo.AdminURL+"/readyz")
	if admin != http.StatusOK || !strings.HasPrefix(text, `{"ready":true,"store":{"ready":true,"reason":null},"venues":[{"exchange":"binance","status":"up","reason":null,"since":`) {
		t.Errorf("readyz of the administration listener = %d %s, want 200 and the same body", admin, text)
	}

	simulators.kill()
	eventually(t, "every venue to be down", func() bool {
		_, r = s.readiness()
		for _, v := range r.Venues {
			if v.Status != "down" || v.Reason == nil || v.Streams.Connected != 0 || v.Private.Connected != 0 {
				return false
			}
		}
		return !r.Ready
	})
	start(t, simulate...)
	eventually(t, "every venue to be up", func() bool {
		_, r = s.readiness()
		for _, v := range r.Venues {
			if v.Status != "up" || v.Reason != nil || v.Private.Connected != 1 {
				return false
			}
		}
		return r.Ready
	})
}

// storeHealth is the health of a store.
type storeHealth struct {
	err        error
	isChecking bool
}

func (s storeHealth) Ready() error     { return s.err }
func (s storeHealth) IsChecking() bool { return s.isChecking }

func TestReadinessOfTheStore(t *testing.T) {
	for want, health := range map[string]storeHealth{
		`{"ready":true,"reason":null}`:                                    {},
		`{"ready":true,"reason":"its tables are still being checked"}`:    {isChecking: true},
		`{"ready":false,"reason":"the disk is full"}`:                     {err: errors.New("the disk is full")},
		`{"ready":false,"reason":"the store failed its integrity check"}`: {err: errors.New("the store failed its integrity check"), isChecking: true},
	} {
		if got, err := json.Marshal(storeReadiness(health)); err != nil || string(got) != want {
			t.Errorf("readiness of %+v = %s, %v; want %s", health, got, err, want)
		}
	}
}
