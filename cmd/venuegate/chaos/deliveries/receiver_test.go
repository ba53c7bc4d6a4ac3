//go:build chaos

package deliveries

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"venuegate/transport/signing"
)

// receivers are the receivers of all endpoints. They outlive every process.
type receivers struct {
	server  *httptest.Server
	headers signing.Headers

	mu     sync.Mutex
	random *rand.Rand
	// taken counts the 2xx responses per event and endpoint, posts all requests.
	taken  map[string]map[string]int
	posts  int
	faults []string
}

func startReceivers(t *testing.T, seed uint64) *receivers {
	r := &receivers{headers: signing.NewHeaders(""), random: rand.New(rand.NewPCG(seed, 1)), taken: map[string]map[string]int{}}
	for _, w := range ways {
		r.taken[w.id] = map[string]int{}
	}
	r.server = httptest.NewServer(r)
	t.Cleanup(func() {
		r.server.CloseClientConnections()
		r.server.Close()
	})
	return r
}

// ServeHTTP implements http.Handler.
func (r *receivers) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the sender was killed
	}
	switch status := r.note(in, body); status {
	case statusReset:
		panic(http.ErrAbortHandler)
	case statusHang:
		select {
		case <-in.Context().Done():
		case <-time.After(2 * attemptMax):
		}
		panic(http.ErrAbortHandler) // a return would be a 200 to a sender that is slow
	default:
		out.WriteHeader(status)
	}
}

// The faults of a receiver.
const (
	statusReset = iota
	statusHang
)

// note records a request and chooses its response.
func (r *receivers) note(in *http.Request, body []byte) (status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.posts++
	endpoint, id := path.Base(in.URL.Path), in.Header.Get(r.headers.EventID)
	var shown struct{ ID, Type string }
	key := signing.NewKey(way{id: endpoint}.secret())
	err := signing.Verify(in.Header.Get(r.headers.Signature), in.Header.Get(r.headers.Timestamp), body, time.Now(), key)
	if err == nil {
		err = json.Unmarshal(body, &shown)
	}
	if err != nil || shown.ID != id {
		r.faults = append(r.faults, fmt.Sprintf("%s got %q as event %s: %v", endpoint, body, id, err))
	}
	status = r.choose(receiverKind("/" + strings.Split(in.URL.Path, "/")[1]))
	if status/100 == 2 {
		r.taken[endpoint][id]++
	}
	return status
}

func (r *receivers) choose(kind receiverKind) int {
	n := r.random.IntN(1000)
	switch {
	case kind == kindDead:
		return http.StatusInternalServerError
	case kind == kindRude && n < 200:
		return http.StatusServiceUnavailable
	case kind == kindRude && n < 350, n < 60:
		return statusReset
	case n < 65:
		return statusHang
	case n < 150:
		return http.StatusInternalServerError
	default:
		return http.StatusNoContent
	}
}

// took reports whether an endpoint has accepted an event.
func (r *receivers) took(endpoint, event string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.taken[endpoint][event] > 0
}
