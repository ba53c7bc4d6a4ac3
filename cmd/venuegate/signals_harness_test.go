package main

import (
	"context"
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

// signed is a signal with the values of its signature.
type signed struct {
	url, body, secret string
	at                time.Time
}

// newSignal returns a signal signed at the current time.
func newSignal(h DemoHook, body string) signed { return signed{h.URL, body, h.Secret, time.Now()} }

// send sends a signal and returns the status and the response.
func (s *service) send(in signed) (int, record) {
	s.t.Helper()
	client := http.Client{Timeout: waitMax, Transport: &http.Transport{DisableKeepAlives: true}}
	status, answer, err := in.deliver(s.t.Context(), &client)
	if err != nil {
		s.t.Fatal(err)
	}
	return status, answer
}

// deliver sends a signal as the API requires of senders: it repeats it under the same
// request id while the service has not stored it in time. The response to a signal
// that was stored nevertheless is not reported as a repeat. It is safe for concurrent
// use.
func (in signed) deliver(ctx context.Context, client *http.Client) (status int, answer record, err error) {
	deadline := time.Now().Add(waitMax)
	status, answer, err = in.post(ctx, client)
	for err == nil && status >= http.StatusInternalServerError && time.Now().Before(deadline) {
		if status, answer, err = in.post(ctx, client); answer["duplicate"] == true {
			status, answer["duplicate"] = http.StatusAccepted, false
		}
	}
	return status, answer, err
}

// post sends a signal once.
func (in signed) post(ctx context.Context, client *http.Client) (int, record, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, in.url, strings.NewReader(in.body))
	if err != nil {
		return 0, nil, err
	}
	in.sign(request.Header)
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	var answer record
	return response.StatusCode, answer, json.NewDecoder(response.Body).Decode(&answer)
}

// sign sets the headers of a signed request.
func (in signed) sign(header http.Header) {
	headers := signing.NewHeaders("")
	signature, timestamp := signing.NewKey(in.secret).Sign(in.at.Unix(), []byte(in.body))
	header.Set(headers.Signature, signature)
	header.Set(headers.Timestamp, timestamp)
	header.Set("Content-Type", "application/json")
}

// deliver posts a body with headers, given as names and values in turn.
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

// fire sends a signal, expects a status, and returns the response after its plan has
// been executed.
func (s *service) fire(status int, h DemoHook, body string) record {
	s.t.Helper()
	in := newSignal(h, body)
	got, answer := s.send(in)
	if got != status {
		s.t.Fatalf("signal %s: status %d, want %d: %v", body, got, status, answer)
	}
	return s.planned(h.ID, answer, func() (int, record) { return s.send(in) })
}

// planned returns the response to a signal, or, if that came before its plan was
// executed, the response to a repeat after that.
func (s *service) planned(hook string, answer record, repeat func() (int, record)) record {
	s.t.Helper()
	if !slices.Contains([]string{"pending", "open", "partially_filled"}, answer.text("status")) {
		return answer
	}
	s.plansEnd(hook)
	status, later := repeat()
	if status >= http.StatusBadRequest {
		s.t.Fatalf("repeat of %v: response = %d %v, want success", answer, status, later)
	}
	later["duplicate"] = answer["duplicate"]
	return later
}

// plansEnd waits until every accepted signal of a channel is final.
func (s *service) plansEnd(hook string) {
	s.t.Helper()
	rows := func(kind string) int {
		return len(s.administer(http.StatusOK, http.MethodGet, "journal?limit=1000&customer="+s.ownerOf(hook)+"&channel="+hook+"&kind="+kind, "").items())
	}
	eventually(s.t, "every signal to be final", func() bool { return rows("signal.received") == rows("signal.answer") })
}

func (s *service) ownerOf(hook string) string {
	s.t.Helper()
	return s.administer(http.StatusOK, http.MethodGet, "hooks/"+hook, "").text("customer")
}

// administer calls the administration API.
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

// customer returns the id of the demo's customer.
func (s *service) customer() string {
	s.t.Helper()
	return s.administer(http.StatusOK, http.MethodGet, "customers", "").items()[0].text("id")
}

// hook creates a channel of the demo's customer with additional members.
func (s *service) hook(members string) DemoHook {
	s.t.Helper()
	made := s.administer(http.StatusCreated, http.MethodPost, "hooks", fmt.Sprintf(`{"customer":%q,"kind":"webhook","name":"test",%s}`, s.customer(), members))
	return DemoHook{made.text("id"), made.text("url"), made.text("secret")}
}

// events returns the events of a type that the built-in receiver has verified.
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

// event waits for an event of a type whose data has a member with a value.
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

// timeline returns the kinds and results of journal rows, oldest first.
func (s *service) timeline(filter string) []string {
	s.t.Helper()
	items := s.administer(http.StatusOK, http.MethodGet, "journal?limit=1000&customer="+s.customer()+"&"+filter, "").items()
	list := make([]string, len(items))
	for i, row := range items {
		list[len(items)-1-i] = strings.TrimSpace(row.text("kind") + " " + row.text("result"))
	}
	return list
}

// ledger returns the order ledger of the simulated venue.
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

// order returns the body of a signal.
func orderSignal(exchange, symbol, side, qty, more string) string {
	return fmt.Sprintf(`{"action":"order","exchange":%q,"symbol":%q,"side":%q,"qty":%q%s}`, exchange, symbol, side, qty, more)
}

// flaky is a receiver whose responses the test sets.
type flaky struct {
	url string

	mu     sync.Mutex
	status int
	// text is the body of the responses; empty is that of the status.
	text  string
	posts []posted
}

// posted is a received request.
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
		if f.text != "" {
			return c.Status(f.status).SendString(f.text)
		}
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

// verify verifies a request under the secret, as a receiver must.
func (p posted) verify(secret string) error {
	return signing.Verify(p.signature, p.timestamp, []byte(p.body), time.Now(), signing.NewKey(secret))
}
