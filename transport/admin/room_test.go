package admin_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"venuegate/transport/api"
)

// dial opens a connection to the listener.
func (h *fixture) dial() net.Conn {
	h.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		h.t.Fatal(err)
	}
	return conn
}

// exchange sends a request on a connection and returns its response.
func (h *fixture) exchange(conn net.Conn, raw string) answer {
	h.t.Helper()
	if _, err := io.WriteString(conn, raw); err != nil {
		h.t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		h.t.Fatalf("%q: %v", raw, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

const (
	healthCall = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
	listCall   = "GET /admin/v1/customers HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n\r\n"
)

// Health and metrics are served while all other calls have as many connections as they may,
// and unused connections do not keep anybody out.
func TestHealthIsServedWhileTheListenerIsFull(t *testing.T) {
	h := open(t)
	monitor := h.dial()
	if a := h.exchange(monitor, healthCall); a.status != http.StatusOK {
		t.Fatalf("health = %d %s, want 200", a.status, a.text)
	}
	var callers []net.Conn
	for {
		conn := h.dial()
		a := h.exchange(conn, listCall)
		if a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") != "" {
			break
		}
		if a.status != http.StatusOK {
			t.Fatalf("call %d = %d %s, want 200, or 503 with Retry-After", len(callers)+1, a.status, a.text)
		}
		callers = append(callers, conn)
	}
	if len(callers) != 64 {
		t.Errorf("%d connections of callers, want 64", len(callers))
	}
	h.ready = api.Readiness{Ready: true}
	for range 200 {
		h.dial() // and sends nothing
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		if a := h.exchange(h.dial(), strings.Replace(healthCall, "/healthz", path, 1)); a.status != http.StatusOK {
			t.Errorf("%s while the listener is full = %d %s, want 200", path, a.status, a.text)
		}
	}
	if a := h.exchange(callers[0], listCall); a.status != http.StatusOK {
		t.Errorf("call on a connection of a caller = %d %s, want 200", a.status, a.text)
	}
	callers[0].Close()
	for deadline := time.Now().Add(time.Minute); h.exchange(h.dial(), listCall).status != http.StatusOK; {
		if time.Now().After(deadline) {
			t.Fatal("after a caller has left: no call is served, want one")
		}
	}
}

// The listener is not for pages in a browser, which can send requests to loopback
// addresses, and rejects the framing that the public listener rejects.
func TestForeignAndMalformedRequestsAreRejected(t *testing.T) {
	h := open(t)
	const good = "Host: 127.0.0.1\r\n"
	for _, path := range []string{"/healthz", "/metrics", "/admin/v1/customers", "/nonesuch"} {
		for _, c := range []struct {
			name, raw string
			status    int
		}{
			{"foreign host", "GET %s HTTP/1.1\r\nHost: evil.example:8081\r\n\r\n", 421},
			{"target of a foreign host", "GET http://evil.example%s HTTP/1.1\r\n" + good + "\r\n", 421},
			{"page of another site", "GET %s HTTP/1.1\r\n" + good + "Sec-Fetch-Site: cross-site\r\n\r\n", 403},
			{"page of another origin", "GET %s HTTP/1.1\r\n" + good + "Origin: http://evil.example\r\n\r\n", 403},
			{"chunked", "POST %s HTTP/1.1\r\n" + good + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411},
			{"bare LF", "GET %s HTTP/1.1\nHost: 127.0.0.1\n\n", 400},
			{"folded header", "GET %s HTTP/1.1\r\n" + good + "X: a\r\n b\r\n\r\n", 400},
			{"blank before the colon", "GET %s HTTP/1.1\r\n" + good + "X : a\r\n\r\n", 400},
			{"another version", "GET %s HTTP/1.9\r\n" + good + "\r\n", 400},
			{"two hosts", "GET %s HTTP/1.1\r\n" + good + good + "\r\n", 400},
		} {
			conn := h.dial()
			a := h.exchange(conn, fmt.Sprintf(c.raw, path))
			if a.status != c.status || a.field("error", "requestId") == nil {
				t.Errorf("%s of %s: response = %d %s, want %d with an error", c.name, path, a.status, a.text, c.status)
			}
			if _, err := conn.Read(make([]byte, 1)); err == nil {
				t.Errorf("%s of %s: connection is open, want it closed", c.name, path)
			}
		}
	}
}

// The token is accepted in the scheme Bearer only.
func TestTokenRequiresTheBearerScheme(t *testing.T) {
	h := open(t)
	for header, status := range map[string]int{
		"Bearer " + token: http.StatusOK, "bearer " + token: http.StatusOK, "BEARER  " + token: http.StatusOK,
		token: http.StatusUnauthorized, "Basic " + token: http.StatusUnauthorized, "Bearer" + token: http.StatusUnauthorized,
		"Bearer": http.StatusUnauthorized, "Bearer " + token + "x": http.StatusUnauthorized, "Token Bearer " + token: http.StatusUnauthorized,
		"Bearer Bearer " + token: http.StatusUnauthorized, "": http.StatusUnauthorized,
	} {
		request := h.request("GET", "/admin/v1/customers", "")
		request.Header.Set("Authorization", header)
		if a := h.send(request); a.status != status || (status == http.StatusUnauthorized) != (a.header.Get("WWW-Authenticate") == "Bearer") {
			t.Errorf("Authorization %q: response = %d %s, want %d", header, a.status, a.text, status)
		}
	}
}
