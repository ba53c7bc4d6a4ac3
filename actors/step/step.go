package step

import (
	"time"

	"venuegate/actors"
	"venuegate/persistence"
)

// Context has the time of one step and makes its ids. A state machine has no other
// clock.
type Context struct {
	// Now is the time of the step.
	Now time.Time
	// NewID returns a new id with the given prefix.
	NewID func(prefix string) string
}

// NewContext returns the Context of a step that begins now.
func NewContext(newID func(prefix string, at time.Time) string) Context {
	now := time.Now()
	return Context{Now: now, NewID: func(prefix string) string { return newID(prefix, now) }}
}

// Output is the result of one step. E is the actor's type of effect.
type Output[E any] struct {
	// Batch has the step's changes of the store; it may be empty.
	Batch persistence.Batch
	// Now has the effects that do not depend on Batch. They run first.
	Now []E
	// After has the effects that run once Batch is durable.
	After []E
	// Creates, if not empty, is the id of the only object that the batch creates, on
	// which nothing else in the state depends yet. If the store rejects such a batch,
	// the object is dropped and the actor continues.
	Creates string
}

// Submit submits a batch. Once it is durable or has failed, result is called with the
// error, and the message that it returns is delivered to the actor.
func Submit(ctx *actors.Context, journal persistence.Submitter, b persistence.Batch, result func(error) any) {
	done := actors.ReplyTo(ctx, func(outcome, _ error) any { return result(outcome) })
	journal.Submit(b, done.Send)
}

// Early is a bounded queue of the requests that arrive before an actor can handle
// them.
type Early struct {
	// Max is the number of requests that are kept; further ones are rejected with
	// actors.ErrBusy.
	Max      int
	requests []actors.Rejectable
}

// Add appends a request.
func (e *Early) Add(request actors.Rejectable) {
	if len(e.requests) >= e.Max {
		request.Reject(actors.ErrBusy)
		return
	}
	e.requests = append(e.requests, request)
}

// Take empties the queue and returns its requests, oldest first.
func (e *Early) Take() []actors.Rejectable {
	requests := e.requests
	e.requests = nil
	return requests
}

// Reject empties the queue and rejects its requests with err.
func (e *Early) Reject(err error) {
	for _, request := range e.Take() {
		request.Reject(err)
	}
}
