package listen

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
)

// HTTP returns a listener for an HTTP server.
//
// Its connections close without a response if the client has never sent anything.
// Clients dial in advance: the HTTP library would answer such a connection with an error
// after its read timeout, and a client that sends its first request at that time would
// take the error for the response.
//
// A read fails with ErrBadHead where the framing of a request is malformed, and after a
// request to upgrade to WebSocket with ErrFrameTooBig where a frame is longer than
// frameBytesMax. What precedes is received.
func HTTP(l net.Listener, frameBytesMax int) net.Listener { return httpListener{l, frameBytesMax} }

type httpListener struct {
	net.Listener
	frameBytesMax int
}

// Accept implements net.Listener. A TLS connection keeps the methods of its type,
// by which the HTTP library detects it.
func (l httpListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	received := receiver{framing: framing{frameBytesMax: uint64(max(l.frameBytesMax, 0))}}
	if encrypted, ok := conn.(*tls.Conn); ok {
		return &httpTLS{Conn: encrypted, received: received}, nil
	}
	return &httpConn{descriptorConn: descriptorConn{conn}, received: received}, nil
}

type httpConn struct {
	descriptorConn
	received receiver
}

// Read implements net.Conn.
func (c *httpConn) Read(p []byte) (int, error) { return c.received.read(c.Conn, p) }

type httpTLS struct {
	*tls.Conn
	received receiver
}

// Read implements net.Conn.
func (c *httpTLS) Read(p []byte) (int, error) { return c.received.read(c.Conn, p) }

// receiver checks what a connection receives. Only the reader of the connection uses it.
type receiver struct {
	framing framing
	// any is set once a byte was received.
	any bool
	// rejected is the error of the next read.
	rejected error
}

// read reads from a connection. A timeout before the first byte is io.EOF. Bytes after
// malformed framing are not returned; later reads are not checked, so that a connection
// that is about to be closed can be drained.
func (r *receiver) read(from io.Reader, p []byte) (int, error) {
	if err := r.rejected; err != nil {
		r.rejected = nil
		return 0, err
	}
	n, err := from.Read(p)
	r.any = r.any || n > 0
	if !r.any && errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	accepted, rejected := r.framing.accept(p[:n])
	switch {
	case rejected == nil:
		return n, err
	case accepted == 0:
		return 0, rejected
	default:
		r.rejected = rejected
		return accepted, nil
	}
}
