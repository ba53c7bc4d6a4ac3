package session_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/session"
	"venuegate/venues/internal/wsclient"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a session on a venue that answers "hello" with "ready" unless it is silent.
// The messages "order" and "next order" are events about orders; all others cannot be
// decoded.
type fixture struct {
	*testing.T
	*session.Session
	acknowledged session.LastAck
	unserved     atomic.Int64 // ticks
	protocols    []*protocol

	mu     sync.Mutex
	silent bool
	conns  map[string][]*venueConn // by path
	events []string
}

// protocol is the protocol of one connection.
type protocol struct {
	*session.Connection
	fixture *fixture
	name    string
}

var errGarbled = errors.New("garbled")

func (w *protocol) Greeting() []byte { return []byte("hello") }

func (w *protocol) Message(message []byte, now time.Time) error {
	if w.Repeated() {
		return nil
	}
	switch string(message) {
	case "ready":
		w.Ready()
	case "order", "next order":
		w.fixture.NoteOrderEvent(now)
		w.fixture.record("%s", message)
	case "ending":
		w.Renew()
	default:
		return errGarbled
	}
	return nil
}

func (w *protocol) Lost() { w.fixture.record("connection %s lost", w.name) }

func (w *protocol) Tick(_ time.Time, served bool) {
	if !served {
		w.fixture.unserved.Add(1)
	}
}

// fixture is the sink too.

func (s *fixture) Connected()                    { s.record("connected") }
func (s *fixture) Lost(cause error)              { s.record("lost: %v", cause) }
func (s *fixture) Report(venues.ExecutionReport) {}
func (s *fixture) Position(venues.Position)      {}
func (s *fixture) BalancesChanged()              {}

func (s *fixture) record(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, fmt.Sprintf(format, args...))
}

// venueConn is the venue's end of a connection. Its messages wait until they are read, as
// in a socket.
type venueConn struct {
	*websocket.Conn
	outgoing chan string
}

func (s *fixture) serve(r *http.Request, c *websocket.Conn) {
	v := &venueConn{c, make(chan string, 10)}
	s.mu.Lock()
	s.conns[r.URL.Path] = append(s.conns[r.URL.Path], v)
	s.mu.Unlock()
	var writing sync.WaitGroup
	defer writing.Wait()
	ended := make(chan struct{})
	defer close(ended)
	writing.Go(func() { v.write(ended) })
	for {
		_, text, err := c.ReadMessage()
		if err != nil {
			return
		}
		s.mu.Lock()
		silent := s.silent
		s.mu.Unlock()
		if string(text) == "hello" && !silent {
			v.outgoing <- "ready"
		}
	}
}

func (v *venueConn) write(ended chan struct{}) {
	for {
		select {
		case text := <-v.outgoing:
			_ = v.WriteMessage(websocket.TextMessage, []byte(text))
		case <-ended:
			return
		}
	}
}

// play opens a session with connections of these names and runs a test on it.
func play(t *testing.T, silent bool, assumeReadyAfter time.Duration, names string, run func(*fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &fixture{T: t, silent: silent, conns: make(map[string][]*venueConn)}
		dial := connectortest.ServePipes(t, s.serve)
		s.Session = session.New(session.Options{
			Sink: s, LastAck: &s.acknowledged, EventSilenceMax: 10 * time.Second, AssumeReadyAfter: assumeReadyAfter, Log: zap.NewNop(),
		})
		for name := range strings.FieldsSeq(names) {
			w := &protocol{fixture: s, name: name}
			w.Connection = s.Add(wsclient.Options{
				URL: func(context.Context) (string, error) { return "ws://venue/" + name, nil }, Dial: dial,
			}, w)
			s.protocols = append(s.protocols, w)
		}
		s.Start()
		defer s.Close()
		run(s)
	})
}

func (s *fixture) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// send sends messages on the newest connection of a name; none closes it.
func (s *fixture) send(name string, messages ...string) {
	s.sendOn(s.connections(name)-1, name, messages...)
}

// sendOn is send on one of the connections so far.
func (s *fixture) sendOn(n int, name string, messages ...string) {
	s.mu.Lock()
	c := s.conns["/"+name][n]
	s.mu.Unlock()
	for _, m := range messages {
		c.outgoing <- m
	}
	if len(messages) == 0 {
		c.Close()
	}
	synctest.Wait()
}

func (s *fixture) setSilent(silent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = silent
}

// expect compares the calls of the sink since the last time with what they should be.
func (s *fixture) expect(want ...string) {
	s.Helper()
	s.mu.Lock()
	got := s.events
	s.events = nil
	s.mu.Unlock()
	if !slices.Equal(got, want) {
		s.Errorf("sink calls %q, want %q", got, want)
	}
}

func (s *fixture) connections(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns["/"+name])
}

func TestConnectedWhenAllAreReady(t *testing.T) {
	play(t, false, 0, "orders algos", func(s *fixture) {
		s.wait(500 * time.Millisecond)
		s.expect("connected")
		s.send("orders", "ready", "order")
		s.expect("order")
		s.setSilent(true)
		s.send("algos")
		got := s.events
		if len(got) != 2 || got[0] != "connection algos lost" || !strings.HasPrefix(got[1], "lost: ") {
			s.Errorf("sink calls %q, want a loss of the connection algos", got)
		}
		s.events = nil
		s.send("orders") // while it is lost already
		s.wait(5 * time.Second)
		s.expect("connection orders lost")
		s.setSilent(false)
		s.send("algos", "ready")
		s.expect()
		s.send("orders", "ready")
		s.expect("connected")
	})
}

func TestUnansweredGreetingReplacesTheConnection(t *testing.T) {
	play(t, true, 0, "orders", func(s *fixture) {
		s.wait(9500 * time.Millisecond)
		s.expect()
		s.setSilent(false)
		s.wait(5 * time.Second)
		s.expect("connection orders lost", "connected")
		if n := s.connections("orders"); n != 2 {
			s.Errorf("%d connections, want 2", n)
		}
	})
}

func TestSilentVenueIsAssumedReady(t *testing.T) {
	play(t, true, 2*time.Second, "orders", func(s *fixture) {
		s.wait(1500 * time.Millisecond)
		s.expect()
		s.wait(20 * time.Second)
		s.expect("connected")
		if n := s.unserved.Load(); n != 2 {
			s.Errorf("%d ticks before ready, want those of two seconds", n)
		}
		if n := s.connections("orders"); n != 1 {
			s.Errorf("%d connections, want 1", n)
		}
	})
}

func TestUndecodableEventIsALoss(t *testing.T) {
	play(t, true, 0, "orders", func(s *fixture) {
		s.wait(500 * time.Millisecond)
		s.send("orders", "?") // not connected yet
		s.expect()
		s.send("orders", "ready", "?", "order")
		s.expect("connected", "lost: garbled", "connected", "order")
	})
}

func TestRenewalIsNotALoss(t *testing.T) {
	play(t, false, 0, "orders", func(s *fixture) {
		s.wait(500 * time.Millisecond)
		s.send("orders", "ending")
		s.wait(30 * time.Second)
		s.send("orders", "order")
		s.expect("connected", "order")
		if n := s.connections("orders"); n != 2 {
			s.Errorf("%d connections, want 2", n)
		}
	})
}

// What both connections of a renewal bring is passed on once; what happens twice, twice.
func TestRenewalPassesOnNothingTwice(t *testing.T) {
	play(t, false, 0, "orders", func(s *fixture) {
		s.wait(500 * time.Millisecond)
		s.send("orders", "order", "ending")
		s.wait(500 * time.Millisecond)
		if n := s.connections("orders"); n != 2 {
			s.Fatalf("%d connections, want 2", n)
		}
		s.sendOn(0, "orders", "order", "next order")
		s.sendOn(1, "orders", "order", "next order", "next order")
		s.expect("connected", "order", "order", "next order")
		s.wait(10 * time.Second) // the old connection is closed
		s.expect("next order")
		s.send("orders", "order")
		s.expect("order")
	})
}

// A stream without an event for an acknowledged order is replaced, once.
func TestStalledStreamIsReplaced(t *testing.T) {
	play(t, false, 0, "orders algos", func(s *fixture) {
		s.wait(500 * time.Millisecond)
		_, _ = s.acknowledged.Record(time.Now(), venues.ExecutionReport{}, nil)
		s.wait(time.Second)
		s.send("algos", "order")
		s.wait(time.Minute)
		s.expect("connected", "order")
		_, _ = s.acknowledged.Record(time.Now(), venues.ExecutionReport{}, nil)
		s.wait(9 * time.Second)
		s.expect()
		s.wait(time.Minute)
		s.mu.Lock()
		story := strings.Join(s.events, "; ")
		s.mu.Unlock()
		if strings.Count(story, "lost: "+session.ErrStalled.Error()) != 1 || !strings.HasSuffix(story, "connected") {
			s.Errorf("sink calls %s, want one loss by a stalled stream, then connected", story)
		}
		if a, b := s.connections("orders"), s.connections("algos"); a != 2 || b != 2 {
			s.Errorf("%d and %d connections, want 2 each", a, b)
		}
	})
}
