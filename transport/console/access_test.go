package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/transport/console"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// may are the roles that may make each call on records, apart from owner and operator with a
// step-up, who may make all others.
var may = map[string]string{
	"GET /overview": "viewer trader owner operator",
	"GET /keys":     "viewer trader owner operator", "GET /keys/:id": "viewer trader owner operator",
	"GET /users": "viewer trader owner operator", "GET /users/:id": "viewer trader owner operator",
	"GET /accounts": "viewer trader owner operator", "GET /accounts/:id": "viewer trader owner operator", "GET /accounts/:id/risk": "viewer trader owner operator",
	"GET /hooks": "viewer trader owner operator", "GET /hooks/:id": "viewer trader owner operator", "GET /hooks/:id/stats": "viewer trader owner operator",
	"GET /endpoints": "viewer trader owner operator", "GET /endpoints/:id": "viewer trader owner operator",
	"GET /endpoints/:id/deliveries": "viewer trader owner operator", "GET /endpoints/:id/deliveries/:event": "viewer trader owner operator",
	"GET /endpoints/:id/deliveries/:event/attempts": "viewer trader owner operator", "GET /endpoints/:id/stats": "viewer trader owner operator",
	"GET /deliveries":          "viewer trader owner operator",
	"GET /endpoints/:id/files": "viewer trader owner operator", "GET /endpoints/:id/files/:name": "viewer trader owner operator",
	"GET /alerts": "viewer trader owner operator", "GET /alerts/:id": "viewer trader owner operator",
	"GET /signals": "viewer trader owner operator", "GET /signals/:id": "viewer trader owner operator", "POST /signals/:id/test": "trader owner",
	"GET /journal": "viewer trader owner operator", "GET /journal/export": "viewer trader owner operator", "GET /latency": "viewer trader owner operator", "GET /latency/:id": "viewer trader owner operator",
	"GET /trades": "viewer trader owner operator", "GET /trades/export": "viewer trader owner operator",
	"POST /alerts": "trader owner", "PATCH /alerts/:id": "trader owner", "DELETE /alerts/:id": "trader owner",
	"POST /endpoints/:id/test": "trader owner", "POST /endpoints/:id/resend": "trader owner", "POST /hooks/:id/test": "trader owner", "POST /hooks/:id/fire": "trader owner",
	"POST /accounts/:id/halt": "trader owner operator", "POST /halt": "trader owner operator",
	"POST /endpoints/examine": "owner operator", "POST /telegram/chats": "owner operator",
	"POST /accounts/:id/check": "owner operator",
}

// Every role makes every call on records: with a recent step-up, and without.
func TestRolesAndCalls(t *testing.T) {
	for _, role := range []persistence.Role{persistence.RoleViewer, persistence.RoleTrader, persistence.RoleOwner, persistence.RoleOperator} {
		t.Run(string(role), func(t *testing.T) {
			h := open(t, func(o *console.Options) { o.Operators = role == persistence.RoleOperator })
			b := h.user("ann", role)
			for _, stepped := range []bool{true, false} {
				if !stepped {
					h.expireStepUp()
				}
				for _, call := range h.console.Calls() {
					if call.Own {
						continue
					}
					path := strings.TrimPrefix(call.Path, console.Prefix)
					roles, special := may[call.Method+" "+path]
					if !special {
						roles, special = ofOperators[call.Method+" "+path]
					}
					allowed := slices.Contains(strings.Fields(roles), string(role))
					if !special {
						allowed = stepped && (role == persistence.RoleOwner || role == persistence.RoleOperator)
					}
					a := b.send(b.request(call.Method, strings.NewReplacer(":id", "x", ":name", "x", ":event", "x").Replace(path), nil))
					if got := a.status != http.StatusForbidden; got != allowed {
						t.Errorf("%s %s with step-up %v: status %d, want allowed %v", call.Method, path, stepped, a.status, allowed)
					}
					if a.status == http.StatusUnauthorized || a.status >= http.StatusInternalServerError {
						t.Errorf("%s %s: status %d, want neither 401 nor 5xx: %s", call.Method, path, a.status, a.text)
					}
				}
			}
		})
	}
}

// Without a session nothing but signing in is possible.
func TestCallsNeedASession(t *testing.T) {
	h := open(t)
	other := h.user("ann", persistence.RoleOwner)
	for name, cookie := range map[string]string{
		"no cookie": "", "junk": "x", "an unknown session": "ses_x." + strings.Split(other.cookie.Value, ".")[1],
		"a wrong secret": strings.Split(other.cookie.Value, ".")[0] + "." + strings.Repeat("A", 43),
	} {
		b := h.browser()
		forged := *other.cookie //nolint:gosec // it is sent, not set
		forged.Value = cookie
		b.cookie = &forged
		for _, call := range h.console.Calls() {
			if len(call.Roles) == 0 {
				continue
			}
			path := strings.NewReplacer(":id", "x", ":name", "x", ":event", "x").Replace(strings.TrimPrefix(call.Path, console.Prefix))
			if a := b.send(b.request(call.Method, path, nil)); a.status != http.StatusUnauthorized {
				t.Errorf("%s %s with %s: status %d, want 401", call.Method, path, name, a.status)
			}
		}
	}
}

// The session of one listener, and the token of a page, open nothing at another.
func TestSessionBelongsToItsListener(t *testing.T) {
	h := open(t)
	b := h.user("ann", persistence.RoleOwner)
	h.changeSessions(func(s *persistence.Session) { s.Listener = "administration" })
	b.get(http.StatusUnauthorized, "/session")

	b = h.user("ben", persistence.RoleOwner)
	token := b.post(http.StatusOK, "/session/token", nil).field("token")
	eve := h.browser()
	request := eve.request(http.MethodGet, "/keys", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	if a := eve.send(request); a.status != http.StatusUnauthorized {
		t.Errorf("keys with a token: status %d, want 401", a.status)
	}
}

// What makes an account safer needs neither the role of an owner nor a step-up.
func TestSaferChanges(t *testing.T) {
	h := open(t)
	owner, trader, viewer := h.user("ann", persistence.RoleOwner), h.user("tom", persistence.RoleTrader), h.user("vic", persistence.RoleViewer)
	hook := owner.created("/hooks", map[string]any{"customer": h.customer, "kind": "webhook", "name": "h"})
	endpoint := owner.created("/endpoints", map[string]any{"customer": h.customer, "url": "https://example.com/"})
	account := owner.created("/accounts", map[string]any{"customer": h.customer, "exchange": "binance", "apiKey": "k", "apiSecret": "s"})
	limits := func(daily, notional any, orders any) map[string]any {
		return map[string]any{"limits": map[string]any{"dailyLoss": daily, "maxOrderNotional": notional, "maxOpenOrders": orders}}
	}
	owner.call(http.StatusOK, http.MethodPatch, "/accounts/"+account, limits("500", "1000", 10))
	h.expireStepUp()
	for _, tt := range []struct {
		b      *browser
		status int
		path   string
		body   map[string]any
	}{
		{trader, http.StatusOK, "/hooks/" + hook, map[string]any{"testMode": true}},
		{trader, http.StatusOK, "/hooks/" + hook, map[string]any{"paused": true, "testMode": true}},
		{viewer, http.StatusForbidden, "/hooks/" + hook, map[string]any{"testMode": true}},
		{trader, http.StatusForbidden, "/hooks/" + hook, map[string]any{"testMode": false}},
		{trader, http.StatusForbidden, "/hooks/" + hook, map[string]any{"testMode": true, "name": "x"}},
		{trader, http.StatusForbidden, "/hooks/" + hook, map[string]any{}},
		{owner, http.StatusForbidden, "/hooks/" + hook, map[string]any{"testMode": false}},
		{trader, http.StatusOK, "/endpoints/" + endpoint, map[string]any{"paused": true}},
		{trader, http.StatusForbidden, "/endpoints/" + endpoint, map[string]any{"paused": false}},
		{owner, http.StatusOK, "/accounts/" + account, limits("499.9", "1000", 10)},
		{owner, http.StatusForbidden, "/accounts/" + account, limits("500", "1000", 10)},
		{owner, http.StatusForbidden, "/accounts/" + account, limits(nil, "1000", 10)},
		{owner, http.StatusForbidden, "/accounts/" + account, limits("1", "1000.1", 10)},
		{owner, http.StatusForbidden, "/accounts/" + account, limits("1", "1000", 11)},
		{owner, http.StatusForbidden, "/accounts/" + account, limits("1", "1000", nil)},
		{trader, http.StatusForbidden, "/accounts/" + account, limits("1", "1", 1)},
	} {
		if a := tt.b.send(tt.b.request(http.MethodPatch, tt.path, tt.body)); a.status != tt.status {
			t.Errorf("PATCH %s %v: status %d, want %d: %s", tt.path, tt.body, a.status, tt.status, a.text)
		}
	}
	trader.post(http.StatusOK, "/accounts/"+account+"/halt", map[string]any{})
	if a := trader.post(http.StatusOK, "/halt", map[string]any{"customer": h.customer, "flatten": true}); !strings.Contains(a.text, account) {
		t.Errorf("halt of all accounts = %s, want %s in it", a.text, account)
	}
	viewer.post(http.StatusForbidden, "/halt", map[string]any{"customer": h.customer})
	viewer.get(http.StatusOK, "/accounts/"+account+"/risk")
	key := map[string]any{"customer": h.customer, "exchange": "binance", "apiKey": "k", "apiSecret": "s"}
	trader.post(http.StatusForbidden, "/accounts/examine", key)
	owner.post(http.StatusForbidden, "/accounts/examine", key)
}

// Every id of another customer is 404.
func TestForeignRecordsAreNotFound(t *testing.T) {
	h := open(t)
	owner := h.user("ann", persistence.RoleOwner)
	ids := map[string]string{
		"keys":      owner.created("/keys", map[string]any{"customer": h.customer, "name": "k", "scopes": []string{"read"}}),
		"users":     owner.created("/users", map[string]any{"customer": h.customer, "login": "ben", "role": "viewer"}),
		"accounts":  owner.created("/accounts", map[string]any{"customer": h.customer, "exchange": "binance", "apiKey": "k", "apiSecret": "s"}),
		"hooks":     owner.created("/hooks", map[string]any{"customer": h.customer, "kind": "webhook", "name": "h"}),
		"endpoints": owner.created("/endpoints", map[string]any{"customer": h.customer, "url": "https://example.com/"}),
		"alerts":    owner.created("/alerts", map[string]any{"customer": h.customer, "exchange": "binance", "symbol": "BTCUSDT", "condition": map[string]any{"field": "last", "op": "above", "value": "1"}}),
	}
	ids["signals"], ids["latency"] = h.signal(ids["hooks"]), "ord_1"
	bodies := map[string]map[string]any{
		"POST /hooks/:id/test":       {"action": "order", "exchange": "binance", "symbol": "BTCUSDT", "side": "buy", "type": "market", "qty": "1"},
		"POST /hooks/:id/fire":       {"action": "order", "exchange": "binance", "symbol": "BTCUSDT", "side": "buy", "type": "market", "qty": "1"},
		"POST /endpoints/:id/resend": {"all": true}, "POST /accounts/:id/check": nil, "PATCH /users/:id": {"disabled": true},
	}
	own := h.customer
	other := must(h.registry.Customers.Create(t.Context(), registry.NewCustomer{Name: "Other"}))
	h.customer = other.ID
	eve := h.user("eve", persistence.RoleOwner)
	for _, call := range h.console.Calls() {
		path := strings.TrimPrefix(call.Path, console.Prefix)
		if call.Own || !strings.Contains(path, ":id") {
			continue
		}
		body := bodies[call.Method+" "+path]
		if body == nil && call.Method != http.MethodGet {
			body = map[string]any{}
		}
		id := ids[strings.Split(path, "/")[1]]
		a := eve.send(eve.request(call.Method, strings.NewReplacer(":id", id, ":name", "trades.xlsx", ":event", "evt_1").Replace(path), body))
		if a.status != http.StatusNotFound {
			t.Errorf("%s %s: status %d, want 404: %s", call.Method, path, a.status, a.text)
		}
	}
	eve.post(http.StatusNotFound, "/halt", map[string]any{"customer": own})
	eve.post(http.StatusNotFound, "/accounts/examine", map[string]any{"customer": own, "exchange": "binance", "apiKey": "k", "apiSecret": "s"})
	if a := eve.post(http.StatusOK, "/halt", map[string]any{"customer": h.customer}); a.text != `{"items":[]}` {
		t.Errorf("halt of a customer without accounts = %s, want no results", a.text)
	}
	for _, path := range []string{"/keys", "/users", "/accounts", "/hooks", "/endpoints", "/alerts", "/signals", "/journal", "/deliveries", "/overview", "/trades", "/latency"} {
		eve.get(http.StatusNotFound, path+"?customer="+own)
		if a := eve.get(http.StatusOK, path); strings.Contains(a.text, own) || strings.Contains(a.text, ids["keys"]) {
			t.Errorf("%s = %s, want nothing of the other customer", path, a.text)
		}
	}
	eve.call(http.StatusNotFound, http.MethodDelete, "/sessions/"+owner.get(http.StatusOK, "/session").field("id"), nil)
	owner.get(http.StatusOK, "/session")
}

// A token has the scopes of the role.
func TestTokenHasTheScopesOfTheRole(t *testing.T) {
	h := open(t)
	for role, want := range map[persistence.Role]bool{persistence.RoleViewer: false, persistence.RoleTrader: true, persistence.RoleOwner: true} {
		b := h.user(string(role)+"-1", role)
		b.source = "203.0.113.9"
		token := b.post(http.StatusOK, "/session/token", nil).field("token")
		p, err := h.auth.Authenticate(t.Context(), token, addr("203.0.113.9"))
		if err != nil || p.Has(persistence.ScopeTrade) != want || !p.Has(persistence.ScopeRead) || !p.Has(persistence.ScopeAccount) {
			t.Errorf("%s: principal = %+v, %v, want trade %v", role, p, err, want)
		}
		if _, err := h.auth.Authenticate(t.Context(), token, addr("203.0.113.10")); venues.CodeOf(err) != venues.CodeUnauthorized {
			t.Errorf("%s: token from another address: error %v, want unauthorized", role, err)
		}
	}
}

// Operators see all customers; the journal has that it was an operator.
func TestOperatorSeesAllCustomers(t *testing.T) {
	h := open(t, forOperators)
	b := h.user("olga", persistence.RoleOperator)
	if b.cookie.Name != "vg-operator" {
		t.Errorf("cookie = %s, want vg-operator", b.cookie.Name)
	}
	b.post(http.StatusForbidden, "/session/token", nil)
	b.created("/keys", map[string]any{"customer": h.customer, "name": "k", "scopes": []string{"read"}})
	row := must(h.store.Journal(t.Context(), persistence.JournalQuery{Kind: "admin.key"})).Items[0]
	if !slices.Contains(row.Fields, persistence.JournalField{Name: "via", Value: "console as operator"}) {
		t.Errorf("row = %+v, want via console as operator", row.Fields)
	}
	h.invite(h.customer, "ann", persistence.RoleOwner)
	b.signIn(http.StatusUnauthorized, "ann", password)
}
