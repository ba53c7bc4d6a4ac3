package console_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/console"
)

func TestDocument(t *testing.T) {
	document, err := loadDocument()
	if err != nil {
		t.Fatal(err)
	}
	document.Check(t)
}

// The console of operators has exactly the calls of the document.
func TestCallsAreDocumented(t *testing.T) {
	h := open(t, forOperators)
	parameter := regexp.MustCompile(`:(\w+)`)
	var served []string
	for _, call := range h.console.Calls() {
		served = append(served, call.Method+" "+parameter.ReplaceAllString(call.Path, "{$1}"))
	}
	slices.Sort(served)
	if documented := slices.Sorted(maps.Keys(h.document.Operations())); !slices.Equal(documented, served) {
		t.Errorf("documented operations = %q, want those served %q", documented, served)
	}
}

// Every object of the document has exactly the members of its type.
func TestMembersAreDocumented(t *testing.T) {
	document, err := loadDocument()
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]any{
		"Nothing": struct{}{}, "Credentials": console.Credentials{}, "Code": console.Code{}, "Entry": console.Entry{}, "StepUp": console.StepUp{},
		"SignIn": console.SignIn{}, "Session": console.Session{}, "Token": console.Token{}, "OpenSession": console.OpenSession{},
		"NewPassword": console.NewPassword{}, "NewSecondStep": console.NewSecondStep{}, "Confirmation": console.Confirmation{},
		"RecoveryCodes": console.RecoveryCodes{}, "Preferences": console.Preferences{}, "PreferencesChange": console.PreferencesChange{}, "Outgoing": console.Outgoing{},
	}
	for name, schema := range document.Components.Schemas {
		body, found := bodies[name]
		if !found {
			t.Errorf("%s: no type, want one in bodies", name)
			continue
		}
		members := []string{}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(body)) {
			members = append(members, f.Tag.Get("json"))
		}
		slices.Sort(members)
		if got := slices.Sorted(maps.Keys(schema.Value.Properties)); !slices.Equal(got, members) {
			t.Errorf("%s: documented members = %q, want %q", name, got, members)
		}
	}
}

// Every operation succeeds as documented.
func TestEveryOperationSucceeds(t *testing.T) {
	h := open(t)
	b := h.user("ann", persistence.RoleOwner)
	h.succeedSettings(b)
	b.get(http.StatusOK, "/overview")
	b.get(http.StatusOK, "/journal?limit=2")
	b.get(http.StatusOK, "/journal/export")
	b.get(http.StatusOK, "/latency")
	b.get(http.StatusOK, "/latency/ord_1")
	b.get(http.StatusOK, "/trades?limit=2")
	b.get(http.StatusOK, "/trades/export")
	key := b.created("/keys", map[string]any{"customer": h.customer, "name": "bot", "scopes": []string{"read"}})
	b.post(http.StatusOK, "/keys/"+key+"/rotate", map[string]any{"overlapSec": 60})
	b.succeedRecord("/keys/"+key, `{"name":"other"}`)
	user := b.created("/users", map[string]any{"customer": h.customer, "login": "ben", "role": "viewer"})
	b.post(http.StatusOK, "/users/"+user+"/invite", map[string]any{})
	b.succeedRecord("/users/"+user, `{"role":"trader"}`)
	account := b.created("/accounts", map[string]any{"customer": h.customer, "exchange": "binance", "apiKey": "k", "apiSecret": "s"})
	for _, act := range []string{"halt", "resume", "unlock", "check"} {
		b.post(http.StatusOK, "/accounts/"+account+"/"+act, map[string]any{})
	}
	b.post(http.StatusOK, "/accounts/examine", map[string]any{"customer": h.customer, "exchange": "binance", "apiKey": "k", "apiSecret": "s"})
	b.post(http.StatusOK, "/halt", map[string]any{"customer": h.customer, "flatten": true})
	b.get(http.StatusOK, "/accounts/"+account+"/risk")
	b.succeedRecord("/accounts/"+account, `{"limits":{"dailyLoss":"500"}}`)
	hook := b.created("/hooks", map[string]any{"customer": h.customer, "kind": "webhook", "name": "h", "testMode": true})
	b.post(http.StatusOK, "/hooks/"+hook+"/rotate", map[string]any{})
	b.get(http.StatusOK, "/hooks/"+hook+"/stats")
	chart := b.created("/hooks", map[string]any{"customer": h.customer, "kind": "chart", "name": "c"})
	b.post(http.StatusOK, "/hooks/"+chart+"/address", nil)
	signal := map[string]any{"action": "order", "exchange": "binance", "symbol": "BTCUSDT", "side": "buy", "type": "market", "qty": "1"}
	b.post(http.StatusOK, "/hooks/"+hook+"/test", signal)
	b.post(http.StatusAccepted, "/hooks/"+hook+"/fire", signal)
	of := h.signal(hook)
	b.get(http.StatusOK, "/signals?channel="+hook+"&status=accepted&limit=1")
	b.get(http.StatusOK, "/signals/"+of)
	b.post(http.StatusOK, "/signals/"+of+"/test", nil)
	b.succeedRecord("/hooks/"+hook, `{"paused":true}`)
	b.succeedEndpoints()
	alert := b.created("/alerts", map[string]any{
		"customer": h.customer, "exchange": "binance", "symbol": "BTCUSDT", "condition": map[string]any{"field": "last", "op": "above", "value": "1"},
	})
	b.succeedRecord("/alerts/"+alert, `{"comment":"c"}`)
	b.call(http.StatusOK, http.MethodDelete, "/session", nil)
	h.succeedOperations(t)
	for route, op := range h.document.Operations() {
		if !h.succeeded[op.OperationID] {
			t.Errorf("%s: no success, want one", route)
		}
	}
}

// A list that has not changed is not sent again.
func TestUnchangedListIsNotSentAgain(t *testing.T) {
	h := open(t)
	b := h.user("ann", persistence.RoleOwner)
	b.created("/keys", map[string]any{"customer": h.customer, "name": "bot", "scopes": []string{"read"}})
	first := b.get(http.StatusOK, "/keys")
	tag := first.header.Get("ETag")
	again := b.request(http.MethodGet, "/keys", nil)
	again.Header.Set("If-None-Match", tag)
	if a := b.send(again); tag == "" || a.status != http.StatusNotModified || a.text != "" || a.header.Get("ETag") != tag {
		t.Errorf("second answer = %d %s with tag %s, want 304 without a body and with %s", a.status, a.text, a.header.Get("ETag"), tag)
	}
	b.created("/keys", map[string]any{"customer": h.customer, "name": "other", "scopes": []string{"read"}})
	changed := b.request(http.MethodGet, "/keys", nil)
	changed.Header.Set("If-None-Match", tag)
	if a := b.send(changed); a.status != http.StatusOK || a.header.Get("ETag") == tag || !strings.Contains(a.text, "other") {
		t.Errorf("answer after a change = %d with tag %s, want 200 with another than %s", a.status, a.header.Get("ETag"), tag)
	}
}

// Two users who edit a record do not overwrite each other's changes.
func TestChangeOfARecordThatHasChangedIsRejected(t *testing.T) {
	h := open(t)
	b := h.user("ann", persistence.RoleOwner)
	for path, made := range map[string]map[string]any{
		"/hooks": {"kind": "webhook", "name": "h"}, "/endpoints": {"name": "e", "url": "https://example.com/"},
	} {
		made["customer"] = h.customer
		path += "/" + b.created(path, made)
		change := func(tag, name string) answer {
			request := b.request(http.MethodPatch, path, map[string]any{"name": name})
			request.Header.Set("If-Match", tag)
			return b.send(request)
		}
		read := b.get(http.StatusOK, path).header.Get("ETag")
		if a := change(read, "first"); a.status != http.StatusOK {
			t.Errorf("%s: first change = %d %s, want 200", path, a.status, a.text)
		}
		if a := change(read, "second"); a.status != http.StatusPreconditionFailed || a.field("error", "details", "reason") != "changed" {
			t.Errorf("%s: second change = %d %s, want 412", path, a.status, a.text)
		}
		now := b.get(http.StatusOK, path)
		if got := now.field("name"); got != "first" {
			t.Errorf("%s: name = %s, want that of the first change", path, got)
		}
		if a := change(now.header.Get("ETag"), "second"); a.status != http.StatusOK {
			t.Errorf("%s: change after another reading = %d %s, want 200", path, a.status, a.text)
		}
	}
}

// succeedSettings makes the calls of the console itself.
func (h *house) succeedSettings(b *browser) {
	h.t.Helper()
	secret, _ := b.setUp()
	other := h.browser()
	ticket := other.signIn(http.StatusOK, "ann", password).field("ticket")
	other.post(http.StatusOK, "/session/totp", map[string]any{"ticket": ticket, "code": h.code(secret, 0)})
	b.post(http.StatusOK, "/session/step-up", map[string]any{"password": password, "code": h.code(secret, 1)})
	b.post(http.StatusOK, "/session/token", nil)
	b.get(http.StatusOK, "/session")
	b.get(http.StatusOK, "/sessions")
	b.call(http.StatusOK, http.MethodDelete, "/sessions/"+other.get(http.StatusOK, "/session").field("id"), nil)
	b.post(http.StatusOK, "/password", map[string]any{"password": "another battery staple"})
	b.post(http.StatusOK, "/recovery-codes", nil)
	b.get(http.StatusOK, "/preferences")
	b.get(http.StatusOK, "/outgoing")
	b.call(http.StatusOK, http.MethodPatch, "/preferences", map[string]any{"zone": "Europe/Berlin", "density": "dense", "shortcuts": false})
}

func (b *browser) succeedEndpoints() {
	b.t.Helper()
	if err := os.WriteFile(b.files+"/trades.xlsx", []byte("PK"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	book := b.created("/endpoints", map[string]any{"customer": b.customer, "kind": "file", "target": "trades.xlsx"})
	b.get(http.StatusOK, "/endpoints/"+book+"/files")
	b.get(http.StatusOK, "/endpoints/"+book+"/files/trades.xlsx")
	b.post(http.StatusOK, "/endpoints/examine", map[string]any{"customer": b.customer, "kind": "telegram", "target": "42", "secret": "1:a"})
	b.post(http.StatusOK, "/telegram/chats", map[string]any{"customer": b.customer, "secret": "1:a"})
	endpoint := b.created("/endpoints", map[string]any{"customer": b.customer, "name": "e", "url": "https://example.com/"})
	b.post(http.StatusOK, "/endpoints/"+endpoint+"/test", nil)
	b.post(http.StatusOK, "/endpoints/"+endpoint+"/resend", map[string]any{"all": true})
	b.post(http.StatusOK, "/endpoints/"+endpoint+"/rotate", map[string]any{})
	b.get(http.StatusOK, "/endpoints/"+endpoint+"/deliveries")
	b.get(http.StatusOK, "/endpoints/"+endpoint+"/stats")
	delivery := storetest.NewDelivery(b.customer, 1)
	delivery.Endpoint = endpoint
	if err := b.service.Put(b.t.Context(), delivery); err != nil {
		b.t.Fatal(err)
	}
	b.get(http.StatusOK, "/endpoints/"+endpoint+"/deliveries/"+delivery.EventID)
	b.get(http.StatusOK, "/endpoints/"+endpoint+"/deliveries/"+delivery.EventID+"/attempts")
	b.get(http.StatusOK, "/deliveries?endpoint="+endpoint)
	b.succeedRecord("/endpoints/"+endpoint, `{"paused":true}`)
}

// created makes a record and returns its id.
func (b *browser) created(path string, body map[string]any) string {
	b.t.Helper()
	return b.post(http.StatusCreated, path, body).field("id")
}

// succeedRecord lists, reads, changes and removes a record.
func (b *browser) succeedRecord(path, change string) {
	b.t.Helper()
	b.get(http.StatusOK, path[:strings.LastIndexByte(path, '/')])
	b.get(http.StatusOK, path)
	b.call(http.StatusOK, http.MethodPatch, path, json.RawMessage(change))
	b.call(http.StatusOK, http.MethodDelete, path, nil)
}
