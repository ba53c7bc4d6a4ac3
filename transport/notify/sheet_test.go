package notify_test

import (
	"cmp"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/hostiletest"
	"venuegate/transport/notify"
	"venuegate/venues"
)

const (
	spreadsheet = "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms"
	accessToken = "ya29.canaryCANARYcanary"
	robot       = "robot@project.iam.gserviceaccount.com"
)

var robotKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// accountKey returns the JSON key of a service account. Its URLs must not be used.
func accountKey(change members) string {
	der, err := x509.MarshalPKCS8PrivateKey(robotKey())
	if err != nil {
		panic(err)
	}
	key := members{
		"type": "service_account", "client_email": robot, "private_key_id": "kid1",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"token_uri":   "http://127.0.0.1:1/trap", "universe_domain": "trap.invalid",
	}
	maps.Copy(key, change)
	text, _ := json.Marshal(key)
	return string(text)
}

// google is the token server and the Sheets API with one sheet.
type google struct {
	*httptest.Server
	mu sync.Mutex
	// responses replace the usual ones of "token", "read", "append" and "update".
	responses map[string]func(http.ResponseWriter)
	rows      [][]json.RawMessage
	calls     []string
	failures  []string
	token     string
}

func newGoogle(t *testing.T) *google {
	t.Helper()
	g := &google{responses: map[string]func(http.ResponseWriter){}, token: accessToken}
	g.Server = httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(func() {
		g.Close()
		for _, failure := range g.failures {
			t.Error(failure)
		}
	})
	return g
}

func (g *google) expect(ok bool, format string, args ...any) {
	if !ok {
		g.failures = append(g.failures, fmt.Sprintf(format, args...))
	}
}

func (g *google) serve(w http.ResponseWriter, in *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	path, _ := strings.CutPrefix(in.URL.Path, "/v4/spreadsheets/"+spreadsheet+"/")
	call := map[string]string{
		"POST /token": "token", "GET values:batchGet": "read", "POST values/A:J:append": "append",
		"PUT values/A1:J1": "update", "PUT values/J1": "update",
	}[in.Method+" "+path]
	g.expect(call != "", "unknown request %s %s", in.Method, in.URL)
	g.calls = append(g.calls, call)
	w.Header().Set("Content-Type", "application/json")
	if respond := g.responses[call]; respond != nil {
		respond(w)
		return
	}
	switch call {
	case "token":
		g.checkAssertion(in)
		fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, g.token)
		return
	case "read":
		g.read(w, in)
	default:
		g.write(w, in, path)
	}
	g.expect(in.Header.Get("Authorization") == "Bearer "+g.token, "authorization of %s is wrong", call)
}

// checkAssertion verifies the signed assertion of a token request.
func (g *google) checkAssertion(in *http.Request) {
	parts := strings.Split(in.FormValue("assertion"), ".")
	if len(parts) != 3 || in.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		g.expect(false, "assertion has %d parts, want 3", len(parts))
		return
	}
	signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	err := rsa.VerifyPKCS1v15(&robotKey().PublicKey, crypto.SHA256, digest[:], signature)
	g.expect(err == nil, "signature of the assertion: %v", err)
	claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
	var assertion struct {
		Iss, Scope, Aud string
		Exp, Iat        int64
	}
	err = json.Unmarshal(claims, &assertion)
	g.expect(err == nil && assertion.Iss == robot && assertion.Scope == "https://www.googleapis.com/auth/spreadsheets" && assertion.Aud == g.URL+"/token" &&
		assertion.Exp-assertion.Iat <= 3610, "claims %s: %v", claims, err)
}

func (g *google) read(w io.Writer, in *http.Request) {
	q := in.URL.Query()
	g.expect(slices.Equal(q["ranges"], []string{"A1:J1", "J2:J"}) && q.Get("majorDimension") == "COLUMNS", "reads %v", q)
	var heads [][]json.RawMessage
	var ids []json.RawMessage
	for i, row := range g.rows {
		if i == 0 {
			for _, value := range row {
				heads = append(heads, []json.RawMessage{value})
			}
		} else {
			ids = append(ids, row[9])
		}
	}
	first, second := members{"range": "A1:J1"}, members{"range": "J2:J1000"}
	if heads != nil {
		first["values"] = heads
	}
	if ids != nil {
		second["values"] = [][]json.RawMessage{ids}
	}
	_ = json.NewEncoder(w).Encode(members{"spreadsheetId": spreadsheet, "valueRanges": []any{first, second}})
}

func (g *google) write(w io.Writer, in *http.Request, path string) {
	q := in.URL.Query()
	var sent struct{ Values [][]json.RawMessage }
	err := json.NewDecoder(in.Body).Decode(&sent)
	g.expect(err == nil && q.Get("valueInputOption") == "RAW", "writes %v: %v", q, err)
	switch path {
	case "values/A1:J1":
		g.rows = append(sent.Values, g.rows[min(1, len(g.rows)):]...)
	case "values/J1":
		g.rows[0][9] = sent.Values[0][0]
	default:
		g.expect(q.Get("insertDataOption") == "INSERT_ROWS", "appends %v", q)
		g.rows = append(g.rows, sent.Values...)
	}
	_, _ = io.WriteString(w, `{"spreadsheetId":"`+spreadsheet+`","updatedRange":"A1:J1"}`)
}

func (g *google) sheet(t *testing.T, timeout time.Duration) *notify.Sheet {
	t.Helper()
	return sheet(t, g.URL, timeout)
}

func sheet(t *testing.T, url string, timeout time.Duration) *notify.Sheet {
	t.Helper()
	s, err := notify.NewSheet(notify.SheetOptions{URL: url, TokenURL: url + "/token", Unseal: unsealed, UserAgent: "venuegate/test", Timeout: cmp.Or(timeout, waitMax)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func spread() persistence.Endpoint {
	return persistence.Endpoint{ID: "end_1", Customer: "c1", Kind: persistence.EndpointSheet, Target: spreadsheet, Sealed: sealed(accountKey(nil))}
}

func respond(status int, body string, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func reject(code int, message string) func(http.ResponseWriter) {
	return respond(code, fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":"X"}}`, code, message), "Retry-After", "17")
}

func TestClosedTradesBecomeRowsOfASpreadsheet(t *testing.T) {
	g := newGoogle(t)
	s := g.sheet(t, 0)
	for i, id := range []string{"evt_1", "evt_2", "evt_1"} {
		out := s.Send(t.Context(), spread(), closed(id, "by hand"), i+1, now)
		if out.Err != nil || out.Code != 200 || out.Gone != "" {
			t.Fatalf("attempt = %+v, want 200", out)
		}
	}
	row := func(id string) string {
		return `["2026-01-01T00:00:00.005Z","binance:BTCUSDT","long",0.5,64000.1,64100.2,-0.000000000000000001,50.05,"by hand","` + id + `"]`
	}
	if len(g.rows) != 3 {
		t.Fatalf("rows = %d, want 3", len(g.rows))
	}
	for i, want := range []string{
		`["Time","Instrument","Direction","Quantity","Entry price","Exit price","Fee","P\u0026L","Comment","Event ID"]`, row("evt_1"), row("evt_2"),
	} {
		if got, _ := json.Marshal(g.rows[i]); string(got) != want {
			t.Errorf("row %d = %s, want %s", i+1, got, want)
		}
	}
	if got := strings.Join(g.calls, " "); got != "token read append read append read" {
		t.Errorf("calls = %s, want token read append read append read", got)
	}
}

func TestUnknownNumbersAreEmptyOrText(t *testing.T) {
	g := newGoogle(t)
	e := newEvent("evt_1", persistence.EventPositionClosed, members{
		"exchange": "okx", "symbol": "X", "side": "short", "qty": "1e9", "entryPrice": nil, "fee": "=1", "realizedPnl": "-1",
		"exitPrice": "-0.1234567890123456",
	})
	if out := g.sheet(t, 0).Send(t.Context(), spread(), e, 1, now); out.Err != nil {
		t.Fatalf("attempt: error %v, want none", out.Err)
	}
	want := `["2026-01-01T00:00:00.005Z","okx:X","short","1e9","","-0.1234567890123456","'=1",-1,"","evt_1"]`
	if got, _ := json.Marshal(g.rows[1]); string(got) != want {
		t.Errorf("row = %s, want %s", got, want)
	}
}

func TestFormulasAreTextInASpreadsheet(t *testing.T) {
	g := newGoogle(t)
	s := g.sheet(t, 0)
	for i, comment := range payloads() {
		id := fmt.Sprintf("evt_%d", i)
		if out := s.Send(t.Context(), spread(), closed(id, comment), 1, now); out.Err != nil {
			t.Fatalf("comment %q: error %v, want none", comment, out.Err)
		}
		var text string
		if err := json.Unmarshal(g.rows[i+1][8], &text); err != nil {
			t.Errorf("comment %q is stored as %s, want a text", comment, g.rows[i+1][8])
		}
		checkTextCell(t, text)
	}
}

func TestOnlyClosedTradesMakeRows(t *testing.T) {
	g := newGoogle(t)
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: t.TempDir()})
	for _, e := range []persistence.Event{
		newEvent("evt_1", persistence.EventOrderFilled, members{}),
		newEvent("evt_1", persistence.EventNotification, members{"comment": "x"}),
		newEvent("evt_1", persistence.EventPositionClosed, []string{"x"}),
		newEvent("evt_1", persistence.EventPositionClosed, members{"qty": 5}),
	} {
		if out := g.sheet(t, 0).Send(t.Context(), spread(), e, 1, now); out.Err == nil || out.Gone != "" {
			t.Errorf("sheet: attempt = %+v, want an error", out)
		}
		if out := w.Send(t.Context(), book("trades.xlsx"), e, 1, now); out.Err == nil {
			t.Errorf("workbook: attempt = %+v, want an error", out)
		}
	}
	if len(g.calls) != 0 {
		t.Errorf("calls = %v, want none", g.calls)
	}
}

func TestRejectionsOfTheSheetsAPI(t *testing.T) {
	for _, c := range []struct {
		name string
		at   string
		with func(http.ResponseWriter)
		code int
		text string
		gone bool
		wait int
	}{
		{"not shared", "read", reject(403, "The caller does not have permission"), 403, "not shared with " + robot, true, 17},
		{"viewer", "append", reject(403, "The caller does not have permission"), 403, "as an editor", true, 17},
		{"deleted", "read", reject(404, "Requested entity was not found."), 404, "no such spreadsheet", true, 17},
		{"quota", "append", reject(429, "Quota exceeded"), 429, "Quota exceeded", false, 17},
		{"quota without Retry-After", "read", respond(429, `{"error":{"code":429,"message":"Quota exceeded"}}`), 429, "Quota exceeded", false, 60},
		{"bad range", "read", reject(400, "Unable to parse range"), 400, "Unable to parse range", false, 17},
		{"token expired", "read", reject(401, "Request had invalid authentication credentials"), 401, "status 401", false, 17},
		{"internal", "append", reject(500, "Internal error"), 500, "status 500", false, 17},
		{"proxy", "read", respond(403, "<html>"), 403, "status 403", false, 0},
		{"redirect", "read", respond(302, "", "Location", "http://127.0.0.1:1/"), 302, "status 302", false, 0},
		{"not modified", "read", respond(304, ""), 304, "status 304", false, 0},
		{"other ranges", "read", respond(200, `{"valueRanges":[]}`), 200, "status 200", false, 0},
		{"null ranges", "read", respond(200, `{"valueRanges":[null,null]}`), 200, "status 200", false, 0},
		{"echo", "append", reject(400, "no "+accessToken+"\u202e"), 400, "no [redacted]", false, 17},
		{"key deleted", "token", respond(400, `{"error":"invalid_grant","error_description":"Invalid JWT Signature."}`), 0, "not accepted: invalid_grant Invalid JWT Signature.", true, 0},
		{"account deleted", "token", respond(401, `{"error":"invalid_client"}`), 0, "not accepted", true, 0},
		{"clock wrong", "token", respond(400, `{"error":"invalid_grant"}`, "Date", "Thu, 01 Jan 2015 00:00:00 GMT"), 0, "clock", false, 0},
		{"tokens down", "token", respond(503, `{"error":"unavailable"}`), 0, "status 503", false, 0},
		{"tokens proxied", "token", respond(400, `<html>`), 0, "status 400", false, 0},
		{"token redirected", "token", respond(307, "", "Location", "http://127.0.0.1:1/"), 0, "status 307", false, 0},
		{"no token", "token", respond(200, `{}`), 0, "no token", false, 0},
		{"bad token", "token", respond(200, `{"access_token":"a\r\nX: y"}`), 0, "no token", false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGoogle(t)
			g.responses[c.at] = c.with
			out := g.sheet(t, 0).Send(t.Context(), spread(), closed("evt_1", ""), 1, now)
			if out.Err == nil || !strings.Contains(out.Err.Error(), c.text) {
				t.Errorf("error = %v, want one with %q", out.Err, c.text)
			}
			if out.Code != c.code || (out.Gone != "") != c.gone || out.RetryAfterSec != c.wait || out.Throttled != (c.code == 429) || len(g.rows) != 0 {
				t.Errorf("attempt = %+v with %d rows, want %d, gone %v, retry after %d and 0 rows", out, len(g.rows), c.code, c.gone, c.wait)
			}
			checkNoToken(t, out)
		})
	}
}

func TestExpiredTokenIsFetchedAgain(t *testing.T) {
	g := newGoogle(t)
	s := g.sheet(t, 0)
	if out := s.Send(t.Context(), spread(), closed("evt_1", ""), 1, now); out.Err != nil {
		t.Fatalf("first event: error %v, want none", out.Err)
	}
	g.responses["read"], g.token = reject(401, "expired"), "another"
	if out := s.Send(t.Context(), spread(), closed("evt_2", ""), 1, now); out.Err == nil {
		t.Fatal("expired token: no error, want one")
	}
	delete(g.responses, "read")
	if out := s.Send(t.Context(), spread(), closed("evt_2", ""), 2, now); out.Err != nil {
		t.Fatalf("second attempt: error %v, want none", out.Err)
	}
	if got := strings.Join(g.calls, " "); got != "token read append read token read append" {
		t.Errorf("calls = %s, want token read append read token read append", got)
	}
}

// The row is added although the response is an error.
func TestRowIsNotAddedAgainAfterALostResponse(t *testing.T) {
	g := newGoogle(t)
	s := g.sheet(t, 0)
	g.responses["append"] = func(w http.ResponseWriter) {
		row := make([]json.RawMessage, 10)
		for i := range row {
			row[i] = json.RawMessage(`"x"`)
		}
		row[9] = json.RawMessage(`"evt_1"`)
		g.rows = append(g.rows, row, row)
		respond(503, "")(w)
	}
	if out := s.Send(t.Context(), spread(), closed("evt_1", ""), 1, now); out.Err == nil {
		t.Fatal("lost response: no error, want one")
	}
	delete(g.responses, "append")
	if out := s.Send(t.Context(), spread(), closed("evt_1", ""), 2, now); out.Err != nil || len(g.rows) != 2 {
		t.Fatalf("second attempt = %+v with %d rows, want no error with 2", out, len(g.rows))
	}
}

func TestHostileSheetsAPIIsUnreachable(t *testing.T) {
	for name, script := range hostileScripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGoogle(t)
			g.responses["token"] = respond(200, `{"access_token":"`+accessToken+`"}`)
			began := time.Now()
			api, _ := hostiletest.Serve(t, script)
			tokens, _ := hostiletest.Serve(t, script)
			for _, urls := range [][2]string{{api, g.URL + "/token"}, {g.URL, tokens}} {
				s, err := notify.NewSheet(notify.SheetOptions{URL: urls[0], TokenURL: urls[1], Unseal: unsealed, Timeout: 300 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				out := s.Send(t.Context(), spread(), closed("evt_1", ""), 1, began)
				if !errors.Is(out.Err, notify.ErrUnreachable) || out.Gone != "" {
					t.Errorf("attempt = %+v, want ErrUnreachable", out)
				}
				if err := s.Check(t.Context(), spread()); !errors.Is(err, notify.ErrUnreachable) {
					t.Errorf("check: error %v, want ErrUnreachable", err)
				}
				checkNoToken(t, out)
			}
			if took := time.Since(began); took > waitMax {
				t.Errorf("took %v, want at most %v", took, waitMax)
			}
		})
	}
}

func TestCheckNamesWhatTheSpreadsheetLacks(t *testing.T) {
	g := newGoogle(t)
	if err := g.sheet(t, 0).Check(t.Context(), spread()); err != nil || len(g.rows) != 1 || len(g.rows[0]) != 10 {
		t.Fatalf("check of an empty sheet: error %v, rows %s; want none and the headings", err, g.rows)
	}
	if out := g.sheet(t, 0).Send(t.Context(), spread(), closed("evt_1", ""), 1, now); out.Err != nil || len(g.rows) != 2 {
		t.Fatalf("attempt after the check = %+v with %d rows, want no error with 2", out, len(g.rows))
	}
	g.rows[0][0] = json.RawMessage(`"Zeit"`)
	if err := g.sheet(t, 0).Check(t.Context(), spread()); err != nil || string(g.rows[0][0]) != `"Zeit"` {
		t.Errorf("check with translated headings: error %v, want none", err)
	}
	g.rows[0][9] = json.RawMessage(`"other"`)
	if err := g.sheet(t, 0).Check(t.Context(), spread()); !isFieldError(err, "target", "must be empty") {
		t.Errorf("check of other content: error %v, want one of target", err)
	}
	for _, c := range []struct {
		at    string
		with  func(http.ResponseWriter)
		field string
		text  string
	}{
		{"token", respond(400, `{"error":"invalid_grant"}`), "secret", "not accepted"},
		{"read", reject(404, "x"), "target", "no such spreadsheet"},
		{"read", reject(403, "x"), "target", "not shared with " + robot},
		{"update", reject(403, "x"), "target", "as an editor"},
		{"read", reject(429, "x"), "", ""},
		{"update", respond(500, ""), "", ""},
	} {
		g := newGoogle(t)
		g.responses[c.at] = c.with
		err := g.sheet(t, 0).Check(t.Context(), spread())
		if (c.field != "" && !isFieldError(err, c.field, c.text)) || (c.field == "" && !errors.Is(err, notify.ErrUnreachable)) {
			t.Errorf("%s: error = %v, want one of field %q with %q", c.at, err, c.field, c.text)
		}
	}
}

func TestMalformedKeysAreNotUsed(t *testing.T) {
	g := newGoogle(t)
	for name, key := range map[string]string{
		"empty": "{}", "none": "canary", "a user's": accountKey(members{"type": "authorized_user"}), "no key": accountKey(members{"private_key": "canary"}),
		"no PKCS8": accountKey(members{"private_key": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"}), "no address": accountKey(members{"client_email": "canary"}),
		"huge": accountKey(members{"x": strings.Repeat("x", 20_000)}),
	} {
		to := spread()
		to.Sealed = sealed(key)
		s := g.sheet(t, 0)
		out := s.Send(t.Context(), to, closed("evt_1", ""), 1, now)
		if out.Err == nil || out.Gone != "" {
			t.Errorf("%s: attempt = %+v, want an error", name, out)
		}
		checkNoToken(t, out)
		if err := s.Check(t.Context(), to); !isFieldError(err, "secret", "JSON key of a service account") {
			t.Errorf("%s: check: error %v, want one of secret", name, err)
		}
	}
	to := spread()
	to.Target = "x"
	if err := g.sheet(t, 0).Check(t.Context(), to); venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Errorf("check of a malformed target: error %v, want invalid_request", err)
	}
	if len(g.calls) != 0 {
		t.Errorf("calls = %v, want none", g.calls)
	}
}
