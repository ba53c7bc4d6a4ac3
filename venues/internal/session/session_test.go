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

// stage is a session on a venue that answers "hello" with "ready" unless it is told
// not to. The messages of an order are "order", what else the stream says is
// garbled.
type stage struct {
	*testing.T
	*session.Session
	acknowledged session.Acknowledged
	unserved     atomic.Int64 // ticks
	wires        []*wire

	mu     sync.Mutex
	mute   bool
	conns  map[string][]*venueConn // by path
	events []string
}

// wire is the protocol of one connection.
type wire struct {
	*session.Wire
	stage *stage
	name  string
}

var errGarbled = errors.New("garbled")

func (w *wire) Greeting() []byte { return []byte("hello") }

func (w *wire) Message(message []byte, now time.Time) error {
	if w.Repeated() {
		return nil
	}
	switch string(message) {
	case "ready":
		w.Ready()
	case "order", "next order":
		w.stage.Heard(now)
		w.stage.hear("%s", message)
	case "ending":
		w.Renew()
	default:
		return errGarbled
	}
	return nil
}

func (w *wire) Lost() { w.stage.hear("wire %s lost", w.name) }

func (w *wire) Tick(_ time.Time, served bool) {
	if !served {
		w.stage.unserved.Add(1)
	}
}

// The stage is the sink too.

func (s *stage) Connected()                    { s.hear("connected") }
func (s *stage) Lost(cause error)              { s.hear("lost: %v", cause) }
func (s *stage) Report(venues.ExecutionReport) {}
func (s *stage) Position(venues.Position)      {}
func (s *stage) BalancesChanged()              {}

func (s *stage) hear(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, fmt.Sprintf(format, args...))
}

// venueConn is a connection at the venue's end. What it says waits until it is read, as
// in a socket.
type venueConn struct {
	*websocket.Conn
	says chan string
}

func (s *stage) serve(r *http.Request, c *websocket.Conn) {
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
		mute := s.mute
		s.mu.Unlock()
		if string(text) == "hello" && !mute {
			v.says <- "ready"
		}
	}
}

func (v *venueConn) write(ended chan struct{}) {
	for {
		select {
		case text := <-v.says:
			_ = v.WriteMessage(websocket.TextMessage, []byte(text))
		case <-ended:
			return
		}
	}
}

// play opens a session with connections of these names and runs a test on it.
func play(t *testing.T, mute bool, believedAfter time.Duration, names string, run func(*stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &stage{T: t, mute: mute, conns: make(map[string][]*venueConn)}
		dial := connectortest.ServePipes(t, s.serve)
		s.Session = session.New(session.Options{
			Sink: s, Acknowledged: &s.acknowledged, EventSilenceMax: 10 * time.Second, BelievedAfter: believedAfter, Log: zap.NewNop(),
		})
		for name := range strings.FieldsSeq(names) {
			w := &wire{stage: s, name: name}
			w.Wire = s.Add(wsclient.Options{
				URL: func(context.Context) (string, error) { return "ws://venue/" + name, nil }, Dial: dial,
			}, w)
			s.wires = append(s.wires, w)
		}
		s.Start()
		defer s.Close()
		run(s)
	})
}

func (s *stage) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// say sends messages on the newest connection of a name; none cuts it.
func (s *stage) say(name string, messages ...string) {
	s.sayOn(s.connections(name)-1, name, messages...)
}

// sayOn is say on one of the connections so far.
func (s *stage) sayOn(n int, name string, messages ...string) {
	s.mu.Lock()
	c := s.conns["/"+name][n]
	s.mu.Unlock()
	for _, m := range messages {
		c.says <- m
	}
	if len(messages) == 0 {
		c.Close()
	}
	synctest.Wait()
}

func (s *stage) setMute(mute bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mute = mute
}

// hears holds what was told since the last time against what it should be.
func (s *stage) hears(want ...string) {
	s.Helper()
	s.mu.Lock()
	got := s.events
	s.events = nil
	s.mu.Unlock()
	if !slices.Equal(got, want) {
		s.Errorf("heard %q, want %q", got, want)
	}
}

func (s *stage) connections(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns["/"+name])
}

func TestConnectsAsAWhole(t *testing.T) {
	play(t, false, 0, "orders algos", func(s *stage) {
		s.wait(500 * time.Millisecond)
		s.hears("connected")
		s.say("orders", "ready", "order")
		s.hears("order")
		s.setMute(true)
		s.say("algos")
		got := s.events
		if len(got) != 2 || got[0] != "wire algos lost" || !strings.HasPrefix(got[1], "lost: ") {
			s.Errorf("heard %q", got)
		}
		s.events = nil
		s.say("orders") // while it is lost already
		s.wait(5 * time.Second)
		s.hears("wire orders lost")
		s.setMute(false)
		s.say("algos", "ready")
		s.hears()
		s.say("orders", "ready")
		s.hears("connected")
	})
}

func TestUnansweredGreetingCostsTheConnection(t *testing.T) {
	play(t, true, 0, "orders", func(s *stage) {
		s.wait(9500 * time.Millisecond)
		s.hears()
		s.setMute(false)
		s.wait(5 * time.Second)
		s.hears("wire orders lost", "connected")
		if n := s.connections("orders"); n != 2 {
			s.Errorf("%d connections", n)
		}
	})
}

func TestSilentVenueIsBelieved(t *testing.T) {
	play(t, true, 2*time.Second, "orders", func(s *stage) {
		s.wait(1500 * time.Millisecond)
		s.hears()
		s.wait(20 * time.Second)
		s.hears("connected")
		if n := s.unserved.Load(); n != 2 {
			s.Errorf("%d ticks without a service, want those of two seconds", n)
		}
		if n := s.connections("orders"); n != 1 {
			s.Errorf("%d connections", n)
		}
	})
}

func TestGarbledEventIsALoss(t *testing.T) {
	play(t, true, 0, "orders", func(s *stage) {
		s.wait(500 * time.Millisecond)
		s.say("orders", "?") // nothing to lose yet
		s.hears()
		s.say("orders", "ready", "?", "order")
		s.hears("connected", "lost: garbled", "connected", "order")
	})
}

func TestRenewalIsNoLoss(t *testing.T) {
	play(t, false, 0, "orders", func(s *stage) {
		s.wait(500 * time.Millisecond)
		s.say("orders", "ending")
		s.wait(30 * time.Second)
		s.say("orders", "order")
		s.hears("connected", "order")
		if n := s.connections("orders"); n != 2 {
			s.Errorf("%d connections", n)
		}
	})
}

// What both connections of a renewal tell is told once, and what happens twice, twice.
func TestRenewalRepeatsNothing(t *testing.T) {
	play(t, false, 0, "orders", func(s *stage) {
		s.wait(500 * time.Millisecond)
		s.say("orders", "order", "ending")
		s.wait(500 * time.Millisecond)
		if n := s.connections("orders"); n != 2 {
			s.Fatalf("%d connections", n)
		}
		s.sayOn(0, "orders", "order", "next order")
		s.sayOn(1, "orders", "order", "next order", "next order")
		s.hears("connected", "order", "order", "next order")
		s.wait(10 * time.Second) // the old connection is closed
		s.hears("next order")
		s.say("orders", "order")
		s.hears("order")
	})
}

// A stream that tells nothing of an acknowledged order is believed dead, once.
func TestMuteStreamIsReplaced(t *testing.T) {
	play(t, false, 0, "orders algos", func(s *stage) {
		s.wait(500 * time.Millisecond)
		_, _ = s.acknowledged.Note(time.Now(), venues.ExecutionReport{}, nil)
		s.wait(time.Second)
		s.say("algos", "order")
		s.wait(time.Minute)
		s.hears("connected", "order")
		_, _ = s.acknowledged.Note(time.Now(), venues.ExecutionReport{}, nil)
		s.wait(9 * time.Second)
		s.hears()
		s.wait(time.Minute)
		s.mu.Lock()
		story := strings.Join(s.events, "; ")
		s.mu.Unlock()
		if strings.Count(story, "lost: "+session.ErrMute.Error()) != 1 || !strings.HasSuffix(story, "connected") {
			s.Errorf("heard %s", story)
		}
		if a, b := s.connections("orders"), s.connections("algos"); a != 2 || b != 2 {
			s.Errorf("%d and %d connections", a, b)
		}
	})
}
