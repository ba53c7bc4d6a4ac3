package exchange_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// soon bounds how long the end of a context may take to end an exchange.
const soon = 5 * time.Second

// endsAfter is above the time that it takes to connect and to write.
const endsAfter = time.Second

// The end of the context ends an exchange at once, wherever it is, with the error of the
// context and the outcome as it is then.
func TestContextEndsExchange(t *testing.T) {
	unread, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts, nobody reads
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unread.Close() })
	address := unread.Addr().String()
	endless := newVenue(t, func(v *venue, conn net.Conn, _ int64) {
		v.read(bufio.NewReader(conn))
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n")
		for {
			if _, err := conn.Write([]byte("x")); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
	stuck := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	narrow := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			err = conn.(*net.TCPConn).SetWriteBuffer(4 << 10)
		}
		return conn, err
	}
	for name, c := range map[string]struct {
		url  string
		dial func(context.Context, string, string) (net.Conn, error)
		body int
		sent bool
	}{
		"connecting":    {url: "http://" + address, dial: stuck},
		"TLS handshake": {url: "https://" + address},
		"request":       {url: "http://" + address, dial: narrow, body: 1 << 20, sent: true},
		"before answer": {url: "http://" + address, sent: true},
		"during answer": {url: endless.url(), sent: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for way, end := range map[string]struct {
				context func(context.Context) (context.Context, context.CancelFunc)
				timeout time.Duration
				want    error
			}{
				"deadline": {func(ctx context.Context) (context.Context, context.CancelFunc) {
					return context.WithTimeout(ctx, endsAfter)
				}, awaitMax, context.DeadlineExceeded},
				"cancel": {func(ctx context.Context) (context.Context, context.CancelFunc) {
					ctx, cancel := context.WithCancel(ctx)
					time.AfterFunc(endsAfter, cancel)
					return ctx, cancel
				}, awaitMax, context.Canceled},
				"timeout": {context.WithCancel, endsAfter, context.DeadlineExceeded},
			} {
				o := options(c.url)
				o.Timeout = end.timeout
				if c.dial != nil {
					o.Dial = c.dial
				}
				slow := order
				slow.Body += strings.Repeat(" ", c.body)
				ctx, cancel := end.context(t.Context())
				begun := time.Now()
				_, sent, err := client(t, o).Do(ctx, slow)
				if cancel(); !errors.Is(err, end.want) || sent != c.sent || time.Since(begun) > soon {
					t.Errorf("%s: error %v, sent %v after %s, want %v, sent %v at once", way, err, sent, time.Since(begun), end.want, c.sent)
				}
			}
		})
	}
}

// A request whose context has ended is not sent, over a kept connection either, and the
// connection stays.
func TestEndedContextSendsNothing(t *testing.T) {
	v := newVenue(t, answering(okAnswer))
	c := client(t, options(v.url()))
	place(t, c)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := fails(cancelled, t, c, false); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	place(t, c)
	if v.requests.Load() != 2 || v.accepted.Load() != 1 {
		t.Errorf("%d requests on %d connections, want 2 on 1", v.requests.Load(), v.accepted.Load())
	}
}

// The deadline of an exchange does not concern the next one, and a context that ends
// afterwards does neither.
func TestDeadlineEndsWithTheExchange(t *testing.T) {
	v := newVenue(t, answering(okAnswer))
	c := client(t, options(v.url()))
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, _, err := c.Do(ctx, order); err != nil {
			t.Skip("the machine is too slow: ", err)
		}
		cancel()
		time.Sleep(30 * time.Millisecond)
	}
	if v.accepted.Load() != 1 {
		t.Errorf("%d connections, want 1", v.accepted.Load())
	}
}

// No connection, no order: one more than ConnsMax is not sent and does not wait.
func TestFullPool(t *testing.T) {
	release := make(chan struct{})
	v := newVenue(t, func(v *venue, conn net.Conn, _ int64) {
		r := bufio.NewReader(conn)
		for _, ok := v.read(r); ok; _, ok = v.read(r) {
			<-release
			_, _ = io.WriteString(conn, okAnswer)
		}
	})
	o := options(v.url())
	o.ConnsMax = 3
	unreachable := true
	dial := o.Dial
	o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if unreachable {
			return nil, errCable
		}
		return dial(ctx, network, address)
	}
	c := client(t, o)
	for range o.ConnsMax + 1 { // a connection that was not made does not count
		if err := fails(t.Context(), t, c, false); !errors.Is(err, errCable) {
			t.Errorf("error %v, want that of the network", err)
		}
	}
	unreachable = false
	done := make(chan error, o.ConnsMax)
	for range o.ConnsMax {
		go func() {
			_, _, err := c.Do(context.Background(), order)
			done <- err
		}()
	}
	for begun := time.Now(); v.requests.Load() < int64(o.ConnsMax); time.Sleep(time.Millisecond) {
		if time.Since(begun) > soon {
			t.Fatalf("%d requests, want %d", v.requests.Load(), o.ConnsMax)
		}
	}
	for range 10 {
		_ = fails(t.Context(), t, c, false)
	}
	close(release)
	for range o.ConnsMax {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	place(t, c)
	if v.requests.Load() != int64(o.ConnsMax+1) || v.accepted.Load() != int64(o.ConnsMax) {
		t.Errorf("%d requests on %d connections, want %d on %d", v.requests.Load(), v.accepted.Load(), o.ConnsMax+1, o.ConnsMax)
	}
}
