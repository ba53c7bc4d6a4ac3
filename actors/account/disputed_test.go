package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

// readsLong is the venue's list, read now, with a long position of 1.
func (b *bench) readsLong() {
	one := venues.MustDecimal("1")
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: one, EntryPrice: venues.Some(venues.MustDecimal("100"))}
	b.step(func(m moment) {
		b.state.fundsRead(m, fundsDone{funds: Funds{Positions: []venues.Position{open}, ReadAt: m.now}})
	})
}

// seemsFlat has heard of an entry and an exit of 1. At missed there was another
// entry.
func (b *bench) seemsFlat() (missed venues.Time) {
	b.stranger(1, venues.Buy, "1", "100", nil)
	missed = venues.At(b.now.Add(time.Millisecond))
	b.later()
	b.stranger(2, venues.Sell, "1", "110", nil)
	return missed
}

func (b *bench) finds(missed venues.Time) {
	b.stranger(3, venues.Buy, "1", "120", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = missed })
}

func (b *bench) wantNoEnd() {
	b.t.Helper()
	if got := b.closings(); len(got) != 0 {
		b.t.Fatalf("told as ended: %v", got)
	}
}

// TestEndThatTheListDeniesIsNone: the executions so far add up to nothing by chance,
// and the venue's list, read after them, has a position open.
func TestEndThatTheListDeniesIsNone(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	missed := b.seemsFlat()
	b.now = b.now.Add(time.Second)
	b.readsLong()
	if count(b.pass(doubtRetry), isReconcile) != 1 {
		t.Error("nobody looks for what is missing")
	}
	b.pass(endWordMax)
	b.finds(missed)
	b.pass(endDoubtMax)
	b.wantNoEnd()
	if got := openQty(b.state.book("BTCUSDT").now.long); got.String() != "1" {
		t.Fatalf("%s are open", got)
	}
}

// TestEndIsNotToldBeforeTheFirstReconciliation: what took place while nobody
// listened is not known yet.
func TestEndIsNotToldBeforeTheFirstReconciliation(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	missed := b.seemsFlat()
	b = b.restart()
	b.state.ready = false
	b.pass(endWordMax)
	b.wantNoEnd()
	b.finds(missed)
	b.readsLong()
	b.state.ready = true
	b.pass(endDoubtMax)
	b.wantNoEnd()
}

// TestEndIsNotToldWhileAnOrderHasMissingFills, which are on their way.
func TestEndIsNotToldWhileAnOrderHasMissingFills(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.seemsFlat()
	b.now = b.now.Add(endWordMax - time.Second)
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusPartiallyFilled, "0.5")) })
	b.pass(time.Second)
	b.wantNoEnd()
	b.pass(fillsHoldMax) // they never come
	b.onlyClosing()
}

// TestDisputedEndIsToldInTheEnd: the list denies it, and what is missing is not
// found.
func TestDisputedEndIsToldInTheEnd(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.seemsFlat()
	b.now = b.now.Add(time.Second)
	b.readsLong()
	b.pass(endDoubtMax - 2*time.Second)
	b.wantNoEnd()
	b.pass(time.Second)
	b.onlyClosing()
}
