package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/transport/operations"
	"venuegate/transport/operationstest"
)

// ofOperators are the calls that an operator may make without a step-up; the others of
// package operations need one.
var ofOperators = map[string]string{
	"GET /customers": "operator", "GET /customers/:id": "operator", "GET /actors": "operator", "GET /incidents": "operator", "GET /venues": "operator",
	"GET /books": "operator", "GET /streams": "operator", "GET /store": "operator", "GET /config": "operator", "GET /journal/verify": "operator",
}

// succeedOperations makes the calls that only operators have, as documented.
func (h *house) succeedOperations(t *testing.T) {
	t.Helper()
	at := open(t, forOperators)
	at.succeeded = h.succeeded
	b := at.user("olga", persistence.RoleOperator)
	for call := range ofOperators {
		path := strings.TrimPrefix(call, "GET ")
		if !strings.Contains(path, ":id") {
			b.get(http.StatusOK, path)
		}
	}
	b.post(http.StatusOK, "/rotate-key", nil)
	b.succeedRecord("/customers/"+b.created("/customers", map[string]any{"name": "two"}), `{"name":"three"}`)
	b.post(http.StatusOK, "/backup", nil)
	b.get(http.StatusOK, "/backup")
}

// The public listener has none of the calls of operators: no role finds one there.
func TestPublicConsoleHasNoCallsOfOperators(t *testing.T) {
	h := open(t)
	b := h.user("ann", persistence.RoleOwner)
	paths := []string{http.MethodPost + " /backup", http.MethodGet + " /backup"}
	for _, r := range operations.Routes(operationstest.Source{}) {
		paths = append(paths, r.Method+" "+strings.ReplaceAll(r.Path, ":id", h.customer))
	}
	for _, call := range paths {
		method, path, _ := strings.Cut(call, " ")
		var body any
		if method != http.MethodGet {
			body = map[string]any{}
		}
		if a := b.do(method, path, body); a != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", call, a)
		}
	}
}

// do sends a request that the document of the listener need not have, and returns its status.
func (b *browser) do(method, path string, body any) int {
	b.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(b.request(method, path, body))
	if err != nil {
		b.t.Fatal(err)
	}
	_ = response.Body.Close() // the status is enough
	return response.StatusCode
}

// Every act of an operator leaves a row with its author, in the chain.
func TestActsOfOperatorsAreInTheChain(t *testing.T) {
	h := open(t, forOperators)
	b := h.user("olga", persistence.RoleOperator)
	id := b.created("/customers", map[string]any{"name": "two"})
	b.call(http.StatusOK, http.MethodPatch, "/customers/"+id, map[string]any{"disabled": true})
	b.post(http.StatusOK, "/rotate-key", nil)
	b.post(http.StatusOK, "/backup", nil)
	for kind, want := range map[string]int{"admin.customer": 2, "admin.vault": 1, "admin.backup": 1} {
		rows := must(h.store.Journal(t.Context(), persistence.JournalQuery{Kind: kind})).Items
		by := 0
		for _, row := range rows {
			if slices.Contains(row.Fields, persistence.JournalField{Name: "by", Value: "olga"}) {
				by++
			}
		}
		if by != want {
			t.Errorf("%s: %d rows by olga, want %d: %+v", kind, by, want, rows)
		}
	}
	if a := b.get(http.StatusOK, "/journal/verify"); a.field("intact") != "true" {
		t.Errorf("chain = %s, want intact", a.text)
	}
}

// A backup needs a permit, which a step-up gives; it is good once, and for its session only.
func TestBackupNeedsAPermit(t *testing.T) {
	h := open(t, forOperators)
	olga, otto := h.user("olga", persistence.RoleOperator), h.user("otto", persistence.RoleOperator)
	olga.get(http.StatusForbidden, "/backup")
	olga.post(http.StatusOK, "/backup", nil)
	otto.get(http.StatusForbidden, "/backup")
	a := olga.get(http.StatusOK, "/backup")
	if a.text != "a backup" || !strings.HasPrefix(a.header.Get("Content-Disposition"), `attachment; filename="venuegate-`) {
		t.Errorf("backup = %q with %q, want it as a file", a.text, a.header.Get("Content-Disposition"))
	}
	olga.get(http.StatusForbidden, "/backup")
	h.expireStepUp()
	olga.post(http.StatusForbidden, "/backup", nil)
	if rows := must(h.store.Journal(t.Context(), persistence.JournalQuery{Kind: "admin.backup"})).Items; len(rows) != 1 {
		t.Errorf("rows of backups = %+v, want one", rows)
	}
}
