package rest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/pipetest"
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
