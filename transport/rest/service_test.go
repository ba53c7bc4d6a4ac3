package rest_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/rest"
	"venuegate/venues"
)

func TestTimeAndHealth(t *testing.T) {
	w := newWorld(t)
	text, _ := w.do(http.MethodGet, "/v1/time", "", "").want(200).object()["serverTime"].(string)
	at, err := time.Parse(venues.TimeFormat, text)
	if err != nil || time.Since(at).Abs() > time.Minute {
		t.Errorf("serverTime = %q, error %v, want the current time", text, err)
	}
	w.do(http.MethodGet, "/healthz", "", "").want(200)
	w.do(http.MethodGet, "/readyz", "", "").want(200)
	reason := "the disk is full"
	w.ready.value = api.Readiness{
		Store: api.StoreReadiness{Reason: &reason},
		Venues: []api.VenueReadiness{{
			Exchange: venues.OKX, Status: "down", Reason: &reason, Since: venues.At(time.Unix(1767225600, 0)),
			Streams: api.StreamCounts{Wanted: 3, Connected: 1}, Private: api.StreamCounts{Wanted: 2},
		}},
		Customers: api.CustomerCounts{Loading: 4, Halted: 5},
	}
	got := w.do(http.MethodGet, "/readyz", "", "").want(503)
	if want := `{"ready":false,"store":{"ready":false,"reason":"the disk is full"},` +
		`"venues":[{"exchange":"okx","status":"down","reason":"the disk is full","since":"2026-01-01T00:00:00.000Z",` +
		`"streams":{"wanted":3,"connected":1},"private":{"wanted":2,"connected":0}}],` +
		`"customers":{"loading":4,"halted":5}}`; string(got.body) != want {
		t.Errorf("body = %s, want %s", got.body, want)
	}
	w.do(http.MethodGet, "/healthz", "", "").want(200)
}

func TestDocuments(t *testing.T) {
	w := newWorld(t)
	if got := w.do(http.MethodGet, "/openapi.yaml", "", "").want(200); !bytes.Equal(got.body, api.OpenAPI()) || got.header.Get("Content-Type") != "application/yaml" {
		t.Errorf("openapi.yaml: headers %v, %d bytes, want the document as YAML", got.header, len(got.body))
	}
	if got := w.do(http.MethodGet, "/asyncapi.yaml", "", "").want(200); !bytes.Equal(got.body, api.AsyncAPI()) {
		t.Errorf("asyncapi.yaml = %.200s, want the document", got.body)
	}
	if sentence := fmt.Sprintf("may have %d connections", rest.ConnsPerAddressMax); !strings.Contains(string(api.OpenAPI()), sentence) {
		t.Errorf("openapi.yaml lacks %q", sentence)
	}
}

func TestCommonHeaders(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/v1/time", "/v1/nothing", "/v1/orders"} {
		got := w.do(http.MethodGet, path, "", "")
		if got.header.Get("Content-Security-Policy") != "default-src 'none'; frame-ancestors 'none'" || got.header.Get("Referrer-Policy") != "no-referrer" ||
			got.header.Get("Server") != "" || got.header.Get("Access-Control-Allow-Origin") != "" || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: headers = %v, want the common ones", path, got.header)
		}
	}
}

// Reading and trading have separate rate limits per key, and every response carries
// the remaining requests.
func TestRateLimits(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key, second := w.key("cus_1", allScopes...), w.key("cus_1", allScopes...)
	for i := range api.TradesPerWindow {
		got := w.do(http.MethodDelete, "/v1/orders/ord_1", key, "").want(200)
		if i == 0 && (got.header.Get("RateLimit-Limit") != "120" || got.header.Get("RateLimit-Remaining") != "119" || got.header.Get("RateLimit-Reset") != "60") {
			t.Errorf("headers = %v, want limit 120, remaining 119, reset 60", got.header)
		}
	}
	sent := len(w.trader.commands)
	got := w.do(http.MethodDelete, "/v1/orders/ord_1", key, "").want(429, venues.CodeRateLimited)
	if got.header.Get("Retry-After") == "" || got.header.Get("RateLimit-Remaining") != "0" || len(w.trader.commands) != sent {
		t.Errorf("headers = %v with %d commands, want Retry-After, remaining 0 and %d", got.header, len(w.trader.commands), sent)
	}
	if want := `"details":{"limit":120,"scope":"key"}`; !strings.Contains(string(got.body), want) {
		t.Errorf("response = %s, want %s", got.body, want)
	}
	w.do(http.MethodGet, "/v1/orders/ord_1", key, "").want(200)
	w.do(http.MethodDelete, "/v1/orders/ord_1", second, "").want(200)
}

// Failed authentications count against their address, not against the rate limit of
// a key.
func TestFailedAuthenticationDoesNotCountAgainstTheKey(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeRead)
	for i := range 40 {
		want, code := 401, venues.CodeUnauthorized
		if i >= api.AuthFailuresPerWindow {
			want, code = 429, venues.CodeRateLimited
		}
		w.do(http.MethodGet, "/v1/orders/ord_1", key[:len(key)-1]+"~", "").want(want, code)
	}
	got := w.do(http.MethodGet, "/v1/orders/ord_1", key, "").want(200)
	if got.header.Get("RateLimit-Remaining") != "599" {
		t.Errorf("headers = %v, want remaining 599", got.header)
	}
}

// failingLimiter always returns an error.
type failingLimiter struct{}

func (failingLimiter) Take(context.Context, string, auth.Class, time.Time) (auth.Decision, error) {
	return auth.Decision{}, auth.ErrLimiterFull
}

func TestRequestsAreRejectedWhenTheLimiterFails(t *testing.T) {
	w := newWorld(t, func(d *rest.Deps) { d.Limiter = failingLimiter{} })
	withOrder(w)
	got := w.do(http.MethodGet, "/v1/orders/ord_1", w.key("cus_1", persistence.ScopeRead), "").want(429, venues.CodeRateLimited)
	if got.header.Get("Retry-After") == "" {
		t.Errorf("headers = %v, want Retry-After", got.header)
	}
}

func TestMountedRoutes(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/32"), netip.MustParsePrefix("10.0.0.0/8")}
	w := newWorld(t, func(d *rest.Deps) { d.TrustedProxies = proxies })
	var seen netip.Addr
	w.server.Mount(http.MethodPost, "/v1/hooks/in/:hookId", func(c *fiber.Ctx) error {
		seen = rest.Source(c)
		if c.IP() != seen.String() {
			t.Errorf("address of the router = %s, want %v", c.IP(), seen)
		}
		if c.Params("hookId") != "h" {
			return venues.Errorf(venues.CodeBadSignature, "m")
		}
		return c.SendString("ok")
	})
	w.Helper()
	call := func(path string, headers ...string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range headers {
			request.Header.Add("X-Forwarded-For", h)
		}
		resp, err := w.server.App().Test(request, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.Header.Get("X-Request-Id") == "" {
			t.Error("X-Request-Id is empty, want an id")
		}
		return resp.StatusCode
	}
	if got := call("http://a/v1/hooks/in/h"); got != 200 || seen.String() != "0.0.0.0" {
		t.Errorf("status %d from %v, want 200 from 0.0.0.0", got, seen)
	}
	if got := call("http://a/v1/hooks/in/x"); got != 401 {
		t.Errorf("status of an error of a mounted route = %d, want 401", got)
	}
	for want, headers := range map[string][]string{
		"203.0.113.7":  {"203.0.113.7"},
		"203.0.113.8":  {"198.51.100.1, 203.0.113.8"},           // the client's own entry comes first
		"203.0.113.9":  {"198.51.100.1, 203.0.113.9, 10.0.0.1"}, // a trusted inner proxy
		"203.0.113.10": {"198.51.100.1", "203.0.113.10"},        // two headers form one list
		"10.0.0.2":     {"junk, 10.0.0.2"},                      // the entry before it is malformed
		"2001:db8::1":  {"2001:db8::1"},
	} {
		if call("http://a/v1/hooks/in/h", headers...); seen.String() != want {
			t.Errorf("X-Forwarded-For %q: source = %v, want %s", headers, seen, want)
		}
	}
	routes := w.server.Routes()
	if last := routes[len(routes)-1]; !last.Mounted || !last.Public || last.Path != "/v1/hooks/in/:hookId" {
		t.Errorf("last route = %+v, want the mounted one", last)
	}
}

// Without trusted proxies X-Forwarded-For is ignored.
func TestForwardedAddressWithoutTrustedProxiesIsIgnored(t *testing.T) {
	w := newWorld(t)
	var seen netip.Addr
	w.server.Mount(http.MethodGet, "/who", func(c *fiber.Ctx) error {
		seen = rest.Source(c)
		return nil
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://a/who", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Forwarded-For", "203.0.113.7")
	resp, err := w.server.App().Test(request, -1)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if seen.String() != "0.0.0.0" {
		t.Errorf("source = %v, want 0.0.0.0", seen)
	}
}

func TestDepsAreRequired(t *testing.T) {
	if _, err := rest.New(rest.Deps{}); err == nil || !strings.Contains(err.Error(), "Trader") {
		t.Errorf("error = %v, want one that names Trader", err)
	}
}
