package account

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/actors/account/position"
	"venuegate/venues"
)

// reversedLate returns a fixture whose long position of 1 was published as closed by an
// execution that also opened a short one of 2, and a time before the long position.
func reversedLate(t *testing.T) (b *fixture, before time.Time) {
	b = newFixture(t, venues.Capabilities{})
	before = b.now
	b.later()
	b.openLong(1, "1")
	b.adoptForeign(2, venues.Sell, "3", "110", nil)
	b.streamPosition(venues.Long, "0")
	b.streamPosition(venues.Short, "2")
	b.pass(position.ConfirmMax)
	b.wantClosing(0, map[string]any{"side": "long", "qty": "1", "realizedPnl": "10"})
	return b, before
}

// findLate reports an execution long after its time.
func (b *fixture) findLate(n int, side venues.Side, qty, price string, at time.Time) {
	b.adoptForeign(n, side, qty, price, func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = venues.At(at) })
}

// closeShort closes the short position of 2.
func (b *fixture) closeShort(n int) {
	b.later()
	b.adoptForeign(n, venues.Buy, "2", "100", nil)
	b.streamPosition(venues.Short, "0")
	b.pass(position.ConfirmMax)
}

// TestPositionFoundBehindALaterCloseIsPublished: a position was opened and closed without a
// report, and is found after the close of a later one was published. It is published on
// its own, also after a restart, and does not change the position that the execution which
// closed the later one has opened.
func TestPositionFoundBehindALaterCloseIsPublished(t *testing.T) {
	b, before := reversedLate(t)
	b.findLate(3, venues.Buy, "0.5", "90", before)
	b.findLate(4, venues.Sell, "0.5", "95", before.Add(time.Millisecond))
	b.wantClosing(1, map[string]any{"side": "long", "qty": "0.5", "entryPrice": "90", "exitPrice": "95", "realizedPnl": "2.5"})
	again := b.restart()
	again.streamPosition(venues.Short, "2")
	for n, b := range map[int]*fixture{2: b, 0: again} {
		b.closeShort(5)
		b.wantClosing(n, map[string]any{"side": "short", "qty": "2", "entryPrice": "110", "exitPrice": "100", "realizedPnl": "20", "fee": "0.833333333333"})
	}
}

// TestExecutionsBehindAWrongCloseAreCounted: the known executions added up to zero by chance
// while the venue reported nothing. The missing ones are found after the close was
// published, and the venue's list has the position open.
func TestExecutionsBehindAWrongCloseAreCounted(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Buy, "1", "100", nil)
	missed := b.now.Add(time.Millisecond)
	b.later()
	b.adoptForeign(2, venues.Sell, "1", "110", nil)
	b.pass(2 * position.DisputeMax)
	b.wantClosing(0, map[string]any{"qty": "1"})
	b.streamPosition(venues.Long, "0.2")
	b.findLate(3, venues.Buy, "0.2", "100", missed)
	b.later()
	b.adoptForeign(4, venues.Sell, "0.2", "120", nil)
	b.streamPosition(venues.Long, "0")
	b.pass(position.ConfirmMax)
	b.wantClosing(1, map[string]any{"side": "long", "qty": "0.2", "entryPrice": "100", "exitPrice": "120", "realizedPnl": "4"})
}

// TestPositionsFoundLateArePublished: some executions are reported, others are found later
// at random times. Each position is published once, with its own result.
func TestPositionsFoundLateArePublished(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newFixture(t, venues.Capabilities{})
		var unheard []func()
		var want []string
		find := func() {
			for _, f := range unheard {
				f()
			}
			unheard = nil
		}
		for n := range rapid.IntRange(1, 8).Draw(rt, "positions") {
			entry, exit := venues.Buy, venues.Sell
			if rapid.Bool().Draw(rt, "short") {
				entry, exit = exit, entry
			}
			qty, gain := fmt.Sprint(n+1), rapid.IntRange(-9, 9).Draw(rt, "gain")
			price := 100 + gain
			if entry == venues.Sell {
				price = 100 - gain
			}
			opened, closed := b.now, b.now.Add(100*time.Millisecond)
			want = append(want, fmt.Sprint(entry.Opens(), qty, " for ", gain*(n+1)))
			enters := func() { b.findLate(100+n, entry, qty, "100", opened) }
			exits := func() { b.findLate(200+n, exit, qty, fmt.Sprint(price), closed) }
			b.now = closed
			if rapid.Bool().Draw(rt, "unheard") {
				unheard = append(unheard, enters, exits)
			} else {
				enters()
				b.streamPosition(entry.Opens(), qty)
				if rapid.Bool().Draw(rt, "found meanwhile") {
					find()
				}
				exits()
				b.streamPosition(entry.Opens(), "0")
			}
			b.pass(rapid.SampledFrom([]time.Duration{time.Millisecond, 2 * time.Second, 10 * time.Second}).Draw(rt, "pause"))
			if rapid.IntRange(0, 2).Draw(rt, "found") == 0 {
				find()
			}
		}
		find()
		b.pass(10 * time.Minute)
		var got []string
		for _, c := range b.closings() {
			got = append(got, fmt.Sprint(c["side"], c["qty"], " for ", c["realizedPnl"]))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			rt.Fatalf("published %v, want %v", got, want)
		}
	})
}
