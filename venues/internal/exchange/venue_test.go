package exchange_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"venuegate/venues/internal/exchange"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	// awaitMax bounds an exchange that must succeed. Only a failing test waits that long.
	awaitMax = time.Minute
	okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
)

// venue is a server of raw connections.
type venue struct {
	listener net.Listener
	accepted atomic.Int64
	requests atomic.Int64
	running  sync.WaitGroup
	mu       sync.Mutex
	conns    []net.Conn
}

// newVenue serves each connection, the first of which has the number 1, with serve.
func newVenue(t testing.TB, serve func(v *venue, conn net.Conn, n int64)) *venue {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	v := &venue{listener: listener}
	v.running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			v.mu.Lock()
			v.conns = append(v.conns, conn)
			v.mu.Unlock()
			n := v.accepted.Add(1)
			v.running.Go(func() {
				defer conn.Close()
				serve(v, conn, n)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		v.mu.Lock()
		for _, conn := range v.conns {
			conn.Close()
		}
		v.mu.Unlock()
		v.running.Wait()
	})
	return v
}

func (v *venue) url() string { return "http://" + v.listener.Addr().String() }

// read reads a request; it reports false at the end of the connection.
func (v *venue) read(r *bufio.Reader) (body string, ok bool) {
	request, err := http.ReadRequest(r)
	if err != nil {
		return "", false
	}
	text, err := io.ReadAll(request.Body)
	if err != nil {
		return "", false
	}
	v.requests.Add(1)
	return string(text), true
}

// answering serves every request with the same answer.
func answering(answer string) func(*venue, net.Conn, int64) {
	return func(v *venue, conn net.Conn, _ int64) {
		r := bufio.NewReader(conn)
		for {
			if _, ok := v.read(r); !ok {
				return
			}
			if _, err := io.WriteString(conn, answer); err != nil {
				return
			}
		}
	}
}

func options(url string) exchange.Options {
	return exchange.Options{
		BaseURL: url, UserAgent: "venuegate", Dial: new(net.Dialer).DialContext, TLS: &tls.Config{MinVersion: tls.VersionTLS12},
		Timeout: awaitMax, HandshakeTimeout: awaitMax, IdleTimeout: awaitMax,
		ConnsMax: 8, HeadBytesMax: 16 << 10, BodyBytesMax: 64 << 10,
	}
}

func client(t testing.TB, o exchange.Options) *exchange.Client {
	c := exchange.New(o)
	t.Cleanup(c.Close)
	return c
}

var order = exchange.Request{Method: http.MethodPost, Path: "/order", Body: `{"qty":"1"}`, ContentType: "application/json"}

// place sends an order that must be answered.
func place(t testing.TB, c *exchange.Client) *exchange.Answer {
	t.Helper()
	answer, sent, err := c.Do(context.Background(), order)
	if err != nil || !sent {
		t.Fatalf("error %v, sent %v, want an answer", err, sent)
	}
	return answer
}

// fails sends an order that must not be answered.
func fails(ctx context.Context, t testing.TB, c *exchange.Client, wantSent bool) error {
	t.Helper()
	answer, sent, err := c.Do(ctx, order)
	if err == nil || sent != wantSent {
		t.Errorf("answer %+v, error %v, sent %v, want an error and sent %v", answer, err, sent, wantSent)
	}
	return err
}

// secure returns a TLS server that speaks HTTP/2 too, and options that trust it.
func secure(t *testing.T, handler http.HandlerFunc) (*httptest.Server, exchange.Options) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that fail
	server.StartTLS()
	t.Cleanup(server.Close)
	o := options(server.URL)
	o.TLS.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	return server, o
}

func repeated(text string, length int) string {
	return strings.Repeat(text, length/len(text)+1)[:length]
}

// oneAnswer answers the first request of a connection and closes it.
func oneAnswer(answer string) func(*venue, net.Conn, int64) {
	return func(v *venue, conn net.Conn, _ int64) {
		if _, ok := v.read(bufio.NewReader(conn)); ok {
			_, _ = io.WriteString(conn, answer)
		}
	}
}
