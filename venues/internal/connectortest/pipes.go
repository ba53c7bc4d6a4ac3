package connectortest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
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
