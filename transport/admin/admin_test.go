package admin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/admin"
	"venuegate/transport/api"
	"venuegate/transport/pipetest"
	"venuegate/venues"
)

const token = "a-token-of-the-tests"

func TestMain(m *testing.M) {
	pipetest.WarmUp()
	goleak.VerifyTestMain(m,
		// fasthttp keeps one clock for the process, and a cleaner that notices
		// the end of its server at its next turn, seconds later.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

// house is a running administration over a store in memory.
type house struct {
	t         *testing.T
	url       string
	store     *storetest.Memory
	directory *directory
	examiner  *examiner
	registry  *admin.Registry
	logs      *observer.ObservedLogs
	ready     error
	// unreachable is what the bot's chat is found to lack.
	unreachable error
	backup      func(io.Writer) error
	client      *http.Client
}

// open runs one, after the changes to what the registry is made of.
func open(t *testing.T, changes ...func(*admin.Options)) *house {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return openOn(t, listener, changes...)
}

// inMemory runs one in a bubble of virtual time.
func inMemory(t *testing.T) *pipetest.Listener {
	t.Helper()
	t.Cleanup(func() { time.Sleep(pipetest.CleanerMax) })
	listener := pipetest.Listen()
	openOn(t, listener)
	return listener
}

func openOn(t *testing.T, listener net.Listener, changes ...func(*admin.Options)) *house {
	t.Helper()
	core, logs := observer.New(zapcore.InfoLevel)
	h := &house{t: t, store: storetest.NewMemory(), logs: logs, examiner: &examiner{}, client: &http.Client{Timeout: time.Minute}}
	h.directory = &directory{store: h.store, fences: map[string]persistence.Fence{}}
	options := admin.Options{
		Store: h.store, Directory: h.directory, Vault: vault{}, Examiner: h.examiner,
		Environments: map[venues.Venue]string{venues.Binance: "testnet"},
		Secrets:      &sealer{},
		HookURL: func(c persistence.Channel, address venues.Secret) string {
			return "https://h/" + c.ID + "/" + address.Reveal()
		},
		Targets: map[persistence.EndpointKind]admin.Target{
			persistence.EndpointWebhook: {Form: func(target string) error {
				if !strings.HasPrefix(target, "https://") {
					return api.Fault("url", api.RuleMalformed, "", "https://")
				}
				return nil
			}},
			persistence.EndpointFile:     {Form: func(string) error { return nil }},
			persistence.EndpointTelegram: {Form: func(string) error { return nil }, Reach: func(context.Context, persistence.Endpoint) error { return h.unreachable }},
		},
	}
	for _, change := range changes {
		change(&options)
	}
	h.registry = admin.NewRegistry(options)
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "venuegate_test_gauge"}))
	server := admin.NewServer(admin.ServerOptions{
		Registry: h.registry, Token: token, Ready: func() error { return h.ready }, Metrics: metrics, Log: zap.New(core),
		Backup: func(_ context.Context, w io.Writer) error { return h.backup(w) },
	})
	h.url = "http://" + listener.Addr().String()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		h.client.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := errors.Join(server.Shutdown(ctx), <-served, h.store.Close()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// answer of a call.
type answer struct {
	status int
	header http.Header
	text   string
}

// field finds a member of the answer, by its path.
func (a answer) field(path ...string) any {
	var value any
	if err := json.Unmarshal([]byte(a.text), &value); err != nil {
		return nil
	}
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func (a answer) id() string {
	id, _ := a.field("id").(string)
	return id
}

func (h *house) send(request *http.Request) answer {
	h.t.Helper()
	response, err := h.client.Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(body)}
}

func (h *house) request(method, path, body string) *http.Request {
	h.t.Helper()
	request, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		h.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	return request
}

// call expects a status and returns the answer.
func (h *house) call(status int, method, path, body string) answer {
	h.t.Helper()
	a := h.send(h.request(method, path, body))
	if a.status != status {
		h.t.Fatalf("%s %s %s: status %d, want %d: %s", method, path, body, a.status, status, a.text)
	}
	if a.header.Get("X-Request-Id") == "" {
		h.t.Errorf("%s %s: no X-Request-Id", method, path)
	}
	return a
}

func (h *house) customer(name string) string {
	h.t.Helper()
	return h.call(http.StatusCreated, "POST", "/admin/v1/customers", fmt.Sprintf(`{"name":%q}`, name)).id()
}

// key makes one and gives its id and its text.
func (h *house) key(customer, scope string) (id, text string) {
	h.t.Helper()
	a := h.call(http.StatusCreated, "POST", "/admin/v1/keys", fmt.Sprintf(`{"customer":%q,"name":"desk","scopes":[%q]}`, customer, scope))
	text, _ = a.field("apiKey").(string)
	return a.id(), text
}

// journal lists the rows of the installation's journal.
func (h *house) journal() []persistence.JournalEntry {
	h.t.Helper()
	page, err := h.store.Journal(h.t.Context(), persistence.JournalQuery{Limit: 100})
	if err != nil {
		h.t.Fatal(err)
	}
	return page.Items
}

// directory owns every customer, as the running service does.
type directory struct {
	store *storetest.Memory

	mu        sync.Mutex
	fences    map[string]persistence.Fence
	customers []string
	keys      []string
	accounts  []persistence.VenueAccount
	// calls are those on running accounts.
	calls   []string
	failure error
}

func (d *directory) CustomerChanged(_ context.Context, customer string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.customers = append(d.customers, customer)
	return d.failure
}

func (d *directory) KeyChanged(_ context.Context, key string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keys = append(d.keys, key)
	return d.failure
}

func (d *directory) PutAccount(ctx context.Context, account persistence.VenueAccount) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	fence, owned := d.fences[account.Customer]
	if !owned {
		var err error
		if fence, err = d.store.TakeOwnership(ctx, account.Customer); err != nil {
			return err
		}
		d.fences[account.Customer] = fence
	}
	d.accounts = append(d.accounts, account)
	return d.store.Commit(ctx, persistence.Batch{Fence: fence, Puts: []persistence.Record{account}})
}

func (d *directory) ConfigureAccount(ctx context.Context, account persistence.VenueAccount) error {
	d.call("configure", account.Customer, account.Exchange)
	return d.PutAccount(ctx, account)
}

func (d *directory) AwaitHalt(_ context.Context, customer string, exchange venues.Venue) (admin.HaltReport, error) {
	d.call("await halt", customer, exchange)
	return admin.HaltReport{Done: true, OpenPositions: 1}, d.failure
}

func (d *directory) UnlockAccount(_ context.Context, customer string, exchange venues.Venue) error {
	d.call("unlock", customer, exchange)
	return d.failure
}

func (d *directory) call(what, customer string, exchange venues.Venue) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, what+" "+customer+":"+string(exchange))
}

// vault seals visibly, so that a test can see what was sealed for whom.
type vault struct{}

func (vault) Seal(customer string, exchange venues.Venue, c venues.Credentials) ([]byte, error) {
	return []byte(customer + "|" + string(exchange) + "|" + c.APIKey.Reveal() + "|" + c.APISecret.Reveal()), nil
}

func (vault) Open(customer string, exchange venues.Venue, sealed []byte) (venues.Credentials, error) {
	parts := bytes.Split(sealed, []byte("|"))
	if len(parts) != 4 || string(parts[0]) != customer || string(parts[1]) != string(exchange) {
		return venues.Credentials{}, errors.New("sealed for another")
	}
	return venues.Credentials{APIKey: venues.Secret(parts[2]), APISecret: venues.Secret(parts[3])}, nil
}

// examiner answers what the test says and remembers whom it looked at.
type examiner struct {
	findings []admin.Finding
	seen     []string
}

func (e *examiner) Examine(_ context.Context, exchange venues.Venue, c venues.Credentials) []admin.Finding {
	e.seen = append(e.seen, string(exchange)+" "+c.APIKey.Reveal())
	return e.findings
}
