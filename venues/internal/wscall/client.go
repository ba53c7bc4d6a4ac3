package wscall

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/wsclient"
)

const (
	// callsMax bounds the calls under way on one connection.
	callsMax = 256
	// timeoutDefault bounds a call.
	timeoutDefault = 10 * time.Second
)

// Why a call was not sent, or why nobody knows what became of it.
var (
	errNotUp   = errors.New("no connection")
	errBusy    = errors.New("too many calls under way")
	errSpentID = errors.New("another call under way has this id")
	errClosed  = errors.New("closed")
	errRenewal = errors.New("connection is due to be replaced")
)

// Options of a Client.
type Options struct {
	// Link is how the connection is made and watched over. Its Handler is the
	// Client; its Lifetime is kept by the Client (see the package comment).
	Link wsclient.Options
	// AnswerID names the call that a message answers; false for a message that
	// answers none. It is called from the connection's reader.
	AnswerID func(message []byte) (id string, ok bool)
	// Other takes the messages that answer no call: pongs, notices. They are
	// dropped if it is nil. It is called from the connection's reader, perhaps
	// before New has returned; it must not block and may call Renew or Reconnect
	// of c. A message is valid during the call.
	Other func(c *Client, message []byte)
	// Timeout bounds a call from its first byte to its answer, 10 s if zero. A
	// context may be shorter.
	Timeout time.Duration
}

// Client is a kept connection for calls. It is safe for concurrent use.
type Client struct {
	options  Options
	lifetime time.Duration
	log      *zap.Logger
	link     *wsclient.Link

	mu       sync.Mutex
	conn     *wsclient.Conn // nil while there is none
	openedAt time.Time
	draining bool // conn takes no more calls
	closed   bool
	calls    map[string]*call
}

// call is one that waits for its answer. Whoever takes it out of the table writes
// its result.
type call struct{ result chan result }

type result struct {
	answer []byte
	err    error
}

// New makes a client and dials. Close it.
func New(o Options) *Client {
	c := &Client{options: o, lifetime: o.Link.Lifetime, log: o.Link.Log, calls: make(map[string]*call)}
	if c.options.Timeout == 0 {
		c.options.Timeout = timeoutDefault
	}
	if c.log == nil {
		c.log = zap.NewNop()
	}
	link := o.Link
	link.Handler, link.Lifetime = handler{c}, 0
	c.link = wsclient.New(link)
	c.link.Start()
	return c
}

// Close ends the connection and the calls under way, whose outcome is unknown.
// When it returns no goroutine of the client runs.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.link.Close()
	c.lose(errClosed)
}

// Up says whether a call would be sent now.
func (c *Client) Up() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.obstacle() == nil
}

// obstacle is what keeps a call from being sent; mu is held.
func (c *Client) obstacle() error {
	switch {
	case c.closed:
		return errClosed
	case c.conn == nil:
		return errNotUp
	case c.draining:
		return errRenewal
	case len(c.calls) >= callsMax:
		return errBusy
	default:
		return nil
	}
}

// Renew replaces the connection once the calls under way have ended; a venue that
// announces its own end asks for it.
func (c *Client) Renew() {
	c.mu.Lock()
	c.draining = c.conn != nil
	c.mu.Unlock()
	c.replaceIfDrained()
}

// Reconnect gives the connection up because of cause. The calls under way end
// with an unknown outcome.
func (c *Client) Reconnect(cause error) { c.link.Reconnect(cause) }

// Call sends a message that holds the id and waits for the answer to it. Its
// errors are *venues.Error with exchange_unavailable, joined with
// venues.ErrNotSent or venues.ErrOutcomeUnknown. It takes the message over, and
// the answer is the caller's. An id must not be used again while late answers to
// it may come.
func (c *Client) Call(ctx context.Context, id string, message []byte) (answer []byte, err error) {
	conn, waiting, err := c.enter(id)
	if err != nil {
		return nil, notSent(err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	if began, err := conn.Write(ctx, message); err != nil {
		c.leave(id, waiting)
		if !began {
			return nil, notSent(err)
		}
		return nil, unknown(err)
	}
	select {
	case r := <-waiting.result:
		return r.answer, r.err
	case <-ctx.Done():
	}
	if c.leave(id, waiting) {
		return nil, unknown(ctx.Err())
	}
	r := <-waiting.result // it came in the same moment
	return r.answer, r.err
}

// enter puts a call into the table.
func (c *Client) enter(id string) (*wsclient.Conn, *call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.obstacle(); err != nil {
		return nil, nil, err
	}
	if _, spent := c.calls[id]; spent {
		return nil, nil, errSpentID
	}
	waiting := &call{result: make(chan result, 1)}
	c.calls[id] = waiting
	return c.conn, waiting, nil
}

// leave takes a call out of the table; false if its result is there already.
func (c *Client) leave(id string, waiting *call) bool {
	c.mu.Lock()
	mine := c.calls[id] == waiting
	if mine {
		delete(c.calls, id)
	}
	c.mu.Unlock()
	c.replaceIfDrained()
	return mine
}

// replaceIfDrained gives up a connection that takes no calls and owes no answers.
// It asks for that under the lock, so that the next connection is never meant.
func (c *Client) replaceIfDrained() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining && len(c.calls) == 0 {
		c.link.Reconnect(errRenewal)
	}
}

// answered gives a call its answer.
func (c *Client) answered(id string, message []byte) {
	c.mu.Lock()
	waiting, known := c.calls[id]
	delete(c.calls, id)
	c.mu.Unlock()
	if !known {
		c.log.Warn("answer that nobody waits for", zap.String("id", payload.Bounded(id)))
		return
	}
	waiting.result <- result{answer: append([]byte(nil), message...)}
	c.replaceIfDrained()
}

// lose ends the calls under way.
func (c *Client) lose(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn, c.draining = nil, false
	for id, waiting := range c.calls {
		delete(c.calls, id)
		waiting.result <- result{err: unknown(cause)}
	}
}

// handler hears the link; its methods are no part of the Client's own.
type handler struct{ *Client }

func (h handler) Opened(conn *wsclient.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conn, h.openedAt, h.draining = conn, time.Now(), false
}

func (h handler) Message(_ *wsclient.Conn, message []byte) {
	if id, ok := h.options.AnswerID(message); ok {
		h.answered(id, message)
	} else if h.options.Other != nil {
		h.options.Other(h.Client, message)
	}
}

func (h handler) Lost(cause error) { h.lose(cause) }

// Tick replaces a connection at the end of its lifetime.
func (h handler) Tick(now time.Time) {
	h.mu.Lock()
	over := h.lifetime > 0 && h.conn != nil && now.Sub(h.openedAt) >= h.lifetime
	h.mu.Unlock()
	if over {
		h.Renew()
	}
}

func notSent(cause error) error { return unanswered(venues.ErrNotSent, cause) }

func unknown(cause error) error { return unanswered(venues.ErrOutcomeUnknown, cause) }

func unanswered(outcome, cause error) error {
	return venues.Errorf(venues.CodeExchangeUnavailable, "order entry: no answer from the venue").
		Because(errors.Join(outcome, cause))
}
