package deliveries_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/transport/signing"
)

// receiver accepts, fails, resets or hangs at random, and records the ids that it
// has accepted.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	random *rand.Rand
	taken  map[string]int
	forged int
}

func newReceiver(t *testing.T, seed uint64) *receiver {
	t.Helper()
	r := &receiver{random: rand.New(rand.NewPCG(seed, 1)), taken: map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) serve(w http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		return // the process was killed while it sent
	}
	h := in.Header
	verified := signing.Verify(h.Get("X-Service-Signature"), h.Get("X-Service-Timestamp"), body, time.Now(), signing.NewKey(secret))
	r.mu.Lock()
	mood := r.random.IntN(100)
	if verified != nil {
		r.forged++
	}
	if mood < 80 {
		r.taken[h.Get("X-Service-Event-Id")]++
	}
	r.mu.Unlock()
	switch {
	case mood < 80:
		w.WriteHeader(http.StatusNoContent)
	case mood < 92:
		w.WriteHeader(http.StatusInternalServerError)
	case mood < 99:
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		}
	default:
		<-in.Context().Done()
	}
}

// child starts a process that delivers, and kills it after it has acknowledged a
// number of events, or never. The output of the process is the ids of durable events.
// child returns when the process has ended.
func child(t *testing.T, p plan, acked map[string]bool, killAfter int) error {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this test's own binary
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(out)
	for n := 1; ; n++ {
		line, err := reader.ReadString('\n')
		if err != nil {
			break // a line that was cut off was not acknowledged
		}
		acked[line[:len(line)-1]] = true
		if n == killAfter {
			_ = cmd.Process.Kill()
		}
	}
	return cmd.Wait()
}

func TestNothingIsLostOverKills(t *testing.T) {
	const kills, endpoints = 4, 3
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	p := plan{Dir: t.TempDir(), Emit: true}
	receivers := make([]*receiver, endpoints)
	for i := range receivers {
		receivers[i] = newReceiver(t, seed+uint64(i))
		p.Targets = append(p.Targets, receivers[i].URL)
	}
	acked := map[string]bool{}
	for range kills {
		if err := child(t, p, acked, 1+random.IntN(800)); err == nil {
			t.Fatal("the process ended by itself")
		}
	}
	p.Emit = false
	if err := child(t, p, acked, 0); err != nil {
		t.Fatal(err)
	}
	store, err := badgerstore.Open(p.Dir, badgerstore.Options{FreeBytesMin: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	emitted := events(t, store)
	for i, r := range receivers {
		equation(t, store, endpointID(i), emitted, r)
	}
	for id := range acked {
		if !emitted[id] {
			t.Errorf("the durable event %s is lost", id)
		}
	}
	t.Logf("%d events, %d acknowledged, %d endpoints", len(emitted), len(acked), endpoints)
	if len(emitted) == 0 {
		t.Error("0 events were emitted, want some")
	}
}

func events(t *testing.T, store persistence.Reader) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	for seq := uint64(0); ; {
		page, err := store.EventsSince(context.Background(), customer, seq, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return ids
		}
		for _, e := range page {
			if ids[e.ID] {
				t.Errorf("event id %s occurs twice, want once", e.ID)
			}
			ids[e.ID], seq = true, e.Seq
		}
	}
}

// equation: no event is pending, so that every one is delivered or undelivered.
func equation(t *testing.T, store persistence.Reader, endpoint string, emitted map[string]bool, r *receiver) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	delivered, undelivered := 0, 0
	q := persistence.DeliveryQuery{Customer: customer, Endpoint: endpoint}
	for {
		page, err := store.Deliveries(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range page.Items {
			switch {
			case !emitted[d.EventID]:
				t.Errorf("%s: delivery of %s, which was not emitted", endpoint, d.EventID)
			case d.Status == persistence.DeliveryUndelivered:
				undelivered++
			case d.Status == persistence.DeliveryDelivered && r.taken[d.EventID] > 0:
				delivered++
			default:
				t.Errorf("%s: %+v, accepted %d times, want at least once if delivered", endpoint, d, r.taken[d.EventID])
			}
		}
		if page.Next == nil {
			break
		}
		q.After = page.Next
	}
	if delivered+undelivered != len(emitted) || r.forged != 0 {
		t.Errorf("%s: %d delivered and %d undelivered of %d with %d invalid signatures, want all and no invalid one", endpoint, delivered, undelivered, len(emitted), r.forged)
	}
	t.Logf("%s: %d delivered, %d undelivered", endpoint, delivered, undelivered)
}
