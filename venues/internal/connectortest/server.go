package connectortest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// Server is a venue that answers as it is told, one answer after the other, the
// last one for ever. What it was told nothing of is not found. Names of requests
// are method and path: "GET /v5/account/info". A stream connection is made unless it
// was told of its request too, whose answer refuses it then.
//
// The fields are set before the first request that they concern; everything else
// may run at the same time as requests.
type Server struct {
	// RESTURL and StreamURL are its addresses, at which Dial reaches it.
	RESTURL, StreamURL string
	Dial               Dial
	// Check holds a request against the venue's rules; nothing if nil.
	Check func(r *http.Request, body string)
	// Clock answers requests for the venue's time, named ClockName, unless told
	// otherwise.
	ClockName string
	Clock     func() (body string)
	// Stream serves a stream connection until it returns.
	Stream func(r *http.Request, c *websocket.Conn)

	t        testing.TB
	mu       sync.Mutex
	answers  map[string][]Answer
	requests []Request
}

// Answer to a request. One that hangs comes never.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	Hang   bool
}

// Request as it arrived.
type Request struct {
	Name   string
	Query  url.Values
	Header http.Header
	// Said is the query and the body, as they were sent.
	Said string
	Body string
	At   time.Time
}

// NewServer serves until the end of the test. Its connections are pipes, so that it
// can be used in virtual time too.
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

// Add is On for answers with more to them.
func (s *Server) Add(name string, a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[name] = append(s.answers[name], a)
}

// Only replaces what was told of a request.
func (s *Server) Only(name string, status int, body string) {
	s.Forget(name)
	s.On(name, status, body)
}

// Forget drops what was told of a request.
func (s *Server) Forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.answers, name)
}

// Sent lists the requests of a name, oldest first.
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

// Pause is how long after the first request of a name the second one came; the test
// fails if there is none.
func (s *Server) Pause(name string) time.Duration {
	s.t.Helper()
	all := s.Sent(name)
	if len(all) < 2 {
		s.t.Fatalf("%s was asked %d times", name, len(all))
	}
	return all[1].At.Sub(all[0].At)
}

// Last is the newest request of a name; the test fails if there is none.
func (s *Server) Last(name string) Request {
	s.t.Helper()
	all := s.Sent(name)
	if len(all) == 0 {
		s.t.Fatalf("%s was not asked", name)
	}
	return all[len(all)-1]
}

// GiveUp makes a call and ends its context as soon as the server has a request of
// the name, for answers that hang: however slow the machine, it was sent by then.
// The error is the call's.
func (s *Server) GiveUp(name string, call func(context.Context) error) error {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- call(ctx) }()
	look := time.NewTicker(lookInterval)
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

// Asked is how many requests there were.
func (s *Server) Asked() int {
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
		return // the client went away
	}
	if s.Check != nil {
		s.Check(r, string(body))
	}
	name := nameOf(r)
	a, told := s.take(Request{
		Name: name, Query: r.URL.Query(), Header: r.Header, Said: r.URL.RawQuery + string(body), Body: string(body), At: time.Now(),
	})
	switch {
	case !told && name == s.ClockName:
		_, _ = io.WriteString(w, s.Clock())
	case !told:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `<html>nothing was told of %s</html>`, name)
	default:
		a.write(w, r)
	}
}

func nameOf(r *http.Request) string { return r.Method + " " + r.URL.Path }

// upgrade serves a stream connection, or refuses it as it was told.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request) {
	if a, told := s.take(Request{Name: nameOf(r), Query: r.URL.Query(), Header: r.Header, At: time.Now()}); told {
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
	for header, values := range a.Header {
		w.Header()[header] = values
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, a.Body)
}

// take notes a request and gives its answer.
func (s *Server) take(r Request) (a Answer, told bool) {
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
