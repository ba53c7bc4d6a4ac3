package restclient

import (
	"context"
	"sync"

	"venuegate/venues"
)

// SharedRead reads something from a venue once for all concurrent callers. A read serves
// the callers that arrived before it began, and no others: what happened since then may
// be missing in it, and an absence in the result must be meaningful. One read runs at a
// time. It is safe for concurrent use.
type SharedRead[T any] struct {
	// reading is held by the caller that reads.
	reading chan struct{}
	mu      sync.Mutex
	// next collects the callers of the next read; nil while there are none.
	next *readGroup[T]
}

// readGroup is the callers of one read, with its result.
type readGroup[T any] struct {
	// done is closed when value and err are set.
	done  chan struct{}
	value T
	err   error
}

// NewSharedRead returns a SharedRead without callers.
func NewSharedRead[T any]() *SharedRead[T] { return &SharedRead[T]{reading: make(chan struct{}, 1)} }

// Read returns the result of a read that begins after the call. One of the callers
// performs it under its own context; the result or the error is shared by all of them and
// must not be changed. If that context ends, another caller reads again. A caller whose
// context ends first gets exchange_unavailable.
func (s *SharedRead[T]) Read(ctx context.Context, read func(context.Context) (T, error)) (T, error) {
	group := s.join()
	select {
	case <-group.done:
		return group.value, group.err
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
		return s.lead(ctx, group, read)
	case <-ctx.Done():
		var none T
		return none, venues.Errorf(venues.CodeExchangeUnavailable, "the venue's list was not read in time").Because(ctx.Err())
	}
}

// join joins the callers of the next read.
func (s *SharedRead[T]) join() *readGroup[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = &readGroup[T]{done: make(chan struct{})}
	}
	return s.next
}

// lead reads for the group unless that was done already; reading is held.
func (s *SharedRead[T]) lead(ctx context.Context, group *readGroup[T], read func(context.Context) (T, error)) (T, error) {
	select {
	case <-group.done:
		return group.value, group.err
	default:
	}
	s.begin(group)
	value, err := read(ctx)
	if err == nil || ctx.Err() == nil {
		group.value, group.err = value, err
		close(group.done)
	}
	return value, err
}

// begin closes the group: later callers wait for another read.
func (s *SharedRead[T]) begin(group *readGroup[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == group {
		s.next = nil
	}
}
