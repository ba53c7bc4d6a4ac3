package account

import (
	"testing"
	"time"

	"venuegate/actors/account/position"
	"venuegate/venues"
)

// readLong applies a reading of the venue's list with a long position of 1.
func (b *fixture) readLong() {
	one := venues.MustDecimal("1")
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: one, EntryPrice: venues.Some(venues.MustDecimal("100"))}
	b.step(func(step stepContext) {
		b.state.fundsRead(step, fundsDone{part: bothParts, funds: Funds{Positions: []venues.Position{open}, ReadAt: step.now}})
	})
}

// seemsFlat reports an entry and an exit of 1. It returns the time of another entry,
// which the account has missed.
func (b *fixture) seemsFlat() (missed venues.Time) {
	b.adoptForeign(1, venues.Buy, "1", "100", nil)
	missed = venues.At(b.now.Add(time.Millisecond))
	b.later()
	b.adoptForeign(2, venues.Sell, "1", "110", nil)
	return missed
}

func (b *fixture) findMissed(missed venues.Time) {
	b.adoptForeign(3, venues.Buy, "1", "120", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = missed })
}

// TestCloseThatTheListContradictsIsNotPublished: the executions so far add up to zero by
// chance, but the venue's list, read after them, has an open position.
func TestCloseThatTheListContradictsIsNotPublished(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	missed := b.seemsFlat()
	b.now = b.now.Add(time.Second)
	b.readLong()
	if count(b.pass(position.MismatchRetry), isReconcile) != 1 {
		t.Error("no reconciliation, want one")
	}
	b.pass(position.ConfirmMax)
	b.findMissed(missed)
	b.pass(position.DisputeMax)
	b.wantNoClosing()
	if got := b.state.positions.Qty("BTCUSDT", venues.Long); got.String() != "1" {
		t.Fatalf("open quantity = %s, want 1", got)
	}
}

// TestCloseOfLessThanTheVenueListedWaits: the missing executions add up to zero, but the
// venue has listed a larger position than the known executions have entered.
func TestCloseOfLessThanTheVenueListedWaits(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Buy, "1", "100", nil)
	missed := venues.At(b.now.Add(time.Millisecond))
	b.later()
	b.streamPosition(venues.Long, "1.2")
	b.adoptForeign(2, venues.Sell, "1", "110", nil)
	b.streamPosition(venues.Long, "0.2")
	b.streamPosition(venues.Long, "0")
	b.wantNoClosing()
	b.pass(position.ConfirmMax - time.Second)
	for n, side := range []venues.Side{venues.Buy, venues.Sell} {
		b.adoptForeign(3+n, side, "0.2", "120", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = missed })
	}
	b.readFunds()
	b.pass(position.ConfirmMax)
	b.wantClosing(0, map[string]any{"side": "long", "qty": "1.2", "realizedPnl": "10"})
	if n := len(b.closings()); n != 1 {
		t.Fatalf("%d closings, want 1", n)
	}
}

// TestCloseWaitsForTheVenuesReport: the close that the executions show may be wrong, and
// reports of the venue from before them do not confirm it.
func TestCloseWaitsForTheVenuesReport(t *testing.T) {
	unanswered := func(b *fixture) {
		b.step(func(step stepContext) { b.state.fundsRead(step, fundsDone{err: errTimeout}) })
		if count(b.pass(reconcileRetry), isReconcile) != 1 {
			t.Error("no reconciliation, want one")
		}
	}
	for name, c := range map[string]struct {
		report func(b *fixture)
		after  time.Duration
		ends   int
	}{
		"nothing is open": {(*fixture).readFunds, position.ConfirmMax, 1},
		"it is open":      {(*fixture).readLong, position.DisputeMax, 0},
		"no answer yet":   {unanswered, position.ConfirmMax, 0},
		"no answer":       {unanswered, position.DisputeMax, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			b.seemsFlat()
			b.now = b.now.Add(time.Second)
			c.report(b)
			if b.pass(c.after); len(b.closings()) != c.ends {
				t.Fatalf("after %s: %d closings, want %d", c.after, len(b.closings()), c.ends)
			}
		})
	}
}

// TestCloseIsNotPublishedBeforeTheFirstReconciliation: the executions from the time
// without a stream are not known yet.
func TestCloseIsNotPublishedBeforeTheFirstReconciliation(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	missed := b.seemsFlat()
	b = b.restart()
	b.state.ready = false
	b.pass(position.ConfirmMax)
	b.wantNoClosing()
	b.findMissed(missed)
	b.readLong()
	b.state.ready = true
	b.pass(position.DisputeMax)
	b.wantNoClosing()
}

// TestCloseIsNotPublishedWhileFillsAreMissing: the fills of a held report are still being
// fetched.
func TestCloseIsNotPublishedWhileFillsAreMissing(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.seemsFlat()
	b.now = b.now.Add(position.ConfirmMax - time.Second)
	b.readFunds()
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusPartiallyFilled, "0.5")) })
	b.pass(time.Second)
	b.wantNoClosing()
	b.pass(fillsHoldMax) // they are never reported
	b.onlyClosing()
}

// TestDisputedCloseIsPublishedAfterDisputeMax: the list contradicts the close, but the
// reconciliation finds no missing execution.
func TestDisputedCloseIsPublishedAfterDisputeMax(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.seemsFlat()
	b.now = b.now.Add(time.Second)
	b.readLong()
	b.pass(position.MismatchRetry)
	b.readLong()
	b.pass(position.MismatchRetry)
	b.wantNoClosing()
	b.reconciled(reconcileDone{fillsRead: map[string]bool{"BTCUSDT": true}, funds: Funds{Positions: b.state.positions.Listed()}})
	b.onlyClosing()
}

// TestDisputedCloseWaitsForTheReconciliation, which finds the missing executions, however
// long the venue does not answer.
func TestDisputedCloseWaitsForTheReconciliation(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	missed := b.seemsFlat()
	b.now = b.now.Add(time.Second)
	b.readLong()
	for range 10 {
		b.pass(position.DisputeMax)
		b.step(func(step stepContext) { b.state.reconciled(step, reconcileDone{err: errTimeout}) })
	}
	b.wantNoClosing()
	b.findMissed(missed)
	b.pass(time.Hour)
	b.wantNoClosing()
}

// TestDisputedCloseIsPublishedDuringTrading: trading continues, so that each reading of the
// list is older than the newest execution.
func TestDisputedCloseIsPublishedDuringTrading(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.seemsFlat()
	const each = 2 * position.ListLag
	for n := range int(position.DisputeMax / each) {
		b.wantNoClosing()
		b.adoptForeign(3+n, venues.Buy, "1", "100", nil)
		b.pass(position.ListLag / 2)
		b.reconciled(reconcileDone{fillsRead: map[string]bool{"BTCUSDT": true}})
		b.pass(each - position.ListLag/2)
	}
	b.onlyClosing()
}

// TestCloseThatTheStreamContradictsIsNotPublished: no list is read after the executions,
// but the stream reports after them that the position has not reversed.
func TestCloseThatTheStreamContradictsIsNotPublished(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Sell, "1", "100", nil)
	missed := venues.At(b.now.Add(time.Millisecond))
	b.streamPosition(venues.Short, "3")
	b.later()
	b.adoptForeign(2, venues.Buy, "3", "90", nil)
	b.later()
	b.streamPosition(venues.Short, "0")
	b.pass(position.DisputeMax)
	b.wantNoClosing()
	b.adoptForeign(3, venues.Sell, "2", "110", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = missed })
	b.pass(position.DisputeMax)
	b.wantClosing(0, map[string]any{"side": "short", "qty": "3", "realizedPnl": "50"})
}

// TestExecutionsThatAddUpByChanceConfirmNoClose: the venue reports that the long position
// has closed, but its quantity included a purchase whose execution is not known.
func TestExecutionsThatAddUpByChanceConfirmNoClose(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Buy, "2", "100", nil)
	missed := venues.At(b.now.Add(time.Millisecond))
	b.streamPosition(venues.Long, "3")
	b.later()
	b.adoptForeign(2, venues.Sell, "2", "110", nil)
	b.streamPosition(venues.Long, "1")
	b.later()
	b.adoptForeign(3, venues.Sell, "3", "120", nil)
	b.streamPosition(venues.Short, "2")
	b.streamPosition(venues.Long, "0")
	b.wantNoClosing()
	b.adoptForeign(4, venues.Buy, "1", "100", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = missed })
	b.wantClosing(0, map[string]any{"side": "long", "qty": "3", "realizedPnl": "40"})
	b.pass(position.DisputeMax)
	b.onlyClosing()
}
