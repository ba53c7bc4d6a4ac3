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
	"venuegate/transport/listen"
	"venuegate/transport/pipetest"
	"venuegate/transport/rest"
	"venuegate/venues"
)

// listen serves the world on a TCP socket.
func (w *world) listen() (address string) {
	w.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	w.extendTimeouts()
	w.serve(listener)
	return listener.Addr().String()
}

// extendTimeouts makes the timeouts of the server longer than a slow machine needs for
// a request.
func (w *world) extendTimeouts() {
	server := w.server.App().Server()
	server.ReadTimeout, server.WriteTimeout = testTimeout, testTimeout
}

// serve serves the world until the end of the test.
func (w *world) serve(listener net.Listener) {
	w.Helper()
	ended := make(chan error, 1)
	go func() { ended <- w.server.Serve(listener) }()
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		if err := w.server.Shutdown(ctx); err != nil {
			w.Error(err)
		}
		if err := <-ended; err != nil {
			w.Error(err)
		}
	})
}

// client returns an HTTP client whose connections are closed after the test.
func (w *world) client() *http.Client {
	transport := &http.Transport{}
	w.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: testTimeout}
}

// send sends a request over a socket.
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
	resp, err := client.Do(request)
	if err != nil {
		w.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		w.Fatal(err)
	}
	return &response{w, resp.StatusCode, resp.Header, data}
}

// The response to a body that is too large reaches the client, even if it sends the
// whole body before it reads.
func TestBodyLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(pipetest.CleanerMax) })
		w := newWorld(t)
		withOrder(w)
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
			write(t, conn, head)
			if headers != "" {
				readResponse(t, reader).want(http.StatusContinue)
			}
			write(t, conn, marketOrder+strings.Repeat(" ", size-len(marketOrder)))
			return readResponse(t, reader)
		}
		post("/v1/orders", api.RESTBodyBytesMax, "").want(http.StatusCreated)
		for _, headers := range []string{"", "Expect: 100-continue\r\n"} {
			for _, size := range []int{api.RESTBodyBytesMax + 1, 10 << 20} {
				got := post("/v1/orders", size, headers)
				got.want(http.StatusBadRequest, venues.CodeInvalidRequest)
				if fmt.Sprint(got.error().Details["limit"]) != fmt.Sprint(api.RESTBodyBytesMax) || got.header.Get("X-Request-Id") == "" {
					t.Errorf("%d bytes: error = %s, want limit %d", size, got.body, api.RESTBodyBytesMax)
				}
			}
		}
		if len(w.trader.commands) != 1 {
			t.Errorf("%d commands, want 1", len(w.trader.commands))
		}
		got := post(api.HooksPath+"in/hook_1", api.RESTBodyBytesMax+1, "").want(http.StatusBadRequest, venues.CodeInvalidRequest)
		if fmt.Sprint(got.error().Details["limit"]) != fmt.Sprint(api.HookBodyBytesMax) {
			t.Errorf("body to a hook: error = %s, want limit %d", got.body, api.HookBodyBytesMax)
		}
	})
}

// write sends text on a connection and fails the test if that is not possible.
func write(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(testTimeout)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

// readResponse reads one response.
func readResponse(t *testing.T, reader *bufio.Reader) *response {
	t.Helper()
	resp, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &response{t, resp.StatusCode, resp.Header, body}
}

// The response to a header that is too large names the limit and does not repeat the
// header.
func TestHeaderLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(pipetest.CleanerMax) })
		w := newWorld(t)
		listener := pipetest.Listen()
		w.serve(listener)
		conn := listener.Dial(t)
		raw := "GET /v1/time HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + strings.Repeat("k", 9<<10) + "\r\n\r\n"
		go func() { _, _ = io.WriteString(conn, raw) }() // the server does not read all of it
		got := readResponse(t, bufio.NewReader(conn)).want(http.StatusBadRequest, venues.CodeInvalidRequest)
		if got.error().Details["limit"] == nil || strings.Contains(string(got.body), "kkk") {
			t.Errorf("error = %s, want the limit without the header", got.body)
		}
	})
}

// testTimeout bounds the waits of a test; only failing tests reach it.
const testTimeout = time.Minute

// exchange sends raw bytes and reads the responses until the server closes the
// connection. It fails the test if the server keeps it open.
func exchange(t *testing.T, address string, raw string) (responses []*response) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, raw); err != nil {
		t.Fatal(err)
	}
	// The server closes an idle connection only after a minute.
	if err := conn.SetReadDeadline(time.Now().Add(testTimeout / 2)); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	for {
		resp, err := http.ReadResponse(reader, nil)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("connection is open after %d responses, want it closed", len(responses))
		}
		if err != nil {
			return responses
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		responses = append(responses, &response{t, resp.StatusCode, resp.Header, body})
	}
}

// Requests that two parsers may understand differently are rejected, and the
// connection is closed with the rest of its data unread.
func TestRequestSmuggling(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
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
		"bare LF everywhere":          {"GET /v1/time HTTP/1.1\nHost: a\n\n", 400},
		"bare LF at the end":          {"GET /v1/time HTTP/1.1\r\nHost: a\r\n\n", 400},
		"bare LF before a body":       {strings.ReplaceAll(head, "\r", "") + "Content-Length: 200000\n\n{", 400},
		"blank in a name":             {"GET /v1/time HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n" + smuggled, 400},
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
			responses := exchange(t, address, c.raw)
			if len(responses) != 1 || responses[0].status != c.status {
				t.Fatalf("responses = %+v, want one with status %d", responses, c.status)
			}
			r := responses[0]
			if e := r.error(); e.RequestID == "" || e.RequestID != r.header.Get("X-Request-Id") {
				t.Errorf("error = %s, want the request id of the header", r.body)
			}
			if strings.Contains(string(r.body), key) {
				t.Errorf("response = %s, want no key in it", r.body)
			}
		})
	}
	if len(w.trader.commands) > 0 {
		t.Errorf("commands = %v, want none", w.trader.commands)
	}
}

// The second request of a connection is checked like the first one.
func TestRequestSmugglingBehindAnotherRequest(t *testing.T) {
	w := newWorld(t)
	address := w.listen()
	const good = "GET /v1/time HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, raw := range map[string]string{
		"bare LF after a request line": "GET /v1/time HTTP/1.1\nHost: a\r\n\r\n",
		"bare LF at the end":           "GET /v1/time HTTP/1.1\r\nHost: a\r\n\n",
		"blank in a name":              "GET /v1/time HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n",
	} {
		responses := exchange(t, address, good+raw+good)
		if len(responses) != 2 || responses[0].status != http.StatusOK || responses[1].status != http.StatusBadRequest {
			t.Errorf("%s: responses = %+v, want 200 and 400", name, responses)
		}
	}
	// A request to upgrade ends the connection unless it is granted: what follows would be frames.
	upgrade := "GET /v1/time HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
	if responses := exchange(t, address, upgrade+good); len(responses) != 1 || responses[0].status != http.StatusOK {
		t.Errorf("after an upgrade that is not granted: responses = %+v, want one", responses)
	}
}

// A request for a host that is not one of this service is rejected, and so is a change for
// a page of another site. Reads are not: documents may be linked.
func TestForeignRequestsAreRejected(t *testing.T) {
	w := newWorld(t, func(d *rest.Deps) { d.Hosts = listen.Hosts{Names: []string{"api.example.com"}} })
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	address := w.listen()
	send := func(method, path, headers string) *response {
		t.Helper()
		body := ""
		if method == http.MethodPost {
			body = marketOrder
		}
		responses := exchange(t, address, fmt.Sprintf(
			"%s %s HTTP/1.1\r\n%sAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
			method, path, headers, key, len(body), body))
		if len(responses) != 1 {
			t.Fatalf("%s %s with %q: %d responses, want 1", method, path, headers, len(responses))
		}
		return responses[0]
	}
	send("GET", "/v1/time", "Host: "+address+"\r\n").want(http.StatusOK)
	send("GET", "/docs", "Host: api.example.com\r\nSec-Fetch-Site: cross-site\r\n").want(http.StatusOK)
	send("POST", "/v1/orders", "Host: api.example.com\r\nSec-Fetch-Site: cross-site\r\n").want(http.StatusForbidden, venues.CodeScopeRequired)
	send("POST", "/v1/orders", "Host: api.example.com\r\nOrigin: https://evil.example\r\n").want(http.StatusForbidden, venues.CodeScopeRequired)
	for _, host := range []string{"evil.example", "evil.example:8080", "example.com"} {
		for _, path := range []string{"/v1/time", "/healthz", "/docs", "/nonesuch"} {
			send("GET", path, "Host: "+host+"\r\n").want(http.StatusMisdirectedRequest, venues.CodeInvalidRequest)
		}
	}
	if n := len(w.trader.commands); n != 0 {
		t.Errorf("%d commands, want 0", n)
	}
	send("POST", "/v1/orders", "Host: localhost\r\nOrigin: http://localhost\r\n").want(http.StatusCreated)
}

func TestKeepAliveAndPipelining(t *testing.T) {
	w := newWorld(t)
	address := w.listen()
	const one, last = "GET /v1/time HTTP/1.1\r\nHost: a\r\n\r\n", "GET /v1/time HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
	responses := exchange(t, address, strings.Repeat(one, 4)+last)
	if len(responses) != 5 {
		t.Errorf("%d responses, want 5", len(responses))
	}
	ids := map[string]bool{}
	for _, r := range responses {
		ids[r.header.Get("X-Request-Id")] = true
	}
	if len(ids) != 5 {
		t.Errorf("request ids = %v, want 5 different ones", ids)
	}
}

func TestServerSettings(t *testing.T) {
	server := newWorld(t).server.App().Server()
	if server.ReadTimeout != 5*time.Second || server.WriteTimeout != 10*time.Second || server.IdleTimeout != time.Minute ||
		server.MaxRequestBodySize != api.RESTBodyBytesMax || server.ReadBufferSize != 8<<10 || server.Concurrency != 4096 ||
		server.MaxConnsPerIP != 0 || server.MaxRequestsPerConn != 10_000 || !server.SecureErrorLogMessage ||
		!server.DisablePreParseMultipartForm || server.StreamRequestBody || !server.NoDefaultServerHeader {
		t.Errorf("settings of the server, want the documented ones: read timeout %v, write timeout %v, idle timeout %v, body %d, buffer %d, connections %d",
			server.ReadTimeout, server.WriteTimeout, server.IdleTimeout, server.MaxRequestBodySize, server.ReadBufferSize, server.Concurrency)
	}
}

// An unused connection is closed without a response, as is one that is idle after a
// response. An incomplete request gets an error.
func TestIdleConnectionsAreClosed(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	pool := x509.NewCertPool()
	pool.AddCert(certificate.Certificate())
	const whole = "GET /v1/time HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, c := range map[string]struct {
		sent     string
		response string
		after    time.Duration
	}{
		"nothing":        {"", "", 5 * time.Second},
		"a request":      {whole, "HTTP/1.1 200 ", time.Minute},
		"half a request": {whole[:20], "HTTP/1.1 400 ", 5 * time.Second},
	} {
		for _, encrypted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, encrypted %t", name, encrypted), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, func(d *rest.Deps) {
						if encrypted { // an unread session ticket would block the pipe
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
					if c.sent != "" { // a pipe reports even an empty write
						if _, err := io.WriteString(conn, c.sent); err != nil {
							t.Fatal(err)
						}
					}
					received, err := io.ReadAll(conn)
					text, responses := string(received), strings.Count(string(received), "HTTP/1.1 ")
					if err != nil || !strings.HasPrefix(text, c.response) || (responses > 0) != (c.response != "") || responses > 1 {
						t.Errorf("received %q, error %v, want %q", text, err, c.response)
					}
					if took := time.Since(begun); took != c.after {
						t.Errorf("connection closed after %s, want %s", took, c.after)
					}
				})
			})
		}
	}
}

// The connections of one address are bounded; other addresses are not affected, and a
// closed connection no longer counts.
func TestConnectionsPerAddress(t *testing.T) {
	w := newWorld(t, func(d *rest.Deps) { d.ConnsPerAddressMax = 2 })
	address := w.listen()
	served := func(conn net.Conn) bool {
		t.Helper()
		if _, err := io.WriteString(conn, "GET /v1/time HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			return false
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
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
	if !served(first) || !served(second) {
		t.Fatal("first two connections: not served, want them served")
	}
	if served(dial("127.0.0.1")) {
		t.Error("a third connection is served, want it closed")
	}
	if !served(dial("127.0.0.2")) {
		t.Error("connection from another address: not served, want it served")
	}
	first.Close()
	for deadline := time.Now().Add(testTimeout); !served(dial("127.0.0.1")); {
		if time.Now().After(deadline) {
			t.Fatal("connection after a close: not served, want it served")
		}
	}
}

// Responses over TLS carry Strict-Transport-Security.
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
	resp, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	client.CloseIdleConnections()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("status %d, headers %v, want 200 with Strict-Transport-Security", resp.StatusCode, resp.Header)
	}
}

// Mounted handlers can reach the descriptor of a connection that is counted per
// address.
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
		t.Error("connection without a descriptor, want one")
	}
}

// Shutdown stops accepting connections and lets requests in progress finish.
func TestShutdownWaitsForRequests(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
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
	w.extendTimeouts()
	served := make(chan error, 1)
	go func() { served <- w.server.Serve(listener) }()
	resp := make(chan int, 1)
	client := w.client()
	go func() {
		resp <- w.send(client, http.MethodDelete, listener.Addr().String(), "/v1/orders/ord_1", key, nil).status
	}()
	<-entered
	ended := make(chan error, 1)
	go func() { ended <- w.server.Shutdown(t.Context()) }()
	if err := <-served; err != nil {
		t.Error(err)
	}
	close(leave)
	if status := <-resp; status != http.StatusOK {
		t.Errorf("status = %d, want 200", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
