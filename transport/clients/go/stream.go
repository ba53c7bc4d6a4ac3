package venuegate

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
)

// queueDefault is how many messages wait for Next by default.
const queueDefault = 1024

// StreamOptions configure a Stream.
type StreamOptions struct {
	// URL is the address of the stream, such as ws://127.0.0.1:8080/v1/stream.
	URL string
	// Key is the API key.
	Key string
	// Topics are subscribed to on every connection, at most 200. More need another Stream.
	Topics []string
	// Queue is how many messages may wait for Next; zero is 1024.
	Queue int
	// UserAgent is sent to the service; empty is venuegate-go.
	UserAgent string
	// TLS is for addresses with wss; nil trusts the authorities of the system.
	TLS *tls.Config
}

// Stream delivers the messages of topics. It connects again when its connection ends.
type Stream struct {
	options StreamOptions
	queue   chan Message
	cancel  context.CancelFunc
	ended   chan struct{}
	// err is the reason of the end, set before ended is closed.
	err error
}

// ErrClosed is returned by Next after Close.
var ErrClosed = errors.New("the stream was closed")

// Subscribe opens a stream until ctx ends or Close is called. It returns at once: Next reports
// whether the connection succeeds.
func Subscribe(ctx context.Context, o StreamOptions) *Stream {
	o.UserAgent = cmp.Or(o.UserAgent, "venuegate-go")
	s := &Stream{options: o, queue: make(chan Message, cmp.Or(o.Queue, queueDefault)), ended: make(chan struct{})}
	ctx, s.cancel = context.WithCancel(ctx)
	go func() {
		defer close(s.ended)
		defer s.cancel()
		s.err = s.run(ctx)
	}()
	return s
}

// Next returns the next message, after those before it. When the stream has ended, the error
// is ErrClosed, that of the context of Subscribe, or a *StreamError that no further connection
// would mend: the key is not valid, or a topic was rejected.
func (s *Stream) Next(ctx context.Context) (Message, error) {
	select {
	case m := <-s.queue:
		return m, nil
	default:
	}
	select {
	case m := <-s.queue:
		return m, nil
	case <-ctx.Done():
		return Message{}, ctx.Err()
	case <-s.ended:
	}
	select {
	case m := <-s.queue: // it was put there before the end
		return m, nil
	default:
		return Message{}, s.err
	}
}

// Close ends the connection and waits for that.
func (s *Stream) Close() {
	s.cancel()
	<-s.ended
}

// run keeps a connection until ctx ends or an error is permanent.
func (s *Stream) run(ctx context.Context) error {
	for failures := 1; ; failures++ {
		subscribed, err := s.connect(ctx)
		if ctx.Err() != nil {
			return closedError(ctx)
		}
		if e, ok := errors.AsType[*StreamError](err); ok && e.isPermanent() {
			return e
		}
		if subscribed {
			failures = 1
		}
		delay := backoff(failures)
		if s.deliver(ctx, Message{Type: TypeDisconnected, Err: err, RetryIn: delay}) != nil || wait(ctx, delay) != nil {
			return closedError(ctx)
		}
	}
}

// closedError returns ErrClosed, together with the error of the context.
func closedError(ctx context.Context) error {
	return errors.Join(ErrClosed, context.Cause(ctx))
}

// deliver puts a message into the queue. It waits while that is full.
func (s *Stream) deliver(ctx context.Context, m Message) error {
	select {
	case s.queue <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
