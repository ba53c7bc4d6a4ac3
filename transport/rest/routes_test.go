package rest_test

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/rest"
	"venuegate/venues"
)

// Every route of the router is in the table, and either has a scope and a rate class
// or is declared public.
func TestEveryRouteHasAScopeOrIsPublic(t *testing.T) {
	w := newWorld(t)
	routes := w.server.Routes()
	for _, registered := range w.server.App().GetRoutes(true) {
		if registered.Method == http.MethodHead { // served like GET
			registered.Method = http.MethodGet
		}
		i := slices.IndexFunc(routes, func(r rest.Route) bool { return r.Method == registered.Method && r.Path == registered.Path })
		if i < 0 {
			t.Errorf("table lacks %s %s", registered.Method, registered.Path)
			continue
		}
		if r := routes[i]; r.Public == (r.Scope != "") || r.Public == (r.Rate.Limit > 0) {
			t.Errorf("%s %s: scope %q, rate %d, public %v, want either scope and rate or public", r.Method, r.Path, r.Scope, r.Rate.Limit, r.Public)
		}
	}
}

// documented returns the path of a route in the notation of the document.
func documented(path string) string { return strings.ReplaceAll(path, ":id", "{id}") }

// The table and the document list the same operations, scopes, rate classes and
// parameters.
func TestRoutesAreDocumented(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	routes := newWorld(t).server.Routes()
	count := 0
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			if op.Extensions["x-edge"] == nil { // those belong to mounted routes
				count++
			}
		}
	}
	if count != len(routes) {
		t.Errorf("%d operations are documented, want the %d of the table", count, len(routes))
	}
	for _, r := range routes {
		item := doc.Paths.Find(documented(r.Path))
		if item == nil || item.GetOperation(r.Method) == nil {
			t.Errorf("document lacks %s %s", r.Method, r.Path)
			continue
		}
		op := item.GetOperation(r.Method)
		scope, _ := op.Extensions["x-scope"].(string)
		class, _ := op.Extensions["x-rate-class"].(string)
		if scope != string(r.Scope) || class != r.Rate.Name {
			t.Errorf("%s %s: documented scope %q and class %q, want %q and %q", r.Method, r.Path, scope, class, r.Scope, r.Rate.Name)
		}
		if open := op.Security != nil && len(*op.Security) == 0; open != r.Public {
			t.Errorf("%s %s: documented as public %v, want %v", r.Method, r.Path, open, r.Public)
		}
		var parameters []string
		for _, p := range op.Parameters {
			parameters = append(parameters, p.Value.Name)
		}
		slices.Sort(parameters)
		if read := slices.Sorted(slices.Values(r.Query)); !slices.Equal(parameters, read) {
			t.Errorf("%s %s: documented parameters = %q, want %q", r.Method, r.Path, parameters, read)
		}
	}
}

// request returns a valid request for a route, which only authorization can reject.
func request(r rest.Route) (path, body string) {
	path = strings.ReplaceAll(r.Path, ":id", "ord_1")
	switch r.Method + " " + r.Path {
	case "GET /v1/candles":
		path += "?" + candleQuery("1m").Encode()
	case "POST /v1/orders", "POST /v1/orders/check":
		body = `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"1"}`
	case "PATCH /v1/orders/:id":
		body = `{"qty":"2"}`
	case "POST /v1/positions/leverage":
		body = `{"exchange":"binance","symbol":"BTCUSDT","leverage":"5"}`
	case "POST /v1/positions/close":
		body = `{"exchange":"binance","symbol":"BTCUSDT"}`
	case "GET /v1/book", "GET /v1/trades":
		path += "?exchange=binance&symbol=BTCUSDT"
	}
	return path, body
}

// withOrder stores a customer with one order, which the trader returns.
func withOrder(w *world) {
	w.customer("cus_1", venues.Binance)
	w.trader.order = venues.Order{
		OrderID: "ord_1", Exchange: venues.Binance, Status: venues.StatusOpen, Source: venues.SourceAPI,
		OrderSpec: venues.OrderSpec{Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeMarket, Qty: venues.MustDecimal("1")},
	}
	w.trader.change = venues.LeverageChange{Exchange: venues.Binance, Symbol: "BTCUSDT", Leverage: venues.MustDecimal("5")}
	w.put(persistence.OrderRecord{Order: w.trader.order, Customer: "cus_1"})
}

// A key can use exactly the routes of its scopes: checked for every route and every
// set of scopes.
func TestScopeMatrix(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	for bits := 1; bits < 1<<len(allScopes); bits++ {
		var scopes []persistence.Scope
		for i, scope := range allScopes {
			if bits>>i&1 == 1 {
				scopes = append(scopes, scope)
			}
		}
		key := w.key("cus_1", scopes...)
		for _, r := range w.server.Routes() {
			path, body := request(r)
			got := w.do(r.Method, path, key, body)
			switch {
			case r.Public || slices.Contains(scopes, r.Scope):
				if got.status >= 300 {
					t.Errorf("%s %s with scopes %q: status = %d, want success: %s", r.Method, r.Path, scopes, got.status, got.body)
				}
			default:
				details := got.want(http.StatusForbidden, venues.CodeScopeRequired).error().Details
				granted, _ := details["granted"].([]any)
				if details["required"] != string(r.Scope) || len(granted) != len(scopes) {
					t.Errorf("%s %s with scopes %q: details = %v, want required and granted scopes", r.Method, r.Path, scopes, details)
				}
			}
		}
	}
}

// Requests without a key, or with a malformed one, are rejected on every route.
func TestRequestsWithoutAValidKeyAreRejected(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	good := w.key("cus_1", allScopes...)
	for _, r := range w.server.Routes() {
		if r.Public {
			continue
		}
		path, body := request(r)
		got := w.do(r.Method, path, "", body)
		got.want(http.StatusUnauthorized, venues.CodeUnauthorized)
		if got.header.Get("WWW-Authenticate") != "Bearer" || got.header.Get("RateLimit-Limit") != "" {
			t.Errorf("%s %s: headers = %v, want WWW-Authenticate and no rate limit", r.Method, r.Path, got.header)
		}
	}
	for _, header := range []string{
		"Basic " + good, good, "Bearer", "Bearer ", "Bearer " + good + "x", "Bearer " + good[:40], "Bearer null", "Bearer " + good + " " + good,
	} {
		w.do(http.MethodGet, "/v1/fills", "", "", "Authorization: "+header).want(http.StatusUnauthorized, venues.CodeUnauthorized)
	}
	if len(w.trader.commands) > 0 {
		t.Errorf("commands = %v, want none", w.trader.commands)
	}
	w.do(http.MethodGet, "/v1/fills", "", "", "Authorization: bearer  "+good).want(http.StatusOK)
}

// Keys that are no longer valid are rejected on every route.
func TestKeysThatAreNoLongerValidAreRejected(t *testing.T) {
	w := newWorld(t, func(d *rest.Deps) { d.Auth = alwaysUnauthorized{d.Auth} })
	withOrder(w)
	w.put(persistence.Customer{ID: "cus_off", Disabled: true})
	invalid := map[string]string{"disabled customer": w.key("cus_off", allScopes...)}
	for name, change := range map[string]func(*persistence.APIKey){
		"expired": func(k *persistence.APIKey) { k.ExpiresAt = venues.At(time.Now()) },
		"revoked": func(k *persistence.APIKey) { k.RevokedAt = venues.At(time.Now()) },
		"address": func(k *persistence.APIKey) { k.Allow = []string{"203.0.113.0/24"} },
	} {
		invalid[name] = w.key("cus_1", allScopes...)
		record, err := w.store.APIKey(t.Context(), invalid[name][len("vgk_"):][:8])
		if err != nil {
			t.Fatal(err)
		}
		change(&record)
		w.put(record)
	}
	for name, key := range invalid {
		for _, r := range w.server.Routes() {
			if r.Public {
				continue
			}
			path, body := request(r)
			if got := w.do(r.Method, path, key, body); got.status != http.StatusUnauthorized {
				t.Errorf("%s key: %s %s: status = %d, want 401", name, r.Method, r.Path, got.status)
			}
		}
	}
	if len(w.trader.commands) > 0 {
		t.Errorf("commands = %v, want none", w.trader.commands)
	}
}

// alwaysUnauthorized returns unauthorized however often authentication fails, instead
// of rate_limited.
type alwaysUnauthorized struct{ rest.Authenticator }

func (p alwaysUnauthorized) Authenticate(ctx context.Context, key string, source netip.Addr) (auth.Principal, error) {
	principal, err := p.Authenticator.Authenticate(ctx, key, source)
	if venues.CodeOf(err) == venues.CodeRateLimited && err != nil {
		err = venues.Errorf(venues.CodeUnauthorized, "m")
	}
	return principal, err
}

func TestUnknownPathsAndMethods(t *testing.T) {
	w := newWorld(t)
	for _, c := range [][2]string{
		{"GET", "/"},
		{"GET", "/v1"},
		{"GET", "/v2/orders"},
		{"GET", "/v1/orders/"},
		{"GET", "/V1/orders"},
		{"GET", "/v1/Orders"},
		{"GET", "/v1/orders/a/b"},
		{"GET", "/v1//orders"},
		{"PUT", "/v1/orders"},
		{"POST", "/v1/orders/ord_1"},
		{"PATCH", "/v1/orders"},
		{"DELETE", "/v1/fills"},
		{"POST", "/v1/time"},
		{"OPTIONS", "/v1/orders"},
		{"TRACE", "/v1/orders"},
		{"CONNECT", "/v1/orders"},
		{"BREW", "/v1/orders"},
		{"get", "/v1/time"},
		{"GET", "/metrics"},
		{"GET", "/v1/orders%2f"},
		{"GET", "/%2e%2e/v1/time/x"},
	} {
		got := w.do(c[0], c[1], "", "")
		got.want(http.StatusNotFound, venues.CodeNotFound)
	}
	if got := w.do(http.MethodHead, "/v1/hooks/in/hook_1", "", ""); got.status != http.StatusNotFound {
		t.Errorf("HEAD of a path that only supports POST: status = %d, want 404", got.status)
	}
	if got := w.do(http.MethodPut, "/v1/orders", "", ""); got.header.Get("Allow") != "GET, POST, DELETE, HEAD" || !strings.Contains(got.error().Message, "/docs") {
		t.Errorf("headers %v, body %s, want Allow and a reference to /docs", got.header, got.body)
	}
}

// HEAD works wherever GET does, without a body: load balancers and link checkers use
// it.
func TestHead(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance)
	key := w.key("cus_1", allScopes...)
	for _, r := range w.server.Routes() {
		if r.Method != http.MethodGet {
			continue
		}
		path, _ := request(r)
		for _, key := range []string{key, "wrong"} {
			get, head := w.do(http.MethodGet, path, key, ""), w.do(http.MethodHead, path, key, "")
			if head.status != get.status || len(head.body) > 0 || head.header.Get("Content-Length") != strconv.Itoa(len(get.body)) ||
				head.header.Get("Content-Type") != get.header.Get("Content-Type") {
				t.Errorf("HEAD %s: status %d, headers %v, body %q, want those of GET with status %d and %d bytes", path, head.status, head.header, head.body, get.status, len(get.body))
			}
		}
	}
}

func TestMalformedIDsAreNotFound(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1")
	key := w.key("cus_1", allScopes...)
	for _, id := range []string{"..", "%2e", "a%20b", "a:b", "%00", strings.Repeat("a", 65), "*", "'", "%ff"} {
		w.do(http.MethodGet, "/v1/orders/"+id, key, "").want(http.StatusNotFound, venues.CodeNotFound)
		w.do(http.MethodDelete, "/v1/orders/"+id, key, "").want(http.StatusNotFound, venues.CodeNotFound)
	}
	if len(w.trader.commands) > 0 {
		t.Errorf("commands = %v, want none", w.trader.commands)
	}
}
