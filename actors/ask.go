package actors

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// AskWaitMax bounds an Ask whose context carries no deadline of its own.
const AskWaitMax = 30 * time.Second

// Reply is where the answer to one request goes. It travels inside the request
// message, best embedded: the message is Rejectable then. The zero Reply throws
// the answer away.
//
// An answer is taken at most once; every later one, and one that comes after
// the asker has gone, is dropped. Answering never blocks. A Reply may be copied,
// kept in an actor's state and answered from any goroutine. If the actor ends
// before that, the kit answers a request that embeds it with ErrFailed.
type Reply[T any] struct {
	sink *sink[T]
}

// sink takes one answer. Sinks are not reused, so a late answer cannot reach
// another caller; only the channel that wakes the caller is, when it is certain
// that nobody will send on it again.
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

// isOpen says whether somebody waits and was not answered.
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

// ReplyFunc makes a Reply that calls then with the first answer. then runs on
// the goroutine of whoever answers, so all that it may do is hand the answer on.
// An actor that wants an answer as a message uses ReplyTo.
func ReplyFunc[T any](then func(T, error)) Reply[T] {
	return Reply[T]{&sink[T]{then: then}}
}

// ReplyTo makes a Reply for a request that one actor sends to another. The
// answer comes back to the asking actor as the message that toMessage makes of
// it, on the asker's own goroutine, past the limit of its mailbox, and only to
// the incarnation that asked. An orderly stop of the asker waits for it.
func ReplyTo[T any](ctx *Context, toMessage func(T, error) any) Reply[T] {
	s := ctx.shell
	s.pending++
	return ReplyFunc(func(value T, err error) {
		s.cell.post(&result{shell: s, convert: func() any { return toMessage(value, err) }})
	})
}

// Ask sends the message that request makes around a fresh Reply, and waits for
// the answer. It belongs to the edge (a handler, a pool's goroutine, a test); in
// Receive it would block the actor.
//
// The error is the actor's own answer, or ErrBusy, ErrStopped, ErrFailed, or
// ErrDeadline when ctx ends first. An unanswered request may still be carried
// out.
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
		<-s.wake // the answer is being written at this moment
	}
	wakers.put(s.wake)
	return s.value, s.err
}

// wakers keeps the channels that wake askers. Each system has its own, since a
// channel must not leave its bubble of virtual time.
type wakers struct{ free sync.Pool }

func (w *wakers) get() chan struct{} {
	if c, ok := w.free.Get().(chan struct{}); ok {
		return c
	}
	return make(chan struct{}, 1)
}

func (w *wakers) put(c chan struct{}) { w.free.Put(c) }
