package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"venuegate/venues"
)

// link is a proxy between the service and one venue. Once it is dead it accepts
// every byte and returns none, on existing and on new connections.
type link struct {
	venue    string
	listener net.Listener

	mu     sync.Mutex
	conns  []net.Conn
	isDead bool
	// swallowed is the number of connections that sent something to the dead link.
	swallowed int
}

func openLink(t *testing.T, venue string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{venue: venue, listener: listener}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { l.serve(near) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		l.cut()
		serving.Wait()
	})
	return l
}

// serve copies data between both sides of a connection until one ends it.
func (l *link) serve(near net.Conn) {
	defer near.Close()
	if !l.register(near) {
		if _, err := near.Read(make([]byte, 1)); err == nil {
			l.mu.Lock()
			l.swallowed++
			l.mu.Unlock()
		}
		_, _ = io.Copy(io.Discard, near)
		return
	}
	far, err := net.Dial("tcp", l.venue)
	if err != nil {
		return
	}
	defer far.Close()
	go func() {
		_, _ = io.Copy(l.through(far), near)
		_ = far.Close()
	}()
	_, _ = io.Copy(l.through(near), far)
}

// register adds a connection and reports whether the link works.
func (l *link) register(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, conn)
	return !l.isDead
}

// through returns a writer to one side that discards data once the link is dead.
func (l *link) through(to io.Writer) io.Writer {
	return writerFunc(func(data []byte) (int, error) {
		l.mu.Lock()
		dead := l.isDead
		l.mu.Unlock()
		if dead {
			return len(data), nil
		}
		return to.Write(data)
	})
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(data []byte) (int, error) { return w(data) }

// blackhole makes the link discard everything from now on.
func (l *link) blackhole() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isDead = true
}

// cut closes the current connections.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		_ = conn.Close()
	}
	l.conns = nil
}

func (l *link) swallowedCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.swallowed
}

// behindLinks puts a link in front of every simulated venue and returns their
// description.
func behindLinks(t *testing.T, sims map[venues.Venue]SimVenue) (file string, lines map[venues.Venue]*link) {
	t.Helper()
	lines, described := map[venues.Venue]*link{}, map[venues.Venue]SimVenue{}
	for venue, sim := range sims {
		address := func(text string) (*url.URL, string) {
			u, err := url.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			return u, u.Host
		}
		rest, host := address(sim.RESTURL)
		stream, _ := address(sim.WSURL)
		l := openLink(t, host)
		rest.Host, stream.Host = l.listener.Addr().String(), l.listener.Addr().String()
		sim.RESTURL, sim.WSURL = rest.String(), stream.String()
		lines[venue], described[venue] = l, sim
	}
	file = filepath.Join(t.TempDir(), "lines.json")
	if err := writeSimFile(file, described); err != nil {
		t.Fatal(err)
	}
	return file, lines
}

// TestStopWhileNoVenueAnswers checks that the service stops cleanly and in time while
// its venues do not respond to orders, queries and new connections.
func TestStopWhileNoVenueAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		entry string
		// cut also closes the connections, so that new ones are being opened.
		cut bool
	}{
		"orders by REST":           {entry: "rest"},
		"orders over connections":  {entry: "websocket"},
		"connections are reopened": {entry: "websocket", cut: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, sims := startSimProcess(t)
			file, lines := behindLinks(t, sims)
			s := startService(t, t.TempDir(), "--sim", file, "--config", writeFile(t, fmt.Sprintf(
				"venues:\n  binance: {orderEntry: %[1]s}\n  bybit: {orderEntry: %[1]s}\n  okx: {orderEntry: %[1]s}\n", c.entry)))
			h := s.hook(`"rules":{}`)
			for _, l := range lines {
				l.blackhole()
				if c.cut {
					l.cut()
				}
			}
			for venue, l := range lines {
				if c.cut { // a reopened stream sends a request or a handshake
					eventually(t, "new connections to "+string(venue), func() bool { return l.swallowedCount() > 1 })
				}
				signal := newSignal(h, orderSignal(string(venue), "BTCUSDT", "buy", "0.01", ""))
				if status, answer := s.send(signal); status != http.StatusAccepted {
					t.Fatalf("response = %d %v, want 202", status, answer)
				}
			}
			s.signal(syscall.SIGTERM)
			if status := s.exit(); status != exitOK { // another status if the actors exceed stopMax
				t.Errorf("status = %d, want %d", status, exitOK)
			}
		})
	}
}

// TestEndAnswersPendingOrderRequests checks that a request whose venue does not respond
// returns immediately with the last known order when its account ends.
func TestEndAnswersPendingOrderRequests(t *testing.T) {
	for name, end := range map[string]func(s *service){
		"the account is removed": func(s *service) { s.accountsCommand("remove", s.binanceAccount()) },
		"the service stops":      func(s *service) { s.signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, sims := startSimProcess(t)
			file, lines := behindLinks(t, sims)
			s := startService(t, t.TempDir(), "--sim", file)
			lines[venues.Binance].blackhole()
			answered := s.postAsync("/v1/orders", `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.01","price":"60000","requestId":"r1"}`)
			eventually(t, "the intent", func() bool {
				return len(s.trade(http.StatusOK, http.MethodGet, "/v1/orders?requestId=r1", "").items()) == 1
			})
			end(s)
			a := <-answered
			if a.err != nil || a.status != http.StatusAccepted { // otherwise the request has timed out
				t.Fatalf("response = %d %s, error %v, want 202", a.status, a.body, a.err)
			}
			if status := a.body.text("status"); status != "pending" && status != "unknown" {
				t.Errorf("status of the order = %s, want pending or unknown", status)
			}
		})
	}
}

// asyncResponse is the result of postAsync.
type asyncResponse struct {
	status int
	body   record
	err    error
}

// postAsync sends a request and returns a channel for its response.
func (s *service) postAsync(path, body string) <-chan asyncResponse {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.demo.BaseURL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.demo.APIKey)
	request.Header.Set("Content-Type", "application/json")
	came := make(chan asyncResponse, 1)
	go func() {
		client := http.Client{Timeout: waitMax, Transport: &http.Transport{DisableKeepAlives: true}}
		var r asyncResponse
		response, err := client.Do(request)
		if r.err = err; err == nil {
			defer response.Body.Close()
			r.status, r.err = response.StatusCode, json.NewDecoder(response.Body).Decode(&r.body)
		}
		came <- r
	}()
	return came
}
