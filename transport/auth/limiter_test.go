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

// In any window of 60 s exactly the limit is allowed: never one more, and never one
// less while there are requests.
func TestLimiterIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		class := auth.Class{Name: "c", Limit: rapid.IntRange(1, 8).Draw(t, "limit")}
		limiter := auth.NewMemoryLimiter(4)
		now := start
		var allowed []time.Time
		for range rapid.IntRange(1, 80).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20_000).Draw(t, "pause")) * time.Millisecond)
			in := 0
			for _, at := range allowed {
				if now.Sub(at) < api.RateWindow {
					in++
				}
			}
			d, err := limiter.Take(t.Context(), "k", class, now)
			if err != nil {
				t.Fatal(err)
			}
			if d.Allowed != (in < class.Limit) {
				t.Fatalf("allowed = %v with %d of %d in the window, want %v", d.Allowed, in, class.Limit, in < class.Limit)
			}
			if d.Allowed {
				allowed = append(allowed, now)
				in++
			}
			if d.Remaining != class.Limit-in || d.Limit != class.Limit || d.Reset <= 0 || d.Reset > api.RateWindow {
				t.Fatalf("decision = %+v, want %d of %d remaining and a reset within the window", d, class.Limit-in, class.Limit)
			}
		}
	})
}

// A client that waits for Retry-After, and no longer, is allowed.
func TestResetIsTheShortestSufficientWait(t *testing.T) {
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
					t.Fatalf("allowed before Reset of %v, want not", d.Reset)
				}
				now = now.Add(d.Reset)
				if again, _ := limiter.Take(t.Context(), "k", class, now); !again.Allowed {
					t.Fatalf("not allowed after Reset of %v, want allowed", d.Reset)
				}
			}
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(t, "pause")))
		}
	})
}

func TestKeysAndClassesAreLimitedSeparately(t *testing.T) {
	limiter := auth.NewMemoryLimiter(8)
	one := auth.Class{Name: "one", Limit: 1}
	for _, c := range []struct {
		key   string
		class auth.Class
		want  bool
	}{{"a", one, true}, {"a", one, false}, {"b", one, true}, {"a", auth.Class{Name: "two", Limit: 1}, true}} {
		if d, err := limiter.Take(t.Context(), c.key, c.class, start); err != nil || d.Allowed != c.want {
			t.Errorf("key %s, class %s: decision %+v, %v; want allowed %v", c.key, c.class.Name, d, err, c.want)
		}
	}
}

func TestClockThatStepsBackExpiresNothing(t *testing.T) {
	limiter := auth.NewMemoryLimiter(1)
	class := auth.Class{Name: "c", Limit: 2}
	for i, at := range []time.Time{start, start.Add(-time.Hour), start.Add(59 * time.Second)} {
		reset := []time.Duration{time.Minute, time.Minute, time.Second}[i]
		if d, err := limiter.Take(t.Context(), "k", class, at); err != nil || d.Allowed != (i < 2) || d.Reset != reset {
			t.Errorf("request %d: decision %+v, %v; want allowed %v and a reset of %s", i, d, err, i < 2, reset)
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
		t.Errorf("fourth key: error %v, want ErrLimiterFull", err)
	}
	if d, err := limiter.Take(t.Context(), "0", class, start.Add(time.Second)); err != nil || d.Remaining != 3 {
		t.Errorf("counted key of a full limiter: decision %+v, %v; want 3 remaining", d, err)
	}
	if _, err := limiter.Take(t.Context(), "new", class, start.Add(time.Minute)); err != nil {
		t.Errorf("new key after a minute: error %v, want none: idle windows are evicted", err)
	}
	if d, err := limiter.Take(t.Context(), "0", class, start.Add(time.Minute)); err != nil || d.Remaining != 3 {
		t.Errorf("active key after a minute: decision %+v, %v; want 3 remaining: it is not evicted", d, err)
	}
}

func TestConcurrentRequestsAreCountedOnce(t *testing.T) {
	limiter := auth.NewMemoryLimiter(4)
	var wg sync.WaitGroup
	allowed := make(chan int, 8)
	for range cap(allowed) {
		wg.Go(func() {
			n := 0
			for range 300 {
				if d, err := limiter.Take(t.Context(), "k", auth.Reading, start); err == nil && d.Allowed {
					n++
				}
			}
			allowed <- n
		})
	}
	wg.Wait()
	close(allowed)
	total := 0
	for n := range allowed {
		total += n
	}
	if total != api.ReadsPerWindow {
		t.Errorf("allowed requests = %d, want %d", total, api.ReadsPerWindow)
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

// A class may have a window of its own, and what is returned does not count.
func TestClassHasItsWindow(t *testing.T) {
	class := auth.Class{Name: "c", Limit: 2, Window: time.Hour}
	l, now := auth.NewMemoryLimiter(4), time.Now()
	take := func(after time.Duration, want bool) {
		t.Helper()
		if d, err := l.Take(t.Context(), "a", class, now.Add(after)); d.Allowed != want || err != nil {
			t.Errorf("Take after %s = %+v, %v, want allowed %v", after, d, err, want)
		}
	}
	l.Return("a", class) // nothing to return
	take(0, true)
	take(time.Minute, true)
	take(2*time.Minute, false)
	l.Return("a", class)
	take(3*time.Minute, true)
	take(time.Hour-1, false)
	take(time.Hour, true)
}
