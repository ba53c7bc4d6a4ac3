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
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/registry"
	"venuegate/venues"
)

func TestAdministrationAndProfilesRequireTheToken(t *testing.T) {
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
				t.Errorf("%s with token %s: response = %d %s, want 401 unauthorized", path, name, a.status, a.text)
			}
		}
	}
	if a := h.call(http.StatusOK, "GET", "/debug/pprof/goroutine?debug=1", ""); !strings.Contains(a.text, "goroutine profile") {
		t.Errorf("profile = %.80s, want a goroutine profile", a.text)
	}
}

func TestHealthAndMetricsRequireNoToken(t *testing.T) {
	h := open(t)
	get := func(path string) answer {
		request := h.request("GET", path, "")
		request.Header.Del("Authorization")
		return h.send(request)
	}
	if a := get("/healthz"); a.status != http.StatusOK {
		t.Errorf("healthz: status = %d, want 200", a.status)
	}
	h.ready = api.Readiness{Ready: true}
	if a := get("/readyz"); a.status != http.StatusOK || !strings.HasPrefix(a.text, `{"ready":true,"store":`) {
		t.Errorf("readyz: response = %d %s, want 200 ready", a.status, a.text)
	}
	reason := "the disk is full"
	h.ready = api.Readiness{Store: api.StoreReadiness{Reason: &reason}}
	if a := get("/readyz"); a.status != http.StatusServiceUnavailable || a.field("store", "reason") != reason {
		t.Errorf("readyz: response = %d %s, want 503 with the reason", a.status, a.text)
	}
	if a := get("/healthz"); a.status != http.StatusOK {
		t.Errorf("healthz while not ready: status = %d, want 200", a.status)
	}
	if a := get("/metrics"); a.status != http.StatusOK || !strings.Contains(a.text, "venuegate_test_gauge 0") {
		t.Errorf("metrics: response = %d %s, want 200 with the gauge", a.status, a.text)
	}
}

// A client could take an error on a connection that was dialed in advance for the
// response to its first request.
func TestUnusedConnectionsCloseWithoutAResponse(t *testing.T) {
	for sent, want := range map[string]struct {
		responses int
		after     time.Duration
	}{"": {0, 5 * time.Second}, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n": {1, time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			conn, began := inMemory(t).Dial(t), time.Now()
			if sent != "" { // a pipe reports an empty write
				if _, err := io.WriteString(conn, sent); err != nil {
					t.Fatal(err)
				}
			}
			received, err := io.ReadAll(conn)
			if took := time.Since(began); err != nil || took != want.after {
				t.Errorf("after %q: closed after %s with error %v, want %s and none", sent, took, err, want.after)
			}
			if got := strings.Count(string(received), "HTTP/1.1 "); got != want.responses || strings.Contains(string(received), "HTTP/1.1 400") {
				t.Errorf("after %q: received %q, want %d responses", sent, received, want.responses)
			}
		})
	}
}

func TestFailedBackupBreaksTheConnection(t *testing.T) {
	h := open(t)
	part := bytes.Repeat([]byte("row "), 64<<10)
	h.backup = func(w io.Writer) error { _, err := w.Write(part); return err }
	if a := h.call(http.StatusOK, "GET", "/admin/v1/backup", ""); a.text != string(part) {
		t.Errorf("backup of %d bytes, want %d", len(a.text), len(part))
	}
	request := h.request("GET", "/admin/v1/backup", "")
	request.Header.Del("Authorization")
	if a := h.send(request); a.status != http.StatusUnauthorized {
		t.Errorf("without a token: status = %d, want 401", a.status)
	}
	h.backup = func(w io.Writer) error {
		_, err := w.Write(part)
		return errors.Join(err, errors.New("disk error"))
	}
	response, err := h.client.Do(h.request("GET", "/admin/v1/backup", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if n, err := io.Copy(io.Discard, response.Body); err == nil {
		t.Errorf("failed backup: read %d bytes without an error, want one", n)
	}
}

func TestCustomersAreFiltered(t *testing.T) {
	h := open(t)
	one, other := h.customer("one"), h.customer("two")
	for query, want := range map[string][]string{"": {one, other}, "?customer=" + other: {other}} {
		var got []string
		items, _ := h.call(http.StatusOK, "GET", "/admin/v1/customers"+query, "").field("items").([]any)
		for _, item := range items {
			customer, _ := item.(map[string]any)
			got = append(got, fmt.Sprint(customer["id"]))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("customers%s = %q, want %q", query, got, want)
		}
	}
	h.call(http.StatusNotFound, "GET", "/admin/v1/customers?customer=cus_1", "")
}

func TestCustomerIsRenamedDisabledAndEnabled(t *testing.T) {
	h := open(t)
	id := h.customer("  Alice & Söhne ")
	a := h.call(http.StatusOK, "GET", "/admin/v1/customers/"+id, "")
	if a.field("name") != "Alice & Söhne" || a.field("disabled") != false || a.field("createdAt") == nil {
		t.Errorf("customer = %s, want Alice & Söhne, enabled", a.text)
	}
	h.call(http.StatusOK, "PATCH", "/admin/v1/customers/"+id, `{"name":"Alice"}`)
	if a := h.call(http.StatusOK, "DELETE", "/admin/v1/customers/"+id, ""); a.field("disabled") != true || a.field("name") != "Alice" {
		t.Errorf("disabled customer = %s, want Alice, disabled", a.text)
	}
	if a := h.call(http.StatusOK, "PATCH", "/admin/v1/customers/"+id, `{"disabled":false}`); a.field("disabled") != false {
		t.Errorf("enabled customer = %s, want disabled false", a.text)
	}
	h.customer("Bob")
	if a := h.call(http.StatusOK, "GET", "/admin/v1/customers", ""); strings.Count(a.text, `"id":`) != 2 {
		t.Errorf("list = %s, want 2 customers", a.text)
	}
	if len(h.service.Customers) != 5 {
		t.Errorf("configured customers = %v, want 5", h.service.Customers)
	}
}

func TestKeyFromCreateToRevoke(t *testing.T) {
	h := open(t)
	alice, bob := h.customer("Alice"), h.customer("Bob")
	created := h.call(http.StatusCreated, "POST", "/admin/v1/keys",
		`{"customer":"`+alice+`","name":"desk","scopes":["trade","read","read"],"allow":["10.1.2.3/8","::1"],"expiresAt":"2199-01-02T03:04:05Z"}`)
	id := created.id()
	text, _ := created.field("apiKey").(string)
	h.key(bob, "account")
	principal, err := auth.NewAuthenticator(h.store).Authenticate(t.Context(), text, netip.MustParseAddr("10.9.9.9"))
	if err != nil || principal.Customer != alice {
		t.Errorf("principal = %+v, %v; want that of %s", principal, err, alice)
	}

	read := h.call(http.StatusOK, "GET", "/admin/v1/keys/"+id, "")
	for _, want := range []string{`"scopes":["read","trade"]`, `"allow":["10.0.0.0/8","::1/128"]`, `"expiresAt":"2199-01-02T03:04:05.000Z"`, `"revokedAt":null`} {
		if !strings.Contains(read.text, want) {
			t.Errorf("key = %s, want %s in it", read.text, want)
		}
	}
	all := h.call(http.StatusOK, "GET", "/admin/v1/keys", "")
	if strings.Contains(read.text+all.text, text) || strings.Contains(read.text+all.text, "hash") {
		t.Errorf("key = %s, list = %s; want no text or hash of the key", read.text, all.text)
	}
	if n := strings.Count(all.text, `"id":`); n != 2 {
		t.Errorf("listed keys = %d, want 2", n)
	}
	if a := h.call(http.StatusOK, "GET", "/admin/v1/keys?customer="+bob, ""); strings.Count(a.text, `"id":`) != 1 {
		t.Errorf("keys of one customer = %s, want 1", a.text)
	}

	h.call(http.StatusOK, "PATCH", "/admin/v1/keys/"+id, `{"name":"night desk","scopes":["read"],"allow":[]}`)
	revoked := h.call(http.StatusOK, "DELETE", "/admin/v1/keys/"+id, "").field("revokedAt")
	if again := h.call(http.StatusOK, "DELETE", "/admin/v1/keys/"+id, "").field("revokedAt"); revoked == nil || again != revoked {
		t.Errorf("revokedAt = %v, then %v; want the same", revoked, again)
	}
	h.call(http.StatusBadRequest, "PATCH", "/admin/v1/keys/"+id, `{"name":"again"}`)
	if !slices.Contains(h.service.Revoked, id) {
		t.Errorf("revoked sessions = %v, want those of key %s", h.service.Revoked, id)
	}
}

func TestAccountFromConnectToDisconnect(t *testing.T) {
	h := open(t)
	alice := h.customer("Alice")
	id := alice + ":binance"
	a := h.call(http.StatusCreated, "POST", "/admin/v1/accounts", `{"customer":"`+alice+`","exchange":"binance","apiKey":"k1","apiSecret":"s1"}`)
	if a.id() != id || a.field("environment") != "testnet" || strings.Contains(a.text, "s1") {
		t.Errorf("connected account = %s, want %s without its secret", a.text, id)
	}
	if got := string(h.service.Accounts[0].Sealed); got != alice+"|binance|k1|s1" {
		t.Errorf("sealed = %q, want %s|binance|k1|s1", got, alice)
	}
	if a := h.call(http.StatusOK, "GET", "/admin/v1/accounts?customer="+alice, ""); !strings.Contains(a.text, id) || strings.Contains(a.text, "ealed") {
		t.Errorf("list = %s, want %s without sealed credentials", a.text, id)
	}
	if a := h.call(http.StatusOK, "PATCH", "/admin/v1/accounts/"+id, `{"halted":true}`); a.field("halted") != true {
		t.Errorf("account = %s, want halted true", a.text)
	}
	h.call(http.StatusOK, "PATCH", "/admin/v1/accounts/"+id, `{"apiKey":"k2","apiSecret":"s2"}`)
	h.examiner.Results = []registry.CheckResult{{Check: "clock", Status: registry.CheckWarning, Text: "clock is 2 s late", Advice: "run an NTP client"}}
	if a := h.call(http.StatusOK, "POST", "/admin/v1/accounts/"+id+"/check", ""); !strings.Contains(a.text, `{"check":"clock","status":"warning","text":"clock is 2 s late","advice":"run an NTP client"}`) {
		t.Errorf("check = %s, want the result", a.text)
	}
	if want := []string{"binance k1", "binance k2", "binance k2"}; !slices.Equal(h.examiner.Examined, want) {
		t.Errorf("examined = %v, want %v", h.examiner.Examined, want)
	}
	h.call(http.StatusOK, "DELETE", "/admin/v1/accounts/"+id, "")
	h.call(http.StatusNotFound, "GET", "/admin/v1/accounts/"+id, "")
	h.call(http.StatusNotFound, "DELETE", "/admin/v1/accounts/"+id, "")
	if last := h.service.Accounts[len(h.service.Accounts)-1]; last.Sealed != nil || !last.Halted {
		t.Errorf("disconnected record = %+v, want halted without credentials", last)
	}
}

func TestAccountWithAFailedCheckIsNotConnected(t *testing.T) {
	h := open(t)
	alice := h.customer("Alice")
	rejected := &venues.Error{Code: venues.CodeUnauthorized, Message: "bad key", VenueCode: "-2015", VenueMessage: "Invalid API-key"}
	for _, c := range []struct {
		result registry.CheckResult
		status int
		code   string
	}{
		{registry.CheckResult{Check: "key", Status: registry.CheckFailed, Text: "the venue rejects the key", Err: rejected}, 400, "invalid_request"},
		{registry.CheckResult{Check: "permissions", Status: registry.CheckFailed, Text: "the key may withdraw", Advice: "make one that may not"}, 400, "invalid_request"},
		{registry.CheckResult{Check: "reachable", Status: registry.CheckFailed, Text: "no answer", Err: venues.Errorf(venues.CodeExchangeUnavailable, "timeout")}, 502, "exchange_unavailable"},
		{registry.CheckResult{Check: "key", Status: registry.CheckFailed, Text: "no answer", Err: venues.Errorf(venues.CodeRateLimited, "too much")}, 429, "rate_limited"},
		{registry.CheckResult{Check: "key", Status: registry.CheckFailed, Text: "no answer", Err: venues.Errorf(venues.CodeMaintenance, "closed")}, 503, "maintenance"},
	} {
		h.examiner.Results = []registry.CheckResult{{Check: "clock", Status: registry.CheckOK}, c.result}
		a := h.call(c.status, "POST", "/admin/v1/accounts", `{"customer":"`+alice+`","exchange":"binance","apiKey":"k","apiSecret":"hush"}`)
		message, _ := a.field("error", "message").(string)
		if a.field("error", "code") != c.code || !strings.Contains(message, c.result.Text) || strings.Contains(a.text, "hush") {
			t.Errorf("%s: response = %s, want %s with the text of the result", c.result.Check, a.text, c.code)
		}
	}
	if len(h.service.Accounts) != 0 {
		t.Errorf("stored accounts = %v, want none", h.service.Accounts)
	}
}

func TestInvalidRequestsAreRejected(t *testing.T) {
	h := open(t)
	alice := h.customer("Alice")
	h.call(http.StatusCreated, "POST", "/admin/v1/keys", `{"customer":"`+alice+`","name":"k","scopes":["read"]}`)
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		// text is a part of the response.
		text string
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

		{"key of an unknown customer", "POST", "keys", `{"customer":"cus_0","name":"k","scopes":["read"]}`, 400, `"field":"customer"`},
		{"key without scopes", "POST", "keys", `{"customer":"` + alice + `","name":"k","scopes":[]}`, 400, `"field":"scopes"`},
		{"key with an unknown scope", "POST", "keys", `{"customer":"` + alice + `","name":"k","scopes":["read","root"]}`, 400, `"field":"scopes"`},
		{"key that has expired", "POST", "keys", `{"customer":"` + alice + `","name":"k","scopes":["read"],"expiresAt":"2001-01-01T00:00:00Z"}`, 400, `"field":"expiresAt"`},
		{"key for a host name", "POST", "keys", `{"customer":"` + alice + `","name":"k","scopes":["read"],"allow":["localhost"]}`, 400, `"field":"allow"`},
		{"key with a malformed time", "POST", "keys", `{"customer":"` + alice + `","name":"k","scopes":["read"],"expiresAt":"soon"}`, 400, `"field":"expiresAt"`},
		{"keys of a misspelt customer", "GET", "keys?custmer=" + alice, ``, 400, `"field":"custmer","rule":"unknown_name"`},
		{"keys of an unknown customer", "GET", "keys?customer=cus_0", ``, 404, `not_found`},
		{"unknown key", "DELETE", "keys/nope", ``, 404, `not_found`},

		{"unknown exchange", "POST", "accounts", `{"customer":"` + alice + `","exchange":"okx","apiKey":"k","apiSecret":"s"}`, 400, `"field":"exchange"`},
		{"other environment", "POST", "accounts", `{"customer":"` + alice + `","exchange":"binance","environment":"live","apiKey":"k","apiSecret":"s"}`, 400, `"field":"environment"`},
		{"no secret", "POST", "accounts", `{"customer":"` + alice + `","exchange":"binance","apiKey":"k"}`, 400, `"field":"apiSecret"`},
		{"account of an unknown customer", "POST", "accounts", `{"customer":"cus_0","exchange":"binance","apiKey":"k","apiSecret":"s"}`, 400, `"field":"customer"`},
		{"account not connected", "GET", "accounts/" + alice + ":binance", ``, 404, `not_found`},
		{"account id without exchange", "GET", "accounts/" + alice, ``, 404, `not_found`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.t = t
			a := h.call(c.status, c.method, "/admin/v1/"+c.path, c.body)
			if !strings.Contains(a.text, c.text) {
				t.Errorf("response = %s, want %s in it", a.text, c.text)
			}
			checkRules(t, a)
			if a.field("error", "requestId") != a.header.Get("X-Request-Id") {
				t.Errorf("response = %s, want the request id %s", a.text, a.header.Get("X-Request-Id"))
			}
		})
	}
	h.t = t
	if n := len(h.logs.All()); n != 0 {
		t.Errorf("log = %v, want no lines for invalid requests", h.logs.All())
	}
}

func TestTextBodyIsRejected(t *testing.T) {
	h := open(t)
	request := h.request("POST", "/admin/v1/customers", `{"name":"a"}`)
	request.Header.Set("Content-Type", "text/plain")
	if a := h.send(request); a.status != 400 {
		t.Errorf("text/plain: response = %d %s, want 400", a.status, a.text)
	}
}

// A client that sends the whole body before it reads gets the response.
func TestTooLargeBodyIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := inMemory(t).Dial(t)
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		const head = "POST /admin/v1/customers HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\nContent-Type: application/json\r\n"
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
			t.Errorf("response = %d %s, %v; want 400 with the limit", a.status, a.text, err)
		}
	})
}

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
		t.Errorf("journal = %v with sequence numbers %v, want %v with one each", got, sequences, want)
	}
	for _, row := range rows {
		for _, f := range row.Fields {
			if strings.Contains(f.Value, "hush") || strings.Contains(f.Value, text) {
				t.Errorf("journal row = %+v, want no secret in it", row)
			}
		}
	}
}

func TestSequenceNumbersAreUniqueAfterAnUnknownOutcome(t *testing.T) {
	h := open(t)
	h.customer("Alice")
	h.store.LoseNextReply()
	a := h.call(http.StatusInternalServerError, "POST", "/admin/v1/customers", `{"name":"Bob"}`)
	if a.field("error", "code") != "internal_error" {
		t.Errorf("response = %s, want internal_error", a.text)
	}
	if h.logs.FilterMessage("call failed").Len() != 1 {
		t.Errorf("log = %v, want one failed call", h.logs.All())
	}
	h.customer("Carol")
	seen := map[uint64]bool{}
	for _, row := range h.journal() {
		if seen[row.Seq] {
			t.Errorf("sequence number %d twice, want it once", row.Seq)
		}
		seen[row.Seq] = true
	}
	if len(seen) != 3 {
		t.Errorf("rows = %d, want 3", len(seen))
	}
}

func TestUnavailableStoreIsMaintenance(t *testing.T) {
	h := open(t)
	h.store.FailNext(persistence.ErrUnavailable)
	a := h.call(http.StatusServiceUnavailable, "POST", "/admin/v1/customers", `{"name":"Bob"}`)
	if a.field("error", "code") != "maintenance" || a.header.Get("Retry-After") == "" {
		t.Errorf("response = %v %s, want maintenance with Retry-After", a.header, a.text)
	}
}

func TestConcurrentChangesAreAllJournaled(t *testing.T) {
	h := open(t)
	const callers = 16
	done := make(chan error, callers)
	for range callers {
		go func() {
			_, err := h.registry.Customers.Create(t.Context(), registry.NewCustomer{Name: "customer"})
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
		t.Errorf("sequence numbers = %d, want %d", len(seen), callers)
	}
}

func TestKeysOfACustomerAreLimited(t *testing.T) {
	h := open(t)
	alice := h.customer("Alice")
	n := registry.NewKey{Customer: alice, Name: "k", Scopes: []persistence.Scope{persistence.ScopeRead}, ExpiresAt: venues.At(time.Now().Add(time.Hour))}
	var last registry.Key
	for range 100 {
		var err error
		if last, err = h.registry.Keys.Create(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	_, err := h.registry.Keys.Create(t.Context(), n)
	if venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Fatalf("key past the limit: error %v, want invalid_request", err)
	}
	if _, err := h.registry.Keys.Revoke(t.Context(), last.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.registry.Keys.Create(t.Context(), n); err != nil {
		t.Errorf("key after a revocation: error %v, want none", err)
	}
}

// checkRules fails the test if a field has a rule that the public interface does not
// document.
func checkRules(t *testing.T, a answer) {
	t.Helper()
	fields, _ := a.field("error", "details", "fields").([]any)
	for _, f := range fields {
		field, _ := f.(map[string]any)
		if rule, _ := field["rule"].(string); !slices.Contains(api.Rules(), rule) {
			t.Errorf("rule = %q, want a documented one: %s", rule, a.text)
		}
	}
}
