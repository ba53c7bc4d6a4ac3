package listen

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
)

// Quiet ends connections on which nothing was ever said without a word. Clients
// dial in advance: the HTTP library would answer such a connection with an error
// after its read timeout, and a client that sends its first request at that
// moment would take the error for the answer.
func Quiet(l net.Listener) net.Listener { return quiet{l} }

type quiet struct{ net.Listener }

// Accept implements net.Listener. What is encrypted keeps its type's methods, by
// which the HTTP library knows it.
func (l quiet) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if encrypted, ok := conn.(*tls.Conn); ok {
		return &quietTLS{Conn: encrypted}, nil
	}
	return &quietConn{describedConn: describedConn{conn}}, nil
}

type quietConn struct {
	describedConn
	first firstWord
}

// Read implements net.Conn.
func (c *quietConn) Read(p []byte) (int, error) { return c.first.heard(c.Conn.Read(p)) }

type quietTLS struct {
	*tls.Conn
	first firstWord
}

// Read implements net.Conn.
func (c *quietTLS) Read(p []byte) (int, error) { return c.first.heard(c.Conn.Read(p)) }

// firstWord is whether the other side has said anything. It belongs to the one
// who reads.
type firstWord bool

// heard makes an end of a timeout before the first byte.
func (f *firstWord) heard(n int, err error) (int, error) {
	*f = *f || n > 0
	if !bool(*f) && errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}
