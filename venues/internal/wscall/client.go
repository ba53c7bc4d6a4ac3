package wscall

import (
	"cmp"
	"context"
	"errors"
	"strconv"
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
	// namelessWait is how long the calls under way may still be answered once the
	// venue has refused one without naming it.
	namelessWait = time.Second
)

// Why a call was not sent, or why nobody knows what became of it.
var (
	errNotUp    = errors.New("no connection")
	errBusy     = errors.New("too many calls under way")
	errClosed   = errors.New("closed")
	errReplaced = errors.New("connection is due to be replaced")
	errNameless = errors.New("the venue refused a call that it did not name")
)

// Message is what a connector reads in a message of the venue.
type Message struct {
	// ID names the call that the message answers; empty if it answers none.
	ID string
	// Says is what it means for the connection that it came on.
	Says Says
}

// Says is what a message means for its connection.
type Says uint8

const (
	// Nothing: the connection serves on.
	Nothing Says = iota
	// Ending: the venue will end the connection, or takes no more calls on it. It is
	// replaced once the calls under way are answered.
	Ending
	// Nameless: the venue has refused a call and does not say which. The connection
	// takes no more, those under way have a moment for their answers, and what has
	// none then is unknown: it is found sooner by query than by waiting.
	Nameless
)

// Options of a Client.
type Options struct {
	// Link is how the connection is made and watched over. Its Handler is the
	// Client; its Lifetime is kept by the Client (see the package comment).
	Link wsclient.Options
	// Read reads a message. It is called from the connection's reader, perhaps
	// before New has returned, and must not block. A message is valid during the call.
	Read func(message []byte) Message
	// IDPrefix begins the id of every call.
	IDPrefix string
	// Timeout bounds a call from its first byte to its answer, 10 s if zero; a
	// connection that does not answer by then is replaced. A context may be shorter.
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
	// namelessAt is when the venue refused a call of conn without naming it; zero if
	// it did not.
	namelessAt time.Time
	closed     bool
	lastID     uint64
	calls      map[string]*call
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
	c := &Client{options: o, lifetime: o.Link.Lifetime, log: cmp.Or(o.Link.Log, zap.NewNop()), calls: make(map[string]*call)}
	c.options.Timeout = cmp.Or(o.Timeout, timeoutDefault)
	link := o.Link
	link.Handler, link.Lifetime = handler{c}, 0
	c.link = wsclient.New(link)
	c.link.Start()
	return c
}

// Close ends the connection. The outcome of the calls under way is unknown: nobody
// waits for a venue that may never answer. When Close returns no goroutine of the
// client runs.
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
		return errReplaced
	case len(c.calls) >= callsMax:
		return errBusy
	default:
		return nil
	}
}

// Call sends the message that build makes for an id, and waits for the answer to
// it, which is the caller's. Its errors are *venues.Error with exchange_unavailable,
// joined with venues.ErrNotSent or venues.ErrOutcomeUnknown; errors of build come
// back as they are, and nothing was sent then. No two calls have the same id.
func (c *Client) Call(ctx context.Context, build func(id string) ([]byte, error)) (answer []byte, err error) {
	conn, id, waiting, err := c.enter()
	if err != nil {
		return nil, c.notSent(err)
	}
	message, err := build(id)
	if err != nil {
		c.leave(id, waiting, false)
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	if began, err := conn.Write(bounded, message); err != nil {
		c.leave(id, waiting, false)
		if !began {
			return nil, c.notSent(err)
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

// enter puts a call into the table, under an id of its own.
func (c *Client) enter() (*wsclient.Conn, string, *call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.obstacle(); err != nil {
		return nil, "", nil, err
	}
	c.lastID++
	id := c.options.IDPrefix + strconv.FormatUint(c.lastID, 10)
	waiting := &call{result: make(chan result, 1)}
	c.calls[id] = waiting
	return c.conn, id, waiting, nil
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

// settle gives up a connection that is to be replaced once it owes no answer; mu is
// held.
func (c *Client) settle() {
	if c.draining && c.conn != nil && len(c.calls) == 0 {
		c.conn.GiveUp(errReplaced)
	}
}

// answered gives a call its answer; mu is held.
func (c *Client) answered(id string, message []byte) {
	waiting, known := c.calls[id]
	if !known {
		c.log.Warn("answer that nobody waits for", zap.String("id", payload.Bounded(id)))
		return
	}
	delete(c.calls, id)
	waiting.result <- result{answer: append([]byte(nil), message...)}
}

// lose ends the calls under way.
func (c *Client) lose(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn, c.draining, c.namelessAt = nil, false, time.Time{}
	for id, waiting := range c.calls {
		delete(c.calls, id)
		waiting.result <- result{err: unknown(cause)}
	}
}

func (c *Client) notSent(cause error) error {
	c.log.Debug("call not sent", zap.Error(cause))
	return unanswered(venues.ErrNotSent, cause)
}

func unknown(cause error) error { return unanswered(venues.ErrOutcomeUnknown, cause) }

func unanswered(outcome, cause error) error {
	return venues.Errorf(venues.CodeExchangeUnavailable, "order entry: no answer from the venue").
		Because(errors.Join(outcome, cause))
}
