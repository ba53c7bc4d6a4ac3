package restclient

import (
	"context"
	"sync"

	"venuegate/venues"
)

// Shared is something that is read from a venue once for all who ask at the same
// time. A reading answers those who asked before it began and nobody else: what
// happened in between may be missing in it, and what it does not show may prove
// something. One reading runs at a time. It is safe for concurrent use.
type Shared[T any] struct {
	// turn is held by whoever reads.
	turn chan struct{}
	mu   sync.Mutex
	// next gathers who asks until the next reading begins; nil while nobody does.
	next *sharing[T]
}

// sharing is one reading, for those who take part in it.
type sharing[T any] struct {
	// over is closed once value and err are there.
	over  chan struct{}
	value T
	err   error
}

// NewShared makes a reading that nobody has asked for yet.
func NewShared[T any]() *Shared[T] { return &Shared[T]{turn: make(chan struct{}, 1)} }

// Read gives the result of a reading that begins after the call. One of those who
// take part carries read out, under its own context; the result, or the error, is
// that of all of them and must not be changed. Should the context of that one end,
// another reads anew. An asker whose context ends first gets exchange_unavailable.
func (s *Shared[T]) Read(ctx context.Context, read func(context.Context) (T, error)) (T, error) {
	mine := s.join()
	select {
	case <-mine.over:
		return mine.value, mine.err
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
		return s.lead(ctx, mine, read)
	case <-ctx.Done():
		var none T
		return none, venues.Errorf(venues.CodeExchangeUnavailable, "the venue's list was not read in time").Because(ctx.Err())
	}
}

// join takes part in the next reading.
func (s *Shared[T]) join() *sharing[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = &sharing[T]{over: make(chan struct{})}
	}
	return s.next
}

// lead reads for all who take part, unless it has been done; the turn is held.
func (s *Shared[T]) lead(ctx context.Context, mine *sharing[T], read func(context.Context) (T, error)) (T, error) {
	select {
	case <-mine.over:
		return mine.value, mine.err
	default:
	}
	s.begin(mine)
	value, err := read(ctx)
	if err == nil || ctx.Err() == nil {
		mine.value, mine.err = value, err
		close(mine.over)
	}
	return value, err
}

// begin lets those who ask from now on wait for another reading.
func (s *Shared[T]) begin(mine *sharing[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == mine {
		s.next = nil
	}
}
