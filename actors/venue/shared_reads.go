package venue

import (
	"context"
	"errors"
	"sync"
	"time"
)

// readTimeout bounds a read of the venue for which callers wait.
const readTimeout = 5 * time.Second

var errReadFailed = errors.New("the read of the venue failed")

// sharedReads reads from the venue by key, once for all callers of a key who arrive during
// the read or until keptFor after it. It is safe for concurrent use.
type sharedReads[T any] struct {
	keptFor time.Duration
	mu      sync.Mutex
	reads   map[string]*sharedRead[T]
}

// sharedRead is a read with its result.
type sharedRead[T any] struct {
	// done is closed when the other fields are set.
	done  chan struct{}
	value T
	err   error
	until time.Time
}

// get returns the result of a read, which other callers have too and which must not be
// changed. The first caller of a key reads: within readTimeout, even if ctx ends, since others
// may wait.
func (s *sharedReads[T]) get(ctx context.Context, key string, read func(context.Context) (T, error)) (T, error) {
	r, first := s.join(key)
	if first {
		s.lead(ctx, r, read)
	}
	select {
	case <-r.done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func (s *sharedReads[T]) lead(ctx context.Context, r *sharedRead[T], read func(context.Context) (T, error)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
	defer cancel()
	defer close(r.done)
	r.err = errReadFailed // after a panic
	r.value, r.err = read(ctx)
	r.until = time.Now().Add(s.keptFor)
}

// join returns the current read of a key, or a new one, which the caller must perform.
func (s *sharedReads[T]) join(key string) (r *sharedRead[T], first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if r := s.reads[key]; r != nil && !r.ended(now) {
		return r, false
	}
	for other, r := range s.reads {
		if r.ended(now) {
			delete(s.reads, other)
		}
	}
	if s.reads == nil {
		s.reads = make(map[string]*sharedRead[T])
	}
	r = &sharedRead[T]{done: make(chan struct{})}
	s.reads[key] = r
	return r, true
}

// ended reports whether the result is too old.
func (r *sharedRead[T]) ended(now time.Time) bool {
	select {
	case <-r.done:
		return !now.Before(r.until)
	default:
		return false
	}
}
