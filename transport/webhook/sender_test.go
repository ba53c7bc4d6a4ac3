package webhook_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"venuegate/persistence"
	"venuegate/transport/signing"
	"venuegate/transport/webhook"
	"venuegate/venues"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// waitMax bounds waits on the slowest machine; only a failing test reaches it.
const waitMax = time.Minute

// quiet discards the log of servers whose clients fail on purpose.
var quiet = log.New(io.Discard, "", 0)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

// unsealed opens secrets that are sealed as "kind:secret".
func unsealed(sealed []byte, of persistence.Key) (venues.Secret, error) {
	name, ok := strings.CutPrefix(string(sealed), string(of.Kind)+":")
	if !ok {
		return "", errors.New("sealed for another record")
	}
	return venues.Secret(name), nil
}

func sender(t *testing.T, change ...func(*webhook.Options)) *webhook.Sender {
	t.Helper()
	options := webhook.Options{
		Policy:    webhook.DialPolicy{Ports: webhook.PortsDefault, Allow: loopback},
		Secrets:   webhook.Secrets{Unseal: unsealed},
		UserAgent: "venuegate/test",
		Timeout:   waitMax,
	}
	for _, f := range change {
		f(&options)
	}
	s := webhook.NewSender(options)
	t.Cleanup(s.Close)
	return s
}

func endpoint(target string) persistence.Endpoint {
	return persistence.Endpoint{ID: "end_1", Customer: "c1", Kind: persistence.EndpointWebhook, Target: target, Sealed: []byte("endpoint:whsec_one")}
}

var event = persistence.Event{
	ID: "evt_1", Seq: 7, Type: persistence.EventOrderFilled, CreatedAt: venues.At(time.Unix(1767225600, 5e6)), Data: []byte(`{"orderId":"ord_1"}`),
}

const envelope = `{"id":"evt_1","type":"order.filled","createdAt":"2026-01-01T00:00:00.005Z","data":{"orderId":"ord_1"}}`

// receiver records its requests.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func newReceiver(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		body, _ := io.ReadAll(in.Body)
		r.mu.Lock()
		r.requests, r.bodies = append(r.requests, in), append(r.bodies, string(body))
		r.mu.Unlock()
		answer(w, in)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.requests)
}

func ok(http.ResponseWriter, *http.Request) {}

func TestAttemptHasBodyAndHeadersOfTheInterface(t *testing.T) {
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "thanks") })
	s := sender(t)
	for n, at := range []time.Time{time.Unix(1767225600, 0), time.Unix(1767232800, 9e8)} {
		out := s.Send(t.Context(), endpoint(r.URL+"/hook?x=1"), event, n+1, at)
		if out.Err != nil || out.Code != 200 || string(out.Answer) != "thanks" || out.Gone != "" {
			t.Fatalf("attempt = %+v, want 200 with the answer thanks", out)
		}
		in := r.requests[n]
		h := in.Header
		if r.bodies[n] != envelope || in.Method != "POST" || in.URL.String() != "/hook?x=1" || in.ContentLength != int64(len(envelope)) {
			t.Errorf("request = %s %s %s, want POST /hook?x=1 %s", in.Method, in.URL, r.bodies[n], envelope)
		}
		key := signing.NewKey("whsec_one")
		if err := signing.Verify(h.Get("X-Service-Signature"), h.Get("X-Service-Timestamp"), []byte(r.bodies[n]), at, key); err != nil {
			t.Errorf("signature: error %v, want none", err)
		}
		want := map[string]string{
			"Content-Type": "application/json", "User-Agent": "venuegate/test", "X-Service-Event-Id": "evt_1",
			"X-Service-Attempt": []string{"1", "2"}[n], "Accept-Encoding": "", "Idempotency-Key": "", "X-Idempotency-Key": "",
		}
		for name, value := range want {
			if h.Get(name) != value {
				t.Errorf("header %s = %q, want %q", name, h.Get(name), value)
			}
		}
	}
}

func TestResponseDecidesTheAttempt(t *testing.T) {
	at := time.Unix(1767225600, 0)
	for _, c := range []struct {
		name   string
		status int
		header string
		value  string
		ok     bool
		wait   int
		gone   bool
	}{
		{"ok", 200, "", "", true, 0, false},
		{"accepted", 202, "Retry-After", "9", true, 0, false},
		{"no content", 204, "", "", true, 0, false},
		{"unusual success", 299, "", "", true, 0, false},
		{"not modified", 304, "", "", false, 0, false},
		{"client error", 400, "", "", false, 0, false},
		{"gone", 410, "", "", false, 0, true},
		{"too many requests", 429, "Retry-After", "120", false, 120, false},
		{"until a time", 503, "Retry-After", at.Add(90 * time.Second).UTC().Format(http.TimeFormat), false, 90, false},
		{"until the past", 503, "Retry-After", at.Add(-90 * time.Second).UTC().Format(http.TimeFormat), false, 0, false},
		{"too long", 503, "Retry-After", "99999999", false, 7 * 24 * 3600, false},
		{"beyond 64 bits", 503, "Retry-After", "99999999999999999999", false, 7 * 24 * 3600, false},
		{"until the last date", 503, "Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT", false, 7 * 24 * 3600, false},
		{"negative", 503, "Retry-After", "-5", false, 0, false},
		{"no number", 503, "Retry-After", "soon", false, 0, false},
		{"error", 500, "", "", false, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
				if c.header != "" {
					w.Header().Set(c.header, c.value)
				}
				w.WriteHeader(c.status)
			})
			out := sender(t).Send(t.Context(), endpoint(r.URL), event, 1, at)
			if out.Code != c.status || (out.Err == nil) != c.ok || out.RetryAfterSec != c.wait || (out.Gone != "") != c.gone {
				t.Errorf("attempt = %+v, want %d, delivered %v, retry after %d, gone %v", out, c.status, c.ok, c.wait, c.gone)
			}
			if r.count() != 1 {
				t.Errorf("requests = %d, want 1", r.count())
			}
		})
	}
}

func TestCurrentSecretSigns(t *testing.T) {
	at := time.Unix(1767225600, 0)
	hook := persistence.Channel{ID: "hook_1", Customer: "c1", Sealed: []byte("channel:whsec_new"), Previous: []byte("channel:whsec_old"), PreviousUntil: venues.At(at.Add(time.Hour))}
	removed := hook
	removed.RemovedAt = venues.At(at)
	rotating := endpoint("")
	rotating.Next, rotating.NextFrom = []byte("endpoint:whsec_two"), venues.At(at)
	byHook := endpoint("")
	byHook.HookID = "hook_1"
	copied := endpoint("")
	copied.Sealed = []byte("channel:whsec_one")
	for _, c := range []struct {
		name string
		to   persistence.Endpoint
		hook persistence.Channel
		at   time.Time
		want string
	}{
		{"its own", endpoint(""), hook, at, "whsec_one"},
		{"before the rotation", rotating, hook, at.Add(-1), "whsec_one"},
		{"from the rotation on", rotating, hook, at, "whsec_two"},
		{"the hook's previous one during the overlap", byHook, hook, at, "whsec_old"},
		{"the hook's", byHook, hook, at.Add(time.Hour), "whsec_new"},
		{"of a removed hook", byHook, removed, at, ""},
		{"of an unknown hook", byHook, persistence.Channel{}, at, ""},
		{"sealed for another record", copied, hook, at, ""},
		{"none", persistence.Endpoint{ID: "end_1"}, hook, at, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newReceiver(t, ok)
			s := sender(t, func(o *webhook.Options) {
				o.Secrets.Channel = func(_ context.Context, customer, id string) (persistence.Channel, error) {
					if customer != c.hook.Customer || id != c.hook.ID {
						return persistence.Channel{}, persistence.ErrNotFound
					}
					return c.hook, nil
				}
			})
			c.to.Target = r.URL
			out := s.Send(t.Context(), c.to, event, 1, c.at)
			if c.want == "" {
				if out.Err == nil || r.count() != 0 {
					t.Fatalf("attempt = %+v with %d requests, want an error with 0", out, r.count())
				}
				return
			}
			if out.Err != nil {
				t.Fatalf("attempt: error %v, want none", out.Err)
			}
			h := r.requests[0].Header
			if err := signing.Verify(h.Get("X-Service-Signature"), h.Get("X-Service-Timestamp"), []byte(r.bodies[0]), c.at, signing.NewKey(c.want)); err != nil {
				t.Errorf("signature with %s: error %v, want none", c.want, err)
			}
		})
	}
}
