package listen_test

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"venuegate/transport/listen"
)

// scripted is a listener with one connection, which receives a text.
type scripted struct {
	net.Listener
	from io.Reader
}

func (s scripted) Accept() (net.Conn, error) { return scriptedConn{from: s.from}, nil }

type scriptedConn struct {
	net.Conn
	from io.Reader
}

func (c scriptedConn) Read(p []byte) (int, error) { return c.from.Read(p) }

// receive returns what a connection receives until the first error.
func receive(t *testing.T, from io.Reader, frameBytesMax int) (string, error) {
	t.Helper()
	conn, err := listen.HTTP(scripted{from: from}, frameBytesMax).Accept()
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	buffer := make([]byte, 100)
	for {
		n, err := conn.Read(buffer)
		got = append(got, buffer[:n]...)
		if err != nil {
			return string(got), err
		}
	}
}

// Malformed framing ends what is received before the byte that shows it, however the bytes
// arrive. The mark | is not received; what follows it would not be either.
func TestFramingOfRequests(t *testing.T) {
	const next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"
	for _, c := range []struct {
		name, raw string
		err       error
	}{
		{"requests", next + next, io.EOF},
		{"empty line before a request", "\r\n\r\n" + next, io.EOF},
		{"body", "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n\n\n\n" + next, io.EOF},
		{"body in blanks", "POST / HTTP/1.1\r\ncontent-LENGTH:\t 3 \t\r\nX:\r\n\r\n\n:\n" + next, io.EOF},
		{"body and malformed", "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n\n|\n" + next, listen.ErrBadHead},
		{"no body", "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n" + next, io.EOF},
		{"other header with a number", "GET / HTTP/1.1\r\nX-Content-Length: x\r\nContent-Lengths: 5, 5\r\nContent: y\r\n\r\n" + next, io.EOF},
		{"every character of a name", "GET / HTTP/1.1\r\naZ09!#$%&'*+-.^_`|~: x\r\n\r\n" + next, io.EOF},
		{"long name", "GET / HTTP/1.1\r\n" + strings.Repeat("content-length", 9) + ": x\r\n\r\n" + next, io.EOF},
		{"Transfer-Encoding, which the server rejects", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\n\n", io.EOF},
		{"other upgrade", "POST / HTTP/1.1\r\nUpgrade: h2c, web, wsocket\r\nContent-Length: 1\r\n\r\n\n" + next + "|\n", listen.ErrBadHead},

		{"bare LF before a request", "|\n" + next, listen.ErrBadHead},
		{"bare LF everywhere", "GET / HTTP/1.1|\nHost: a\n\n", listen.ErrBadHead},
		{"bare LF after a header", "GET / HTTP/1.1\r\nHost: a|\nX: b\r\n\r\n", listen.ErrBadHead},
		{"bare LF after a length", "GET / HTTP/1.1\r\nContent-Length: 1|\n\r\n", listen.ErrBadHead},
		{"bare LF after an upgrade", "GET / HTTP/1.1\r\nUpgrade: websocket|\n\r\n", listen.ErrBadHead},
		{"bare LF at the end", "GET / HTTP/1.1\r\nHost: a\r\n|\n", listen.ErrBadHead},
		{"bare CR in the request line", "GET / HTTP/1.1\r|X\r\n", listen.ErrBadHead},
		{"bare CR in a value", "GET / HTTP/1.1\r\nX: a\r|b\r\n\r\n", listen.ErrBadHead},
		{"bare CR at the end", "GET / HTTP/1.1\r\nX: a\r\n\r|X", listen.ErrBadHead},
		{"bare CR before a request", "\r|" + next, listen.ErrBadHead},
		{"blank in a name", "GET / HTTP/1.1\r\nX|  Y: a\r\n\r\n", listen.ErrBadHead},
		{"blank before the colon", "GET / HTTP/1.1\r\nTransfer-Encoding|\t: chunked\r\n\r\n", listen.ErrBadHead},
		{"folded", "GET / HTTP/1.1\r\nX: a\r\n| b\r\n\r\n", listen.ErrBadHead},
		{"no name", "GET / HTTP/1.1\r\n|: a\r\n\r\n", listen.ErrBadHead},
		{"no colon", "GET / HTTP/1.1\r\nX|\r\n\r\n", listen.ErrBadHead},
		{"NUL in a name", "GET / HTTP/1.1\r\nX|\x00: a\r\n\r\n", listen.ErrBadHead},
		{"two lengths", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: |1\r\n\r\n", listen.ErrBadHead},
		{"a list of lengths", "POST / HTTP/1.1\r\nContent-Length: 1|, 1\r\n\r\n", listen.ErrBadHead},
		{"two numbers", "POST / HTTP/1.1\r\nContent-Length: 1 |1\r\n\r\n", listen.ErrBadHead},
		{"no length", "POST / HTTP/1.1\r\nContent-Length:  \r|\n\r\n", listen.ErrBadHead},
		{"sign", "POST / HTTP/1.1\r\nContent-Length: |+1\r\n\r\n", listen.ErrBadHead},
		{"overflow", "POST / HTTP/1.1\r\nContent-Length: 184467440737095516|16\r\n\r\n", listen.ErrBadHead},
	} {
		want, rest, _ := strings.Cut(c.raw, "|")
		if errors.Is(c.err, io.EOF) {
			want, rest = c.raw, ""
		}
		for kind, reader := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "by byte": iotest.OneByteReader} {
			if got, err := receive(t, reader(strings.NewReader(want+rest)), 0); got != want || !errors.Is(err, c.err) {
				t.Errorf("%s, %s: received %q, error %v; want %q, %v", c.name, kind, got, err, want, c.err)
			}
		}
	}
}

// After an upgrade a frame that announces too much is rejected before its payload arrives.
func TestFramingOfWebSocket(t *testing.T) {
	const (
		limit   = 200
		upgrade = "GET / HTTP/1.1\r\nUpgrade: wwebsocket\r\n\r\n"
		mask    = "mask"
	)
	long := "\x82\xfe\x00\xc8" + mask + strings.Repeat("\n", limit)
	for _, c := range []struct {
		name, raw string
		err       error
	}{
		{"frames", upgrade + "\x81\x85" + mask + "12345" + "\x89\x80" + mask + long + "\x81\x7d" + strings.Repeat("x", 125) + "\x8a\x00" + long, io.EOF},
		{"one byte more", upgrade + long + "\x82\xfe\x00|\xc9" + mask + strings.Repeat("\n", limit+1), listen.ErrFrameTooBig},
		{"a terabyte", upgrade + "\x81\xff\x00\x00\x01\x00\x00\x00\x00|\x00" + mask, listen.ErrFrameTooBig},
		{"all bits", upgrade + "\x81\x7f\xff\xff\xff\xff\xff\xff\xff|\xff", listen.ErrFrameTooBig},
		{"continuation", upgrade + "\x01\x81" + mask + "x\x80\xff\x00\x00\x00\x00\x00\x01\x00|\x00" + mask, listen.ErrFrameTooBig},
		{"upgrade with a body", "GET / HTTP/1.1\r\nUpgrade: WebSocket\r\nContent-Length: 1\r\n\r|\nx", listen.ErrBadHead},
	} {
		want, rest, _ := strings.Cut(c.raw, "|")
		for kind, reader := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "by byte": iotest.OneByteReader} {
			if got, err := receive(t, reader(strings.NewReader(want+rest)), limit); got != want || !errors.Is(err, c.err) {
				t.Errorf("%s, %s: received %q, error %v; want %q, %v", c.name, kind, got, err, want, c.err)
			}
		}
	}
}

// A connection whose framing was rejected can still be drained.
func TestRestIsReceivedAfterTheError(t *testing.T) {
	conn, err := listen.HTTP(scripted{from: strings.NewReader("\n\nrest")}, 0).Accept()
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 2)
	if n, err := conn.Read(buffer); n != 0 || !errors.Is(err, listen.ErrBadHead) {
		t.Errorf("first read = %d, %v; want 0, %v", n, err, listen.ErrBadHead)
	}
	if rest, err := io.ReadAll(conn); err != nil || string(rest) != "rest" {
		t.Errorf("rest = %q, %v; want rest", rest, err)
	}
}
