package actors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Errors of Ask, Start and effects. ErrBusy and ErrStopped mean that the request was
// not handled; after ErrFailed and ErrDeadline its outcome is unknown, and it may
// still be carried out.
var (
	// ErrBusy is returned when a mailbox or a pool is full.
	ErrBusy = errors.New("actors: busy")
	// ErrStopped is returned when the actor has ended, or is stopping and accepts no
	// new requests.
	ErrStopped = errors.New("actors: stopped")
	// ErrFailed is returned when the actor has received the request and ended
	// without an answer: it failed, or had to stop.
	ErrFailed = errors.New("actors: ended before the answer")
	// ErrDeadline is returned when the context ended before the answer. It wraps the
	// context's error.
	ErrDeadline = errors.New("actors: no answer in time")
	// ErrNameTaken is returned when a sibling, perhaps one that is still stopping,
	// has the name.
	ErrNameTaken = errors.New("actors: name taken")
	// ErrBadName is returned when a name is empty, too long, or does not consist of
	// segments of letters, digits and "._:-" joined by single slashes.
	ErrBadName = errors.New("actors: bad name")
)

// AskWaitMax bounds an Ask whose context carries no deadline of its own.
const AskWaitMax = 30 * time.Second

// Reply is the destination of the answer to one request. It is part of the request
// message, best embedded, which makes the message Rejectable. The zero Reply discards
// the answer.
//
// Only the first answer counts; later ones, and those that arrive after the caller has
// given up, are dropped. Answering never blocks. A Reply may be copied, kept in an
// actor's state and answered from any goroutine. If the actor ends without an answer,
// the kit answers a request that embeds a Reply with ErrFailed.
type Reply[T any] struct {
	sink *sink[T]
}

// sink receives one answer. Sinks are not reused, so that a late answer cannot reach
// another caller. Only the channel that wakes the caller is reused, once no further
// send on it is possible.
type sink[T any] struct {
	settled atomic.Bool
	value   T
	err     error
	wake    chan struct{} // capacity 1; nil if then is set
	then    func(T, error)
}

// Send answers with a value.
func (r Reply[T]) Send(value T) { r.settle(value, nil) }

// Reject answers with an error.
func (r Reply[T]) Reject(err error) {
	var none T
	r.settle(none, err)
}

// isOpen reports whether a caller has not been answered yet.
func (r Reply[T]) isOpen() bool { return r.sink != nil && !r.sink.settled.Load() }

func (r Reply[T]) settle(value T, err error) {
	s := r.sink
	if s == nil || !s.settled.CompareAndSwap(false, true) {
		return
	}
	if s.then != nil {
		s.then(value, err)
		return
	}
	s.value, s.err = value, err
	s.wake <- struct{}{}
}

// ReplyFunc returns a Reply that calls then with the first answer. then runs on the
// goroutine that answers, so it may only pass the answer on. An actor that needs the
// answer as a message uses ReplyTo.
func ReplyFunc[T any](then func(T, error)) Reply[T] {
	return Reply[T]{&sink[T]{then: then}}
}

// ReplyTo returns a Reply for a request from one actor to another. toMessage converts
// the answer into a message, on the goroutine of the calling actor. The message is not
// subject to the mailbox's limit, and only the incarnation that called receives it. An
// orderly stop of the calling actor waits for the answer.
func ReplyTo[T any](ctx *Context, toMessage func(T, error) any) Reply[T] {
	s := ctx.shell
	s.pending++
	a := &answer[T]{result: result{shell: s}, toMessage: toMessage}
	a.then = a.post
	return Reply[T]{&a.sink}
}

// answer is the answer to a request of an actor, and the message with which the actor
// receives it.
type answer[T any] struct {
	result
	sink[T]
	toMessage func(T, error) any
}

func (a *answer[T]) post(value T, err error) {
	a.value, a.err = value, err
	a.shell.cell.post(a)
}

func (a *answer[T]) handle(s *shell) {
	if a.shell == s {
		a.message = a.toMessage(a.value, a.err)
	}
	a.result.handle(s)
}

// Ask sends the message that request returns for a new Reply, and waits for the answer.
// It is for callers outside of actors (a handler, an effect, a test); in Receive it
// would block the actor.
//
// The error is the actor's answer, or ErrBusy, ErrStopped, ErrFailed, or ErrDeadline
// when ctx ends first. A request without an answer may still be carried out.
func Ask[T any](ctx context.Context, ref Ref, request func(Reply[T]) any) (T, error) {
	if ref.pid == nil {
		var none T
		return none, ErrStopped
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, AskWaitMax)
		defer cancel()
	}
	wakers := &ref.system.wakers
	s := &sink[T]{wake: wakers.get()}
	ref.Tell(request(Reply[T]{s}))
	select {
	case <-s.wake:
	case <-ctx.Done():
		if s.settled.CompareAndSwap(false, true) {
			wakers.put(s.wake)
			var none T
			return none, fmt.Errorf("%w: %s: %w", ErrDeadline, ref.Path(), ctx.Err())
		}
		<-s.wake // the answer is being written now
	}
	wakers.put(s.wake)
	return s.value, s.err
}

// wakers is a pool of the channels that wake callers. Each system has its own, since a
// channel must not leave its bubble of virtual time.
type wakers struct{ free sync.Pool }

func (w *wakers) get() chan struct{} {
	if c, ok := w.free.Get().(chan struct{}); ok {
		return c
	}
	return make(chan struct{}, 1)
}

func (w *wakers) put(c chan struct{}) { w.free.Put(c) }

// pendingRepliesMin is the number of requests up to which answered ones are kept.
const pendingRepliesMin = 16

// request is a message that embeds a Reply.
type request interface {
	Rejectable
	isOpen() bool
}

// pendingReplies are the requests that an incarnation has received and not answered. The
// list may contain answered ones: removing each would cost more than an occasional sweep.
type pendingReplies struct {
	requests []request
	sweepAt  int
}

func (p *pendingReplies) add(q request) {
	if len(p.requests) >= p.sweepAt {
		p.requests = slices.DeleteFunc(p.requests, func(q request) bool { return !q.isOpen() })
		p.sweepAt = max(pendingRepliesMin, 2*len(p.requests))
	}
	p.requests = append(p.requests, q)
}

// reject rejects the open requests.
func (p *pendingReplies) reject(err error) {
	for _, q := range p.requests {
		q.Reject(err)
	}
	p.requests = nil
}
