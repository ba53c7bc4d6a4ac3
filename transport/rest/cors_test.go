package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/transport/rest"
	"venuegate/venues"
)

const appOrigin = "https://app.example.com"

func allowPage(d *rest.Deps) {
	d.CORSOrigins = []string{"http://127.0.0.1:3000", "http://[::1]:3000", appOrigin}
}

// corsHeaders returns the headers of a response that begin with Access-Control-.
func corsHeaders(r *response) http.Header {
	found := http.Header{}
	for name, values := range r.header {
		if strings.HasPrefix(name, "Access-Control-") {
			found[name] = values
		}
	}
	return found
}

// A preflight request from an allowed page names what the page may send, and never permits
// credentials.
func TestPreflight(t *testing.T) {
	w := newWorld(t, allowPage)
	address, client := w.listen(), w.client()
	preflight := func(origin, path string) *response {
		return w.send(client, http.MethodOptions, address, path, "", nil, "Origin: "+origin, "Sec-Fetch-Site: cross-site",
			"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type")
	}
	for _, path := range []string{"/v1/orders", "/v1/orders/ord_1", "/v1/time"} {
		got := preflight(appOrigin, path)
		allowed := strings.ToLower(got.header.Get("Access-Control-Allow-Headers"))
		if got.status != http.StatusNoContent || got.header.Get("Access-Control-Allow-Origin") != appOrigin ||
			got.header.Get("Access-Control-Allow-Methods") != "GET,POST,PATCH,DELETE" || !strings.Contains(allowed, "authorization,content-type") {
			t.Errorf("preflight of %s: %d %v, want 204 with origin, methods and headers", path, got.status, got.header)
		}
		if got.header.Get("Access-Control-Allow-Credentials") != "" || !strings.Contains(got.header.Get("Vary"), "Origin") {
			t.Errorf("preflight of %s: headers = %v, want no credentials, and Vary", path, got.header)
		}
	}
	for _, origin := range []string{"https://evil.example", "http://app.example.com", "https://app.example.com.evil", "https://app.example.com:8443", "null"} {
		if got := preflight(origin, "/v1/orders"); got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("preflight from %s: headers = %v, want no allowed origin", origin, got.header)
		}
	}
	for _, path := range []string{"/docs", "/readyz", "/v1x"} {
		if got := preflight(appOrigin, path); got.status != http.StatusNotFound || len(corsHeaders(got)) > 0 {
			t.Errorf("preflight of %s: %d %v, want 404 without headers", path, got.status, got.header)
		}
	}
}

// An allowed page may read and change, and read errors; another page gets neither.
func TestRequestsOfPages(t *testing.T) {
	w := newWorld(t, allowPage)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	address, client := w.listen(), w.client()
	request := func(method, path, key, origin string) *response {
		return w.send(client, method, address, path, key, strings.NewReader(marketOrder), "Origin: "+origin,
			"Sec-Fetch-Site: cross-site", "Content-Type: application/json")
	}
	for _, c := range []struct {
		method, path, key string
		status            int
	}{
		{http.MethodGet, "/v1/time", key, http.StatusOK},
		{http.MethodPost, "/v1/orders", key, http.StatusCreated},
		{http.MethodPost, "/v1/orders", "", http.StatusUnauthorized},
		{http.MethodPost, "/v1/nonesuch", key, http.StatusNotFound},
	} {
		got := request(c.method, c.path, c.key, appOrigin).want(c.status)
		exposed := got.header.Get("Access-Control-Expose-Headers")
		if got.header.Get("Access-Control-Allow-Origin") != appOrigin || !strings.Contains(exposed, "X-Request-Id") || !strings.Contains(exposed, "Retry-After") {
			t.Errorf("%s %s: headers = %v, want the allowed origin and exposed headers", c.method, c.path, got.header)
		}
		if got.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s %s: headers = %v, want no credentials", c.method, c.path, got.header)
		}
	}
	placed := len(w.trader.commands)
	request(http.MethodPost, "/v1/orders", key, "https://evil.example").want(http.StatusForbidden, venues.CodeScopeRequired)
	if got := request(http.MethodGet, "/v1/time", key, "https://evil.example"); got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("read by another page: headers = %v, want no allowed origin", got.header)
	}
	if len(w.trader.commands) != placed {
		t.Errorf("%d commands, want %d: none of another page", len(w.trader.commands), placed)
	}
	if got := request(http.MethodGet, "/openapi.yaml", key, appOrigin).want(http.StatusOK); len(corsHeaders(got)) > 0 {
		t.Errorf("documents: headers = %v, want none for pages", got.header)
	}
}

func TestPagesOfAnyOrigin(t *testing.T) {
	w := newWorld(t, func(d *rest.Deps) { d.CORSOrigins = []string{"*"} })
	withOrder(w)
	got := w.send(w.client(), http.MethodPost, w.listen(), "/v1/orders", w.key("cus_1", persistence.ScopeTrade), strings.NewReader(marketOrder),
		"Origin: https://any.example", "Sec-Fetch-Site: cross-site", "Content-Type: application/json").want(http.StatusCreated)
	if h := corsHeaders(got); h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("headers = %v, want any origin without credentials", h)
	}
}

// Without a list of origins the server answers as if there were no pages.
func TestPagesAreNotAllowedByDefault(t *testing.T) {
	w := newWorld(t)
	got := w.send(w.client(), http.MethodOptions, w.listen(), "/v1/orders", "", nil, "Origin: "+appOrigin, "Access-Control-Request-Method: POST")
	if got.status != http.StatusNotFound || len(corsHeaders(got)) > 0 {
		t.Errorf("preflight: %d %v, want 404 without headers", got.status, got.header)
	}
}
