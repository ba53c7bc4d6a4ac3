package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/transport/signing"
)

// signed is a signal as its sender would send it.
type signed struct {
	url, body, secret string
	at                time.Time
}

// newSignal is one that is signed now.
func newSignal(h DemoHook, body string) signed { return signed{h.URL, body, h.Secret, time.Now()} }

// send gives the status and the answer.
func (s *service) send(in signed) (int, record) {
	s.t.Helper()
	header := http.Header{}
	in.sign(header)
	var list []string
	for name := range header {
		list = append(list, name, header.Get(name))
	}
	return s.deliver(in.url, in.body, list...)
}

// sign sets the headers of a signed request.
func (in signed) sign(header http.Header) {
	headers := signing.NewHeaders("")
	signature, timestamp := signing.NewKey(in.secret).Sign(in.at.Unix(), []byte(in.body))
	header.Set(headers.Signature, signature)
	header.Set(headers.Timestamp, timestamp)
	header.Set("Content-Type", "application/json")
}

// deliver posts a body with headers, each name before its value.
func (s *service) deliver(url, body string, headers ...string) (int, record) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for pair := range slices.Chunk(headers, 2) {
		request.Header.Set(pair[0], pair[1])
	}
	status, text := do(s.t, request)
	var answer record
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		s.t.Fatalf("%d %s: %v", status, text, err)
	}
	return status, answer
}

// fire sends a signal that must be answered with a status.
func (s *service) fire(status int, h DemoHook, body string) record {
	s.t.Helper()
	got, answer := s.send(newSignal(h, body))
	if got != status {
		s.t.Fatalf("signal %s: status %d, want %d: %v", body, got, status, answer)
	}
	return answer
}

// administer calls the administration.
func (s *service) administer(status int, method, path, body string) record {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.demo.AdminURL+"/admin/v1/"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.demo.AdminToken)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	got, text := do(s.t, request)
	if got != status {
		s.t.Fatalf("%s %s %s: status %d, want %d: %s", method, path, body, got, status, text)
	}
	var answer record
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
	return answer
}

// customer is that of the demo.
func (s *service) customer() string {
	s.t.Helper()
	return s.administer(http.StatusOK, http.MethodGet, "customers", "").items()[0].text("id")
}

// hook makes a channel of the demo's customer with these members besides.
func (s *service) hook(members string) DemoHook {
	s.t.Helper()
	made := s.administer(http.StatusCreated, http.MethodPost, "hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"test",%s}`, s.customer(), members))
	return DemoHook{made.text("id"), made.text("url"), made.text("secret")}
}

// events are those of a type that the built-in receiver has verified.
func (s *service) events(kind string) []record {
	s.t.Helper()
	_, text := get(s.t, s.demo.Receiver.URL)
	var answer record
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		s.t.Fatal(err)
	}
	var list []record
	for _, e := range answer.items() {
		if e.text("type") == kind {
			list = append(list, e)
		}
	}
	return list
}

// event waits for one of a type whose data has a member.
func (s *service) event(kind, name, value string) record {
	s.t.Helper()
	var found record
	eventually(s.t, kind+" of "+value, func() bool {
		for _, e := range s.events(kind) {
			if e.text("data", name) == value {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// timeline is the kinds and results of the rows about a subject, oldest first.
func (s *service) timeline(filter string) []string {
	s.t.Helper()
	items := s.administer(http.StatusOK, http.MethodGet, "journal?limit=1000&customer="+s.customer()+"&"+filter, "").items()
	list := make([]string, len(items))
	for i, row := range items {
		list[len(items)-1-i] = strings.TrimSpace(row.text("kind") + " " + row.text("result"))
	}
	return list
}

// ledger is what the simulated venue has seen of orders.
func (s *service) ledger(control string) []record {
	s.t.Helper()
	_, text := get(s.t, control+"/ledger")
	var answer struct {
		Orders []record `json:"orders"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		s.t.Fatal(err)
	}
	return answer.Orders
}

// order is the body of a signal.
func orderSignal(exchange, symbol, side, qty, more string) string {
	return fmt.Sprintf(`{"action":"order","exchange":%q,"symbol":%q,"side":%q,"qty":%q%s}`, exchange, symbol, side, qty, more)
}

// flaky is a receiver that answers as it is told to.
type flaky struct {
	url string

	mu     sync.Mutex
	status int
	posts  []posted
}

// posted is one request that came.
type posted struct{ signature, timestamp, event, attempt, body string }

func startFlaky(t *testing.T, status int) *flaky {
	t.Helper()
	f := &flaky{status: status}
	app := fiber.New(fiber.Config{Immutable: true, DisableStartupMessage: true})
	app.Post("/", func(c *fiber.Ctx) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.posts = append(f.posts, posted{
			c.Get("X-Service-Signature"), c.Get("X-Service-Timestamp"), c.Get("X-Service-Event-Id"), c.Get("X-Service-Attempt"), string(c.Body()),
		})
		return c.SendStatus(f.status)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.url = "http://" + listener.Addr().String() + "/"
	served := make(chan error, 1)
	go func() { served <- app.Listener(listener) }()
	t.Cleanup(func() {
		if err := errors.Join(app.ShutdownWithTimeout(time.Second), <-served); err != nil {
			t.Log(err)
		}
	})
	return f
}

func (f *flaky) answer(status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status = status
}

func (f *flaky) came() []posted {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]posted{}, f.posts...)
}

// verify holds a post against the secret as a receiver must.
func (p posted) verify(secret string) error {
	return signing.Verify(p.signature, p.timestamp, []byte(p.body), time.Now(), signing.NewKey(secret))
}
