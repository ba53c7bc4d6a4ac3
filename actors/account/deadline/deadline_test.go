package deadline_test

import (
	"testing"
	"time"

	"venuegate/actors/account/deadline"
)

func TestZeroTimeIsNeverDue(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		due  time.Time
		want bool
	}{{time.Time{}, false}, {now.Add(time.Second), false}, {now, true}, {now.Add(-time.Second), true}} {
		if got := deadline.Passed(c.due, now); got != c.want {
			t.Errorf("Passed(%s) = %t, want %t", c.due, got, c.want)
		}
	}
	for _, c := range []struct{ a, b, want time.Time }{
		{time.Time{}, now, now}, {now, time.Time{}, now}, {now, now.Add(1), now}, {now.Add(1), now, now}, {time.Time{}, time.Time{}, time.Time{}},
	} {
		if got := deadline.Earlier(c.a, c.b); !got.Equal(c.want) {
			t.Errorf("Earlier(%s, %s) = %s, want %s", c.a, c.b, got, c.want)
		}
	}
	if got := deadline.Earliest(time.Time{}, now.Add(1), now, time.Time{}); !got.Equal(now) {
		t.Errorf("Earliest = %s, want %s", got, now)
	}
	if got := deadline.Earliest(time.Time{}); !got.IsZero() {
		t.Errorf("Earliest of zero times = %s, want zero", got)
	}
	for _, c := range []struct{ a, b, want time.Time }{{now, time.Time{}, now}, {time.Time{}, now, now}, {now, now.Add(1), now.Add(1)}} {
		if got := deadline.Later(c.a, c.b); !got.Equal(c.want) {
			t.Errorf("Later(%s, %s) = %s, want %s", c.a, c.b, got, c.want)
		}
	}
}
