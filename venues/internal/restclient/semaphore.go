package restclient

import (
	"context"
	"sync"
)

// Semaphore is a mutex whose Acquire ends with a context. The zero value is free.
type Semaphore struct {
	mu sync.Mutex
	// held is closed by Release; nil while the semaphore is free.
	held chan struct{}
}

// Acquire waits for the semaphore. It fails with the error of ctx and does not hold the
// semaphore then.
func (s *Semaphore) Acquire(ctx context.Context) error {
	for {
		s.mu.Lock()
		others := s.held
		if others == nil {
			s.held = make(chan struct{})
		}
		s.mu.Unlock()
		if others == nil {
			return nil
		}
		select {
		case <-others:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Release releases the semaphore.
func (s *Semaphore) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.held)
	s.held = nil
}
