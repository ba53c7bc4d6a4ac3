// Package journal submits the commits of all actors to the store.
//
// Client numbers the events and journal rows of each customer and submits the
// batch under the same lock, so that sequences rise in the order of the commits.
// Only the owner of a customer (Client.Own) can number and commit its rows: a
// process that has lost a customer is refused with persistence.ErrFenced.
//
// An actor commits through its CommitQueue, which lets nothing become durable
// behind a commit that failed:
//
//	actor ── CommitQueue ── Client ── persistence.Store
//	           merges,        numbers the      group commit
//	           keeps order    rows
//
// Client.Listen sets the function that is notified of durable events; the rows
// themselves are read from the store.
//
// The journal actor (Child) is the housekeeping: it purges rows that are past
// their retention and logs a store that is not intact.
package journal

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"venuegate/persistence"
)

// Client numbers and submits batches. It is safe for concurrent use.
type Client struct {
	store    persistence.Store
	listener Listener

	mu     sync.Mutex
	owners map[string]*sequence
	queues map[string]*CommitQueue
}

// Listener is notified that a customer's events up to seq are durable. It is called
// on the store's goroutine, once for each batch that contains events, and must not
// block. Within a customer seq rises unless a batch has failed.
type Listener func(customer string, seq uint64)

// sequence numbers the rows of one customer that this process owns.
type sequence struct {
	mu    sync.Mutex
	fence persistence.Fence
	last  uint64
}

// NewClient returns the client of a store. A store must have only one.
func NewClient(store persistence.Store) *Client {
	return &Client{store: store, owners: map[string]*sequence{}, queues: map[string]*CommitQueue{}}
}

// Listen sets the function that is notified of durable events. It is called once,
// before anything is submitted.
func (c *Client) Listen(l Listener) { c.listener = l }

// Own takes ownership of a customer. Batches of an earlier owner are refused from
// then on.
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

// Submit numbers the rows of the batch, in its slices, and queues it. The id of an event
// then contains its sequence. done is called once, in the
// order of the customer's submissions, and must not block. It is called with
// persistence.ErrFenced if this client does not own the customer.
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
		b.Events[i].ID = persistence.EventID(b.Events[i].ID, owner.last)
	}
	newest := owner.last
	for i := range b.Journal {
		owner.last++
		b.Journal[i].Seq = owner.last
	}
	c.store.Submit(b, c.notifying(b, newest, done))
}

// notifying returns a function that calls done and then the listener.
func (c *Client) notifying(b persistence.Batch, newest uint64, done func(error)) func(error) {
	if c.listener == nil || len(b.Events) == 0 {
		return done
	}
	customer := b.Fence.Customer
	return func(err error) {
		done(err)
		// An unknown outcome may be durable; a listener that finds nothing is harmless.
		if err == nil || errors.Is(err, persistence.ErrOutcomeUnknown) {
			c.listener(customer, newest)
		}
	}
}

// Commit submits the batch and waits until it is durable. If ctx ends first the
// error is persistence.ErrOutcomeUnknown.
func (c *Client) Commit(ctx context.Context, b persistence.Batch) error {
	return persistence.Await(ctx, c, b)
}
