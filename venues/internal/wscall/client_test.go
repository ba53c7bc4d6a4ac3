package wscall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/wscall"
	"venuegate/venues/internal/wsclient"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// message is what both sides say: a call, its answer, or a notice without an id.
type message struct {
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`
}

func encode(id, text string) []byte {
	data, err := json.Marshal(message{id, text})
	if err != nil {
		panic(err)
	}
	return data
}

// say builds a call with a text.
func say(text string) func(id string) ([]byte, error) {
	return func(id string) ([]byte, error) { return encode(id, text), nil }
}

// Notices of the venue.
const (
	noticeEnding   = "the service restarts"
	noticeNameless = "no permission"
)

func read(data []byte) (m wscall.Message) {
	var in message
	if json.Unmarshal(data, &in) != nil {
		return m
	}
	m.ID = in.ID
	switch in.Text {
	case noticeEnding:
		m.Says = wscall.Ending
	case noticeNameless:
		m.Says = wscall.Nameless
	}
	return m
}

// peer is one connection as the venue has it.
type peer struct {
	number int
	socket *websocket.Conn
}

func (p *peer) say(id, text string) {
	_ = p.socket.WriteMessage(websocket.TextMessage, encode(id, text))
}

// hear waits for a message; false when the client is gone.
func (p *peer) hear() (message, bool) {
	var m message
	_, data, err := p.socket.ReadMessage()
	return m, err == nil && json.Unmarshal(data, &m) == nil
}

// venue serves connections by a function that ends with them. They are numbered as
// they are dialled, and pipes, so that the tests run in virtual time.
type venue struct {
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	dialled atomic.Int64
}

func newVenue(t *testing.T, serve func(*peer)) *venue {
	t.Helper()
	v := &venue{}
	v.dial = connectortest.ServePipes(t, func(r *http.Request, socket *websocket.Conn) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil {
			t.Error(err)
		}
		serve(&peer{n, socket})
	})
	return v
}

// url is an address for each connection.
func (v *venue) url(context.Context) (string, error) {
	return fmt.Sprint("ws://venue/", v.dialled.Add(1)), nil
}

// echo answers every call with its own text and the connection's number.
func echo(p *peer) {
	for m, ok := p.hear(); ok; m, ok = p.hear() {
		p.say(m.ID, fmt.Sprint(m.Text, " by ", p.number))
	}
}

// open makes a client of the venue that is up.
func open(t *testing.T, v *venue, set func(*wscall.Options)) *wscall.Client {
	t.Helper()
	o := wscall.Options{
		Link: wsclient.Options{
			URL: v.url, Dial: v.dial,
			BackoffMin: 5 * time.Millisecond, BackoffMax: 20 * time.Millisecond, TickInterval: 5 * time.Millisecond,
		},
		Read: read, Timeout: 10 * time.Second,
	}
	if set != nil {
		set(&o)
	}
	c := wscall.New(o)
	t.Cleanup(c.Close)
	await(t, "the connection", c.Up)
	return c
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.After(time.Minute) // only a test that fails waits so long
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s did not come", what)
		}
	}
}

func textOf(t *testing.T, data []byte) string {
	t.Helper()
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatalf("answer %q: %v", data, err)
	}
	return m.Text
}

// outcome is the part of an error that says what became of a call.
func outcome(err error) error {
	for _, known := range []error{venues.ErrNotSent, venues.ErrOutcomeUnknown} {
		if errors.Is(err, known) && venues.CodeOf(err) == venues.CodeExchangeUnavailable {
			return known
		}
	}
	return err
}

func TestCallsAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, newVenue(t, echo), nil)
		var callers sync.WaitGroup
		for n := range 100 {
			callers.Go(func() {
				id := fmt.Sprint("call-", n)
				answer, err := c.Call(t.Context(), say(id))
				if err != nil {
					t.Errorf("call %d: %v", n, err)
					return
				}
				if got := textOf(t, answer); got != id+" by 1" {
					t.Errorf("call %d got %q", n, got)
				}
			})
		}
		callers.Wait()
	})
}

func TestAnswersOutOfOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 10
		v := newVenue(t, func(p *peer) {
			var heard []message
			for range calls {
				m, ok := p.hear()
				if !ok {
					return
				}
				heard = append(heard, m)
			}
			for n := range heard {
				p.say(heard[calls-1-n].ID, heard[calls-1-n].Text)
			}
			echo(p)
		})
		c := open(t, v, nil)
		var callers sync.WaitGroup
		for n := range calls {
			callers.Go(func() {
				id := fmt.Sprint(n)
				answer, err := c.Call(t.Context(), say(id))
				if err != nil || textOf(t, answer) != id {
					t.Errorf("call %s got %q, %v", id, answer, err)
				}
			})
		}
		callers.Wait()
	})
}

// What cannot have left is proved not sent; what was written and stays without an
// answer is unknown.
func TestOutcomes(t *testing.T) {
	silent := func(p *peer) {
		for _, ok := p.hear(); ok; _, ok = p.hear() {
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	heard := make(chan struct{})
	for name, run := range map[string]struct {
		serve func(*peer)
		set   func(*wscall.Options)
		call  func(*wscall.Client) error
		want  error
	}{
		"context ended before": {
			serve: echo, want: venues.ErrNotSent,
			call: func(c *wscall.Client) error { _, err := c.Call(ended, say("")); return err },
		},
		"context ends while waiting": {
			serve: func(p *peer) {
				p.hear()
				close(heard)
				silent(p)
			},
			want: venues.ErrOutcomeUnknown,
			call: func(c *wscall.Client) error {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				go func() {
					<-heard
					cancel()
				}()
				_, err := c.Call(ctx, say(""))
				return err
			},
		},
		"time-out": {
			serve: silent, want: venues.ErrOutcomeUnknown,
			set:  func(o *wscall.Options) { o.Timeout = 20 * time.Millisecond },
			call: func(c *wscall.Client) error { _, err := c.Call(context.Background(), say("")); return err },
		},
		"connection cut after the call": {
			serve: func(p *peer) { p.hear() }, want: venues.ErrOutcomeUnknown,
			call: func(c *wscall.Client) error { _, err := c.Call(context.Background(), say("")); return err },
		},
		"closed": {
			serve: echo, want: venues.ErrNotSent,
			call: func(c *wscall.Client) error {
				c.Close()
				_, err := c.Call(context.Background(), say(""))
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if err := run.call(open(t, newVenue(t, run.serve), run.set)); !errors.Is(outcome(err), run.want) {
					t.Errorf("%v, want %v", err, run.want)
				}
			})
		})
	}
}

func TestNoConnectionIsNotSent(t *testing.T) {
	c := wscall.New(wscall.Options{
		Link: wsclient.Options{URL: func(context.Context) (string, error) { return "", errors.New("no host") }},
		Read: read,
	})
	t.Cleanup(c.Close)
	if _, err := c.Call(t.Context(), say("")); !errors.Is(outcome(err), venues.ErrNotSent) || c.Up() {
		t.Errorf("%v, up %v", err, c.Up())
	}
}

// A lost connection ends everything under way on it at once; the next connection
// takes calls again, and a late answer is nobody's.
func TestLostConnectionEndsItsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 20
		v := newVenue(t, func(p *peer) {
			for range calls {
				p.hear()
			}
			if p.number > 1 {
				echo(p)
			}
		})
		c := open(t, v, func(o *wscall.Options) { o.Timeout = time.Hour })
		var callers sync.WaitGroup
		for n := range calls {
			callers.Go(func() {
				if _, err := c.Call(t.Context(), say("")); !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
					t.Errorf("call %d: %v", n, err)
				}
			})
		}
		callers.Wait()
		await(t, "the next connection", c.Up)
	})
}

// Close waits for no answer: the venue may never give one.
func TestCloseEndsCallsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := make(chan struct{})
		v := newVenue(t, func(p *peer) {
			p.hear()
			close(heard)
			p.hear()
		})
		c := open(t, v, func(o *wscall.Options) { o.Timeout = time.Hour })
		ended := make(chan error, 1)
		go func() {
			_, err := c.Call(context.Background(), say(""))
			ended <- err
		}()
		<-heard
		c.Close()
		if err := <-ended; !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
			t.Errorf("%v, want an unknown outcome", err)
		}
	})
}

func TestStrayAnswersAreDroppedAndLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(p *peer) {
			m, _ := p.hear()
			p.say("nobody", "stray")
			p.say(m.ID, "first")
			p.say(m.ID, "second")
			echo(p)
		})
		core, logged := observer.New(zap.WarnLevel)
		c := open(t, v, func(o *wscall.Options) { o.Link.Log = zap.New(core) })
		if answer, err := c.Call(t.Context(), say("")); err != nil || textOf(t, answer) != "first" {
			t.Fatalf("got %q, %v", answer, err)
		}
		if answer, err := c.Call(t.Context(), say("again")); err != nil || textOf(t, answer) != "again by 1" {
			t.Fatalf("the connection is of no use any more: %q, %v", answer, err)
		}
		if strays := logged.FilterMessage("answer that nobody waits for").Len(); strays != 2 {
			t.Errorf("%d answers logged, want 2: %v", strays, logged.All())
		}
	})
}

func TestCallsUnderWayAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		v := newVenue(t, func(p *peer) { <-release; echo(p) })
		c := open(t, v, nil)
		const most = 256
		var callers sync.WaitGroup
		var mu sync.Mutex
		counts := map[error]int{}
		for range most + 10 {
			callers.Go(func() {
				_, err := c.Call(t.Context(), say(""))
				mu.Lock()
				defer mu.Unlock()
				if counts[outcome(err)]++; counts[venues.ErrNotSent] == 10 && err != nil {
					close(release)
				}
			})
		}
		callers.Wait()
		if counts[nil] != most || counts[venues.ErrNotSent] != 10 {
			t.Errorf("outcomes %v", counts)
		}
	})
}

// What cannot be built was not sent, and holds no place.
func TestAFailureToBuild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, newVenue(t, echo), nil)
		cause := errors.New("its deadline has passed")
		for range 300 {
			if _, err := c.Call(t.Context(), func(string) ([]byte, error) { return nil, cause }); !errors.Is(err, cause) {
				t.Fatal(err)
			}
		}
		if answer, err := c.Call(t.Context(), say("hello")); err != nil || textOf(t, answer) != "hello by 1" {
			t.Errorf("%q, %v", answer, err)
		}
	})
}

func TestIDsDifferAndBearThePrefix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, newVenue(t, echo), func(o *wscall.Options) { o.IDPrefix = "ours-" })
		seen := map[string]bool{}
		for range 10 {
			answer, err := c.Call(t.Context(), say(""))
			var m message
			if err = errors.Join(err, json.Unmarshal(answer, &m)); err != nil || seen[m.ID] || !strings.HasPrefix(m.ID, "ours-") {
				t.Fatalf("%q, %v", answer, err)
			}
			seen[m.ID] = true
		}
	})
}
