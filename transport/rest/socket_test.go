package rest_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/pipetest"
	"venuegate/transport/rest"
	"venuegate/venues"
)

// listen serves the world on a socket of its own.
func (w *world) listen() (address string) {
	w.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	w.waits()
	w.serve(listener)
	return listener.Addr().String()
}

// waits has the server wait longer than a slow machine takes for a request.
func (w *world) waits() {
	server := w.server.App().Server()
	server.ReadTimeout, server.WriteTimeout = patience, patience
}

// serve serves the world until the end of the test.
func (w *world) serve(listener net.Listener) {
	w.Helper()
	ended := make(chan error, 1)
	go func() { ended <- w.server.Serve(listener) }()
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := w.server.Shutdown(ctx); err != nil {
			w.Error(err)
		}
		if err := <-ended; err != nil {
			w.Error(err)
		}
	})
}

// client is an HTTP client whose connections end with the test.
func (w *world) client() *http.Client {
	transport := &http.Transport{}
	w.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

// send posts a body over a socket.
func (w *world) send(client *http.Client, method, address, path, key string, body io.Reader, headers ...string) *response {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), method, "http://"+address+path, body)
	if err != nil {
		w.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	answered, err := client.Do(request)
	if err != nil {
		w.Fatalf("%s %s: %v", method, path, err)
	}
	defer answered.Body.Close()
	data, err := io.ReadAll(answered.Body)
	if err != nil {
		w.Fatal(err)
	}
	return &response{w, answered.StatusCode, answered.Header, data}
}

// The answer to a body that is too large reaches the client, however much it
// sends before it reads.
func TestBodyLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(pipetest.CleanerMax) })
		w := newWorld(t)
		answerable(w)
		key := w.key("cus_1", persistence.ScopeTrade)
		listener := pipetest.Listen()
		w.serve(listener)
		post := func(path string, size int, headers string) *response {
			t.Helper()
			conn := listener.Dial(t)
			defer conn.Close()
			reader := bufio.NewReader(conn)
			head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n",
				path, key, size, headers)
			say(t, conn, head)
			if headers != "" {
				hear(t, reader).want(http.StatusContinue)
			}
			say(t, conn, marketOrder+strings.Repeat(" ", size-len(marketOrder)))
			return hear(t, reader)
		}
		post("/v1/orders", api.RESTBodyBytesMax, "").want(http.StatusCreated)
		for _, headers := range []string{"", "Expect: 100-continue\r\n"} {
			for _, size := range []int{api.RESTBodyBytesMax + 1, 10 << 20} {
				got := post("/v1/orders", size, headers)
				got.want(http.StatusBadRequest, venues.CodeInvalidRequest)
				if fmt.Sprint(got.error().Details["limit"]) != fmt.Sprint(api.RESTBodyBytesMax) || got.header.Get("X-Request-Id") == "" {
					t.Errorf("%d bytes: %s", size, got.body)
				}
			}
		}
		if len(w.trader.commands) != 1 {
			t.Errorf("%d commands", len(w.trader.commands))
		}
		got := post(api.HooksPath+"in/hook_1", api.RESTBodyBytesMax+1, "").want(http.StatusBadRequest, venues.CodeInvalidRequest)
		if fmt.Sprint(got.error().Details["limit"]) != fmt.Sprint(api.HookBodyBytesMax) {
			t.Errorf("to a hook: %s", got.body)
		}
	})
}

// say writes what the server must take.
func say(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

// hear reads an answer.
func hear(t *testing.T, reader *bufio.Reader) *response {
	t.Helper()
	answer, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &response{t, answer.StatusCode, answer.Header, body}
}

// A header past the limit is answered with the limit, and not repeated to anybody.
func TestHeaderLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(pipetest.CleanerMax) })
		w := newWorld(t)
		listener := pipetest.Listen()
		w.serve(listener)
		conn := listener.Dial(t)
		raw := "GET /v1/time HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + strings.Repeat("k", 9<<10) + "\r\n\r\n"
		go func() { _, _ = io.WriteString(conn, raw) }() // the server does not read to the end
		got := hear(t, bufio.NewReader(conn)).want(http.StatusBadRequest, venues.CodeInvalidRequest)
		if got.error().Details["limit"] == nil || strings.Contains(string(got.body), "kkk") {
			t.Errorf("%s", got.body)
		}
	})
}

// patience bounds the waits of a test; only one that fails spends it.
const patience = time.Minute

// exchange sends raw bytes and reads the answers until the server closes. One that
// waits for more fails the test.
func exchange(t *testing.T, address string, raw string) (answers []*response) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, raw); err != nil {
		t.Fatal(err)
	}
	// An idle connection ends by itself, but not before it has idled.
	if err := conn.SetReadDeadline(time.Now().Add(patience / 2)); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	for {
		answer, err := http.ReadResponse(reader, nil)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("the connection was left open after %d answers", len(answers))
		}
		if err != nil {
			return answers
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, &response{t, answer.StatusCode, answer.Header, body})
	}
}

// Requests that two parsers can read differently are refused, and the
// connection with whatever follows on it is closed.
func TestRequestSmuggling(t *testing.T) {
	w := newWorld(t)
	answerable(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	address := w.listen()
	const smuggled = "DELETE /v1/orders HTTP/1.1\r\nHost: a\r\n\r\n"
	head := "POST /v1/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + "\r\nContent-Type: application/json\r\n"
	body := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(marketOrder), marketOrder)
	length := fmt.Sprintf("Content-Length: %d\r\n", len(marketOrder))
	for name, c := range map[string]struct {
		raw    string
		status int
	}{
		"chunked":                     {head + "Transfer-Encoding: chunked\r\n\r\n" + body, 411},
		"length and chunked":          {head + length + "Transfer-Encoding: chunked\r\n\r\n" + body + smuggled, 411},
		"chunked and length":          {head + "Transfer-Encoding: chunked\r\n" + length + "\r\n" + body + smuggled, 411},
		"TE.CL":                       {head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, 411},
		"identity":                    {head + length + "Transfer-Encoding: identity\r\n\r\n" + marketOrder, 411},
		"chunked in another case":     {head + "transfer-ENCODING: CHUNKED\r\n\r\n" + body, 411},
		"xchunked":                    {head + length + "Transfer-Encoding: xchunked\r\n\r\n" + marketOrder, 400},
		"two codings":                 {head + "Transfer-Encoding: gzip, chunked\r\n\r\n" + body, 400},
		"two Transfer-Encodings":      {head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + body, 400},
		"blank before the colon":      {head + length + "Transfer-Encoding : chunked\r\n\r\n" + body, 400},
		"two lengths":                 {head + length + "Content-Length: 1\r\n\r\n" + marketOrder, 400},
		"a list of lengths":           {head + "Content-Length: 5, 5\r\n\r\n" + marketOrder, 400},
		"negative length":             {head + "Content-Length: -1\r\n\r\n" + marketOrder, 400},
		"signed length":               {head + "Content-Length: +5\r\n\r\n" + marketOrder, 400},
		"hexadecimal length":          {head + "Content-Length: 0x10\r\n\r\n" + marketOrder, 400},
		"bare LF in a chunk":          {head + "Transfer-Encoding: chunked\r\n\r\n1;a\n\r\nx\r\n0\r\n\r\n", 400},
		"two hosts":                   {"GET /v1/time HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
		"no host":                     {"GET /v1/time HTTP/1.1\r\n\r\n", 400},
		"NUL in a header":             {"GET /v1/time HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n", 400},
		"folded header":               {"GET /v1/time HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", 400},
		"folded Transfer-Encoding":    {head + length + "X: y\r\n\tTransfer-Encoding: chunked\r\n\r\n" + marketOrder, 400},
		"another version":             {"GET /v1/time HTTP/1.9\r\nHost: a\r\n\r\n", 400},
		"no version":                  {"GET /v1/time\r\n\r\n", 400},
		"trailing text after version": {"GET /v1/time HTTP/1.1 x\r\nHost: a\r\n\r\n", 400},
		"junk":                        {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
		"unknown method":              {"BREW /v1/orders HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled, 404},
	} {
		t.Run(name, func(t *testing.T) {
			answers := exchange(t, address, c.raw)
			if len(answers) != 1 || answers[0].status != c.status {
				t.Fatalf("answers %+v", answers)
			}
			r := answers[0]
			if e := r.error(); e.RequestID == "" || e.RequestID != r.header.Get("X-Request-Id") {
				t.Errorf("%s", r.body)
			}
			if strings.Contains(string(r.body), key) {
				t.Errorf("the key is in the answer: %s", r.body)
			}
		})
	}
	if len(w.trader.commands) > 0 {
		t.Errorf("commands: %v", w.trader.commands)
	}
}

func TestKeepAliveAndPipelining(t *testing.T) {
	w := newWorld(t)
	address := w.listen()
	const one, last = "GET /v1/time HTTP/1.1\r\nHost: a\r\n\r\n", "GET /v1/time HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
	answers := exchange(t, address, strings.Repeat(one, 4)+last)
	if len(answers) != 5 {
		t.Errorf("%d answers", len(answers))
	}
	ids := map[string]bool{}
	for _, a := range answers {
		ids[a.header.Get("X-Request-Id")] = true
	}
	if len(ids) != 5 {
		t.Errorf("ids %v", ids)
	}
}

func TestServerSettings(t *testing.T) {
	server := newWorld(t).server.App().Server()
	if server.ReadTimeout != 5*time.Second || server.WriteTimeout != 10*time.Second || server.IdleTimeout != time.Minute ||
		server.MaxRequestBodySize != api.RESTBodyBytesMax || server.ReadBufferSize != 8<<10 || server.Concurrency != 4096 ||
		server.MaxConnsPerIP != 0 || server.MaxRequestsPerConn != 10_000 || !server.SecureErrorLogMessage ||
		!server.DisablePreParseMultipartForm || server.StreamRequestBody || !server.NoDefaultServerHeader {
		t.Error("a setting differs from what is written down")
	}
}

// A connection that a client dialled in advance and never used ends without a
// word, as does one that idles after an answer; half a request is told why.
func TestIdleConnectionsEndSilently(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	pool := x509.NewCertPool()
	pool.AddCert(certificate.Certificate())
	const whole = "GET /v1/time HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, c := range map[string]struct {
		sent   string
		answer string
		after  time.Duration
	}{
		"nothing":        {"", "", 5 * time.Second},
		"a request":      {whole, "HTTP/1.1 200 ", time.Minute},
		"half a request": {whole[:20], "HTTP/1.1 400 ", 5 * time.Second},
	} {
		for _, encrypted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, encrypted %t", name, encrypted), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, func(d *rest.Deps) {
						if encrypted { // a ticket would have to be read, or it would hold a pipe up
							d.TLS = &tls.Config{Certificates: certificate.TLS.Certificates, MinVersion: tls.VersionTLS12, SessionTicketsDisabled: true}
						}
					})
					t.Cleanup(func() { time.Sleep(pipetest.CleanerMax) })
					listener := pipetest.Listen()
					w.serve(listener)
					conn := listener.Dial(t)
					if encrypted {
						secured := tls.Client(conn, &tls.Config{RootCAs: pool, ServerName: "example.com", MinVersion: tls.VersionTLS12})
						if err := secured.HandshakeContext(t.Context()); err != nil {
							t.Fatal(err)
						}
						conn = secured
					}
					begun := time.Now()
					if c.sent != "" { // a pipe tells of a write of nothing
						if _, err := io.WriteString(conn, c.sent); err != nil {
							t.Fatal(err)
						}
					}
					said, err := io.ReadAll(conn)
					text, answers := string(said), strings.Count(string(said), "HTTP/1.1 ")
					if err != nil || !strings.HasPrefix(text, c.answer) || (answers > 0) != (c.answer != "") || answers > 1 {
						t.Errorf("the server said %q, %v", text, err)
					}
					if took := time.Since(begun); took != c.after {
						t.Errorf("it ended after %s, want %s", took, c.after)
					}
				})
			})
		}
	}
}

// One address holds a number of connections; others are not affected, and one
// that closes makes room.
func TestConnectionsPerAddress(t *testing.T) {
	w := newWorld(t, func(d *rest.Deps) { d.ConnsPerAddressMax = 2 })
	address := w.listen()
	answers := func(conn net.Conn) bool {
		t.Helper()
		if _, err := io.WriteString(conn, "GET /v1/time HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			return false
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}
	dial := func(from string) net.Conn {
		t.Helper()
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		conn, err := dialer.DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	first, second := dial("127.0.0.1"), dial("127.0.0.1")
	if !answers(first) || !answers(second) {
		t.Fatal("two connections were not served")
	}
	if answers(dial("127.0.0.1")) {
		t.Error("a third was served")
	}
	if !answers(dial("127.0.0.2")) {
		t.Error("another address was not served")
	}
	first.Close()
	for deadline := time.Now().Add(patience); !answers(dial("127.0.0.1")); {
		if time.Now().After(deadline) {
			t.Fatal("a closed connection made no room")
		}
	}
}

// Over TLS the answers say so, and the limit counts connections all the same.
func TestServeTLS(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	w := newWorld(t, func(d *rest.Deps) {
		d.TLS = &tls.Config{Certificates: certificate.TLS.Certificates, MinVersion: tls.VersionTLS12}
	})
	address := w.listen()
	client := certificate.Client()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/v1/time", nil)
	if err != nil {
		t.Fatal(err)
	}
	answered, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answered.Body.Close()
	client.CloseIdleConnections()
	if answered.StatusCode != http.StatusOK || answered.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%d %v", answered.StatusCode, answered.Header)
	}
}

// What is mounted can reach the descriptor of a counted connection.
func TestCountedConnectionsKeepTheirDescriptor(t *testing.T) {
	w := newWorld(t)
	found := make(chan bool, 1)
	w.server.Mount(http.MethodGet, "/descriptor", func(c *fiber.Ctx) error {
		described, ok := c.Context().Conn().(syscall.Conn)
		if ok {
			_, err := described.SyscallConn()
			ok = err == nil
		}
		found <- ok
		return nil
	})
	w.send(w.client(), http.MethodGet, w.listen(), "/descriptor", "", nil).want(http.StatusOK)
	if !<-found {
		t.Error("no descriptor")
	}
}

// A shut down server ends what is under way and accepts nothing more.
func TestShutdownWaitsForRequests(t *testing.T) {
	w := newWorld(t)
	answerable(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	entered, leave := make(chan struct{}), make(chan struct{})
	w.trader.hook = func(context.Context, any) {
		close(entered)
		<-leave
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.waits()
	served := make(chan error, 1)
	go func() { served <- w.server.Serve(listener) }()
	answered := make(chan int, 1)
	client := w.client()
	go func() {
		answered <- w.send(client, http.MethodDelete, listener.Addr().String(), "/v1/orders/ord_1", key, nil).status
	}()
	<-entered
	ended := make(chan error, 1)
	go func() { ended <- w.server.Shutdown(t.Context()) }()
	if err := <-served; err != nil {
		t.Error(err)
	}
	close(leave)
	if status := <-answered; status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
