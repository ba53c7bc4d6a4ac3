package account

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/venues"
)

// turned is a bench whose long position of 1 was told closed by an execution that has
// opened a short one of 2. It gives a moment before all of that.
func turned(t *testing.T) (b *bench, before time.Time) {
	b = newBench(t, venues.Capabilities{})
	before = b.now
	b.later()
	b.opensLong(1, "1")
	b.stranger(2, venues.Sell, "3", "110", nil)
	b.lists(venues.Long, "0")
	b.lists(venues.Short, "2")
	b.pass(endWordMax)
	b.wantClosing(0, map[string]any{"side": "long", "qty": "1", "realizedPnl": "10"})
	return b, before
}

// findsLate hears of an execution long after it.
func (b *bench) findsLate(n int, side venues.Side, qty, price string, at time.Time) {
	b.stranger(n, side, qty, price, func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = venues.At(at) })
}

// closesShort ends the position of 2.
func (b *bench) closesShort(n int) {
	b.later()
	b.stranger(n, venues.Buy, "2", "100", nil)
	b.lists(venues.Short, "0")
	b.pass(endWordMax)
}

// TestPositionFoundBehindALaterEnd was opened and closed without a word, before another
// one that is over: it is told by itself, and what the same execution has opened that
// ended that one is not touched, also after a restart.
func TestPositionFoundBehindALaterEnd(t *testing.T) {
	b, before := turned(t)
	b.findsLate(3, venues.Buy, "0.5", "90", before)
	b.findsLate(4, venues.Sell, "0.5", "95", before.Add(time.Millisecond))
	b.wantClosing(1, map[string]any{"side": "long", "qty": "0.5", "entryPrice": "90", "exitPrice": "95", "realizedPnl": "2.5"})
	again := b.restart()
	again.lists(venues.Short, "2")
	for n, b := range map[int]*bench{2: b, 0: again} {
		b.closesShort(5)
		b.wantClosing(n, map[string]any{"side": "short", "qty": "2", "entryPrice": "110", "exitPrice": "100", "realizedPnl": "20", "fee": "0.833333333333"})
	}
}

// TestExecutionsBehindAnEndThatWasNone: executions added up to nothing by chance while
// the venue was silent. What was missing is found after the end was told, and the
// venue's list says that it is open.
func TestExecutionsBehindAnEndThatWasNone(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.stranger(1, venues.Buy, "1", "100", nil)
	missed := b.now.Add(time.Millisecond)
	b.later()
	b.stranger(2, venues.Sell, "1", "110", nil)
	b.pass(2 * endDoubtMax)
	b.wantClosing(0, map[string]any{"qty": "1"})
	b.lists(venues.Long, "0.2")
	b.findsLate(3, venues.Buy, "0.2", "100", missed)
	b.later()
	b.stranger(4, venues.Sell, "0.2", "120", nil)
	b.lists(venues.Long, "0")
	b.pass(endWordMax)
	b.wantClosing(1, map[string]any{"side": "long", "qty": "0.2", "entryPrice": "100", "exitPrice": "120", "realizedPnl": "4"})
}

// TestPositionsThatNobodyHeardOfAreTold: some are heard of, others are found later, at
// any time. Each is told once, with its own result.
func TestPositionsThatNobodyHeardOfAreTold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, venues.Capabilities{})
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
			enters := func() { b.findsLate(100+n, entry, qty, "100", opened) }
			exits := func() { b.findsLate(200+n, exit, qty, fmt.Sprint(price), closed) }
			b.now = closed
			if rapid.Bool().Draw(rt, "unheard") {
				unheard = append(unheard, enters, exits)
			} else {
				enters()
				b.lists(entry.Opens(), qty)
				if rapid.Bool().Draw(rt, "found meanwhile") {
					find()
				}
				exits()
				b.lists(entry.Opens(), "0")
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
			rt.Fatalf("told %v, closed %v", got, want)
		}
	})
}
