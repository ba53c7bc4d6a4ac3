package restclient_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/internal/restclient"
)

func TestSemaphoreIsHeldByOneAtATime(t *testing.T) {
	var semaphore restclient.Semaphore
	var holders sync.WaitGroup
	held := 0 // guarded by the semaphore, which the race detector checks
	for range 50 {
		holders.Go(func() {
			if err := semaphore.Acquire(t.Context()); err != nil {
				t.Error(err)
				return
			}
			defer semaphore.Release()
			held++
		})
	}
	holders.Wait()
	if held != 50 {
		t.Errorf("held %d times, want 50", held)
	}
}

func TestSemaphoreWaitEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var semaphore restclient.Semaphore
		if err := semaphore.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := semaphore.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Acquire of a held semaphore: error %v, want the context's", err)
		}
		semaphore.Release()
		if err := semaphore.Acquire(t.Context()); err != nil {
			t.Errorf("Acquire of a released semaphore: %v, want no error", err)
		}
	})
}
