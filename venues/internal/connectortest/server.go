package connectortest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues"
)

// Server is a venue with scripted answers: each request takes the next answer of its
// name, and the last one is repeated. A request without an answer is not found. The name
// of a request is method and path: "GET /v5/account/info". A stream connection is
// accepted unless there is an answer for its request, which then rejects it.
//
// The fields are set before the first request that they concern. Everything else is safe
// for concurrent use.
type Server struct {
	// RESTURL and StreamURL are its addresses, which Dial connects to.
	RESTURL, StreamURL string
	Dial               Dial
	// Check checks a request against the venue's rules; nil checks nothing.
	Check func(r *http.Request, body string)
	// Clock answers requests for the venue's time, named ClockName, that have no scripted
	// answer.
	ClockName string
	Clock     func() (body string)
	// Stream serves a stream connection until it returns.
	Stream func(r *http.Request, c *websocket.Conn)

	t        testing.TB
	mu       sync.Mutex
	answers  map[string][]Answer
	requests []Request
}

// Answer is the answer to a request. With Hang there is none.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	Hang   bool
}

// Request is a received request.
type Request struct {
	Name   string
	Query  url.Values
	Header http.Header
	// Payload is the query and the body as received.
	Payload string
	Body    string
	At      time.Time
}

// NewServer serves until the end of the test. Its connections are pipes, so that it can
// be used in virtual time.
func NewServer(t testing.TB) *Server {
	t.Helper()
	s := &Server{RESTURL: "http://venue", StreamURL: "ws://venue", t: t, answers: make(map[string][]Answer)}
	s.Dial = servePipes(t, s.serve)
	return s
}

// On adds an answer to a request.
func (s *Server) On(name string, status int, body string) {
	s.Add(name, Answer{Status: status, Body: body})
}

// Add is On for answers with headers, or without a response.
func (s *Server) Add(name string, a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[name] = append(s.answers[name], a)
}

// Replace replaces the answers to a request.
func (s *Server) Replace(name string, status int, body string) {
	s.Clear(name)
	s.On(name, status, body)
}

// Clear removes the answers to a request.
func (s *Server) Clear(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.answers, name)
}

// Sent returns the requests of a name, oldest first.
func (s *Server) Sent(name string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Request
	for _, r := range s.requests {
		if r.Name == name {
			all = append(all, r)
		}
	}
	return all
}

// RetryDelay returns the time between the first and the second request of a name. The
// test fails if there are fewer.
func (s *Server) RetryDelay(name string) time.Duration {
	s.t.Helper()
	all := s.Sent(name)
	if len(all) < 2 {
		s.t.Fatalf("%d requests %s, want at least 2", len(all), name)
	}
	return all[1].At.Sub(all[0].At)
}

// CheckDialPause opens a book on a feed whose handshake the server rejects, calls during
// while dialling is paused, and checks that the handshake is repeated after pause. It must
// run in a bubble of testing/synctest.
func (s *Server) CheckDialPause(handshake string, feed venues.Feed, pause time.Duration, during func()) {
	s.t.Helper()
	defer feed.Close()
	feed.Subscribe(venues.FeedTopic{Kind: venues.FeedBook, Symbol: "BTCUSDT"})
	time.Sleep(time.Second)
	during()
	time.Sleep(pause)
	if delay := s.RetryDelay(handshake); delay < pause || delay > pause+time.Second {
		s.t.Errorf("dialled again after %s, want %s", delay, pause)
	}
}

// Last returns the newest request of a name. The test fails if there is none.
func (s *Server) Last(name string) Request {
	s.t.Helper()
	all := s.Sent(name)
	if len(all) == 0 {
		s.t.Fatalf("no request %s", name)
	}
	return all[len(all)-1]
}

// CancelWhenReceived makes a call and ends its context as soon as the server has received
// a request of the name, for answers that hang. It returns the error of the call.
func (s *Server) CancelWhenReceived(name string, call func(context.Context) error) error {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), awaitMax)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- call(ctx) }()
	look := time.NewTicker(pollInterval)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-look.C:
			if len(s.Sent(name)) > 0 {
				cancel()
			}
		}
	}
}

// RequestCount returns the number of requests.
func (s *Server) RequestCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if websocket.IsWebSocketUpgrade(r) {
		s.upgrade(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has closed the connection
	}
	if s.Check != nil {
		s.Check(r, string(body))
	}
	name := nameOf(r)
	a, scripted := s.take(Request{
		Name: name, Query: r.URL.Query(), Header: r.Header, Payload: r.URL.RawQuery + string(body), Body: string(body), At: time.Now(),
	})
	switch {
	case !scripted && name == s.ClockName:
		_, _ = io.WriteString(w, s.Clock())
	case !scripted:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `<html>no answer for %s</html>`, name)
	default:
		a.write(w, r)
	}
}

func nameOf(r *http.Request) string { return r.Method + " " + r.URL.Path }

// upgrade serves a stream connection, or rejects it with a scripted answer.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request) {
	if a, scripted := s.take(Request{Name: nameOf(r), Query: r.URL.Query(), Header: r.Header, At: time.Now()}); scripted {
		a.write(w, r)
		return
	}
	upgrader := websocket.Upgrader{}
	if c, err := upgrader.Upgrade(w, r, nil); err == nil {
		defer c.Close()
		s.Stream(r, c)
	}
}

func (a *Answer) write(w http.ResponseWriter, r *http.Request) {
	if a.Hang {
		<-r.Context().Done()
		return
	}
	maps.Copy(w.Header(), a.Header)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, a.Body)
}

// take records a request and returns its answer.
func (s *Server) take(r Request) (a Answer, scripted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	queue := s.answers[r.Name]
	if len(queue) == 0 {
		return Answer{}, false
	}
	if len(queue) > 1 {
		s.answers[r.Name] = queue[1:]
	}
	return queue[0], true
}
