package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/transport/api"
)

// page is a page of the console in a browser, signed in or not.
type page struct {
	*service
	// url is that of the listener.
	url    string
	cookie *http.Cookie
}

// call sends a request as a page does, and expects a status.
func (p *page) call(status int, method, path string, body any) record {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.url+"/console/api"+path, strings.NewReader(string(text)))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Console", "1")
	if p.cookie != nil {
		request.AddCookie(p.cookie)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer record
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != status {
		p.t.Fatalf("%s %s: status %d, want %d: %v, %v", method, path, response.StatusCode, status, answer, err)
	}
	for _, cookie := range response.Cookies() {
		p.cookie = cookie
	}
	return answer
}

// enter uses the link that a command has printed.
func (p *page) enter(status int, printed, password string) record {
	p.t.Helper()
	link, _, _ := strings.Cut(printed, "\n")
	address, token, found := strings.Cut(link, "/console/enter#")
	if !found || address != p.url {
		p.t.Fatalf("printed %q, want a link to %s", printed, p.url)
	}
	return p.call(status, http.MethodPost, "/session/enter", map[string]string{"token": token, "password": password})
}

// consoleCommand runs a command for the service and returns its output.
func (s *service) consoleCommand(args ...string) string {
	s.t.Helper()
	status, out, complaint := run(s.t.Context(), append(append([]string{"console"}, args...), "--data", s.dir)...)
	if status != exitOK {
		s.t.Fatalf("console %s: status %d, want 0: %s %s", strings.Join(args, " "), status, out, complaint)
	}
	return out
}

// The demo's user signs in and trades, stays signed in over a kill, and is signed out
// everywhere at once.
func TestConsoleOfTheDemo(t *testing.T) {
	simFile, _ := startSimProcess(t)
	s := startService(t, t.TempDir(), "--sim", simFile)
	if c := s.demo.Console; c == nil || c.URL != s.demo.BaseURL+"/console" || !strings.Contains(s.out.String(), c.Password) {
		t.Fatalf("console = %+v, want its address, and the password in the output", c)
	}
	first := s.demo.Console.Password
	p := &page{service: s, url: s.demo.BaseURL}
	p.call(http.StatusUnauthorized, http.MethodGet, "/session", nil)
	signedIn := p.call(http.StatusOK, http.MethodPost, "/session", map[string]string{"login": s.demo.Console.User, "password": first})
	if signedIn.text("session", "role") != "owner" || signedIn.text("session", "environments", "binance") != environmentSim {
		t.Errorf("session = %v, want that of an owner in sim", signedIn)
	}

	s.kill()
	s = startService(t, s.dir, "--sim", simFile)
	if s.demo.Console.Password != first {
		t.Error("the password of the demo changed with a restart, want the same")
	}
	p.service, p.url = s, s.demo.BaseURL
	p.call(http.StatusOK, http.MethodGet, "/session", nil)

	token := p.call(http.StatusOK, http.MethodPost, "/session/token", nil).text("token")
	order := s.call(token, http.StatusCreated, http.MethodPost, "/v1/orders", `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01"}`)
	if order.text("source") != "console" {
		t.Errorf("source of the order = %q, want console", order.text("source"))
	}
	stream := s.pageStream(token)
	p.call(http.StatusOK, http.MethodDelete, "/session", nil)
	ended := time.Now()
	// Without the end of the session the stream would find out in up to 30 s.
	if code := stream.closeCode(); code != int(api.StreamUnauthorized) || time.Since(ended) > 10*time.Second {
		t.Errorf("close code of the stream = %d after %s, want %d at once", code, time.Since(ended), api.StreamUnauthorized)
	}
	s.call(token, http.StatusUnauthorized, http.MethodGet, "/v1/orders", "")
	s.noSecrets(first, token)
}

// pageStream opens the stream as a page of the console does.
func (s *service) pageStream(token string) *socket {
	s.t.Helper()
	dialer := websocket.Dialer{HandshakeTimeout: waitMax}
	conn, response, err := dialer.DialContext(s.t.Context(), s.demo.WSURL, http.Header{"Origin": {s.demo.BaseURL}})
	if err != nil {
		s.t.Fatal(err)
	}
	response.Body.Close()
	s.t.Cleanup(func() { conn.Close() })
	k := &socket{t: s.t, conn: conn}
	k.write(fmt.Sprintf(`{"op":"auth","token":%q}`, token))
	k.until("the authentication", func(m record) bool { return m.text("op") == "auth" })
	return k
}

// noSecrets checks that the output of the process, apart from what the demo prints, and the
// journal have none of the texts.
func (s *service) noSecrets(texts ...string) {
	s.t.Helper()
	var log strings.Builder
	for line := range strings.Lines(s.out.String()) {
		if strings.HasPrefix(line, "{") {
			log.WriteString(line)
		}
	}
	rows := fmt.Sprint(s.administer(http.StatusOK, http.MethodGet, "journal?limit=1000", ""))
	for _, text := range texts {
		if strings.Contains(log.String()+rows, text) {
			s.t.Errorf("%.6s… is in the log or the journal, want it nowhere", text)
		}
	}
	if !strings.Contains(rows, "sign_in") || !strings.Contains(rows, "sign_out") {
		s.t.Errorf("rows = %s, want sign_in and sign_out", rows)
	}
}

// Users and operators come in by the links that commands print, each at its own listener.
func TestConsoleCommands(t *testing.T) {
	s := sharedService(t)
	const password = "correct horse battery"
	ann := &page{service: s, url: s.demo.BaseURL}
	ann.enter(http.StatusOK, s.consoleCommand("invite", "--customer", s.customer(), "--login", "ann@example.com", "--role", "trader"), password)
	if items := ann.call(http.StatusOK, http.MethodGet, "/accounts", nil).items(); len(items) != 3 {
		t.Errorf("accounts = %v, want the three of the demo", items)
	}
	again := s.consoleCommand("login", "--login", "ann@example.com")
	ann.enter(http.StatusOK, again, "another battery staple")
	(&page{service: s, url: s.demo.BaseURL}).enter(http.StatusUnauthorized, again, password)

	operator := &page{service: s, url: s.demo.AdminURL}
	operator.enter(http.StatusOK, s.consoleCommand("login", "--operator"), password)
	if items := operator.call(http.StatusOK, http.MethodGet, "/users", nil).items(); len(items) != 3 {
		t.Errorf("users = %v, want demo, ann and the operator", items)
	}
	for _, tt := range []struct {
		page   *page
		listen string
		login  string
	}{{ann, s.demo.AdminURL, "ann@example.com"}, {operator, s.demo.BaseURL, "operator"}} {
		moved := &page{service: s, url: tt.listen, cookie: tt.page.cookie}
		moved.call(http.StatusUnauthorized, http.MethodGet, "/session", nil)
		moved.call(http.StatusUnauthorized, http.MethodPost, "/session", map[string]string{"login": tt.login, "password": password})
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.demo.AdminURL+"/admin/v1/customers", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.AddCookie(operator.cookie)
	if status, text := do(t, request); status != http.StatusUnauthorized {
		t.Errorf("administration with the cookie of an operator = %d %s, want 401: it needs the token", status, text)
	}
}

func TestConsoleCanBeDisabled(t *testing.T) {
	s := startService(t, t.TempDir(), "--config", writeFile(t, "console: {enabled: false}\n"))
	if s.demo.Console != nil || strings.Contains(s.out.String(), "/console") {
		t.Errorf("console = %+v, want none", s.demo.Console)
	}
	for _, url := range []string{s.demo.BaseURL, s.demo.AdminURL} {
		if status, body := get(t, url+"/console/api/session"); status != http.StatusNotFound {
			t.Errorf("session = %d %s, want 404", status, body)
		}
	}
	if content, err := os.ReadFile(filepath.Join(s.dir, demoName)); err != nil || strings.Contains(string(content), "console") {
		t.Errorf("%s = %s, %v, want no console", demoName, content, err)
	}
}

func TestSecondStepIsRequiredBeyondLoopback(t *testing.T) {
	for _, tt := range []struct {
		setting, address string
		demo, want       bool
	}{
		{totpAuto, "http://127.0.0.1:8080", false, false},
		{totpAuto, "http://localhost:8080", false, false},
		{totpAuto, "https://[::1]", false, false},
		{totpAuto, "https://trade.example.com", false, true},
		{totpAuto, "https://192.0.2.1", false, true},
		{totpAuto, "https://trade.example.com", true, false},
		{totpAlways, "http://127.0.0.1:8080", true, true},
		{totpNever, "https://trade.example.com", false, false},
	} {
		config := Config{Demo: tt.demo, Console: ConsoleConfig{RequireTOTP: tt.setting}}
		if got := config.requireTOTP(tt.address); got != tt.want {
			t.Errorf("requireTotp %s at %s, demo %v = %v, want %v", tt.setting, tt.address, tt.demo, got, tt.want)
		}
	}
}

// TestConsoleCommandLines checks that wrong command lines are reported before a request.
func TestConsoleCommandLines(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, adminTokenName), []byte(strings.Repeat("0", 64)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"invite", "--customer", "cus_1", "--login", "ann", "--role", "vewer"}, "must be viewer, trader or owner, not `vewer`"},
		{[]string{"invite", "ann"}, "unexpected argument `ann`: venuegate console invite"},
		{[]string{"login", "ann"}, "unexpected argument `ann`: venuegate console login"},
		{[]string{"login"}, "set --login, or --operator"},
	} {
		status, _, complaint := run(t.Context(), append(append([]string{"console"}, c.args...), "--data", dir)...)
		if status == exitOK || !strings.Contains(complaint, c.want) {
			t.Errorf("console %q: status %d, %s, want another than %d with %q", c.args, status, complaint, exitOK, c.want)
		}
	}
}
