package wscall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/venues"
	"venuegate/venues/internal/wscall"
	"venuegate/venues/internal/wsclient"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// message is what both sides say: a call, its answer, or a notice without an id.
type message struct {
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`
}

func call(id, text string) []byte {
	data, err := json.Marshal(message{id, text})
	if err != nil {
		panic(err)
	}
	return data
}

func answerID(data []byte) (string, bool) {
	var m message
	err := json.Unmarshal(data, &m)
	return m.ID, err == nil && m.ID != ""
}

// peer is one connection as the venue has it.
type peer struct {
	number int
	socket *websocket.Conn
}

func (p *peer) say(id, text string) {
	_ = p.socket.WriteMessage(websocket.TextMessage, call(id, text))
}

// hear waits for a message; false when the client is gone.
func (p *peer) hear() (message, bool) {
	var m message
	_, data, err := p.socket.ReadMessage()
	return m, err == nil && json.Unmarshal(data, &m) == nil
}

// venue serves connections by a function that ends with them.
type venue struct {
	url string
	mu  sync.Mutex
	n   int
}

func newVenue(t *testing.T, serve func(*peer)) *venue {
	t.Helper()
	v := &venue{}
	upgrader := websocket.Upgrader{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.mu.Lock()
		v.n++
		n := v.n
		v.mu.Unlock()
		socket, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer socket.Close()
		serve(&peer{n, socket})
	}))
	t.Cleanup(server.Close)
	v.url = "ws" + strings.TrimPrefix(server.URL, "http")
	return v
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
			URL:        func(context.Context) (string, error) { return v.url, nil },
			BackoffMin: 5 * time.Millisecond, BackoffMax: 20 * time.Millisecond, TickInterval: 5 * time.Millisecond,
		},
		AnswerID: answerID, Timeout: 10 * time.Second,
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
	deadline := time.After(10 * time.Second)
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
	c := open(t, newVenue(t, echo), nil)
	var callers sync.WaitGroup
	for n := range 100 {
		callers.Go(func() {
			id := fmt.Sprint("call-", n)
			answer, err := c.Call(t.Context(), id, call(id, id))
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
}

func TestAnswersOutOfOrder(t *testing.T) {
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
			answer, err := c.Call(t.Context(), id, call(id, id))
			if err != nil || textOf(t, answer) != id {
				t.Errorf("call %s got %q, %v", id, answer, err)
			}
		})
	}
	callers.Wait()
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
	for name, run := range map[string]struct {
		serve func(*peer)
		set   func(*wscall.Options)
		call  func(*wscall.Client) error
		want  error
	}{
		"context ended before": {
			serve: echo, want: venues.ErrNotSent,
			call: func(c *wscall.Client) error { _, err := c.Call(ended, "1", call("1", "")); return err },
		},
		"context ends while waiting": {
			serve: silent, want: venues.ErrOutcomeUnknown,
			call: func(c *wscall.Client) error {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
				defer cancel()
				_, err := c.Call(ctx, "1", call("1", ""))
				return err
			},
		},
		"time-out": {
			serve: silent, want: venues.ErrOutcomeUnknown,
			set:  func(o *wscall.Options) { o.Timeout = 20 * time.Millisecond },
			call: func(c *wscall.Client) error { _, err := c.Call(context.Background(), "1", call("1", "")); return err },
		},
		"connection cut after the call": {
			serve: func(p *peer) { p.hear() }, want: venues.ErrOutcomeUnknown,
			call: func(c *wscall.Client) error { _, err := c.Call(context.Background(), "1", call("1", "")); return err },
		},
		"closed": {
			serve: echo, want: venues.ErrNotSent,
			call: func(c *wscall.Client) error {
				c.Close()
				_, err := c.Call(context.Background(), "1", call("1", ""))
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := run.call(open(t, newVenue(t, run.serve), run.set)); !errors.Is(outcome(err), run.want) {
				t.Errorf("%v, want %v", err, run.want)
			}
		})
	}
}

func TestNoConnectionIsNotSent(t *testing.T) {
	c := wscall.New(wscall.Options{
		Link:     wsclient.Options{URL: func(context.Context) (string, error) { return "", errors.New("no host") }},
		AnswerID: answerID,
	})
	t.Cleanup(c.Close)
	if _, err := c.Call(t.Context(), "1", call("1", "")); !errors.Is(outcome(err), venues.ErrNotSent) || c.Up() {
		t.Errorf("%v, up %v", err, c.Up())
	}
}

// A lost connection ends everything under way on it at once; the next connection
// takes calls again, and a late answer is nobody's.
func TestLostConnectionEndsItsCalls(t *testing.T) {
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
			id := fmt.Sprint(n)
			if _, err := c.Call(t.Context(), id, call(id, "")); !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
				t.Errorf("call %s: %v", id, err)
			}
		})
	}
	callers.Wait()
	await(t, "the next connection", c.Up)
}

// An answer that comes while the client closes is an answer.
func TestCloseWaitsForAnswers(t *testing.T) {
	heard, release := make(chan struct{}), make(chan struct{})
	v := newVenue(t, func(p *peer) {
		m, _ := p.hear()
		close(heard)
		<-release
		p.say(m.ID, "done")
		p.hear()
	})
	c := open(t, v, func(o *wscall.Options) { o.CloseWait = time.Hour })
	ended, closed := make(chan error, 1), make(chan struct{})
	go func() {
		_, err := c.Call(context.Background(), "1", call("1", ""))
		ended <- err
	}()
	<-heard
	go func() {
		defer close(closed)
		c.Close()
	}()
	await(t, "the beginning of the end", func() bool { return !c.Up() })
	if _, err := c.Call(t.Context(), "2", call("2", "")); !errors.Is(outcome(err), venues.ErrNotSent) {
		t.Errorf("call while closing: %v", err)
	}
	close(release)
	if err := <-ended; err != nil {
		t.Errorf("%v", err)
	}
	<-closed
}

func TestCloseEndsCallsUnderWay(t *testing.T) {
	heard := make(chan struct{})
	v := newVenue(t, func(p *peer) {
		p.hear()
		close(heard)
		p.hear()
	})
	c := open(t, v, func(o *wscall.Options) { o.Timeout, o.CloseWait = time.Hour, 10*time.Millisecond })
	ended := make(chan error, 1)
	go func() {
		_, err := c.Call(context.Background(), "1", call("1", ""))
		ended <- err
	}()
	<-heard
	c.Close()
	if err := <-ended; !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
		t.Errorf("%v, want an unknown outcome", err)
	}
}

func TestStrayAnswersAreDroppedAndLogged(t *testing.T) {
	v := newVenue(t, func(p *peer) {
		m, _ := p.hear()
		p.say("nobody", "stray")
		p.say(m.ID, "first")
		p.say(m.ID, "second")
		echo(p)
	})
	core, logged := observer.New(zap.WarnLevel)
	c := open(t, v, func(o *wscall.Options) { o.Link.Log = zap.New(core) })
	for id, want := range map[string]string{"1": "first"} {
		if answer, err := c.Call(t.Context(), id, call(id, "")); err != nil || textOf(t, answer) != want {
			t.Fatalf("call %s got %q, %v", id, answer, err)
		}
	}
	if answer, err := c.Call(t.Context(), "2", call("2", "again")); err != nil || textOf(t, answer) != "again by 1" {
		t.Fatalf("the connection is of no use any more: %q, %v", answer, err)
	}
	if strays := logged.FilterMessage("answer that nobody waits for").Len(); strays != 2 {
		t.Errorf("%d answers logged, want 2: %v", strays, logged.All())
	}
}

func TestNoticesGoToOther(t *testing.T) {
	v := newVenue(t, func(p *peer) { p.say("", "maintenance at noon"); echo(p) })
	notices := make(chan string, 1)
	open(t, v, func(o *wscall.Options) { o.Other = func(_ *wscall.Client, data []byte) { notices <- string(data) } })
	if got := <-notices; !strings.Contains(got, "noon") {
		t.Errorf("notice %q", got)
	}
}

func TestCallsUnderWayAreBounded(t *testing.T) {
	release := make(chan struct{})
	v := newVenue(t, func(p *peer) { <-release; echo(p) })
	c := open(t, v, nil)
	const most = 256
	var callers sync.WaitGroup
	var mu sync.Mutex
	counts := map[error]int{}
	for n := range most + 10 {
		callers.Go(func() {
			id := fmt.Sprint(n)
			_, err := c.Call(t.Context(), id, call(id, ""))
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
}

func TestAnIDUnderWayIsNotTakenTwice(t *testing.T) {
	heard, release := make(chan struct{}), make(chan struct{})
	v := newVenue(t, func(p *peer) {
		m, _ := p.hear()
		close(heard)
		<-release
		p.say(m.ID, "done")
		echo(p)
	})
	c := open(t, v, nil)
	first := make(chan error, 1)
	go func() {
		_, err := c.Call(context.Background(), "1", call("1", ""))
		first <- err
	}()
	<-heard
	if _, err := c.Call(t.Context(), "1", call("1", "")); !errors.Is(outcome(err), venues.ErrNotSent) {
		t.Errorf("second call under the id: %v", err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("first call under the id: %v", err)
	}
}
