package listen

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
)

// Quiet returns a listener whose connections close without a response if the client
// has never sent anything. Clients dial in advance: the HTTP library would answer
// such a connection with an error after its read timeout, and a client that sends
// its first request at that time would take the error for the response.
func Quiet(l net.Listener) net.Listener { return quiet{l} }

type quiet struct{ net.Listener }

// Accept implements net.Listener. A TLS connection keeps the methods of its type,
// by which the HTTP library detects it.
func (l quiet) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if encrypted, ok := conn.(*tls.Conn); ok {
		return &quietTLS{Conn: encrypted}, nil
	}
	return &quietConn{descriptorConn: descriptorConn{conn}}, nil
}

type quietConn struct {
	descriptorConn
	received receivedAny
}

// Read implements net.Conn.
func (c *quietConn) Read(p []byte) (int, error) { return c.received.result(c.Conn.Read(p)) }

type quietTLS struct {
	*tls.Conn
	received receivedAny
}

// Read implements net.Conn.
func (c *quietTLS) Read(p []byte) (int, error) { return c.received.result(c.Conn.Read(p)) }

// receivedAny is true once the connection has received a byte. Only its reader uses
// it.
type receivedAny bool

// result returns the result of a read, with io.EOF in place of a timeout before the
// first byte.
func (r *receivedAny) result(n int, err error) (int, error) {
	*r = *r || n > 0
	if !bool(*r) && errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}
