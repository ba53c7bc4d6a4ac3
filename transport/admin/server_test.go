package admin_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
	"venuegate/transport/admin"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/venues"
)

func TestTokenGuardsAdministrationAndProfiles(t *testing.T) {
	h := open(t)
	for _, path := range []string{"/admin/v1/customers", "/admin/v1/keys/x", "/admin/v1/nothing", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprof"} {
		for name, value := range map[string]string{"none": "", "wrong": "Bearer wrong", "longer": "Bearer " + token + "x", "not bearer": token + "x", "empty": "Bearer "} {
			request := h.request("GET", path, "")
			request.Header.Del("Authorization")
			if value != "" {
				request.Header.Set("Authorization", value)
			}
			a := h.send(request)
			if a.status != http.StatusUnauthorized || a.field("error", "code") != "unauthorized" || a.header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s with token %s: %d %s", path, name, a.status, a.text)
			}
		}
	}
	if a := h.call(http.StatusOK, "GET", "/debug/pprof/goroutine?debug=1", ""); !strings.Contains(a.text, "goroutine profile") {
		t.Errorf("profile %.80s", a.text)
	}
}

func TestHealthAndMetricsNeedNoToken(t *testing.T) {
	h := open(t)
	get := func(path string) answer {
		request := h.request("GET", path, "")
		request.Header.Del("Authorization")
		return h.send(request)
	}
	if a := get("/healthz"); a.status != http.StatusOK {
		t.Errorf("healthz %d", a.status)
	}
	if a := get("/readyz"); a.status != http.StatusOK || a.field("status") != "ready" {
		t.Errorf("readyz %d %s", a.status, a.text)
	}
	h.ready = errors.New("reconciling binance")
	if a := get("/readyz"); a.status != http.StatusServiceUnavailable || a.field("reason") != "reconciling binance" {
		t.Errorf("readyz %d %s", a.status, a.text)
	}
	if a := get("/healthz"); a.status != http.StatusOK {
		t.Errorf("healthz while unready %d", a.status)
	}
	if a := get("/metrics"); a.status != http.StatusOK || !strings.Contains(a.text, "venuegate_test_gauge 0") {
		t.Errorf("metrics %d %s", a.status, a.text)
	}
}

// A connection that was dialled in advance and never used ends without a word:
// the client's first request could take an error for its answer.
func TestIdleConnectionsEndSilently(t *testing.T) {
	for sent, want := range map[string]struct {
		answers int
		after   time.Duration
	}{"": {0, 5 * time.Second}, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n": {1, time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			conn, begun := inMemory(t).Dial(t), time.Now()
			if sent != "" { // a pipe tells of a write of nothing
				if _, err := io.WriteString(conn, sent); err != nil {
					t.Fatal(err)
				}
			}
			said, err := io.ReadAll(conn)
			if took := time.Since(begun); err != nil || took != want.after {
				t.Errorf("after %q the connection ended after %s: %v", sent, took, err)
			}
			if got := strings.Count(string(said), "HTTP/1.1 "); got != want.answers || strings.Contains(string(said), "HTTP/1.1 400") {
				t.Errorf("after %q the server said %q", sent, said)
			}
		})
	}
}

// TestBackup: a backup that fails on the way does not look whole.
func TestBackup(t *testing.T) {
	h := open(t)
	part := bytes.Repeat([]byte("row "), 64<<10)
	h.backup = func(w io.Writer) error { _, err := w.Write(part); return err }
	if a := h.call(http.StatusOK, "GET", "/admin/v1/backup", ""); a.text != string(part) {
		t.Errorf("%d bytes, want %d", len(a.text), len(part))
	}
	request := h.request("GET", "/admin/v1/backup", "")
	request.Header.Del("Authorization")
	if a := h.send(request); a.status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", a.status)
	}
	h.backup = func(w io.Writer) error {
		_, err := w.Write(part)
		return errors.Join(err, errors.New("the disk is gone"))
	}
	response, err := h.client.Do(h.request("GET", "/admin/v1/backup", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if n, err := io.Copy(io.Discard, response.Body); err == nil {
		t.Errorf("a broken backup of %d bytes looks whole", n)
	}
}

func TestCustomers(t *testing.T) {
	h := open(t)
	id := h.customer("  Alice & Söhne ")
	a := h.call(http.StatusOK, "GET", "/admin/v1/customers/"+id, "")
	if a.field("name") != "Alice & Söhne" || a.field("disabled") != false || a.field("createdAt") == nil {
		t.Errorf("customer %s", a.text)
	}
	h.call(http.StatusOK, "PATCH", "/admin/v1/customers/"+id, `{"name":"Alice"}`)
	if a := h.call(http.StatusOK, "DELETE", "/admin/v1/customers/"+id, ""); a.field("disabled") != true || a.field("name") != "Alice" {
		t.Errorf("disabled customer %s", a.text)
	}
	if a := h.call(http.StatusOK, "PATCH", "/admin/v1/customers/"+id, `{"disabled":false}`); a.field("disabled") != false {
		t.Errorf("enabled customer %s", a.text)
	}
	h.customer("Bob")
	if a := h.call(http.StatusOK, "GET", "/admin/v1/customers", ""); strings.Count(a.text, `"id":`) != 2 {
		t.Errorf("list %s", a.text)
	}
	if len(h.directory.customers) != 5 {
		t.Errorf("followed %v", h.directory.customers)
	}
}

func TestKeys(t *testing.T) {
	h := open(t)
	alice, bob := h.customer("Alice"), h.customer("Bob")
	created := h.call(http.StatusCreated, "POST", "/admin/v1/keys",
		`{"customer":"`+alice+`","name":"desk","scopes":["trade","read","read"],"allow":["10.1.2.3/8","::1"],"expiresAt":"2199-01-02T03:04:05Z"}`)
	id := created.id()
	text, _ := created.field("apiKey").(string)
	h.key(bob, "account")
	principal, err := auth.NewAuthenticator(h.store).Authenticate(t.Context(), text, netip.MustParseAddr("10.9.9.9"))
	if err != nil || principal.Customer != alice {
		t.Errorf("the key opens %+v: %v", principal, err)
	}

	read := h.call(http.StatusOK, "GET", "/admin/v1/keys/"+id, "")
	for _, want := range []string{`"scopes":["read","trade"]`, `"allow":["10.0.0.0/8","::1/128"]`, `"expiresAt":"2199-01-02T03:04:05.000Z"`, `"revokedAt":null`} {
		if !strings.Contains(read.text, want) {
			t.Errorf("key %s lacks %s", read.text, want)
		}
	}
	all := h.call(http.StatusOK, "GET", "/admin/v1/keys", "")
	if strings.Contains(read.text+all.text, text) || strings.Contains(read.text+all.text, "hash") {
		t.Errorf("the key is told again: %s %s", read.text, all.text)
	}
	if n := strings.Count(all.text, `"id":`); n != 2 {
		t.Errorf("%d keys listed, want 2", n)
	}
	if a := h.call(http.StatusOK, "GET", "/admin/v1/keys?customer="+bob, ""); strings.Count(a.text, `"id":`) != 1 {
		t.Errorf("keys of one customer %s", a.text)
	}

	h.call(http.StatusOK, "PATCH", "/admin/v1/keys/"+id, `{"name":"night desk","scopes":["read"],"allow":[]}`)
	revoked := h.call(http.StatusOK, "DELETE", "/admin/v1/keys/"+id, "").field("revokedAt")
	if again := h.call(http.StatusOK, "DELETE", "/admin/v1/keys/"+id, "").field("revokedAt"); revoked == nil || again != revoked {
		t.Errorf("revoked at %v, then %v", revoked, again)
	}
	h.call(http.StatusBadRequest, "PATCH", "/admin/v1/keys/"+id, `{"name":"undead"}`)
	if !slices.Contains(h.directory.keys, id) {
		t.Errorf("nobody was told of the revocation: %v", h.directory.keys)
	}
}

func TestAccounts(t *testing.T) {
	h := open(t)
	alice := h.customer("Alice")
	id := alice + ":binance"
	a := h.call(http.StatusCreated, "POST", "/admin/v1/accounts", `{"customer":"`+alice+`","exchange":"binance","apiKey":"k1","apiSecret":"s1"}`)
	if a.id() != id || a.field("environment") != "testnet" || strings.Contains(a.text, "s1") {
		t.Errorf("connected %s", a.text)
	}
	if got := string(h.directory.accounts[0].Sealed); got != alice+"|binance|k1|s1" {
		t.Errorf("sealed %q", got)
	}
	if a := h.call(http.StatusOK, "GET", "/admin/v1/accounts?customer="+alice, ""); !strings.Contains(a.text, id) || strings.Contains(a.text, "ealed") {
		t.Errorf("list %s", a.text)
	}
	if a := h.call(http.StatusOK, "PATCH", "/admin/v1/accounts/"+id, `{"halted":true}`); a.field("halted") != true {
		t.Errorf("halted %s", a.text)
	}
	h.call(http.StatusOK, "PATCH", "/admin/v1/accounts/"+id, `{"apiKey":"k2","apiSecret":"s2"}`)
	h.examiner.findings = []admin.Finding{{Check: "clock", Status: admin.FindingWarning, Text: "clock is 2 s late", Advice: "run an NTP client"}}
	if a := h.call(http.StatusOK, "POST", "/admin/v1/accounts/"+id+"/check", ""); !strings.Contains(a.text, `{"check":"clock","status":"warning","text":"clock is 2 s late","advice":"run an NTP client"}`) {
		t.Errorf("check %s", a.text)
	}
	if want := []string{"binance k1", "binance k2", "binance k2"}; !slices.Equal(h.examiner.seen, want) {
		t.Errorf("examined %v, want %v", h.examiner.seen, want)
	}
	h.call(http.StatusOK, "DELETE", "/admin/v1/accounts/"+id, "")
	h.call(http.StatusNotFound, "GET", "/admin/v1/accounts/"+id, "")
	h.call(http.StatusNotFound, "DELETE", "/admin/v1/accounts/"+id, "")
	if last := h.directory.accounts[len(h.directory.accounts)-1]; last.Sealed != nil || !last.Halted {
		t.Errorf("disconnected record %+v", last)
	}
}

// TestConnectProvesCredentials: what the venue or prudence refuses is not
// recorded.
func TestConnectProvesCredentials(t *testing.T) {
	h := open(t)
	alice := h.customer("Alice")
	refused := &venues.Error{Code: venues.CodeUnauthorized, Message: "bad key", VenueCode: "-2015", VenueMessage: "Invalid API-key"}
	for _, c := range []struct {
		finding admin.Finding
		status  int
		code    string
	}{
		{admin.Finding{Check: "key", Status: admin.FindingFailed, Text: "the venue refuses the key", Err: refused}, 400, "invalid_request"},
		{admin.Finding{Check: "permissions", Status: admin.FindingFailed, Text: "the key may withdraw", Advice: "make one that may not"}, 400, "invalid_request"},
		{admin.Finding{Check: "reachable", Status: admin.FindingFailed, Text: "no answer", Err: venues.Errorf(venues.CodeExchangeUnavailable, "timeout")}, 502, "exchange_unavailable"},
		{admin.Finding{Check: "key", Status: admin.FindingFailed, Text: "no answer", Err: venues.Errorf(venues.CodeRateLimited, "too much")}, 429, "rate_limited"},
		{admin.Finding{Check: "key", Status: admin.FindingFailed, Text: "no answer", Err: venues.Errorf(venues.CodeMaintenance, "closed")}, 503, "maintenance"},
	} {
		h.examiner.findings = []admin.Finding{{Check: "clock", Status: admin.FindingOK}, c.finding}
		a := h.call(c.status, "POST", "/admin/v1/accounts", `{"customer":"`+alice+`","exchange":"binance","apiKey":"k","apiSecret":"hush"}`)
		message, _ := a.field("error", "message").(string)
		if a.field("error", "code") != c.code || !strings.Contains(message, c.finding.Text) || strings.Contains(a.text, "hush") {
			t.Errorf("%s: %s", c.finding.Check, a.text)
		}
	}
	if len(h.directory.accounts) != 0 {
		t.Errorf("recorded %v", h.directory.accounts)
	}
}

func TestFaultyRequests(t *testing.T) {
	h := open(t)
	alice := h.customer("Alice")
	h.call(http.StatusCreated, "POST", "/admin/v1/keys", `{"customer":"`+alice+`","name":"k","scopes":["read"]}`)
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		// says is a part of the answer.
		says string
	}{
		{"no name", "POST", "customers", `{}`, 400, `"field":"name"`},
		{"long name", "POST", "customers", `{"name":"` + strings.Repeat("x", 65) + `"}`, 400, `"field":"name"`},
		{"name with a control character", "POST", "customers", `{"name":"a\u0007b"}`, 400, `"field":"name"`},
		{"unknown member", "POST", "customers", `{"name":"a","admin":true}`, 400, `"field":"admin","rule":"unknown_name"`},
		{"member in another case", "POST", "customers", `{"Name":"a"}`, 400, `"field":"Name"`},
		{"member twice", "POST", "customers", `{"name":"a","name":"b"}`, 400, `"field":"name"`},
		{"wrong type", "POST", "customers", `{"name":1}`, 400, `"field":"name","rule":"wrong_type"`},
		{"trailing data", "POST", "customers", `{"name":"a"} {}`, 400, `"field":"body"`},
		{"not JSON", "POST", "customers", `name=a`, 400, `"field":"body"`},
		{"no body", "POST", "customers", ``, 400, `Content-Type`},
		{"unknown customer", "GET", "customers/cus_0", ``, 404, `not_found`},
		{"unknown call", "GET", "planets", ``, 404, `not_found`},
		{"wrong method", "PUT", "customers", `{}`, 404, `not_found`},

		{"key of nobody", "POST", "keys", `{"customer":"cus_0","name":"k","scopes":["read"]}`, 400, `"field":"customer"`},
		{"key without scopes", "POST", "keys", `{"customer":"` + alice + `","name":"k","scopes":[]}`, 400, `"field":"scopes"`},
		{"key with a made-up scope", "POST", "keys", `{"customer":"` + alice + `","name":"k","scopes":["read","root"]}`, 400, `"field":"scopes"`},
		{"key that has expired", "POST", "keys", `{"customer":"` + alice + `","name":"k","scopes":["read"],"expiresAt":"2001-01-01T00:00:00Z"}`, 400, `"field":"expiresAt"`},
		{"key for a host name", "POST", "keys", `{"customer":"` + alice + `","name":"k","scopes":["read"],"allow":["localhost"]}`, 400, `"field":"allow"`},
		{"key with a bad moment", "POST", "keys", `{"customer":"` + alice + `","name":"k","scopes":["read"],"expiresAt":"soon"}`, 400, `"field":"expiresAt"`},
		{"keys of a misspelt customer", "GET", "keys?custmer=" + alice, ``, 400, `"field":"custmer","rule":"unknown_name"`},
		{"keys of nobody", "GET", "keys?customer=cus_0", ``, 404, `not_found`},
		{"unknown key", "DELETE", "keys/nope", ``, 404, `not_found`},

		{"unknown exchange", "POST", "accounts", `{"customer":"` + alice + `","exchange":"okx","apiKey":"k","apiSecret":"s"}`, 400, `"field":"exchange"`},
		{"other environment", "POST", "accounts", `{"customer":"` + alice + `","exchange":"binance","environment":"live","apiKey":"k","apiSecret":"s"}`, 400, `"field":"environment"`},
		{"no secret", "POST", "accounts", `{"customer":"` + alice + `","exchange":"binance","apiKey":"k"}`, 400, `"field":"apiSecret"`},
		{"account of nobody", "POST", "accounts", `{"customer":"cus_0","exchange":"binance","apiKey":"k","apiSecret":"s"}`, 400, `"field":"customer"`},
		{"account not connected", "GET", "accounts/" + alice + ":binance", ``, 404, `not_found`},
		{"account id without exchange", "GET", "accounts/" + alice, ``, 404, `not_found`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.t = t
			a := h.call(c.status, c.method, "/admin/v1/"+c.path, c.body)
			if !strings.Contains(a.text, c.says) {
				t.Errorf("answer %s, want %s", a.text, c.says)
			}
			checkRules(t, a)
			if a.field("error", "requestId") != a.header.Get("X-Request-Id") {
				t.Errorf("the envelope has another request id: %s", a.text)
			}
		})
	}
	h.t = t
	if n := len(h.logs.All()); n != 0 {
		t.Errorf("callers' mistakes were logged: %v", h.logs.All())
	}
}

func TestFormBodyIsRefused(t *testing.T) {
	h := open(t)
	request := h.request("POST", "/admin/v1/customers", `{"name":"a"}`)
	request.Header.Set("Content-Type", "text/plain")
	if a := h.send(request); a.status != 400 {
		t.Errorf("text/plain: %d %s", a.status, a.text)
	}
}

// The answer to a body that is too large reaches a client that sends all of it
// before it reads.
func TestOversizeIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := inMemory(t).Dial(t)
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		const head = "POST /admin/v1/customers HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + token + "\r\nContent-Type: application/json\r\n"
		if _, err := fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n%s", head, 1<<20, strings.Repeat("x", 1<<20)); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		a := answer{response.StatusCode, response.Header, string(text)}
		if err != nil || a.status != 400 || a.field("error", "details", "limit") == nil {
			t.Errorf("%d %s, %v", a.status, a.text, err)
		}
	})
}

// TestEveryChangeIsJournaled: one row a change, numbered, without secrets.
func TestEveryChangeIsJournaled(t *testing.T) {
	h := open(t)
	alice := h.customer("Alice")
	key, text := h.key(alice, "read")
	h.call(http.StatusOK, "DELETE", "/admin/v1/keys/"+key, "")
	h.call(http.StatusCreated, "POST", "/admin/v1/accounts", `{"customer":"`+alice+`","exchange":"binance","apiKey":"k1","apiSecret":"hush"}`)
	h.call(http.StatusOK, "DELETE", "/admin/v1/customers/"+alice, "")
	h.call(http.StatusBadRequest, "POST", "/admin/v1/customers", `{"name":""}`)

	rows := h.journal()
	got := make([]string, 0, len(rows))
	sequences := map[uint64]bool{}
	for _, row := range rows {
		got = append(got, row.Kind+" "+row.Subject+" "+row.Fields[0].Value)
		sequences[row.Seq] = true
	}
	slices.Sort(got)
	want := []string{"admin.account " + alice + ":binance connect", "admin.customer " + alice + " change", "admin.customer " + alice + " create", "admin.key " + key + " create", "admin.key " + key + " revoke"}
	if !slices.Equal(got, want) || len(sequences) != len(want) {
		t.Errorf("journal %v (numbers %v), want %v", got, sequences, want)
	}
	for _, row := range rows {
		for _, f := range row.Fields {
			if strings.Contains(f.Value, "hush") || strings.Contains(f.Value, text) {
				t.Errorf("a secret in the journal: %+v", row)
			}
		}
	}
}

// TestSequenceSurvivesFailures: a commit whose outcome is unknown does not make
// later rows share a number.
func TestSequenceSurvivesFailures(t *testing.T) {
	h := open(t)
	h.customer("Alice")
	h.store.LoseNextAnswer()
	a := h.call(http.StatusInternalServerError, "POST", "/admin/v1/customers", `{"name":"Bob"}`)
	if a.field("error", "code") != "internal_error" {
		t.Errorf("answer %s", a.text)
	}
	if h.logs.FilterMessage("administration call failed").Len() != 1 {
		t.Errorf("log %v", h.logs.All())
	}
	h.customer("Carol")
	seen := map[uint64]bool{}
	for _, row := range h.journal() {
		if seen[row.Seq] {
			t.Errorf("number %d twice", row.Seq)
		}
		seen[row.Seq] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d rows, want 3", len(seen))
	}
}

func TestUnavailableStoreIsMaintenance(t *testing.T) {
	h := open(t)
	h.store.FailNext(persistence.ErrUnavailable)
	a := h.call(http.StatusServiceUnavailable, "POST", "/admin/v1/customers", `{"name":"Bob"}`)
	if a.field("error", "code") != "maintenance" || a.header.Get("Retry-After") == "" {
		t.Errorf("answer %v %s", a.header, a.text)
	}
}

// TestConcurrentChanges: changes take turns, so that none is lost.
func TestConcurrentChanges(t *testing.T) {
	h := open(t)
	const callers = 16
	done := make(chan error, callers)
	for range callers {
		go func() {
			_, err := h.registry.CreateCustomer(t.Context(), admin.NewCustomer{Name: "one of many"})
			done <- err
		}()
	}
	for range callers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	seen := map[uint64]bool{}
	for _, row := range h.journal() {
		seen[row.Seq] = true
	}
	if len(seen) != callers {
		t.Errorf("%d numbers for %d changes", len(seen), callers)
	}
}

func TestKeyLimit(t *testing.T) {
	h := open(t)
	alice := h.customer("Alice")
	n := admin.NewKey{Customer: alice, Name: "k", Scopes: []persistence.Scope{persistence.ScopeRead}, ExpiresAt: venues.At(time.Now().Add(time.Hour))}
	var last admin.Key
	for range 100 {
		var err error
		if last, err = h.registry.CreateKey(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	_, err := h.registry.CreateKey(t.Context(), n)
	if venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Fatalf("the key past the limit: %v", err)
	}
	if _, err := h.registry.RevokeKey(t.Context(), last.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.registry.CreateKey(t.Context(), n); err != nil {
		t.Errorf("after a revocation: %v", err)
	}
}

// checkRules: a program reads the same words for what a field breaks as on the
// public interface.
func checkRules(t *testing.T, a answer) {
	t.Helper()
	fields, _ := a.field("error", "details", "fields").([]any)
	for _, f := range fields {
		fault, _ := f.(map[string]any)
		if rule, _ := fault["rule"].(string); !slices.Contains(api.Rules(), rule) {
			t.Errorf("no documented rule: %s", a.text)
		}
	}
}
