package console_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/pquerna/otp/totp"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/auth"
	"venuegate/transport/console"
	"venuegate/transport/console/web"
	"venuegate/transport/documenttest"
	"venuegate/transport/operationstest"
	"venuegate/transport/registry"
	"venuegate/transport/registrytest"
	"venuegate/venues"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

const password = "correct horse battery"

// loadDocument loads the document once, because that takes most of a test's time.
var loadDocument = sync.OnceValues(func() (*documenttest.Document, error) { return documenttest.LoadFile("openapi.yaml") })

// house is a console over a store in memory, behind a socket.
type house struct {
	t         *testing.T
	url       string
	store     *storetest.Memory
	service   *registrytest.Service
	registry  *registry.Registry
	auth      *auth.Authenticator
	passwords *console.Passwords
	console   *console.Console
	logs      *observer.ObservedLogs
	document  *documenttest.Document
	customer  string
	files     string
	// succeeded are the ids of the operations that have succeeded.
	succeeded map[string]bool
	// now is the time of the second step.
	now time.Time
}

// forOperators makes the console that of operators.
func forOperators(o *console.Options) { o.Operators = true }

// revoker ends sessions at both the authenticator and the recorder of the tests.
type revoker struct {
	*auth.Authenticator
	service *registrytest.Service
}

func (r revoker) Revoke(id string) {
	r.Authenticator.Revoke(id)
	r.service.Revoke(id)
}

// open starts a console with the changed options.
func open(t *testing.T, changes ...func(*console.Options)) *house {
	t.Helper()
	core, logs := observer.New(zapcore.DebugLevel)
	h := &house{t: t, store: storetest.NewMemory(), passwords: console.NewPasswords(fastCost), logs: logs, succeeded: map[string]bool{}}
	var err error
	if h.document, err = loadDocument(); err != nil {
		t.Fatal(err)
	}
	h.service = &registrytest.Service{Store: h.store}
	h.auth = auth.NewAuthenticator(h.store)
	options := registrytest.Options(h.store, h.service)
	options.Sessions = revoker{h.auth, h.service}
	h.files = t.TempDir()
	options.Files = registrytest.Folder(h.files)
	latency := &registrytest.Latency{}
	options.Latency = latency
	h.registry = registry.New(options)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.url = "http://" + listener.Addr().String()
	pages, err := web.Load()
	if err != nil {
		t.Fatal(err)
	}
	o := console.Options{
		Pages: pages,
		URL:   h.url, Idle: 12 * time.Hour, Lifetime: 7 * 24 * time.Hour, Build: "test", Environments: map[venues.Venue]string{venues.Binance: "sim"}, HeaderPrefix: "X-Service",
		Registry: h.registry, Secrets: options.Secrets, Passwords: h.passwords, Tokens: h.auth, Log: zap.New(core),
		Source: func(c *fiber.Ctx) netip.Addr {
			if addr, err := netip.ParseAddr(c.Get("X-Test-Source")); err == nil {
				return addr
			}
			return netip.MustParseAddr("192.0.2.1")
		},
	}
	for _, change := range changes {
		change(&o)
	}
	if o.Operators {
		o.Operations, o.Backup = operationstest.Source{}, func(_ context.Context, w io.Writer) error { _, err := io.WriteString(w, "a backup"); return err }
	}
	if h.console, err = console.New(o); err != nil {
		t.Fatal(err)
	}
	h.now = time.Now()
	h.console.Freeze(h.now)
	app := fiber.New(fiber.Config{Immutable: true, DisableStartupMessage: true})
	app.Get(web.Prefix, h.console.Handler())
	app.Get(web.Prefix+"/*", h.console.Handler())
	for _, method := range console.Methods {
		app.Add(method, console.Prefix+"/*", h.console.Handler())
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(listener) }()
	t.Cleanup(func() {
		err := errors.Join(h.console.Close(), app.Shutdown())
		_ = listener.Close() // the shutdown leaves it open if the server has not begun to serve
		if err := errors.Join(err, <-served, h.store.Close()); err != nil {
			t.Error(err)
		}
	})
	customer, err := h.registry.Customers.Create(t.Context(), registry.NewCustomer{Name: "Desk"})
	if err != nil {
		t.Fatal(err)
	}
	h.customer, latency.Of = customer.ID, customer.ID
	return h
}

// invite makes a user and returns the token of its invitation.
func (h *house) invite(customer, login string, role persistence.Role) string {
	h.t.Helper()
	invited, err := h.registry.Users.Create(h.t.Context(), registry.NewUser{Customer: customer, Login: login, Role: role})
	if err != nil {
		h.t.Fatal(err)
	}
	_, token, _ := strings.Cut(invited.Link, "#")
	return token
}

// signal stores a signal of a channel, and returns its id.
func (h *house) signal(hook string) string {
	h.t.Helper()
	signal := storetest.NewSignal(h.customer, 1)
	signal.ChannelID = hook
	if err := h.service.Put(h.t.Context(), signal); err != nil {
		h.t.Fatal(err)
	}
	return signal.ID
}

// browser is a page with a cookie, at an address.
type browser struct {
	*house
	cookie *http.Cookie
	source string
}

func (h *house) browser() *browser { return &browser{house: h} }

// user makes a user, and a page that it has signed in to.
func (h *house) user(login string, role persistence.Role) *browser {
	h.t.Helper()
	customer := h.customer
	if role == persistence.RoleOperator {
		customer = ""
	}
	b := h.browser()
	b.post(http.StatusOK, "/session/enter", map[string]any{"token": h.invite(customer, login, role), "password": password})
	return b
}

// answer is the response of a call.
type answer struct {
	status int
	header http.Header
	text   string
}

// field returns a member of the answer by its path, as text.
func (a answer) field(path ...string) string {
	var value any
	if err := json.Unmarshal([]byte(a.text), &value); err != nil {
		return ""
	}
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// request returns a request as a page sends it.
func (b *browser) request(method, path string, body any) *http.Request {
	b.t.Helper()
	text := ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			b.t.Fatal(err)
		}
		text = string(encoded)
	}
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.url+console.Prefix+path, strings.NewReader(text))
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header.Set("X-Test-Source", b.source)
	if method != http.MethodGet {
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Console", "1")
	}
	if b.cookie != nil {
		request.AddCookie(b.cookie)
	}
	return request
}

// send sends a request, and checks the answer against the document.
func (b *browser) send(request *http.Request) answer {
	b.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	operation := b.document.CheckResponse(b.t, request, response.StatusCode, response.Header, body)
	if response.StatusCode < http.StatusMultipleChoices {
		b.succeeded[operation] = true
	}
	for _, cookie := range response.Cookies() {
		b.cookie = cookie
	}
	return answer{response.StatusCode, response.Header, string(body)}
}

// call fails the test unless the call has the status.
func (b *browser) call(status int, method, path string, body any) answer {
	b.t.Helper()
	a := b.send(b.request(method, path, body))
	if a.status != status {
		b.t.Fatalf("%s %s: status = %d, want %d: %s", method, path, a.status, status, a.text)
	}
	return a
}

func (b *browser) post(status int, path string, body any) answer {
	b.t.Helper()
	return b.call(status, http.MethodPost, path, body)
}

func (b *browser) get(status int, path string) answer {
	b.t.Helper()
	return b.call(status, http.MethodGet, path, nil)
}

// signIn signs a user without a second step in.
func (b *browser) signIn(status int, login, password string) answer {
	b.t.Helper()
	return b.post(status, "/session", map[string]any{"login": login, "password": password})
}

// code returns a code of the second step, some steps from now.
func (h *house) code(secret string, steps int) string {
	h.t.Helper()
	code, err := totp.GenerateCode(secret, h.now.Add(time.Duration(steps)*30*time.Second))
	if err != nil {
		h.t.Fatal(err)
	}
	return code
}

// setUp sets up a second step. It returns its secret and the recovery codes.
func (b *browser) setUp() (secret string, recovery []string) {
	b.t.Helper()
	secret = b.post(http.StatusOK, "/totp", nil).field("secret")
	a := b.post(http.StatusOK, "/totp/confirm", map[string]any{"code": b.code(secret, -1)})
	var codes struct{ RecoveryCodes []string }
	if err := json.Unmarshal([]byte(a.text), &codes); err != nil {
		b.t.Fatal(err)
	}
	return secret, codes.RecoveryCodes
}

// expireStepUp makes the step-up of every session too old.
func (h *house) expireStepUp() {
	h.t.Helper()
	h.changeSessions(func(s *persistence.Session) { s.SteppedUpAt = venues.At(time.Now().Add(-5*time.Minute - time.Second)) })
}

func (h *house) changeSessions(change func(*persistence.Session)) {
	h.t.Helper()
	sessions, err := h.store.Sessions(h.t.Context())
	for i := range sessions {
		change(&sessions[i])
		err = errors.Join(err, h.store.Commit(context.Background(), persistence.Batch{Puts: []persistence.Record{sessions[i]}}))
	}
	if err != nil {
		h.t.Fatal(err)
	}
}
