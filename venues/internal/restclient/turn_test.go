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

func TestTurnIsHeldByOneAtATime(t *testing.T) {
	var turn restclient.Turn
	var holders sync.WaitGroup
	held := 0 // guarded by the turn: the race detector watches
	for range 50 {
		holders.Go(func() {
			if err := turn.Take(t.Context()); err != nil {
				t.Error(err)
				return
			}
			defer turn.Give()
			held++
		})
	}
	holders.Wait()
	if held != 50 {
		t.Errorf("held %d times, want 50", held)
	}
}

func TestTurnIsWaitedForNoLongerThanAContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turn restclient.Turn
		if err := turn.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := turn.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("took a turn that is held: %v", err)
		}
		turn.Give()
		if err := turn.Take(t.Context()); err != nil {
			t.Errorf("a turn that was given back: %v", err)
		}
	})
}
