package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

func TestHealthNamesTheOldestUnknownOrder(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	first, second := b.place(limitOrder("r1")), b.place(limitOrder("r2"))
	b.answerPlace(first, errTimeout)
	since := b.now
	b.now = b.now.Add(7 * time.Second)
	b.answerPlace(second, errTimeout)
	if h := b.state.health(); h.Unknown != 2 || !h.UnknownSince.Equal(since) {
		t.Errorf("health = %+v, want 2 unknown since %s", h, since)
	}
	b.report(first.reportWith(venues.StatusOpen, "0"))
	if h := b.state.health(); h.Unknown != 1 || !h.UnknownSince.Equal(b.now) {
		t.Errorf("health = %+v, want 1 unknown since %s", h, b.now)
	}
	b.report(second.reportWith(venues.StatusRejected, "0"))
	if h := b.state.health(); h != (Health{Ready: true}) {
		t.Errorf("health = %+v, want nothing but Ready", h)
	}
	for status, want := range map[venues.OrderStatus]uint64{
		venues.StatusPending: 2, venues.StatusUnknown: 2, venues.StatusOpen: 1, venues.StatusRejected: 1, venues.StatusFilled: 0,
	} {
		if got := b.state.counts.Orders(status); got != want {
			t.Errorf("orders that became %s = %d, want %d", status, got, want)
		}
	}
}

func TestHealthCountsUnprotectedPositions(t *testing.T) {
	for name, caps := range map[string]venues.Capabilities{"placed": {}, "attached": attaching} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, caps)
			o := b.fillEntry("1")
			if got := b.state.health().Unprotected; got != 1 {
				t.Errorf("after the fill: %d unprotected, want 1", got)
			}
			b.reportPosition("1")
			if caps.AttachedProtection {
				b.reportUnknown(attachedLeg("legs", o, bothLegs(o), venues.StatusUntriggered, "0"))
			} else {
				b.accept(b.placedWithin(time.Second)...)
			}
			wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
			if got := b.state.health().Unprotected; got != 0 {
				t.Errorf("with live legs: %d unprotected, want 0", got)
			}
		})
	}
}

func TestUnprotectedTimeIsSummedUp(t *testing.T) {
	m := NewMonitor(&Counts{})
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		unprotected int
		want        time.Duration // 10 s later
	}{{0, 0}, {1, 10 * time.Second}, {3, 40 * time.Second}, {3, 70 * time.Second}, {0, 70 * time.Second}, {1, 80 * time.Second}} {
		m.publish(now, Health{Unprotected: step.unprotected})
		now = now.Add(10 * time.Second)
		if h := m.Health(); h.UnprotectedTotal(now) != step.want {
			t.Errorf("%d unprotected: total = %s, want %s", step.unprotected, h.UnprotectedTotal(now), step.want)
		}
	}
}

func TestStatusesHaveDistinctCounters(t *testing.T) {
	seen := map[int]venues.OrderStatus{}
	for _, status := range venues.OrderStatuses() {
		i := statusIndex(status)
		if other, taken := seen[i]; taken || i >= orderStatuses {
			t.Errorf("index of %s = %d, that of %q too", status, i, other)
		}
		seen[i] = status
	}
}
