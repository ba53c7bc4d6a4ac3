// Package hostiletest provides servers that violate HTTP, for tests of clients: a script
// responds to each request on the bare connection, and may reset it, stop sending, or
// send without end.
//
//	url, requests := hostiletest.Serve(t, func(c net.Conn) {
//		hostiletest.Write(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
//		c.Close()
//	})
package hostiletest

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
)

// Listen accepts connections at an address until the end of the test and calls serve
// in a goroutine for each, which closes the connection when it returns. It returns an
// error if the machine does not have the address.
func Listen(t testing.TB, address string, serve func(net.Conn)) (net.Addr, error) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		return nil, err
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-stopped
	})
	return listener.Addr(), nil
}

// Serve calls script for every request after it was read completely, and counts the
// requests.
func Serve(t testing.TB, script func(net.Conn)) (url string, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	address, err := Listen(t, "127.0.0.1:0", func(conn net.Conn) {
		reader := bufio.NewReader(conn)
		for {
			in, err := http.ReadRequest(reader)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, in.Body) // a client may disconnect
			requests.Add(1)
			script(conn)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + address.String(), requests
}

// Write writes text and reports whether the connection is still open.
func Write(conn net.Conn, text string) bool {
	_, err := io.WriteString(conn, text)
	return err == nil
}
