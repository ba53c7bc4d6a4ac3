package wsclient

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBackoffStaysWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := time.Duration(rapid.Int64Range(1, int64(time.Minute)).Draw(t, "low"))
		high := low + time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "above"))
		attempt := rapid.IntRange(0, 100).Draw(t, "attempt")
		wait := backoff(attempt, low, high, rapid.Int64Range(0, 1<<62-1).Draw(t, "random"))
		if wait < low || wait > high {
			t.Fatalf("wait %v, want %v to %v", wait, low, high)
		}
	})
}

func TestBackoffDoublesItsBound(t *testing.T) {
	const almostAll = 1<<62 - 1
	for attempt, bound := range []time.Duration{2, 4, 8, 16, 30, 30} {
		longest := time.Duration(0)
		for random := range int64(1000) {
			longest = max(longest, backoff(attempt, time.Second, 30*time.Second, almostAll/1000*random))
		}
		if limit := bound * time.Second; longest > limit || longest < limit/2 {
			t.Errorf("attempt %d waits up to %v, want about %v", attempt, longest, limit)
		}
	}
}
