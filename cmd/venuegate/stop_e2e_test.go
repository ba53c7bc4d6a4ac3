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

// line is the network between the service and one venue. Once it is dead it takes
// every byte and gives none, and what connects anew meets the same.
type line struct {
	venue    string
	listener net.Listener

	mu    sync.Mutex
	conns []net.Conn
	dead  bool
	// swallowed are the connections that sent something into the dead line.
	swallowed int
}

func openLine(t *testing.T, venue string) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{venue: venue, listener: listener}
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

// serve carries a connection until either side ends it.
func (l *line) serve(near net.Conn) {
	defer near.Close()
	if !l.hold(near) {
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

// hold notes a connection, and says whether the line is alive.
func (l *line) hold(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, conn)
	return !l.dead
}

// through writes to a side for as long as the line is alive.
func (l *line) through(to io.Writer) io.Writer {
	return writerFunc(func(data []byte) (int, error) {
		l.mu.Lock()
		dead := l.dead
		l.mu.Unlock()
		if dead {
			return len(data), nil
		}
		return to.Write(data)
	})
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(data []byte) (int, error) { return w(data) }

// die lets nothing through any more.
func (l *line) die() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = true
}

// cut ends the connections that there are.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		_ = conn.Close()
	}
	l.conns = nil
}

func (l *line) taken() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.swallowed
}

// overLines puts a line before every venue of a file of simulated venues.
func overLines(t *testing.T, sims map[venues.Venue]SimVenue) (file string, lines map[venues.Venue]*line) {
	t.Helper()
	lines, described := map[venues.Venue]*line{}, map[venues.Venue]SimVenue{}
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
		l := openLine(t, host)
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

// TestStopWhileNoVenueAnswers: the service ends in order and in time while
// everything that it has asked its venues stays without an answer: orders, readings,
// connections that are being made.
func TestStopWhileNoVenueAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		entry string
		// cut says that the connections end, so that new ones are on the way.
		cut bool
	}{
		"orders by REST":            {entry: "rest"},
		"orders over connections":   {entry: "websocket"},
		"connections are made anew": {entry: "websocket", cut: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, sims := startSimProcess(t)
			file, lines := overLines(t, sims)
			s := startService(t, t.TempDir(), "--sim", file, "--config", writeFile(t, fmt.Sprintf(
				"venues:\n  binance: {orderEntry: %[1]s}\n  bybit: {orderEntry: %[1]s}\n  okx: {orderEntry: %[1]s}\n", c.entry)))
			h := s.hook(`"rules":{}`)
			for _, l := range lines {
				l.die()
				if c.cut {
					l.cut()
				}
			}
			for venue, l := range lines {
				if c.cut { // a stream that is made anew asks, or shakes hands
					eventually(t, "new connections to "+string(venue), func() bool { return l.taken() > 1 })
				}
				signal := newSignal(h, orderSignal(string(venue), "BTCUSDT", "buy", "0.01", ""))
				if status, answer := s.send(signal); status != http.StatusAccepted {
					t.Fatalf("%d %v", status, answer)
				}
			}
			s.signal(syscall.SIGTERM)
			if status := s.exit(); status != exitOK { // it fails where actors do not end in stopMax
				t.Errorf("status %d", status)
			}
		})
	}
}

// TestEndAnswersWhoeverWaitsForAnOrder: the venue is silent, and the account that
// would find out what has become of the order ends. The order is shown as it is
// known, at once, and stays where its client can ask for it.
func TestEndAnswersWhoeverWaitsForAnOrder(t *testing.T) {
	for name, end := range map[string]func(s *service){
		"the account is removed": func(s *service) { s.accountsCommand("remove", s.binanceAccount()) },
		"the service stops":      func(s *service) { s.signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, sims := startSimProcess(t)
			file, lines := overLines(t, sims)
			s := startService(t, t.TempDir(), "--sim", file)
			lines[venues.Binance].die()
			answered := s.posts("/v1/orders", `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.01","price":"60000","requestId":"r1"}`)
			eventually(t, "the intent", func() bool {
				return len(s.trade(http.StatusOK, http.MethodGet, "/v1/orders?requestId=r1", "").items()) == 1
			})
			end(s)
			a := <-answered
			if a.err != nil || a.status != http.StatusAccepted { // else the request has waited out its own time
				t.Fatalf("%d %s, %v", a.status, a.body, a.err)
			}
			if status := a.body.text("status"); status != "pending" && status != "unknown" {
				t.Errorf("the order is shown as %s", status)
			}
		})
	}
}

// posting is what became of a request that a test does not wait for.
type posting struct {
	status int
	body   record
	err    error
}

// posts sends a request and goes on.
func (s *service) posts(path, body string) <-chan posting {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.demo.BaseURL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.demo.APIKey)
	request.Header.Set("Content-Type", "application/json")
	came := make(chan posting, 1)
	go func() {
		client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
		var r posting
		response, err := client.Do(request)
		if r.err = err; err == nil {
			defer response.Body.Close()
			r.status, r.err = response.StatusCode, json.NewDecoder(response.Body).Decode(&r.body)
		}
		came <- r
	}()
	return came
}
