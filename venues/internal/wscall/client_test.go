package wscall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
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

// message is what both sides send: a call, its answer, or a notice without an id.
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

// textCall builds a call with a text.
func textCall(text string) func(id string) ([]byte, error) {
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
		m.Effect = wscall.Ending
	case noticeNameless:
		m.Effect = wscall.RejectWithoutID
	}
	return m
}

// peer is the venue's end of a connection.
type peer struct {
	number int
	socket *websocket.Conn
}

func (p *peer) send(id, text string) {
	_ = p.socket.WriteMessage(websocket.TextMessage, encode(id, text))
}

// receive waits for a message; false when the client is gone.
func (p *peer) receive() (message, bool) {
	var m message
	_, data, err := p.socket.ReadMessage()
	return m, err == nil && json.Unmarshal(data, &m) == nil
}

// venue serves connections with a function that ends with them. They are numbered in the
// order of dialling. They are pipes, so that the tests run in virtual time.
type venue struct {
	dial connectortest.Dial
	url  func(context.Context) (string, error)
}

func newVenue(t *testing.T, serve func(*peer)) *venue {
	t.Helper()
	v := &venue{}
	v.dial, v.url = connectortest.ServeNumbered(t, func(n int, socket *websocket.Conn) { serve(&peer{n, socket}) })
	return v
}

// echo answers every call with its own text and the number of the connection.
func echo(p *peer) {
	for m, ok := p.receive(); ok; m, ok = p.receive() {
		p.send(m.ID, fmt.Sprint(m.Text, " by ", p.number))
	}
}

// open returns a connected client of the venue.
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
	deadline := time.After(time.Minute) // only a failing test waits that long
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("no %s", what)
		}
	}
}

func textOf(t *testing.T, data []byte) string {
	t.Helper()
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatalf("answer %q: %v, want no error", data, err)
	}
	return m.Text
}

// outcome returns the part of an error that states the outcome of a call.
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
				answer, err := c.Call(t.Context(), textCall(id))
				if err != nil {
					t.Errorf("call %d: error %v, want none", n, err)
					return
				}
				if got := textOf(t, answer); got != id+" by 1" {
					t.Errorf("call %d: answer %q, want its own text", n, got)
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
			var received []message
			for range calls {
				m, ok := p.receive()
				if !ok {
					return
				}
				received = append(received, m)
			}
			for n := range received {
				p.send(received[calls-1-n].ID, received[calls-1-n].Text)
			}
			echo(p)
		})
		c := open(t, v, nil)
		var callers sync.WaitGroup
		for n := range calls {
			callers.Go(func() {
				id := fmt.Sprint(n)
				answer, err := c.Call(t.Context(), textCall(id))
				if err != nil || textOf(t, answer) != id {
					t.Errorf("call %s: answer %q, error %v, want its own text", id, answer, err)
				}
			})
		}
		callers.Wait()
	})
}

// A call that certainly was not written is ErrNotSent; one that was written and has no
// answer is ErrOutcomeUnknown.
func TestOutcomes(t *testing.T) {
	silent := func(p *peer) {
		for _, ok := p.receive(); ok; _, ok = p.receive() {
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	received := make(chan struct{})
	for name, run := range map[string]struct {
		serve func(*peer)
		set   func(*wscall.Options)
		call  func(*wscall.Client) error
		want  error
	}{
		"context ended before": {
			serve: echo, want: venues.ErrNotSent,
			call: func(c *wscall.Client) error { _, err := c.Call(ended, textCall("")); return err },
		},
		"context ends while waiting": {
			serve: func(p *peer) {
				p.receive()
				close(received)
				silent(p)
			},
			want: venues.ErrOutcomeUnknown,
			call: func(c *wscall.Client) error {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				go func() {
					<-received
					cancel()
				}()
				_, err := c.Call(ctx, textCall(""))
				return err
			},
		},
		"time-out": {
			serve: silent, want: venues.ErrOutcomeUnknown,
			set:  func(o *wscall.Options) { o.Timeout = 20 * time.Millisecond },
			call: func(c *wscall.Client) error { _, err := c.Call(context.Background(), textCall("")); return err },
		},
		"connection cut after the call": {
			serve: func(p *peer) { p.receive() }, want: venues.ErrOutcomeUnknown,
			call: func(c *wscall.Client) error { _, err := c.Call(context.Background(), textCall("")); return err },
		},
		"closed": {
			serve: echo, want: venues.ErrNotSent,
			call: func(c *wscall.Client) error {
				c.Close()
				_, err := c.Call(context.Background(), textCall(""))
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if err := run.call(open(t, newVenue(t, run.serve), run.set)); !errors.Is(outcome(err), run.want) {
					t.Errorf("error %v, want %v", err, run.want)
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
	if _, err := c.Call(t.Context(), textCall("")); !errors.Is(outcome(err), venues.ErrNotSent) || c.Up() {
		t.Errorf("error %v, up %v, want ErrNotSent and false", err, c.Up())
	}
}

// A lost connection fails its pending calls immediately. The next connection accepts
// calls again, and a late answer is dropped.
func TestLostConnectionFailsItsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 20
		v := newVenue(t, func(p *peer) {
			for range calls {
				p.receive()
			}
			if p.number > 1 {
				echo(p)
			}
		})
		c := open(t, v, func(o *wscall.Options) { o.Timeout = time.Hour })
		var callers sync.WaitGroup
		for n := range calls {
			callers.Go(func() {
				if _, err := c.Call(t.Context(), textCall("")); !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
					t.Errorf("call %d: error %v, want an unknown outcome", n, err)
				}
			})
		}
		callers.Wait()
		await(t, "the next connection", c.Up)
	})
}

// Close does not wait for answers that may never come.
func TestCloseFailsPendingCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		received := make(chan struct{})
		v := newVenue(t, func(p *peer) {
			p.receive()
			close(received)
			p.receive()
		})
		c := open(t, v, func(o *wscall.Options) { o.Timeout = time.Hour })
		ended := make(chan error, 1)
		go func() {
			_, err := c.Call(context.Background(), textCall(""))
			ended <- err
		}()
		<-received
		c.Close()
		if err := <-ended; !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
			t.Errorf("error %v, want an unknown outcome", err)
		}
	})
}

func TestUnexpectedAnswersAreDroppedAndLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(p *peer) {
			m, _ := p.receive()
			p.send("nobody", "stray")
			p.send(m.ID, "first")
			p.send(m.ID, "second")
			echo(p)
		})
		core, logged := observer.New(zap.WarnLevel)
		c := open(t, v, func(o *wscall.Options) { o.Link.Log = zap.New(core) })
		if answer, err := c.Call(t.Context(), textCall("")); err != nil || textOf(t, answer) != "first" {
			t.Fatalf("answer %q, error %v, want first", answer, err)
		}
		if answer, err := c.Call(t.Context(), textCall("again")); err != nil || textOf(t, answer) != "again by 1" {
			t.Fatalf("call on the same connection: answer %q, error %v, want again by 1", answer, err)
		}
		if strays := logged.FilterMessage("answer without a pending call").Len(); strays != 2 {
			t.Errorf("%d answers logged, want 2: %v", strays, logged.All())
		}
	})
}

func TestPendingCallsAreBounded(t *testing.T) {
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
				_, err := c.Call(t.Context(), textCall(""))
				mu.Lock()
				defer mu.Unlock()
				if counts[outcome(err)]++; counts[venues.ErrNotSent] == 10 && err != nil {
					close(release)
				}
			})
		}
		callers.Wait()
		if counts[nil] != most || counts[venues.ErrNotSent] != 10 {
			t.Errorf("outcomes %v, want callsMax sent and the rest not sent", counts)
		}
	})
}

// A call that cannot be built was not sent and does not occupy a place.
func TestBuildError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, newVenue(t, echo), nil)
		cause := errors.New("its deadline has passed")
		for range 300 {
			if _, err := c.Call(t.Context(), func(string) ([]byte, error) { return nil, cause }); !errors.Is(err, cause) {
				t.Fatal(err)
			}
		}
		if answer, err := c.Call(t.Context(), textCall("hello")); err != nil || textOf(t, answer) != "hello by 1" {
			t.Errorf("answer %q, error %v, want hello by 1", answer, err)
		}
	})
}

func TestIDsDifferAndHaveThePrefix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, newVenue(t, echo), func(o *wscall.Options) { o.IDPrefix = "ours-" })
		seen := map[string]bool{}
		for range 10 {
			answer, err := c.Call(t.Context(), textCall(""))
			var m message
			if err = errors.Join(err, json.Unmarshal(answer, &m)); err != nil || seen[m.ID] || !strings.HasPrefix(m.ID, "ours-") {
				t.Fatalf("answer %q, error %v, want a new id that begins with ours-", answer, err)
			}
			seen[m.ID] = true
		}
	})
}
