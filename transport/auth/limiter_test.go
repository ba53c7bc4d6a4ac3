package auth_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/transport/api"
	"venuegate/transport/auth"
)

var start = time.Date(2026, 11, 20, 9, 19, 0, 0, time.UTC)

// In any window of 60 s exactly the limit is let through: never one more, and
// never one less while requests keep coming.
func TestLimiterIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		class := auth.Class{Name: "c", Limit: rapid.IntRange(1, 8).Draw(t, "limit")}
		limiter := auth.NewMemoryLimiter(4)
		now := start
		var passed []time.Time
		for range rapid.IntRange(1, 80).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20_000).Draw(t, "pause")) * time.Millisecond)
			in := 0
			for _, at := range passed {
				if now.Sub(at) < api.RateWindow {
					in++
				}
			}
			d, err := limiter.Take(t.Context(), "k", class, now)
			if err != nil {
				t.Fatal(err)
			}
			if d.Allowed != (in < class.Limit) {
				t.Fatalf("allowed %v with %d of %d in the window", d.Allowed, in, class.Limit)
			}
			if d.Allowed {
				passed = append(passed, now)
				in++
			}
			if d.Remaining != class.Limit-in || d.Limit != class.Limit || d.Reset <= 0 || d.Reset > api.RateWindow {
				t.Fatalf("%+v with %d in the window", d, in)
			}
		}
	})
}

// Whoever obeys Retry-After is let through.
func TestResetIsTheWaitThatSuffices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		class := auth.Class{Name: "c", Limit: rapid.IntRange(1, 5).Draw(t, "limit")}
		limiter := auth.NewMemoryLimiter(1)
		now := start
		for range 40 {
			d, err := limiter.Take(t.Context(), "k", class, now)
			if err != nil {
				t.Fatal(err)
			}
			if !d.Allowed {
				if again, _ := limiter.Take(t.Context(), "k", class, now.Add(d.Reset-1)); again.Allowed {
					t.Fatal("let through before Reset")
				}
				now = now.Add(d.Reset)
				if again, _ := limiter.Take(t.Context(), "k", class, now); !again.Allowed {
					t.Fatalf("not let through after %v", d.Reset)
				}
			}
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(t, "pause")))
		}
	})
}

func TestKeysAndClassesDoNotShare(t *testing.T) {
	limiter := auth.NewMemoryLimiter(8)
	one := auth.Class{Name: "one", Limit: 1}
	for _, c := range []struct {
		key   string
		class auth.Class
		want  bool
	}{{"a", one, true}, {"a", one, false}, {"b", one, true}, {"a", auth.Class{Name: "two", Limit: 1}, true}} {
		if d, err := limiter.Take(t.Context(), c.key, c.class, start); err != nil || d.Allowed != c.want {
			t.Errorf("%s/%s: %+v, %v", c.key, c.class.Name, d, err)
		}
	}
}

func TestAClockThatStepsBackFreesNothing(t *testing.T) {
	limiter := auth.NewMemoryLimiter(1)
	class := auth.Class{Name: "c", Limit: 2}
	for i, at := range []time.Time{start, start.Add(-time.Hour), start.Add(59 * time.Second)} {
		if d, err := limiter.Take(t.Context(), "k", class, at); err != nil || d.Allowed != (i < 2) {
			t.Errorf("request %d: %+v, %v", i, d, err)
		}
	}
}

func TestLimiterIsBounded(t *testing.T) {
	limiter := auth.NewMemoryLimiter(3)
	class := auth.Class{Name: "c", Limit: 5}
	for i := range 3 {
		if _, err := limiter.Take(t.Context(), fmt.Sprint(i), class, start); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := limiter.Take(t.Context(), "new", class, start.Add(time.Second)); !errors.Is(err, auth.ErrLimiterFull) {
		t.Errorf("got %v", err)
	}
	if d, err := limiter.Take(t.Context(), "0", class, start.Add(time.Second)); err != nil || d.Remaining != 3 {
		t.Errorf("a known key: %+v, %v", d, err)
	}
	if _, err := limiter.Take(t.Context(), "new", class, start.Add(time.Minute)); err != nil {
		t.Errorf("idle windows make no room: %v", err)
	}
	if d, err := limiter.Take(t.Context(), "0", class, start.Add(time.Minute)); err != nil || d.Remaining != 3 {
		t.Errorf("an active window was dropped: %+v, %v", d, err)
	}
}

func TestConcurrentRequestsAreCountedOnce(t *testing.T) {
	limiter := auth.NewMemoryLimiter(4)
	var wg sync.WaitGroup
	passed := make(chan int, 8)
	for range cap(passed) {
		wg.Go(func() {
			n := 0
			for range 300 {
				if d, err := limiter.Take(t.Context(), "k", auth.Reading, start); err == nil && d.Allowed {
					n++
				}
			}
			passed <- n
		})
	}
	wg.Wait()
	close(passed)
	total := 0
	for n := range passed {
		total += n
	}
	if total != api.ReadsPerWindow {
		t.Errorf("%d were let through", total)
	}
}

func BenchmarkTake(b *testing.B) {
	limiter := auth.NewMemoryLimiter(auth.LimiterCapacity)
	now := start
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(50 * time.Millisecond)
		if _, err := limiter.Take(b.Context(), "k", auth.Reading, now); err != nil {
			b.Fatal(err)
		}
	}
}
