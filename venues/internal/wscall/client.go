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
	// callsMax bounds the pending calls of one connection.
	callsMax = 256
	// timeoutDefault bounds a call.
	timeoutDefault = 10 * time.Second
	// rejectWithoutIDWait is how long pending calls may still be answered after the venue
	// has rejected one without naming it.
	rejectWithoutIDWait = time.Second
)

// Reasons why a call was not sent or its outcome is unknown.
var (
	errNotConnected    = errors.New("no connection")
	errBusy            = errors.New("too many calls under way")
	errClosed          = errors.New("closed")
	errReplaced        = errors.New("connection is due to be replaced")
	errRejectWithoutID = errors.New("the venue rejected a call without naming it")
)

// Message is what a connector finds in a message of the venue.
type Message struct {
	// ID is the id of the call that the message answers; empty if it answers none.
	ID string
	// Effect is the message's effect on its connection.
	Effect Effect
}

// Effect is the effect of a message on its connection.
type Effect uint8

const (
	// NoEffect: the connection stays in use.
	NoEffect Effect = iota
	// Ending: the venue will close the connection or accepts no more calls on it. It is
	// replaced once the pending calls are answered.
	Ending
	// RejectWithoutID: the venue has rejected a call without its id. The connection accepts no
	// more calls. Pending ones may be answered within rejectWithoutIDWait; after that their
	// outcome is unknown, because a query is faster than waiting.
	RejectWithoutID
)

// Options of a Client.
type Options struct {
	// Link is how the connection is made and monitored. The Client is its Handler and
	// applies its Lifetime (see the package comment).
	Link wsclient.Options
	// Read reads a message. It is called from the connection's reader, perhaps before New
	// has returned, and must not block. The message is valid only during the call.
	Read func(message []byte) Message
	// IDPrefix is the beginning of the id of every call.
	IDPrefix string
	// Timeout bounds a call from its first byte to its answer, 10 s if zero. A connection
	// that does not answer within it is replaced. A context may be shorter.
	Timeout time.Duration
}

// Client is a persistent connection for calls. It is safe for concurrent use.
type Client struct {
	options  Options
	lifetime time.Duration
	log      *zap.Logger
	link     *wsclient.Link

	mu       sync.Mutex
	conn     *wsclient.Conn // nil while there is none
	openedAt time.Time
	draining bool // conn accepts no more calls
	// rejectWithoutIDAt is when the venue rejected a call of conn without naming it; zero
	// if it did not.
	rejectWithoutIDAt time.Time
	closed            bool
	lastID            uint64
	calls             map[string]*call
}

// call is a pending call. The goroutine that removes it from the table sends its result.
type call struct{ result chan result }

type result struct {
	answer []byte
	err    error
}

// New returns a client and connects. The caller must Close it.
func New(o Options) *Client {
	c := &Client{options: o, lifetime: o.Link.Lifetime, log: cmp.Or(o.Link.Log, zap.NewNop()), calls: make(map[string]*call)}
	c.options.Timeout = cmp.Or(o.Timeout, timeoutDefault)
	link := o.Link
	link.Handler, link.Lifetime = handler{c}, 0
	c.link = wsclient.New(link)
	c.link.Start()
	return c
}

// Close closes the connection. The outcome of pending calls is unknown; Close does not
// wait for them. When it returns no goroutine of the client runs.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.link.Close()
	c.failAll(errClosed)
}

// Up reports whether a call would be sent now.
func (c *Client) Up() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.obstacle() == nil
}

// obstacle returns the reason why a call cannot be sent; mu is held.
func (c *Client) obstacle() error {
	switch {
	case c.closed:
		return errClosed
	case c.conn == nil:
		return errNotConnected
	case c.draining:
		return errReplaced
	case len(c.calls) >= callsMax:
		return errBusy
	default:
		return nil
	}
}

// Call sends the message that build makes for an id and returns the answer to it, which
// belongs to the caller. Its errors are *venues.Error with exchange_unavailable, joined
// with venues.ErrNotSent or venues.ErrOutcomeUnknown. Errors of build are returned
// unchanged; nothing was sent then. No two calls have the same id.
func (c *Client) Call(ctx context.Context, build func(id string) ([]byte, error)) (answer []byte, err error) {
	conn, id, waiting, err := c.register()
	if err != nil {
		return nil, c.notSent(err)
	}
	message, err := build(id)
	if err != nil {
		c.unregister(id, waiting, false)
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	if began, err := conn.Write(bounded, message); err != nil {
		c.unregister(id, waiting, false)
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
	if c.unregister(id, waiting, ctx.Err() == nil) {
		return nil, unknown(bounded.Err())
	}
	r := <-waiting.result // it came at the same time
	return r.answer, r.err
}

// register adds a call to the table, under an id of its own.
func (c *Client) register() (*wsclient.Conn, string, *call, error) {
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

// unregister removes a call from the table; false if its result is already there. The
// connection of an overdue call, which is the current one, is replaced.
func (c *Client) unregister(id string, waiting *call, overdue bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[id] != waiting {
		return false
	}
	delete(c.calls, id)
	c.draining = c.draining || overdue
	c.abortIfDrained()
	return true
}

// abortIfDrained replaces a draining connection when no call is pending; mu is held.
func (c *Client) abortIfDrained() {
	if c.draining && c.conn != nil && len(c.calls) == 0 {
		c.conn.Abort(errReplaced)
	}
}

// deliver passes an answer to its call; mu is held.
func (c *Client) deliver(id string, message []byte) {
	waiting, known := c.calls[id]
	if !known {
		c.log.Warn("answer without a pending call", zap.String("id", payload.Bounded(id)))
		return
	}
	delete(c.calls, id)
	waiting.result <- result{answer: append([]byte(nil), message...)}
}

// failAll fails the pending calls.
func (c *Client) failAll(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn, c.draining, c.rejectWithoutIDAt = nil, false, time.Time{}
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
