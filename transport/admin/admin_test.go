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
	"venuegate/transport/documenttest"
	"venuegate/transport/operationstest"
	"venuegate/transport/pipetest"
	"venuegate/transport/registry"
	"venuegate/transport/registrytest"
)

const token = "a-token-of-the-tests"

func TestMain(m *testing.M) {
	pipetest.WarmUp()
	goleak.VerifyTestMain(m,
		// fasthttp has one clock goroutine for the process, and a cleaner that ends
		// seconds after its server.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

// fixture is a running administration listener over a store in memory. Every response is
// validated against the OpenAPI document.
type fixture struct {
	t        *testing.T
	url      string
	store    *storetest.Memory
	service  *registrytest.Service
	examiner *registrytest.Examiner
	registry *registry.Registry
	logs     *observer.ObservedLogs
	ready    api.Readiness
	// unreachable is the error of reaching a telegram chat.
	unreachable error
	backup      func(io.Writer) error
	client      *http.Client
	server      *admin.Server
	document    *documenttest.Document

	mu sync.Mutex
	// succeeded are the ids of the operations that have succeeded.
	succeeded map[string]bool
}

// loadDocument loads the document once, because that takes most of a test's time.
var loadDocument = sync.OnceValues(func() (*documenttest.Document, error) { return documenttest.Load(admin.OpenAPI()) })

// open starts a listener over a registry with the changed options.
func open(t *testing.T, changes ...func(*registry.Options)) *fixture {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return openOn(t, listener, changes...)
}

// inMemory starts a listener in a bubble of virtual time.
func inMemory(t *testing.T) *pipetest.Listener {
	t.Helper()
	t.Cleanup(func() { time.Sleep(pipetest.CleanerMax) })
	listener := pipetest.Listen()
	openOn(t, listener)
	return listener
}

func openOn(t *testing.T, listener net.Listener, changes ...func(*registry.Options)) *fixture {
	t.Helper()
	core, logs := observer.New(zapcore.InfoLevel)
	h := &fixture{
		t: t, store: storetest.NewMemory(), logs: logs, client: &http.Client{Timeout: time.Minute}, succeeded: map[string]bool{},
		backup: func(io.Writer) error { return nil },
	}
	var err error
	if h.document, err = loadDocument(); err != nil {
		t.Fatal(err)
	}
	h.service = &registrytest.Service{Store: h.store}
	options := registrytest.Options(h.store, h.service)
	h.examiner, _ = options.Examiner.(*registrytest.Examiner)
	chat := options.Targets[persistence.EndpointTelegram]
	chat.Reach = func(context.Context, persistence.Endpoint) error { return h.unreachable }
	options.Targets[persistence.EndpointTelegram] = chat
	for _, change := range changes {
		change(&options)
	}
	h.registry = registry.New(options)
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "venuegate_test_gauge"}))
	h.server = admin.NewServer(admin.ServerOptions{
		Registry: h.registry, Token: token, Readiness: func() api.Readiness { return h.ready }, Metrics: metrics, Log: zap.New(core),
		Operations: operationstest.Source{},
		Backup:     func(_ context.Context, w io.Writer) error { return h.backup(w) },
	})
	h.url = "http://" + listener.Addr().String()
	served := make(chan error, 1)
	go func() { served <- h.server.Serve(listener) }()
	t.Cleanup(func() {
		h.client.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := errors.Join(h.server.Shutdown(ctx), <-served, h.store.Close()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// answer is the response of a call.
type answer struct {
	status int
	header http.Header
	text   string
}

// field returns a member of the answer by its path.
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

func (h *fixture) send(request *http.Request) answer {
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
	operation := h.document.CheckResponse(h.t, request, response.StatusCode, response.Header, body)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.succeeded[operation] = h.succeeded[operation] || response.StatusCode < http.StatusMultipleChoices
	return answer{response.StatusCode, response.Header, string(body)}
}

func (h *fixture) request(method, path, body string) *http.Request {
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

// call fails the test unless the call has the status.
func (h *fixture) call(status int, method, path, body string) answer {
	h.t.Helper()
	a := h.send(h.request(method, path, body))
	if a.status != status {
		h.t.Fatalf("%s %s %s: status = %d, want %d: %s", method, path, body, a.status, status, a.text)
	}
	if a.header.Get("X-Request-Id") == "" {
		h.t.Errorf("%s %s: X-Request-Id is empty, want an id", method, path)
	}
	return a
}

func (h *fixture) customer(name string) string {
	h.t.Helper()
	return h.call(http.StatusCreated, "POST", "/admin/v1/customers", fmt.Sprintf(`{"name":%q}`, name)).id()
}

// key makes an API key and returns its id and its text.
func (h *fixture) key(customer, scope string) (id, text string) {
	h.t.Helper()
	a := h.call(http.StatusCreated, "POST", "/admin/v1/keys", fmt.Sprintf(`{"customer":%q,"name":"desk","scopes":[%q]}`, customer, scope))
	text, _ = a.field("apiKey").(string)
	return a.id(), text
}

// journal returns the rows of the installation's journal.
func (h *fixture) journal() []persistence.JournalEntry {
	h.t.Helper()
	page, err := h.store.Journal(h.t.Context(), persistence.JournalQuery{Limit: 100})
	if err != nil {
		h.t.Fatal(err)
	}
	return page.Items
}
