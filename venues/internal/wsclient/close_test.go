package wsclient_test

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/internal/wsclient"
)

// closeAtOnce closes a link that must not wait for its venue: it takes no time but
// that of the machine, which virtual time does not count.
func closeAtOnce(t *testing.T, link *wsclient.Link) {
	t.Helper()
	begun := time.Now()
	link.Close()
	if took := time.Since(begun); took > 0 {
		t.Errorf("Close took %s", took)
	}
}

func TestCloseDuringEachPhase(t *testing.T) {
	for name, phase := range map[string]func(*testing.T){
		"connected": func(t *testing.T) {
			v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
			r := newRecorder()
			link := open(t, v, r, nil)
			r.await(t, "a connection", has("opened", 1))
			closeAtOnce(t, link)
			if events := r.list(); len(events) != 1 {
				t.Errorf("heard %v after Close, want silence", events)
			}
		},
		"waiting to dial": func(t *testing.T) {
			v := newVenue(t, func(_ int, c *websocket.Conn) { say(c, "bye") })
			r := newRecorder()
			link := open(t, v, r, func(o *wsclient.Options) { o.BackoffMin, o.BackoffMax = time.Hour, time.Hour })
			r.await(t, "the loss", has("lost", 1))
			closeAtOnce(t, link)
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
			closeAtOnce(t, link)
		},
		"renewing": func(t *testing.T) {
			v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
			r := newRecorder()
			link := open(t, v, r, func(o *wsclient.Options) { o.RenewOverlap = time.Hour })
			r.await(t, "a connection", has("opened", 1))
			link.Renew()
			r.await(t, "the successor", has("opened", 2))
			closeAtOnce(t, link)
		},
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, phase) })
	}
}

// swallow makes connections of which the other end takes every byte and gives none.
// Each is heard of when it has said something.
func swallow(t *testing.T) (dial func(ctx context.Context, network, address string) (net.Conn, error), taken <-chan struct{}) {
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

// A venue that takes the handshake and never answers does not hold up a Close.
func TestCloseWhileTheVenueSwallowsTheHandshake(t *testing.T) {
	for _, address := range []string{"ws://venue", "wss://venue"} {
		t.Run(address, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial, taken := swallow(t)
				link := wsclient.New(wsclient.Options{
					Handler: newRecorder(), URL: func(context.Context) (string, error) { return address, nil }, Dial: dial,
				})
				link.Start()
				<-taken
				closeAtOnce(t, link)
			})
		})
	}
}

// Nor does one that takes a login and never answers, or a successor's handshake.
func TestCloseWhileTheVenueSwallowsALogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		asked := make(chan struct{})
		link := wsclient.New(wsclient.Options{
			Handler: newRecorder(), URL: v.url, Dial: v.dial,
			Authenticate: func(s *wsclient.Session) error {
				close(asked)
				_, err := s.Read()
				return err
			},
		})
		link.Start()
		<-asked
		closeAtOnce(t, link)
	})
}

func TestCloseWhileASuccessorIsSwallowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		swallows, taken := swallow(t)
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		r := newRecorder()
		link := open(t, v, r, func(o *wsclient.Options) {
			o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				if v.dialled.Load() > 1 {
					return swallows(ctx, network, address)
				}
				return v.dial(ctx, network, address)
			}
		})
		r.await(t, "a connection", has("opened", 1))
		link.Renew()
		<-taken
		closeAtOnce(t, link)
	})
}

// A venue that reads nothing any more blocks a write, and with it the ping behind
// it. Neither holds up a Close.
func TestCloseWhileTheVenueReadsNothing(t *testing.T) {
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
		closeAtOnce(t, link)
		close(release)
		if <-written == nil {
			t.Error("a message that nobody reads was written")
		}
	})
}

// A dial that Close has ended is no failure to be told of.
func TestCloseWhileDiallingIsNotLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial, taken := swallow(t)
		lines := make(chan string, 10)
		link := wsclient.New(wsclient.Options{
			Handler: newRecorder(), URL: func(context.Context) (string, error) { return "ws://venue", nil }, Dial: dial, Log: captureWarnings(lines),
		})
		link.Start()
		<-taken
		link.Close()
		if len(lines) > 0 {
			t.Errorf("logged %s", <-lines)
		}
	})
}
