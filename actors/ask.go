package actors

import (
	"context"
	"fmt"
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
// kept in an actor's state and answered from any goroutine.
type Reply[T any] struct {
	// The single place of answer is also what makes the first answer win. It is
	// made for each request and never reused: a late answer must not be able to
	// reach another caller.
	answer chan answer[T]
	then   func(T, error)
}

type answer[T any] struct {
	value T
	err   error
}

// Send answers with a value.
func (r Reply[T]) Send(value T) { r.settle(value, nil) }

// Reject answers with an error.
func (r Reply[T]) Reject(err error) {
	var none T
	r.settle(none, err)
}

func (r Reply[T]) settle(value T, err error) {
	select {
	case r.answer <- answer[T]{value, err}:
		if r.then != nil {
			r.then(value, err)
		}
	default:
	}
}

// ReplyFunc makes a Reply that calls then with the first answer. then runs on
// the goroutine of whoever answers, so all that it may do is hand the answer on.
// An actor that wants an answer as a message uses ReplyTo.
func ReplyFunc[T any](then func(T, error)) Reply[T] {
	return Reply[T]{answer: make(chan answer[T], 1), then: then}
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
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, AskWaitMax)
		defer cancel()
	}
	reply := Reply[T]{answer: make(chan answer[T], 1)}
	ref.Tell(request(reply))
	select {
	case a := <-reply.answer:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("%w: %s: %w", ErrDeadline, ref.Path(), ctx.Err())
	}
}
