package restclient

import (
	"context"
	"sync"
)

// Turn is held by one at a time, like a mutex, but is waited for no longer than a
// context lasts: for what is read from a venue once for all who need it. The zero
// value is free.
type Turn struct {
	mu sync.Mutex
	// held is closed when the turn is given back; nil while nobody has it.
	held chan struct{}
}

// Take waits for the turn. It fails with the error of ctx, and is not held then.
func (t *Turn) Take(ctx context.Context) error {
	for {
		t.mu.Lock()
		others := t.held
		if others == nil {
			t.held = make(chan struct{})
		}
		t.mu.Unlock()
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

// Give gives the turn back.
func (t *Turn) Give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.held)
	t.held = nil
}
