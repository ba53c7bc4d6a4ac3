package simnet_test

import (
	"testing"
	"time"

	"venuegate/venues/simcore/simnet"
)

func TestLimiterCountsInFixedSpans(t *testing.T) {
	t.Parallel()
	var l simnet.Limiter
	minute := time.Unix(1_800_000_000, 0).Truncate(time.Minute)
	for _, step := range []struct {
		key   string
		after time.Duration
		n     int
		want  int
	}{
		{"a", 10 * time.Second, 2, 2}, {"a", 59 * time.Second, 3, 5}, {"b", 59 * time.Second, 1, 1}, {"a", time.Minute, 0, 0},
	} {
		now := minute.Add(step.after)
		used, reset := l.Count(step.key, time.Minute, step.n, now)
		if want := now.Truncate(time.Minute).Add(time.Minute); used != step.want || !reset.Equal(want) {
			t.Errorf("%s after %s: used %d until %s, want %d until %s", step.key, step.after, used, reset, step.want, want)
		}
	}
}

func TestLimiterTakesFromARollingSpan(t *testing.T) {
	t.Parallel()
	var l simnet.Limiter
	start := time.Unix(1_800_000_000, 0)
	for _, step := range []struct {
		after time.Duration
		left  int
		ok    bool
	}{
		{0, 1, true}, {600 * time.Millisecond, 0, true}, {900 * time.Millisecond, 0, false}, {time.Second, 0, true},
	} {
		if left, _, ok := l.Take("a", time.Second, 2, start.Add(step.after)); left != step.left || ok != step.ok {
			t.Errorf("after %s: %d left, ok %t, want %d, %t", step.after, left, ok, step.left, step.ok)
		}
	}
	if _, reset, ok := l.Take("a", time.Second, 2, start.Add(time.Second)); ok || !reset.Equal(start.Add(1600*time.Millisecond)) {
		t.Errorf("reset = %s, ok %t, want when the oldest request leaves the span", reset, ok)
	}
}

func TestLimiterBansUntilATime(t *testing.T) {
	t.Parallel()
	var l simnet.Limiter
	start := time.Unix(1_800_000_000, 0)
	l.Ban("1.2.3.4", start.Add(time.Minute))
	if until, banned := l.Banned("1.2.3.4", start); !banned || !until.Equal(start.Add(time.Minute)) {
		t.Errorf("banned = %t until %s, want until the end of the ban", banned, until)
	}
	if _, banned := l.Banned("5.6.7.8", start); banned {
		t.Error("another address is banned, want only the one")
	}
	if _, banned := l.Banned("1.2.3.4", start.Add(time.Minute)); banned {
		t.Error("banned after the end of the ban, want not banned")
	}
}
