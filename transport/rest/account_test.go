package rest_test

import (
	"net/http"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

func TestAccountAndPositions(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance, venues.Bybit)
	key := w.key("cus_1", persistence.ScopeAccount)
	if got := w.do(http.MethodGet, "/v1/account", key, "").want(200).page(); len(got.Items) != 1 || got.Errors != nil {
		t.Errorf("page = %v, want one item without errors", got)
	}
	if q := w.accounts.last; q.Currency != "USDT" || q.Customer != "cus_1" || q.Exchange != "" {
		t.Errorf("query = %+v, want USDT on all venues", q)
	}
	w.do(http.MethodGet, "/v1/account?exchange=bybit&currency=BTC", key, "").want(200)
	if q := w.accounts.last; q.Currency != "BTC" || q.Exchange != venues.Bybit {
		t.Errorf("query = %+v, want BTC on bybit", q)
	}
	// No instrument settles in it now, but one could.
	w.do(http.MethodGet, "/v1/account?currency=USDC", key, "").want(200)
	if q := w.accounts.last; q.Currency != "USDC" || q.Exchange != "" {
		t.Errorf("query = %+v, want USDC on all venues", q)
	}
	w.do(http.MethodGet, "/v1/positions?exchange=binance&symbol=BTCUSDT.P", key, "").want(200)
	if q := w.accounts.last; q.Symbol != "BTCUSDT" || q.Exchange != venues.Binance || q.Currency != "" {
		t.Errorf("query = %+v, want BTCUSDT on binance", q)
	}
	w.accounts.empty = true
	for _, path := range []string{"/v1/account", "/v1/positions"} {
		if got := w.do(http.MethodGet, path, key, "").want(200); string(got.body) != `{"items":[]}` {
			t.Errorf("%s: body = %s, want no items", path, got.body)
		}
	}
	w.accounts.err = venues.Errorf(venues.CodeNotFound, "okx is not connected").With("exchange", "okx")
	w.do(http.MethodGet, "/v1/positions?exchange=okx", key, "").want(404, venues.CodeNotFound)
}

// If some venues fail, the records of the others are returned; if all fail, the error of one.
func TestFailuresOfVenues(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance, venues.Bybit)
	key := w.key("cus_1", persistence.ScopeAccount)
	unavailable := venues.Errorf(venues.CodeExchangeUnavailable, "bybit does not respond")
	limited := venues.Errorf(venues.CodeRateLimited, "the venue's rate limit is used up").With("scope", venues.LimitOfVenue)
	limited.RetryAfter = 7 * time.Second
	for _, path := range []string{"/v1/account", "/v1/positions"} {
		w.accounts.err, w.accounts.failures = nil, []venues.VenueFailure{{Exchange: venues.Bybit, Error: unavailable}}
		for _, empty := range []bool{false, true} {
			w.accounts.empty = empty
			got := w.do(http.MethodGet, path, key, "").want(200).page()
			if len(got.Errors) != 1 || got.Errors[0]["exchange"] != "bybit" || got.Errors[0]["code"] != "exchange_unavailable" {
				t.Errorf("%s: page = %v, want an error of bybit", path, got)
			}
		}
		w.accounts.err, w.accounts.failures = unavailable, nil
		w.do(http.MethodGet, path, key, "").want(502, venues.CodeExchangeUnavailable)
		w.accounts.err = limited
		got := w.do(http.MethodGet, path, key, "").want(429, venues.CodeRateLimited)
		if after := got.header.Get("Retry-After"); after != "7" {
			t.Errorf("%s: Retry-After = %q, want 7", path, after)
		}
	}
}
