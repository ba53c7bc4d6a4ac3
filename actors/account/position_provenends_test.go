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

// TestEndOfLessThanTheVenueListedWaits: what is missing adds up to nothing, but the
// venue has told of more than the executions have entered.
func TestEndOfLessThanTheVenueListedWaits(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.stranger(1, venues.Buy, "1", "100", nil)
	missed := venues.At(b.now.Add(time.Millisecond))
	b.later()
	b.lists(venues.Long, "1.2")
	b.stranger(2, venues.Sell, "1", "110", nil)
	b.lists(venues.Long, "0.2")
	b.lists(venues.Long, "0")
	b.wantNoEnd()
	b.pass(endWordMax - time.Second)
	for n, side := range []venues.Side{venues.Buy, venues.Sell} {
		b.stranger(3+n, side, "0.2", "120", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = missed })
	}
	b.readsFunds()
	b.pass(endWordMax)
	b.wantClosing(0, map[string]any{"side": "long", "qty": "1.2", "realizedPnl": "10"})
	if n := len(b.closings()); n != 1 {
		t.Fatalf("%d ends", n)
	}
}

// TestEndWaitsForAWordOfTheVenue: what its executions show may be wrong, and what the
// venue told before them is no word on it.
func TestEndWaitsForAWordOfTheVenue(t *testing.T) {
	unanswered := func(b *bench) {
		b.step(func(m moment) { b.state.fundsRead(m, fundsDone{err: errTimeout}) })
		if count(b.pass(reconcileRetry), isReconcile) != 1 {
			t.Error("nobody asks again")
		}
	}
	for name, c := range map[string]struct {
		says  func(b *bench)
		after time.Duration
		ends  int
	}{
		"nothing is open": {(*bench).readsFunds, endWordMax, 1},
		"it is open":      {(*bench).readsLong, endDoubtMax, 0},
		"no answer yet":   {unanswered, endWordMax, 0},
		"no answer":       {unanswered, endDoubtMax, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			b.seemsFlat()
			b.now = b.now.Add(time.Second)
			c.says(b)
			if b.pass(c.after); len(b.closings()) != c.ends {
				t.Fatalf("after %s %d ends are told, want %d", c.after, len(b.closings()), c.ends)
			}
		})
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
	b.readsFunds()
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusPartiallyFilled, "0.5")) })
	b.pass(time.Second)
	b.wantNoEnd()
	b.pass(fillsHoldMax) // they never come
	b.onlyClosing()
}

// TestDisputedEndIsToldInTheEnd: the list denies it, and the comparison finds
// nothing that is missing.
func TestDisputedEndIsToldInTheEnd(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.seemsFlat()
	b.now = b.now.Add(time.Second)
	b.readsLong()
	b.pass(doubtRetry)
	b.readsLong()
	b.pass(doubtRetry)
	b.wantNoEnd()
	b.reconciled(reconcileDone{fillsRead: map[string]bool{"BTCUSDT": true}, funds: Funds{Positions: b.state.positions()}})
	b.onlyClosing()
}

// TestDisputedEndWaitsForTheComparison, however long the venue does not answer: what
// is missing is found with it.
func TestDisputedEndWaitsForTheComparison(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	missed := b.seemsFlat()
	b.now = b.now.Add(time.Second)
	b.readsLong()
	for range 10 {
		b.pass(endDoubtMax)
		b.step(func(m moment) { b.state.reconciled(m, reconcileDone{err: errTimeout}) })
	}
	b.wantNoEnd()
	b.finds(missed)
	b.pass(time.Hour)
	b.wantNoEnd()
}

// TestDisputedEndDoesNotWaitForQuiet: the account is traded on and on, so that each
// list is older than some execution.
func TestDisputedEndDoesNotWaitForQuiet(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.seemsFlat()
	const each = 2 * positionLag
	for n := range int(endDoubtMax / each) {
		b.wantNoEnd()
		b.stranger(3+n, venues.Buy, "1", "100", nil)
		b.pass(positionLag / 2)
		b.reconciled(reconcileDone{fillsRead: map[string]bool{"BTCUSDT": true}})
		b.pass(each - positionLag/2)
	}
	b.onlyClosing()
}

// TestDenialOfTheStreamIsOneToo: no list is read after the executions, but the
// stream has told since that the position did not turn round.
func TestDenialOfTheStreamIsOneToo(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.stranger(1, venues.Sell, "1", "100", nil)
	missed := venues.At(b.now.Add(time.Millisecond))
	b.lists(venues.Short, "3")
	b.later()
	b.stranger(2, venues.Buy, "3", "90", nil)
	b.later()
	b.lists(venues.Short, "0")
	b.pass(endDoubtMax)
	b.wantNoEnd()
	b.stranger(3, venues.Sell, "2", "110", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = missed })
	b.pass(endDoubtMax)
	b.wantClosing(0, map[string]any{"side": "short", "qty": "3", "realizedPnl": "50"})
}

// TestExecutionsThatAddUpByChanceProveNoEnd: the venue tells that the long position
// has ended, but by so much that something was bought which nobody has told.
func TestExecutionsThatAddUpByChanceProveNoEnd(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.stranger(1, venues.Buy, "2", "100", nil)
	missed := venues.At(b.now.Add(time.Millisecond))
	b.lists(venues.Long, "3")
	b.later()
	b.stranger(2, venues.Sell, "2", "110", nil)
	b.lists(venues.Long, "1")
	b.later()
	b.stranger(3, venues.Sell, "3", "120", nil)
	b.lists(venues.Short, "2")
	b.lists(venues.Long, "0")
	b.wantNoEnd()
	b.stranger(4, venues.Buy, "1", "100", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = missed })
	b.wantClosing(0, map[string]any{"side": "long", "qty": "3", "realizedPnl": "40"})
	b.pass(endDoubtMax)
	b.onlyClosing()
}
