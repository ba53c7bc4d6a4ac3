package connectortest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fasthttp/websocket"
)

// Dial makes a connection.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// ServePipes serves stream connections within the process until the end of the test, so
// that time advances in a synctest bubble while they are idle. serve has a connection
// until it returns.
func ServePipes(t testing.TB, serve func(*http.Request, *websocket.Conn)) Dial {
	t.Helper()
	return servePipes(t, func(w http.ResponseWriter, r *http.Request) {
		upgrader := websocket.Upgrader{}
		if c, err := upgrader.Upgrade(w, r, nil); err == nil {
			defer c.Close()
			serve(r, c)
		}
	})
}

// ServeNumbered is [ServePipes] for connections to the addresses that url returns. serve gets
// their number, which counts from 1 in the order of dialling.
func ServeNumbered(t testing.TB, serve func(n int, c *websocket.Conn)) (dial Dial, url func(context.Context) (string, error)) {
	t.Helper()
	var dialled atomic.Int64
	dial = ServePipes(t, func(r *http.Request, c *websocket.Conn) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil {
			t.Error(err)
		}
		serve(n, c)
	})
	return dial, func(context.Context) (string, error) { return fmt.Sprint("ws://venue/", dialled.Add(1)), nil }
}

func servePipes(t testing.TB, serve http.HandlerFunc) Dial {
	t.Helper()
	accepted, closed := make(chan net.Conn), t.Context().Done()
	server := httptest.NewUnstartedServer(serve)
	_ = server.Listener.Close() // replaced by pipes
	server.Listener = pipes{accepted, closed}
	server.Start()
	t.Cleanup(server.Close)
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		select {
		case accepted <- theirs:
			return ours, nil
		case <-closed:
			return nil, net.ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// pipes is a listener for connections within the process.
type pipes struct {
	accepted chan net.Conn
	closed   <-chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (pipes) Close() error { return nil }

func (pipes) Addr() net.Addr { return &net.IPAddr{} }
