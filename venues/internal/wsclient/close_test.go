package wsclient_test

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/internal/wsclient"
)

// closeImmediately closes a link that must not wait for its venue. Close takes no virtual
// time.
func closeImmediately(t *testing.T, link *wsclient.Link) {
	t.Helper()
	begun := time.Now()
	link.Close()
	if took := time.Since(begun); took > 0 {
		t.Errorf("Close took %s, want no time", took)
	}
}

func TestCloseDuringEachPhase(t *testing.T) {
	for name, phase := range map[string]func(*testing.T){
		"connected": func(t *testing.T) {
			v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
			r := newRecorder()
			link := open(t, v, r, nil)
			r.await(t, "a connection", has("opened", 1))
			closeImmediately(t, link)
			if events := r.list(); len(events) != 1 {
				t.Errorf("handler calls %v after Close, want none", events)
			}
		},
		"waiting to dial": func(t *testing.T) {
			v := newVenue(t, func(_ int, c *websocket.Conn) { send(c, "bye") })
			r := newRecorder()
			link := open(t, v, r, func(o *wsclient.Options) { o.BackoffMin, o.BackoffMax = time.Hour, time.Hour })
			r.await(t, "the loss", has("lost", 1))
			closeImmediately(t, link)
		},
		"dialling": func(t *testing.T) {
			asked := make(chan struct{})
			link := wsclient.New(wsclient.Options{Handler: newRecorder(), URL: func(ctx context.Context) (string, error) {
				close(asked)
				<-ctx.Done()
				return "", ctx.Err()
			}})
			link.Start()
			<-asked
			closeImmediately(t, link)
		},
		"renewing": func(t *testing.T) {
			v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
			r := newRecorder()
			link := open(t, v, r, func(o *wsclient.Options) { o.RenewOverlap = time.Hour })
			r.await(t, "a connection", has("opened", 1))
			link.Renew()
			r.await(t, "the successor", has("opened", 2))
			closeImmediately(t, link)
		},
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, phase) })
	}
}

// unresponsive returns connections whose other end reads every byte and sends none. Each
// is reported when it has sent something.
func unresponsive(t *testing.T) (dial func(ctx context.Context, network, address string) (net.Conn, error), taken <-chan struct{}) {
	t.Helper()
	first := make(chan struct{}, 1)
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { theirs.Close() })
		go func() {
			_, _ = theirs.Read(make([]byte, 1))
			select {
			case first <- struct{}{}:
			default:
			}
			_, _ = io.Copy(io.Discard, theirs)
		}()
		return ours, nil
	}, first
}

// A venue that reads the handshake and never answers does not delay a Close.
func TestCloseDuringUnansweredHandshake(t *testing.T) {
	for _, address := range []string{"ws://venue", "wss://venue"} {
		t.Run(address, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial, taken := unresponsive(t)
				link := wsclient.New(wsclient.Options{
					Handler: newRecorder(), URL: func(context.Context) (string, error) { return address, nil }, Dial: dial,
				})
				link.Start()
				<-taken
				closeImmediately(t, link)
			})
		})
	}
}

// Nor does one that reads a login and never answers, or a successor's handshake.
func TestCloseDuringUnansweredLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		asked := make(chan struct{})
		link := wsclient.New(wsclient.Options{
			Handler: newRecorder(), URL: v.url, Dial: v.dial,
			Authenticate: func(s *wsclient.Handshake) error {
				close(asked)
				_, err := s.Read()
				return err
			},
		})
		link.Start()
		<-asked
		closeImmediately(t, link)
	})
}

func TestCloseDuringUnansweredRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		swallows, taken := unresponsive(t)
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		r := newRecorder()
		var dials atomic.Int64
		link := open(t, v, r, func(o *wsclient.Options) {
			o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				if dials.Add(1) > 1 {
					return swallows(ctx, network, address)
				}
				return v.dial(ctx, network, address)
			}
		})
		r.await(t, "a connection", has("opened", 1))
		link.Renew()
		<-taken
		closeImmediately(t, link)
	})
}

// A venue that stops reading blocks a write, and with it the ping after it. Neither
// delays a Close.
func TestCloseDuringBlockedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		v := newVenue(t, func(int, *websocket.Conn) { <-release })
		r := newRecorder()
		conns := make(chan *wsclient.Conn, 1)
		r.onOpen = func(c *wsclient.Conn) { conns <- c }
		pinged := make(chan struct{})
		r.onTick = func() {
			select {
			case pinged <- struct{}{}:
			default:
			}
		}
		link := open(t, v, r, func(o *wsclient.Options) { o.PingInterval = 20 * time.Millisecond })
		conn := <-conns
		written := make(chan error, 1)
		go func() {
			_, err := conn.Write(context.Background(), make([]byte, 64<<20))
			written <- err
		}()
		// Ticks end once a ping waits behind the write.
		for stuck := false; !stuck; {
			select {
			case <-pinged:
			case <-time.After(500 * time.Millisecond):
				stuck = true
			}
		}
		closeImmediately(t, link)
		close(release)
		if <-written == nil {
			t.Error("a message that is not read was written")
		}
	})
}

// A dial that was ended by Close is not logged as a failure.
func TestCloseWhileDiallingIsNotLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial, taken := unresponsive(t)
		lines := make(chan string, 10)
		link := wsclient.New(wsclient.Options{
			Handler: newRecorder(), URL: func(context.Context) (string, error) { return "ws://venue", nil }, Dial: dial, Log: captureWarnings(lines),
		})
		link.Start()
		<-taken
		link.Close()
		if len(lines) > 0 {
			t.Errorf("logged %s, want nothing", <-lines)
		}
	})
}
