package account

import (
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// at moves the bench to a time of its first day.
func (b *bench) at(hour, minute, second int) {
	b.now = time.Date(2026, 3, 1, hour, minute, second, 0, time.UTC)
}

// TestLockThatWaitsEndsWithItsDay: a request is still on its way at midnight, and
// the new day begins unlocked.
func TestLockThatWaitsEndsWithItsDay(t *testing.T) {
	b := limited(t)
	b.at(23, 59, 58)
	o := b.place(limitOrder(""))
	if refusal := b.state.depart(o.OrderID, b.now); refusal != nil {
		t.Fatal(refusal)
	}
	b.loses(2, "1", "-200")
	if !b.state.isClosed() {
		t.Fatal("not decided")
	}
	b.pass(10 * time.Second)
	if b.state.isClosed() || countEvents(b, persistence.EventRiskLimitReached) != 0 {
		t.Fatalf("the new day is locked: %+v", b.state.risk.record.Lock)
	}
	b.pass(time.Hour)
	b.loses(3, "0.5", "-200")
	b.pass(lockDrainMax)
	if !b.state.isClosed() || countEvents(b, persistence.EventRiskLimitReached) != 1 {
		t.Fatal("the loss of the new day does not lock")
	}
}

// TestExecutionCountsForItsOwnDay, also where the venue's clock is ahead and a
// restart lies between.
func TestExecutionCountsForItsOwnDay(t *testing.T) {
	for name, restarts := range map[string]bool{"at once": false, "after a restart": true} {
		t.Run(name, func(t *testing.T) {
			b := limited(t)
			b.at(23, 59, 59)
			b.stranger(2, venues.Sell, "1", "10", func(r *venues.ExecutionReport) {
				r.Fill.RealizedPnl = venues.Some(venues.MustDecimal("-70"))
				r.Fill.ExecutedAt = venues.At(b.now.Add(1500 * time.Millisecond))
			})
			if got := b.state.dailyLoss().String(); got != "0.5" {
				t.Errorf("loss %s on the day before", got)
			}
			if restarts {
				b = b.restart()
				if got := b.state.dailyLoss().String(); got != "0.5" {
					t.Errorf("loss %s on the day before, after a restart", got)
				}
			}
			b.pass(2 * time.Second)
			b.step(func(moment) {})
			if got := b.state.dailyLoss().String(); got != "70.5" {
				t.Errorf("loss %s on its day", got)
			}
			b.pass(48 * time.Hour)
			if got := b.state.dailyLoss().String(); got != "0" {
				t.Errorf("loss %s two days later", got)
			}
		})
	}
}
