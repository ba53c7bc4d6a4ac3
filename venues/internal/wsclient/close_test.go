package wsclient_test

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/internal/wsclient"
)

// closeMax is far below every time-out of a connection: a Close that takes longer
// has waited for the venue.
const closeMax = 4 * time.Second

// closeSoon closes a link that must not wait for its venue.
func closeSoon(t *testing.T, link *wsclient.Link) {
	t.Helper()
	begun := time.Now()
	link.Close()
	if took := time.Since(begun); took > closeMax {
		t.Errorf("Close took %s", took)
	}
}

func TestCloseDuringEachPhase(t *testing.T) {
	t.Run("connected", func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		r := newRecorder()
		link := open(t, v, r, nil)
		r.await(t, "a connection", has("opened", 1))
		link.Close()
		if events := r.list(); len(events) != 1 {
			t.Errorf("heard %v after Close, want silence", events)
		}
	})
	t.Run("waiting to dial", func(t *testing.T) {
		v := newVenue(t, func(int, *websocket.Conn) {})
		r := newRecorder()
		link := open(t, v, r, func(o *wsclient.Options) { o.BackoffMin, o.BackoffMax = time.Hour, time.Hour })
		r.await(t, "the loss", has("lost", 1))
		link.Close()
	})
	t.Run("dialling", func(t *testing.T) {
		asked := make(chan struct{})
		link := wsclient.New(wsclient.Options{Handler: newRecorder(), URL: func(ctx context.Context) (string, error) {
			close(asked)
			<-ctx.Done()
			return "", ctx.Err()
		}})
		link.Start()
		<-asked
		link.Close()
	})
	t.Run("renewing", func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		r := newRecorder()
		link := open(t, v, r, func(o *wsclient.Options) { o.RenewOverlap = time.Hour })
		r.await(t, "a connection", has("opened", 1))
		link.Renew()
		r.await(t, "the successor", has("opened", 2))
		link.Close()
	})
}

// swallow accepts connections, takes every byte and gives none.
func swallow(t *testing.T) (address string, taken <-chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	first := make(chan struct{}, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 1))
				select {
				case first <- struct{}{}:
				default:
				}
				_, _ = io.Copy(io.Discard, conn)
			}()
		}
	}()
	return listener.Addr().String(), first
}

// A venue that takes the handshake and never answers does not hold up a Close.
func TestCloseWhileTheVenueSwallowsTheHandshake(t *testing.T) {
	for _, scheme := range []string{"ws://", "wss://"} {
		t.Run(scheme, func(t *testing.T) {
			address, taken := swallow(t)
			link := wsclient.New(wsclient.Options{
				Handler: newRecorder(), URL: func(context.Context) (string, error) { return scheme + address, nil },
			})
			link.Start()
			<-taken
			closeSoon(t, link)
		})
	}
}

// Nor does one that takes a login and never answers, or a successor's handshake.
func TestCloseWhileTheVenueSwallowsALogin(t *testing.T) {
	v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
	asked := make(chan struct{})
	link := wsclient.New(wsclient.Options{
		Handler: newRecorder(), URL: func(context.Context) (string, error) { return v.url, nil },
		Authenticate: func(s *wsclient.Session) error {
			close(asked)
			_, err := s.Read()
			return err
		},
	})
	link.Start()
	<-asked
	closeSoon(t, link)
}

func TestCloseWhileASuccessorIsSwallowed(t *testing.T) {
	address, taken := swallow(t)
	v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
	r := newRecorder()
	addresses := make(chan string, 2)
	addresses <- v.url
	addresses <- "ws://" + address
	link := open(t, v, r, func(o *wsclient.Options) {
		o.URL = func(context.Context) (string, error) { return <-addresses, nil }
	})
	r.await(t, "a connection", has("opened", 1))
	link.Renew()
	<-taken
	closeSoon(t, link)
}

// A venue that reads nothing any more blocks a write, and with it the ping behind
// it. Neither holds up a Close.
func TestCloseWhileTheVenueReadsNothing(t *testing.T) {
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
	closeSoon(t, link)
	close(release)
	if <-written == nil {
		t.Error("a message that nobody reads was written")
	}
}

// A dial that Close has ended is no failure to be told of.
func TestCloseWhileDiallingIsNotLogged(t *testing.T) {
	address, taken := swallow(t)
	lines := make(chan string, 10)
	link := wsclient.New(wsclient.Options{
		Handler: newRecorder(), URL: func(context.Context) (string, error) { return "ws://" + address, nil }, Log: captureWarnings(lines),
	})
	link.Start()
	<-taken
	link.Close()
	if len(lines) > 0 {
		t.Errorf("logged %s", <-lines)
	}
}
