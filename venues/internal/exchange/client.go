package exchange

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// Options of a Client. All of them are required.
type Options struct {
	// BaseURL is scheme, host and, for simulators, a path prefix, without a trailing slash.
	BaseURL string
	// UserAgent is the User-Agent header of all requests.
	UserAgent string
	// Timeout bounds an exchange, the connection included. A context may be shorter.
	Timeout time.Duration
	// HandshakeTimeout bounds the TLS handshake.
	HandshakeTimeout time.Duration
	// IdleTimeout is how long an unused connection is kept.
	IdleTimeout time.Duration
	// ConnsMax bounds the connections, in use and kept together.
	ConnsMax int
	// HeadBytesMax bounds the status line and the header of an answer.
	HeadBytesMax int
	// BodyBytesMax bounds the body of an answer, also after decompression.
	BodyBytesMax int
	// Dial makes the network connections.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// TLS is the configuration for https; the server's name is that of BaseURL.
	TLS *tls.Config
}

// Request is a request as it goes over the wire. Query and Body are sent unchanged.
type Request struct {
	Method      string
	Path        string
	Query       string
	Body        string
	ContentType string
	Header      map[string]string
}

// Answer is a complete answer of a venue, whatever its status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Client sends requests to one host. It is safe for concurrent use.
type Client struct {
	options Options
	// invalid is the error of an unusable BaseURL, which every request returns.
	invalid error
	host    string // of the Host header
	prefix  string // of the path
	address string // to dial
	tls     *tls.Config
	conns   pool
	codecs  codecs
}

// New returns a client without connections.
func New(o Options) *Client {
	c := &Client{options: o, conns: pool{connsMax: o.ConnsMax, idleTimeout: o.IdleTimeout}}
	c.codecs.headBytesMax = o.HeadBytesMax
	c.invalid = c.setURL(o.BaseURL)
	return c
}

func (c *Client) setURL(base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return fmt.Errorf("parse the address of the venue: %w", err)
	}
	port := u.Port()
	switch u.Scheme {
	case "http":
		port = cmp.Or(port, "80")
	case "https":
		port = cmp.Or(port, "443")
		c.tls = c.options.TLS.Clone()
		c.tls.ServerName, c.tls.NextProtos = u.Hostname(), []string{"http/1.1"}
	default:
		return fmt.Errorf("address of the venue: unsupported scheme %q", u.Scheme)
	}
	if u.Hostname() == "" || u.User != nil || u.RawQuery != "" {
		return errors.New("address of the venue is not scheme, host and path")
	}
	c.host, c.prefix, c.address = u.Host, u.EscapedPath(), net.JoinHostPort(u.Hostname(), port)
	return nil
}

// Close closes the kept connections. Exchanges in progress continue; their connections are
// closed afterwards.
func (c *Client) Close() { c.conns.close() }

// Do sends the request once and reads the whole answer. sent reports whether a byte of the
// request was handed to the kernel; if err is not nil and sent is true, the outcome is
// unknown.
func (c *Client) Do(ctx context.Context, r Request) (answer *Answer, sent bool, err error) {
	if c.invalid != nil {
		return nil, false, c.invalid
	}
	x := c.codecs.get()
	defer c.codecs.put(x)
	if err := c.encode(x, r); err != nil {
		return nil, false, err
	}
	deadline := time.Now().Add(c.options.Timeout)
	if earlier, bounded := ctx.Deadline(); bounded && earlier.Before(deadline) {
		deadline = earlier
	}
	conn, err := c.connection(ctx, deadline)
	if err != nil {
		return nil, false, err
	}
	return c.exchange(ctx, conn, x)
}

// connection returns a kept connection that is quiet, or a new one.
func (c *Client) connection(ctx context.Context, deadline time.Time) (*conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for {
		conn, err := c.conns.take()
		switch {
		case err != nil:
			return nil, err
		case conn == nil:
			return c.dial(ctx, deadline)
		case conn.quiet() && conn.SetDeadline(deadline) == nil:
			return conn, nil
		}
		c.conns.discard(conn)
	}
}

// dial makes a connection in a place of the pool, which it frees if it fails.
func (c *Client) dial(ctx context.Context, deadline time.Time) (made *conn, err error) {
	defer func() {
		if err != nil {
			c.conns.free()
		}
	}()
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	network, err := c.options.Dial(ctx, "tcp", c.address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	made = newConn(network)
	if c.tls != nil {
		ctx, cancel := context.WithTimeout(ctx, c.options.HandshakeTimeout)
		defer cancel()
		err = made.secure(ctx, c.tls)
	}
	if err == nil {
		err = network.SetDeadline(deadline)
	}
	if err != nil {
		network.Close()
		return nil, fmt.Errorf("connect: %w", err)
	}
	return made, nil
}

// exchange writes the encoded request, reads the answer and keeps or closes the connection.
func (c *Client) exchange(ctx context.Context, conn *conn, x *codec) (answer *Answer, sent bool, err error) {
	conn.begin()
	proceeds := context.AfterFunc(ctx, conn.interrupt)
	keep := false
	if _, err = conn.stream.Write(x.request); err != nil {
		err = fmt.Errorf("write the request: %w", conn.cause(ctx, err))
	} else if answer, keep, err = x.decode(conn.stream, c.options.BodyBytesMax); err != nil {
		err = fmt.Errorf("read the answer: %w", conn.cause(ctx, err))
	}
	sent = conn.written > 0
	if proceeds() && keep {
		c.conns.keep(conn)
	} else {
		c.conns.discard(conn)
	}
	return answer, sent, err
}

// cause returns the error of the context for an exchange that its deadline has ended.
func (c *conn) cause(ctx context.Context, err error) error {
	switch {
	case !errors.Is(c.failure, os.ErrDeadlineExceeded):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return context.DeadlineExceeded
}
