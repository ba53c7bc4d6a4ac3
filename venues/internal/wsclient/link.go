package wsclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/zap"
)

// Reasons why a link closes a connection.
var (
	ErrSilent = errors.New("no message on the connection")
	ErrClosed = errors.New("link closed")
)

// errDialPaused is returned while dialling is paused.
var errDialPaused = errors.New("the venue does not accept connections now")

// Link is a persistent connection. Its methods are safe for concurrent use.
type Link struct {
	options Options
	dialer  websocket.Dialer
	ctx     context.Context
	cancel  context.CancelFunc
	renew   chan struct{} // to the supervisor; one pending request is enough
	workers sync.WaitGroup

	// failure is the error of the last dial. It belongs to the supervisor.
	failure string
}

// New returns a link that does nothing before Start.
func New(o Options) *Link {
	ctx, cancel := context.WithCancel(context.Background())
	return &Link{
		options: o.withDefaults(),
		dialer: websocket.Dialer{
			HandshakeTimeout: handshakeTimeout,
			ReadBufferSize:   readBufferBytes,
			WriteBufferSize:  writeBufferBytes,
			TLSClientConfig:  &tls.Config{MinVersion: tls.VersionTLS12},
		},
		ctx: ctx, cancel: cancel,
		renew: make(chan struct{}, 1),
	}
}

// Start dials. It is called once, when the handler is ready.
func (l *Link) Start() { l.workers.Go(l.supervise) }

// Close closes the link and returns when no handler method runs any more. It does not
// wait for pending answers of the venue. It must not be called from the handler.
func (l *Link) Close() {
	l.cancel()
	l.workers.Wait()
}

// Renew replaces the connection without a loss.
func (l *Link) Renew() {
	select {
	case l.renew <- struct{}{}:
	default:
	}
}

// supervise keeps one connection after another until the link is closed.
func (l *Link) supervise() {
	tick := time.NewTicker(l.options.TickInterval)
	defer tick.Stop()
	attempt := 0
	var conn *Conn
	for l.ctx.Err() == nil {
		if conn == nil {
			var err error
			if conn, err = l.dial(); err != nil {
				if l.ctx.Err() != nil {
					return // the dial failed because the link was closed
				}
				l.logFailure(err, attempt)
				l.pause(tick, attempt)
				attempt++
				continue
			}
			l.failure = ""
			l.options.Handler.Opened(conn)
		}
		successor, err := l.serve(conn, tick)
		age := time.Since(conn.openedAt)
		if conn = successor; conn != nil {
			continue
		}
		if l.ctx.Err() != nil {
			return
		}
		l.options.Handler.Lost(err)
		if age > l.options.BackoffMax {
			attempt = 0
		}
		l.options.Log.Warn("venue stream: connection lost", zap.Error(err), zap.Duration("age", age))
		l.pause(tick, attempt)
		attempt++
	}
	if conn != nil {
		conn.close(ErrClosed)
		conn.writer.Wait()
	}
}

// logFailure logs a failed dial as a warning, once for consecutive equal failures.
func (l *Link) logFailure(err error, attempt int) {
	level := zap.WarnLevel
	if err.Error() == l.failure {
		level = zap.DebugLevel
	}
	l.failure = err.Error()
	l.options.Log.Log(level, "venue stream: dial failed", zap.Error(err), zap.Int("attempt", attempt))
}

// pause waits for the dial pause and the backoff. Ticks continue.
func (l *Link) pause(tick *time.Ticker, attempt int) {
	wait := time.NewTimer(max(0, l.options.DialPause()) + backoff(attempt, l.options.BackoffMin, l.options.BackoffMax, rand.Int64N(1<<62)))
	defer wait.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-wait.C:
			select {
			case <-l.renew: // for a connection that is gone
			default:
			}
			return
		case now := <-tick.C:
			l.options.Handler.Tick(now)
		}
	}
}

// dial makes a connection, authenticates it and starts its writer.
func (l *Link) dial() (*Conn, error) {
	if err := l.options.Dials.Wait(l.ctx); err != nil {
		return nil, fmt.Errorf("wait to dial: %w", err)
	}
	ctx, cancel := context.WithTimeout(l.ctx, 2*handshakeTimeout)
	defer cancel()
	target, err := l.options.URL(ctx)
	if err != nil {
		return nil, fmt.Errorf("stream address: %w", err)
	}
	if l.options.DialPause() > 0 {
		return nil, errDialPaused
	}
	socket, response, err := l.connect(ctx, target)
	if err != nil {
		l.reportRejection(response)
		return nil, dialError(response, err)
	}
	c := newConn(socket, l.options.ReadBytesMax, time.Now())
	if err := l.authenticate(ctx, c); err != nil {
		c.close(err)
		return nil, fmt.Errorf("authenticate: %w", err)
	}
	c.startWriter(time.Second / time.Duration(l.options.SendsPerSecond))
	return c, nil
}

// connect makes a connection up to the end of the handshake. The dialer would wait its
// full time-out for an answer; ctx ends the wait by closing the socket.
func (l *Link) connect(ctx context.Context, target string) (*websocket.Conn, *http.Response, error) {
	release := func() bool { return true }
	dialer := l.dialer
	dialer.NetDialContext = func(dialing context.Context, network, address string) (net.Conn, error) {
		conn, err := l.options.Dial(dialing, network, address)
		if err == nil {
			release = context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}
	defer func() { release() }()
	return dialer.DialContext(ctx, target, nil)
}

func (l *Link) authenticate(ctx context.Context, c *Conn) error {
	if l.options.Authenticate == nil {
		return nil
	}
	stop := context.AfterFunc(ctx, func() { c.close(ctx.Err()) })
	defer stop()
	if err := c.socket.SetReadDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return err
	}
	if err := l.options.Authenticate(&Handshake{conn: c}); err != nil {
		return err
	}
	return c.socket.SetReadDeadline(time.Time{})
}

// reportRejection reports the answer to a failed handshake, if there was one.
func (l *Link) reportRejection(response *http.Response) {
	if response == nil {
		return
	}
	body, _ := io.ReadAll(response.Body) // the dialer has read it already, as far as it is there
	l.options.HandshakeRejected(response.StatusCode, response.Header, body)
}

// dialError returns an error with the status of a rejected handshake and without the URL,
// which may contain a key.
func dialError(response *http.Response, err error) error {
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		err = withURL.Err
	}
	if response != nil {
		return fmt.Errorf("handshake rejected with status %d: %w", response.StatusCode, err)
	}
	return err
}

// backoff returns the wait before dial number attempt (from 0): at least low, at most low
// doubled with each attempt, and never above high. random is in [0, 1<<62).
func backoff(attempt int, low, high time.Duration, random int64) time.Duration {
	bound := low
	for range attempt + 1 {
		if bound >= high/2 {
			bound = high
			break
		}
		bound *= 2
	}
	spread := int64(bound - low)
	if spread <= 0 {
		return low
	}
	return low + time.Duration(random%spread)
}
