// Package pipetest serves HTTP over pipes, for tests in virtual time
// (testing/synctest): timeouts are deterministic there, however busy the machine is.
//
//	func TestMain(m *testing.M) {
//		pipetest.WarmUp()
//		...
//	}
//
//	synctest.Test(t, func(t *testing.T) {
//		listener := pipetest.Listen()
//		go server.Serve(listener)
//		conn := listener.Dial(t)
//		...
//		shut the server down
//		time.Sleep(pipetest.CleanerMax)
//	})
package pipetest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
)

// CleanerMax is the time after which all goroutines of a stopped server have ended.
const CleanerMax = time.Minute

// Listener is a network in memory. Its pipes have no buffer and no descriptor.
type Listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// Listen returns a new Listener.
func Listen() *Listener {
	return &Listener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *Listener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// DialContext connects to the listener; it fits http.Transport.
func (l *Listener) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Dial connects to the listener. The connection is closed at the end of the test.
func (l *Listener) Dial(t testing.TB) net.Conn {
	t.Helper()
	conn, err := l.DialContext(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// WarmUp starts the goroutines that the HTTP library keeps until the end of the
// process. If they started in a bubble they would still run at its end.
func WarmUp() {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Server().MaxIdleWorkerDuration = time.Millisecond // its other goroutines end
	l := Listen()
	served := make(chan error, 1)
	go func() { served <- app.Listener(l) }()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://warm/", nil)
	if err != nil {
		panic(err)
	}
	transport := &http.Transport{DialContext: l.DialContext, DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		panic(err)
	}
	if err := errors.Join(response.Body.Close(), app.Shutdown(), <-served); err != nil {
		panic(err)
	}
}
