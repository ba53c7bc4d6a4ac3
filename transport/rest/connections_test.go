package rest_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/pipetest"
	"venuegate/transport/rest"
)

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

// A service that is stopped while it starts ends.
func TestShutdownBeforeServe(t *testing.T) {
	w := newWorld(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.server.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	served := make(chan error, 1)
	go func() { served <- w.server.Serve(listener) }()
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("Serve: %v, want it to end without an error", err)
		}
	case <-time.After(time.Minute):
		t.Error("Serve still runs after a minute, want it to end")
		listener.Close()
	}
}
