package wsclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/goleak"

	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/wsclient"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorder is a handler that records its calls.
type recorder struct {
	mu        sync.Mutex
	events    []string
	onOpen    func(*wsclient.Conn)
	onTick    func()
	onMessage func(c *wsclient.Conn, text string)
	wake      chan struct{}
}

func newRecorder() *recorder { return &recorder{wake: make(chan struct{}, 1)} }

func (r *recorder) note(event string) {
	r.mu.Lock()
	r.events = append(r.events, event)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *recorder) Opened(c *wsclient.Conn) {
	r.note("opened")
	if r.onOpen != nil {
		r.onOpen(c)
	}
}

func (r *recorder) Message(c *wsclient.Conn, data []byte) {
	r.note("message " + string(data))
	if r.onMessage != nil {
		r.onMessage(c, string(data))
	}
}

func (r *recorder) Lost(cause error) { r.note("lost: " + cause.Error()) }

func (r *recorder) Tick(time.Time) {
	if r.onTick != nil {
		r.onTick()
	}
}

func (r *recorder) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// await waits until done accepts the calls so far.
func (r *recorder) await(t *testing.T, what string, done func(events []string) bool) []string {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		if events := r.list(); done(events) {
			return events
		}
		select {
		case <-r.wake:
		case <-deadline:
			t.Fatalf("no %s; handler calls %v", what, r.list())
		}
	}
}

func has(prefix string, times int) func([]string) bool {
	return func(events []string) bool {
		n := 0
		for _, e := range events {
			if strings.HasPrefix(e, prefix) {
				n++
			}
		}
		return n >= times
	}
}

// venue serves WebSocket connections with a function; n counts from 1 in the order of
// dialling. They are pipes, so that the tests run in virtual time, independent of the
// machine's load.
type venue struct {
	dial connectortest.Dial
	url  func(context.Context) (string, error)
}

func newVenue(t *testing.T, serve func(n int, c *websocket.Conn)) *venue {
	t.Helper()
	v := &venue{}
	v.dial, v.url = connectortest.ServeNumbered(t, serve)
	return v
}

// hold reads until the peer is gone.
func hold(c *websocket.Conn) {
	for {
		if _, _, err := c.ReadMessage(); err != nil {
			return
		}
	}
}

func send(c *websocket.Conn, text string) { _ = c.WriteMessage(websocket.TextMessage, []byte(text)) }

func open(t *testing.T, v *venue, r *recorder, set func(*wsclient.Options)) *wsclient.Link {
	t.Helper()
	o := wsclient.Options{
		URL:        v.url,
		Dial:       v.dial,
		Handler:    r,
		BackoffMin: 5 * time.Millisecond, BackoffMax: 20 * time.Millisecond,
		TickInterval: 10 * time.Millisecond, SendsPerSecond: 1000,
	}
	if set != nil {
		set(&o)
	}
	link := wsclient.New(o)
	link.Start()
	t.Cleanup(link.Close)
	return link
}

func TestMessagesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) {
			for n := range 100 {
				send(c, fmt.Sprint(n, strings.Repeat("x", n*50)))
			}
			hold(c)
		})
		r := newRecorder()
		open(t, v, r, nil)
		events := r.await(t, "the last message", has("message", 100))
		for n := range 100 {
			if want := "message " + fmt.Sprint(n, strings.Repeat("x", n*50)); events[n+1] != want {
				t.Fatalf("message %d = %.20q, want %.20q", n, events[n+1], want)
			}
		}
	})
}

func TestReconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(n int, c *websocket.Conn) {
			send(c, fmt.Sprint("from ", n))
			if n == 3 {
				hold(c)
			}
		})
		r := newRecorder()
		open(t, v, r, nil)
		events := r.await(t, "the third connection", has("message from 3", 1))
		if len(events) != 8 || events[0] != "opened" || events[1] != "message from 1" || !strings.HasPrefix(events[2], "lost") {
			t.Errorf("handler calls %v, want 8 over three connections", events)
		}
	})
}

func TestDialFailureIsNotALoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		r := newRecorder()
		failures := 0
		open(t, v, r, func(o *wsclient.Options) {
			o.URL = func(ctx context.Context) (string, error) {
				if failures++; failures <= 2 {
					return "", errors.New("no key")
				}
				return v.url(ctx)
			}
		})
		if events := r.await(t, "a connection", has("opened", 1)); len(events) != 1 {
			t.Errorf("handler calls %v, want none before the first connection", events)
		}
	})
}

func TestSilenceEndsAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) {
			c.SetPingHandler(func(string) error { return nil }) // reads pings, answers none
			hold(c)
		})
		r := newRecorder()
		open(t, v, r, func(o *wsclient.Options) {
			o.SilenceMax, o.PingInterval = 50*time.Millisecond, 10*time.Millisecond
		})
		r.await(t, "the loss", has("lost: "+wsclient.ErrSilent.Error(), 1))
		r.await(t, "the next connection", has("opened", 2))
	})
}

func TestPongsCountAsActivity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := connectortest.ServePipes(t, func(_ *http.Request, c *websocket.Conn) { hold(c) })
		r := newRecorder()
		link := wsclient.New(wsclient.Options{
			URL: func(context.Context) (string, error) { return "ws://venue", nil }, Dial: dial, Handler: r,
			SilenceMax: time.Minute, PingInterval: 20 * time.Second,
		})
		link.Start()
		defer link.Close()
		time.Sleep(3 * time.Minute)
		if events := r.list(); !slices.Equal(events, []string{"opened"}) {
			t.Errorf("handler calls %v on a quiet connection, want slices.Equal(events, []string{\"opened\"})", events)
		}
	})
}

func TestPingsAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pongs := make(chan string, 1)
		v := newVenue(t, func(_ int, c *websocket.Conn) {
			c.SetPongHandler(func(payload string) error {
				select {
				case pongs <- payload:
				default:
				}
				return nil
			})
			_ = c.WriteControl(websocket.PingMessage, []byte("1626"), time.Now().Add(time.Second))
			hold(c)
		})
		open(t, v, newRecorder(), nil)
		select {
		case got := <-pongs:
			if got != "1626" {
				t.Errorf("pong %q, want the payload of the ping", got)
			}
		case <-time.After(time.Minute):
			t.Fatal("no pong was sent")
		}
	})
}

func TestTextPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := make(chan string, 10)
		v := newVenue(t, func(_ int, c *websocket.Conn) {
			for {
				_, text, err := c.ReadMessage()
				if err != nil {
					return
				}
				said <- string(text)
			}
		})
		open(t, v, newRecorder(), func(o *wsclient.Options) {
			o.Ping, o.PingInterval = []byte("ping"), 10*time.Millisecond
		})
		if got := <-said; got != "ping" {
			t.Errorf("the venue received %q, want ping", got)
		}
	})
}

func TestOversizedMessageEndsAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(n int, c *websocket.Conn) {
			if n == 1 {
				send(c, strings.Repeat("x", 2000))
			}
			hold(c)
		})
		r := newRecorder()
		open(t, v, r, func(o *wsclient.Options) { o.ReadBytesMax = 1000 })
		events := r.await(t, "the next connection", has("opened", 2))
		if has("message", 1)(events) {
			t.Error("the oversized message was passed to the handler")
		}
	})
}

func TestAuthenticate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(n int, c *websocket.Conn) {
			_, login, err := c.ReadMessage()
			if err != nil || string(login) != "login" {
				return
			}
			if n == 1 {
				send(c, "refused")
				return
			}
			send(c, "welcome")
			send(c, "data")
			hold(c)
		})
		r := newRecorder()
		open(t, v, r, func(o *wsclient.Options) {
			o.Authenticate = func(s *wsclient.Handshake) error {
				if err := s.Write([]byte("login")); err != nil {
					return err
				}
				answer, err := s.Read()
				if err == nil && string(answer) != "welcome" {
					err = errors.New("login refused")
				}
				return err
			}
		})
		if events := r.await(t, "data", has("message", 1)); !slices.Equal(events, []string{"opened", "message data"}) {
			t.Errorf("handler calls %v, want slices.Equal(events, []string{\"opened\", \"message data\"})", events)
		}
	})
}

func TestAbortClosesOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		r := newRecorder()
		conns := make(chan *wsclient.Conn, 2)
		r.onOpen = func(c *wsclient.Conn) { conns <- c }
		open(t, v, r, nil)
		first := <-conns
		for range 3 {
			first.Abort(errors.New("tired of it"))
		}
		second := <-conns
		first.Abort(errors.New("too late"))
		if began, err := second.Write(t.Context(), []byte("hello")); !began || err != nil {
			t.Errorf("write on the second connection: began %v, error %v, want true and none", began, err)
		}
		if lost := r.list(); !slices.Equal(lost, []string{"opened", "lost: tired of it", "opened"}) {
			t.Errorf("handler calls %v, want slices.Equal(lost, []string{\"opened\", \"lost: tired of it\", \"opened\"})", lost)
		}
	})
}

func TestSendsArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		arrived := make(chan time.Time, 5)
		dial := connectortest.ServePipes(t, func(_ *http.Request, c *websocket.Conn) {
			for {
				if _, _, err := c.ReadMessage(); err != nil {
					return
				}
				arrived <- time.Now()
			}
		})
		r := newRecorder()
		r.onOpen = func(c *wsclient.Conn) {
			for range cap(arrived) {
				c.Send([]byte("subscribe"))
			}
		}
		link := wsclient.New(wsclient.Options{
			URL: func(context.Context) (string, error) { return "ws://venue", nil }, Dial: dial, Handler: r, SendsPerSecond: 50,
		})
		link.Start()
		defer link.Close()
		first := <-arrived
		for n := 1; n < cap(arrived); n++ {
			if after := (<-arrived).Sub(first); after != time.Duration(n)*20*time.Millisecond {
				t.Errorf("message %d arrived %v after the first, want 50 a second", n, after)
			}
		}
	})
}

func TestSendQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		r := newRecorder()
		var once sync.Once
		r.onOpen = func(c *wsclient.Conn) {
			once.Do(func() {
				for range 2000 {
					c.Send([]byte("x"))
				}
			})
		}
		open(t, v, r, func(o *wsclient.Options) { o.SendsPerSecond = 1 })
		r.await(t, "the overflow", has("lost: "+wsclient.ErrSendQueueFull.Error(), 1))
	})
}

func TestDialErrorContainsNoKey(t *testing.T) {
	rejecting := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(rejecting.Close)
	target := "ws" + strings.TrimPrefix(rejecting.URL, "http") + "/ws?listenKey=5ecre7"
	logged := make(chan string, 1)
	r := newRecorder()
	link := wsclient.New(wsclient.Options{
		URL:     func(context.Context) (string, error) { return target, nil },
		Handler: r, Log: capture(logged), BackoffMin: time.Hour,
	})
	link.Start()
	t.Cleanup(link.Close)
	if line := <-logged; strings.Contains(line, "5ecre7") || !strings.Contains(line, "404") {
		t.Errorf("logged %q, want the status and no key", line)
	}
}
