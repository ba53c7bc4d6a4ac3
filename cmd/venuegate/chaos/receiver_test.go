//go:build chaos

package chaos

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/signing"
)

const (
	// pathFlaky is the path of the endpoint that mostly succeeds, pathDead that of the
	// one that never does.
	pathFlaky, pathDead = "/flaky", "/dead"
	// receiverSlow is the delay of slow responses.
	receiverSlow = 300 * time.Millisecond
	// deliveryDelays are short enough for all attempts of a delivery during a test.
	deliveryDelays = "VENUEGATE_DELIVERY_DELAYS=100ms,200ms,400ms,800ms"
)

// receiver is the customer's receiver of events. It outlives every process of the
// service, and responds well, badly, late or not at all.
type receiver struct {
	server  *httptest.Server
	headers signing.Headers

	mu      sync.Mutex
	random  *rand.Rand
	secrets map[string]string
	came    []post
}

// post is one received request.
type post struct {
	path, event, attempt string
	// named is the event's id in the body, typed the event's type.
	named string
	typed persistence.EventType
	body  [sha256.Size]byte
	// forged is the error of the signature, if it is invalid.
	forged error
	// answered is the status, zero if the connection was cut instead.
	answered int
}

// endpoint is an endpoint of the service.
type endpoint struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
	path   string
	// only is the type of event that it subscribes to; empty for all.
	only persistence.EventType
}

func startReceiver(t testing.TB, random *rand.Rand) *receiver {
	r := &receiver{headers: signing.NewHeaders(""), random: rand.New(rand.NewPCG(random.Uint64(), 0)), secrets: map[string]string{}}
	r.server = httptest.NewServer(r)
	t.Cleanup(func() {
		r.server.CloseClientConnections()
		r.server.Close()
	})
	return r
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		return // the sender was killed
	}
	switch status := r.note(in, body); status {
	case 0:
		panic(http.ErrAbortHandler)
	case http.StatusFound:
		http.Redirect(out, in, pathFlaky, status)
	case http.StatusAccepted:
		time.Sleep(receiverSlow)
		fallthrough
	default:
		out.WriteHeader(status)
	}
}

// note records a request and chooses its response.
func (r *receiver) note(in *http.Request, body []byte) (status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := post{
		path: in.URL.Path, event: in.Header.Get(r.headers.EventID), attempt: in.Header.Get(r.headers.Attempt),
		body: sha256.Sum256(body), answered: r.choose(in.URL.Path),
	}
	p.forged = signing.Verify(in.Header.Get(r.headers.Signature), in.Header.Get(r.headers.Timestamp), body, time.Now(), signing.NewKey(r.secrets[p.path]))
	var shown struct {
		ID   string                `json:"id"`
		Type persistence.EventType `json:"type"`
	}
	if err := json.Unmarshal(body, &shown); err != nil {
		p.forged = err
	}
	p.named, p.typed = shown.ID, shown.Type
	r.came = append(r.came, p)
	return p.answered
}

func (r *receiver) choose(path string) int {
	if path == pathDead {
		return http.StatusInternalServerError
	}
	switch kind := r.random.IntN(100); {
	case kind < 70:
		return http.StatusNoContent
	case kind < 78:
		return http.StatusAccepted
	case kind < 88:
		return http.StatusServiceUnavailable
	case kind < 93:
		return http.StatusFound
	default:
		return 0
	}
}

func (r *receiver) trust(path, secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets[path] = secret
}

func (r *receiver) posts() []post {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]post{}, r.came...)
}

// makeEndpoints creates the service's endpoints at the receiver.
func (w *world) makeEndpoints(customer string) {
	w.t.Helper()
	for _, e := range []endpoint{{path: pathFlaky}, {path: pathDead, only: persistence.EventPositionClosed}} {
		body := map[string]any{"customer": customer, "url": w.receiver.server.URL + e.path}
		if e.only != "" {
			body["types"] = []persistence.EventType{e.only}
		}
		// No event is sent before the secret is known, because nothing trades yet.
		w.administer(http.MethodPost, "/admin/v1/endpoints", body, &e)
		w.receiver.trust(e.path, e.Secret)
		w.endpoints = append(w.endpoints, e)
	}
}
