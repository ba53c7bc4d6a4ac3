package wscall

import (
	"cmp"
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
	// timeoutDefault bounds a call, closeWaitDefault the wait of Close for answers.
	timeoutDefault   = 10 * time.Second
	closeWaitDefault = 3 * time.Second
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
	// Timeout bounds a call from its first byte to its answer, 10 s if zero; a
	// connection that does not answer by then is replaced. A context may be shorter.
	Timeout time.Duration
	// CloseWait is how long Close waits for the answers to calls under way, 3 s if
	// zero.
	CloseWait time.Duration
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
	// idle is closed once the client is closed and no call is under way.
	idle      chan struct{}
	closeIdle func()
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
	c := &Client{
		options: o, lifetime: o.Link.Lifetime, log: cmp.Or(o.Link.Log, zap.NewNop()),
		calls: make(map[string]*call), idle: make(chan struct{}),
	}
	c.closeIdle = sync.OnceFunc(func() { close(c.idle) })
	c.options.Timeout = cmp.Or(o.Timeout, timeoutDefault)
	c.options.CloseWait = cmp.Or(o.CloseWait, closeWaitDefault)
	link := o.Link
	link.Handler, link.Lifetime = handler{c}, 0
	c.link = wsclient.New(link)
	c.link.Start()
	return c
}

// Close takes no more calls, waits a little for the answers to those under way and
// ends the connection. The outcome of a call that has no answer by then is
// unknown. When Close returns no goroutine of the client runs.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.settle()
	c.mu.Unlock()
	wait := time.NewTimer(c.options.CloseWait)
	defer wait.Stop()
	select {
	case <-c.idle:
	case <-wait.C:
	}
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
	defer c.mu.Unlock()
	c.draining = c.conn != nil
	c.settle()
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
	bounded, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	if began, err := conn.Write(bounded, message); err != nil {
		c.leave(id, waiting, false)
		if !began {
			return nil, notSent(err)
		}
		return nil, unknown(err)
	}
	select {
	case r := <-waiting.result:
		return r.answer, r.err
	case <-bounded.Done():
	}
	if c.leave(id, waiting, ctx.Err() == nil) {
		return nil, unknown(bounded.Err())
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

// leave takes a call out of the table; false if its result is there already. One
// that is overdue has its connection replaced, which is still that of the table.
func (c *Client) leave(id string, waiting *call, overdue bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[id] != waiting {
		return false
	}
	delete(c.calls, id)
	c.draining = c.draining || overdue
	c.settle()
	return true
}

// settle does what waits for the last answer: replacing the connection, closing.
// mu is held, so that the connection to replace is never the next one.
func (c *Client) settle() {
	if len(c.calls) > 0 {
		return
	}
	if c.draining {
		c.link.Reconnect(errRenewal)
	}
	if c.closed {
		c.closeIdle()
	}
}

// answered gives a call its answer.
func (c *Client) answered(id string, message []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, known := c.calls[id]
	if !known {
		c.log.Warn("answer that nobody waits for", zap.String("id", payload.Bounded(id)))
		return
	}
	delete(c.calls, id)
	waiting.result <- result{answer: append([]byte(nil), message...)}
	c.settle()
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
	c.settle()
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
