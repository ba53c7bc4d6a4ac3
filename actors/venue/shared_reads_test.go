package venue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestReadsOfAKeyAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sharedReads[string]{keptFor: time.Second}
		reads := 0
		get := func(ctx context.Context, key string) (string, error) {
			return s.get(ctx, key, func(ctx context.Context) (string, error) {
				reads++
				answer := fmt.Sprint(key, reads)
				time.Sleep(100 * time.Millisecond)
				return answer, ctx.Err()
			})
		}
		gone, cancel := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		callers.Go(func() { _, _ = get(gone, "a") })
		synctest.Wait()
		cancel() // the others still wait for its read
		for range 3 {
			callers.Go(func() {
				if got, err := get(t.Context(), "a"); got != "a1" || err != nil {
					t.Errorf("read = %q, error %v, want a1", got, err)
				}
			})
		}
		synctest.Wait()
		if _, err := get(gone, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("caller without time: error = %v, want its context's", err)
		}
		callers.Wait()
		for _, step := range []struct {
			after     time.Duration
			key, want string
		}{{0, "a", "a1"}, {999 * time.Millisecond, "a", "a1"}, {time.Millisecond, "a", "a2"}, {0, "b", "b3"}} {
			time.Sleep(step.after)
			if got, err := get(t.Context(), step.key); got != step.want || err != nil {
				t.Errorf("read of %s after %s = %q, error %v, want %s", step.key, step.after, got, err, step.want)
			}
		}
		time.Sleep(time.Minute)
		if _, _ = get(t.Context(), "c"); len(s.reads) != 1 {
			t.Errorf("%d results are kept, want the newest alone", len(s.reads))
		}
	})
}
