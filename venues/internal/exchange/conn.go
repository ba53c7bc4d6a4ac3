package exchange

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// quietTime is how long a kept connection without a descriptor is read to find out whether
// something has arrived.
const quietTime = time.Millisecond

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// conn is a connection that one exchange at a time uses. It is the network connection as
// TLS sees it, and counts what is written.
type conn struct {
	net.Conn
	// stream carries the exchange: the TLS connection, or the conn itself.
	stream io.ReadWriter
	tls    *tls.Conn // nil without TLS
	// descriptor is nil if the network connection has none.
	descriptor syscall.RawConn
	// look sets silent; it is kept because making a closure allocates.
	look   func(fd uintptr)
	silent bool
	// interrupt ends the exchange in progress.
	interrupt func()

	// written counts the bytes of the exchange that the network connection took.
	written int
	// failure is the last error of the network connection.
	failure error
	// dry lets reads fail at once.
	dry     bool
	records recordTracker // of TLS
	single  [1]byte
	// keptAt is when the connection became unused.
	keptAt time.Time
}

func newConn(network net.Conn) *conn {
	c := &conn{Conn: network}
	c.stream = c
	c.interrupt = func() { _ = network.SetDeadline(longAgo) }
	if with, ok := network.(syscall.Conn); ok {
		if raw, err := with.SyscallConn(); err == nil {
			c.descriptor = raw
		}
	}
	c.look = func(fd uintptr) {
		_, err := syscall.Read(int(fd), c.single[:])
		c.silent = errors.Is(err, syscall.EAGAIN)
	}
	return c
}

// secure makes the TLS connection.
func (c *conn) secure(ctx context.Context, config *tls.Config) error {
	c.tls = tls.Client(c, config)
	c.stream = c.tls
	return c.tls.HandshakeContext(ctx)
}

// begin prepares for an exchange.
func (c *conn) begin() { c.written, c.failure = 0, nil }

// Read reads from the network.
func (c *conn) Read(p []byte) (int, error) {
	if c.dry {
		return 0, os.ErrDeadlineExceeded
	}
	n, err := c.Conn.Read(p)
	if c.tls != nil {
		c.records.advance(p[:n])
	}
	if err != nil {
		c.failure = err
	}
	return n, err
}

// Write writes to the network.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written += n
	if err != nil {
		c.failure = err
	}
	return n, err
}

// quiet reports whether nothing has arrived since the last answer, not even the end of the
// stream.
func (c *conn) quiet() bool {
	if !c.networkQuiet() {
		return false
	}
	if c.tls == nil {
		return true
	}
	c.dry = true
	n, err := c.tls.Read(c.single[:]) // what TLS has read and not delivered
	c.dry = false
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && c.records.complete()
}

func (c *conn) networkQuiet() bool {
	if c.descriptor != nil {
		c.silent = false
		return c.descriptor.Control(c.look) == nil && c.silent
	}
	if c.SetReadDeadline(time.Now().Add(quietTime)) != nil {
		return false
	}
	n, err := c.Conn.Read(c.single[:])
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded)
}

// recordTracker follows the TLS records of a stream: TLS may hold a part of a record that
// arrived together with an answer.
type recordTracker struct {
	header [5]byte
	// headerLen is the length of the part of the header that was read.
	headerLen int
	// left is what is missing of the record's content.
	left int
}

func (t *recordTracker) advance(p []byte) {
	for len(p) > 0 {
		if t.left > 0 {
			n := min(t.left, len(p))
			t.left -= n
			p = p[n:]
			continue
		}
		n := copy(t.header[t.headerLen:], p)
		t.headerLen += n
		p = p[n:]
		if t.headerLen == len(t.header) {
			t.left, t.headerLen = int(binary.BigEndian.Uint16(t.header[3:])), 0
		}
	}
}

// complete reports whether the stream is between two records.
func (t *recordTracker) complete() bool { return t.headerLen == 0 && t.left == 0 }
