package journal

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"venuegate/persistence"
)

// Client submits commits. It is safe for concurrent use.
type Client struct {
	store    persistence.Store
	listener Listener

	mu     sync.Mutex
	owners map[string]*sequence
	lines  map[string]*Line
}

// Listener hears that a customer's events up to seq are durable. It is called on
// the store's goroutine, once for each batch that held events, and must not
// block. Calls for one customer rise unless a batch has failed.
type Listener func(customer string, seq uint64)

// sequence numbers the rows of one customer that this process owns.
type sequence struct {
	mu    sync.Mutex
	fence persistence.Fence
	last  uint64
}

// NewClient makes the client of a store. There must be one for each store.
func NewClient(store persistence.Store) *Client {
	return &Client{store: store, owners: map[string]*sequence{}, lines: map[string]*Line{}}
}

// Listen sets who hears of durable events. It is called once, before anything is
// submitted.
func (c *Client) Listen(l Listener) { c.listener = l }

// Own takes a customer: what an earlier owner still submits is refused from here
// on.
func (c *Client) Own(ctx context.Context, customer string) (persistence.Fence, error) {
	fence, err := c.store.TakeOwnership(ctx, customer)
	if err != nil {
		return fence, fmt.Errorf("take customer %s: %w", customer, err)
	}
	last, err := c.store.LastSequence(ctx, customer)
	if err != nil {
		return fence, fmt.Errorf("last sequence of customer %s: %w", customer, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owners[customer] = &sequence{fence: fence, last: last}
	return fence, nil
}

// Submit numbers the batch's rows and queues it. done is called once, in the
// order of the submissions of a customer, and must not block.
func (c *Client) Submit(b persistence.Batch, done func(error)) {
	if b.Fence.Customer == "" {
		c.store.Submit(b, done)
		return
	}
	c.mu.Lock()
	owner := c.owners[b.Fence.Customer]
	c.mu.Unlock()
	if owner == nil || owner.fence != b.Fence {
		done(persistence.ErrFenced)
		return
	}
	owner.mu.Lock()
	defer owner.mu.Unlock()
	for i := range b.Events {
		owner.last++
		b.Events[i].Seq = owner.last
	}
	newest := owner.last
	for i := range b.Journal {
		owner.last++
		b.Journal[i].Seq = owner.last
	}
	c.store.Submit(b, c.telling(b, newest, done))
}

// telling is done, with the listener told behind it.
func (c *Client) telling(b persistence.Batch, newest uint64, done func(error)) func(error) {
	if c.listener == nil || len(b.Events) == 0 {
		return done
	}
	customer := b.Fence.Customer
	return func(err error) {
		done(err)
		// An unknown outcome may be durable: looking once too often harms nobody.
		if err == nil || errors.Is(err, persistence.ErrOutcomeUnknown) {
			c.listener(customer, newest)
		}
	}
}

// Commit submits and waits; if ctx ends first the outcome is unknown.
func (c *Client) Commit(ctx context.Context, b persistence.Batch) error {
	return persistence.Await(ctx, c, b)
}
