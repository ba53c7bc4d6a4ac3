//go:build chaos

package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// startMax bounds a start: replay of the store's log and reconciliation with three
	// venues on a slow machine. It is longer than the demo's own limit.
	startMax = 5 * time.Minute
	// stopMax bounds a clean stop.
	stopMax = time.Minute
	// keysOfClients is the number of keys over which the load is spread.
	keysOfClients = 60
)

// world is the simulated venues, one service with its data, and the history of its
// clients.
type world struct {
	t      testing.TB
	binary string
	dir    string
	// settings configure every service, as environment variables.
	settings []string
	sim      *simulator
	random   *rand.Rand

	service *process
	demo    demo
	// base is the URL of the service.
	base   atomic.Pointer[string]
	client *http.Client
	// observer is the HTTP client of the harness.
	observer *http.Client
	// customer is the demo's, keys are the clients'.
	customer string
	keys     []string
	history  *history
	// receiver receives events; hooks are the channels of signals.
	receiver  *receiver
	endpoints []endpoint
	hooks     []hook
	signals   *signals
	// requests is the number of the last request id.
	requests atomic.Uint64
	opened   []time.Duration
	// settledAt is the begin of the last check of settle, if that found everything settled.
	settledAt time.Time
}

// demo is the description of the running service.
type demo struct {
	BaseURL    string `json:"baseUrl"`
	AdminURL   string `json:"adminUrl"`
	AdminToken string `json:"adminToken"`
	APIKey     string `json:"apiKey"`
	ReadKey    string `json:"readKey"`
}

// newWorld starts a service on a directory, with keys for its clients and its own
// settings. No kill point is active yet.
func newWorld(t testing.TB, binary, dir string, settings ...string) *world {
	t.Helper()
	w := &world{
		t: t, binary: binary, dir: dir, settings: settings, sim: startSimulator(t), random: rand.New(rand.NewPCG(seed, uint64(len(t.Name())))),
		client: newHTTPClient(answerMax), observer: newHTTPClient(observedMax), history: newHistory(), signals: &signals{},
	}
	w.receiver = startReceiver(t, w.random)
	t.Cleanup(func() {
		if t.Failed() && w.service != nil {
			t.Logf("tail of the log of the service:\n%s", w.service.tail())
		}
	})
	w.mustStart()
	w.furnish()
	return w
}

// launchOn starts the service on a directory.
func (w *world) launchOn(dir string, env ...string) *process {
	w.t.Helper()
	return launch(w.t, w.binary, slices.Concat(w.settings, env, []string{deliveryDelays}),
		"serve", "--demo", "--data", dir, "--sim", w.sim.file, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
}

// start runs the service and waits until it is ready. It returns false if the process
// ended, or stopped itself, before that.
func (w *world) start(env ...string) bool {
	w.t.Helper()
	// The description of an earlier process is outdated; the service reads its keys
	// from there.
	current := filepath.Join(w.dir, "demo.json")
	_ = os.Rename(current, filepath.Join(w.dir, "demo.previous.json"))
	begun := time.Now()
	w.service = w.launchOn(w.dir, env...)
	serves := false
	eventually(startMax, func() bool {
		content, err := os.ReadFile(current)
		serves = err == nil && json.Unmarshal(content, &w.demo) == nil
		return serves || !w.service.running() || w.service.frozen()
	})
	if !serves && w.service.running() && !w.service.frozen() {
		w.t.Fatalf("the service does not start in %s:\n%s", startMax, w.service.stacks())
	}
	if serves {
		w.opened = append(w.opened, time.Since(begun))
		w.base.Store(&w.demo.BaseURL)
	}
	return serves
}

func (w *world) mustStart() {
	w.t.Helper()
	if !w.start() {
		w.t.Fatalf("the service ended instead of starting:\n%s", w.service.tail())
	}
}

// furnish creates the keys, hooks and endpoints of the load.
func (w *world) furnish() {
	w.t.Helper()
	var customers struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	w.administer(http.MethodGet, "/admin/v1/customers", nil, &customers)
	w.customer = customers.Items[0].ID
	w.makeEndpoints(w.customer)
	w.makeHooks(w.customer)
	for i := range keysOfClients {
		var key struct {
			APIKey string `json:"apiKey"`
		}
		w.administer(http.MethodPost, "/admin/v1/keys", map[string]any{
			"customer": w.customer, "name": fmt.Sprintf("client %d", i), "scopes": []string{"read", "trade", "account"},
		}, &key)
		w.keys = append(w.keys, key.APIKey)
	}
}

func (w *world) administer(method, path string, body, into any) {
	w.t.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.demo.AdminURL+path, bytes.NewReader(content))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+w.demo.AdminToken)
	status, answer, err := exchange(w.observer, request)
	if err == nil && status >= http.StatusBadRequest {
		err = fmt.Errorf("%d %s", status, answer)
	}
	if err == nil {
		err = json.Unmarshal(answer, into)
	}
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
}

// key returns the clients' keys in turn.
func (w *world) key(at uint64) string { return w.keys[at%uint64(len(w.keys))] }

// askAgain repeats every request without a response, with the same body and id.
func (w *world) askAgain() {
	w.t.Helper()
	for i, id := range w.history.unanswered() {
		w.place(w.key(uint64(i)), id, w.history.requests[id])
	}
	for _, s := range w.signals.unanswered() {
		if s.replayable() {
			w.fire(s)
		}
	}
}
