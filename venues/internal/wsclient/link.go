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

// Reasons why a link gives up a connection by itself.
var (
	ErrSilent = errors.New("connection fell silent")
	ErrClosed = errors.New("link closed")
)

// errUnwanted is why nothing is dialled.
var errUnwanted = errors.New("the venue asked for silence")

// Link is a lasting connection. Its methods are safe for concurrent use.
type Link struct {
	options Options
	dialer  websocket.Dialer
	ctx     context.Context
	cancel  context.CancelFunc
	renew   chan struct{} // an order to the supervisor; one that waits is enough
	workers sync.WaitGroup

	// failure is what the last dial failed of; it belongs to the supervisor.
	failure string
}

// New makes a link that does nothing before Start.
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

// Start dials. It is called once, when the handler is ready for its calls.
func (l *Link) Start() { l.workers.Go(l.supervise) }

// Close ends the link and returns when no handler method runs any more. It waits
// for nothing that the venue owes. It must not be called from the handler.
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

// supervise holds one connection after the other until the link closes.
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
					return // it was the end of the link that failed it
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
		lived := time.Since(conn.openedAt)
		if conn = successor; conn != nil {
			continue
		}
		if l.ctx.Err() != nil {
			return
		}
		l.options.Handler.Lost(err)
		if lived > l.options.BackoffMax {
			attempt = 0
		}
		l.options.Log.Warn("venue stream: connection lost", zap.Error(err), zap.Duration("lived", lived))
		l.pause(tick, attempt)
		attempt++
	}
	if conn != nil {
		conn.close(ErrClosed)
		conn.writer.Wait()
	}
}

// logFailure warns of a failed dial, once for all that fail alike in a row.
func (l *Link) logFailure(err error, attempt int) {
	level := zap.WarnLevel
	if err.Error() == l.failure {
		level = zap.DebugLevel
	}
	l.failure = err.Error()
	l.options.Log.Log(level, "venue stream: dial failed", zap.Error(err), zap.Int("attempt", attempt))
}

// pause waits out what the venue wants of silence, and the backoff; ticks go on.
func (l *Link) pause(tick *time.Ticker, attempt int) {
	wait := time.NewTimer(max(0, l.options.Silence()) + backoff(attempt, l.options.BackoffMin, l.options.BackoffMax, rand.Int64N(1<<62)))
	defer wait.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-wait.C:
			select {
			case <-l.renew: // it concerned a connection that is gone
			default:
			}
			return
		case now := <-tick.C:
			l.options.Handler.Tick(now)
		}
	}
}

// dial makes a connection, authenticated and with its writer running.
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
	if l.options.Silence() > 0 {
		return nil, errUnwanted
	}
	socket, response, err := l.connect(ctx, target)
	if err != nil {
		l.tellRefusal(response)
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

// connect makes a connection, up to the end of the handshake. The dialer would give
// an answer that does not come its whole time-out; ctx ends the wait by closing the
// socket below.
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
	if err := l.options.Authenticate(&Session{conn: c}); err != nil {
		return err
	}
	return c.socket.SetReadDeadline(time.Time{})
}

// tellRefusal tells of the answer to a handshake that failed, if there is one.
func (l *Link) tellRefusal(response *http.Response) {
	if response == nil {
		return
	}
	body, _ := io.ReadAll(response.Body) // what there is of it: it has been read already
	l.options.Refused(response.StatusCode, response.Header, body)
}

// dialError tells the status of a refused handshake and never the URL, which may
// hold a key.
func dialError(response *http.Response, err error) error {
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		err = withURL.Err
	}
	if response != nil {
		return fmt.Errorf("handshake refused with status %d: %w", response.StatusCode, err)
	}
	return err
}
