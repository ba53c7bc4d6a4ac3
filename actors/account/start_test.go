package account

import (
	"slices"
	"testing"
	"time"

	"venuegate/venues"
)

// Of the accounts that start, the one that may have the most to lose is read first.
func TestRankOfAStart(t *testing.T) {
	protected := func(b *fixture) { b.protectedEntry("1") }
	for name, c := range map[string]struct {
		before func(*fixture)
		want   int
	}{
		"an unknown outcome, with a position": {func(b *fixture) { protected(b); b.loseAnswer("r2") }, 0},
		"an intent":                           {func(b *fixture) { b.place(limitOrder("r1")) }, 0},
		"a protected position":                {protected, 1},
		"a reduce-only order":                 {func(b *fixture) { in := stopOrder(); in.cmd.ReduceOnly = true; b.open(in, venues.StatusUntriggered) }, 1},
		"an open order":                       {func(b *fixture) { b.open(limitOrder("r1"), venues.StatusOpen) }, 2},
		"nothing":                             {func(*fixture) {}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			c.before(b)
			next := b.reload()
			next.state.ready = false
			next.pass(0)
			for _, e := range next.effects {
				if read, is := e.(callReconcile); is {
					if read.kind != reconcileStart || read.rank != c.want {
						t.Fatalf("first reading = %+v, want one with rank %d", read, c.want)
					}
					return
				}
			}
			t.Fatal("nothing is read, want the first reading")
		})
	}
}

// kinds returns the kinds of the reconciliations among effects.
func kinds(effects []effect) (list []reconcileKind) {
	for _, e := range effects {
		if read, is := e.(callReconcile); is {
			list = append(list, read.kind)
		}
	}
	return list
}

func (b *fixture) wantKinds(effects []effect, want ...reconcileKind) {
	b.t.Helper()
	if got := kinds(effects); !slices.Equal(got, want) {
		b.t.Fatalf("kinds of the reconciliations = %v, want %v", got, want)
	}
}

// The account trades after its first reading. The complete reconciliation follows, and waits
// for the first readings of others a limited number of times.
func TestReconciliationAfterAStart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.state.ready, b.state.recon.due = false, b.now
	b.wantKinds(b.pass(0), reconcileStart)
	b.reconciled(reconcileDone{kind: reconcileStart})
	if !b.state.ready || !b.state.recon.completeAt.IsZero() || !b.state.fillMarks.tradedUntil.IsZero() {
		t.Fatalf("ready = %t, reconciled at %s, trades read until %s, want true and none", b.state.ready, b.state.recon.completeAt, b.state.fillMarks.tradedUntil)
	}
	begun := b.now
	for mayWait := true; mayWait; {
		effects := b.pass(postponeFor)
		b.wantKinds(effects, reconcileRoutine)
		if mayWait = effects[0].(callReconcile).mayWait; mayWait {
			b.reconciled(reconcileDone{isPostponed: true})
		}
	}
	if waited := b.now.Sub(begun); waited > (postponedMax+2)*postponeFor {
		t.Fatalf("the reconciliation waited for %s, want at most %d times %s", waited, postponedMax, postponeFor)
	}
	b.reconciled(reconcileDone{})
	if b.state.recon.completeAt.IsZero() || b.state.fillMarks.tradedUntil.IsZero() {
		t.Fatal("the reconciliation is not noted, want it noted")
	}
}

// If positions were changed elsewhere before the start, the complete reconciliation is urgent,
// and waits for the first readings of others all the same.
func TestUrgentReconciliationAfterAStart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.state.ready, b.state.recon.due = false, b.now
	b.state.fillMarks.tradedUntil = b.now.Add(-time.Hour)
	b.pass(0)
	listed := []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
	b.reconciled(reconcileDone{kind: reconcileStart, funds: Funds{Positions: listed}})
	for range postponedMax {
		effects := b.pass(0)
		b.wantKinds(effects, reconcileUrgent)
		if !effects[0].(callReconcile).mayWait {
			t.Fatal("it may not wait, want it to wait")
		}
		b.reconciled(reconcileDone{isPostponed: true})
		b.wantKinds(b.pass(postponeFor - 1))
		b.now = b.now.Add(1)
	}
}

// What the account needs to trade is read again once the private stream is connected: a change
// before that is reported by neither.
func TestFirstReadingIsRepeatedWhenTheStreamConnects(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.state.ready, b.state.recon.due = false, b.now
	b.wantKinds(b.pass(0), reconcileStart)
	begun := b.now
	b.pass(time.Second)
	b.step(b.state.streamConnected)
	b.reconciled(reconcileDone{kind: reconcileStart, startedAt: begun})
	b.wantKinds(b.pass(0), reconcileStart)
	b.reconciled(reconcileDone{kind: reconcileStart})
	b.wantKinds(b.pass(0), reconcileRoutine)
	b.pass(time.Second) // it waits for its turn
	b.step(b.state.streamConnected)
	b.wantKinds(b.pass(0), reconcileStart)
}

// A routine reconciliation may wait for minutes. One for which something waits does not wait
// for it, and is repeated until it succeeds.
func TestUrgentReconciliationDoesNotWaitForARoutineOne(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.state.recon.due = b.now
	b.wantKinds(b.pass(0), reconcileRoutine)
	b.step(b.state.streamLost)
	b.wantKinds(b.pass(reconcileRetry), reconcileUrgent)
	b.reconciled(reconcileDone{kind: reconcileUrgent, err: errPoolFull})
	b.wantKinds(b.pass(reconcileRetry), reconcileUrgent)
	b.reconciled(reconcileDone{kind: reconcileUrgent})
	b.wantKinds(b.pass(reconcileIdle)) // the routine one is still to come
	b.reconciled(reconcileDone{kind: reconcileRoutine})
	b.wantKinds(b.pass(reconcileIdle), reconcileRoutine)
}

// A request that arrives while an urgent reconciliation waits for its turn is served by it: the
// next one is routine.
func TestUrgencyEndsWithTheReconciliationThatServesIt(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.step(b.state.streamLost)
	b.wantKinds(b.pass(reconcileRetry), reconcileUrgent)
	b.step(b.state.streamLost)
	b.wantKinds(b.pass(reconcileRetry))
	b.pass(time.Second) // then it begins to read
	b.reconciled(reconcileDone{kind: reconcileUrgent})
	b.wantKinds(b.pass(reconcileIdle), reconcileRoutine)
}

// A reconciliation that is requested while another one runs is neither lost nor delayed by its
// end.
func TestReconciliationThatIsDueStaysDue(t *testing.T) {
	for _, end := range []error{nil, errPoolFull} {
		b := newFixture(t, venues.Capabilities{})
		b.state.recon.due, b.state.recon.failures = b.now, 8
		b.wantKinds(b.pass(0), reconcileRoutine)
		b.step(b.state.streamLost)
		b.reconciled(reconcileDone{err: end})
		b.wantKinds(b.pass(reconcileRetry), reconcileUrgent)
	}
}

// A position that was opened elsewhere before a start has the sums of its executions, which the
// complete reconciliation reads.
func TestPositionOpenedElsewhereBeforeAStart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.state.ready, b.state.recon.due = false, b.now
	b.state.fillMarks.tradedUntil = b.now.Add(-time.Hour)
	listed := Funds{Positions: []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1"), EntryPrice: venues.Some(venues.MustDecimal("100"))}}}
	b.pass(0)
	b.reconciled(reconcileDone{kind: reconcileStart, funds: listed})
	b.adoptForeign(1, venues.Buy, "2", "100", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = venues.At(b.now.Add(-time.Minute)) })
	b.adoptForeign(2, venues.Sell, "1", "110", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = venues.At(b.now.Add(-time.Second)) })
	b.pass(time.Second)
	b.reconciled(reconcileDone{kind: reconcileUrgent, funds: listed, fillsRead: map[string]bool{"BTCUSDT": true}})
	b.later()
	b.adoptForeign(3, venues.Sell, "1", "120", nil)
	b.streamPosition(venues.Long, "0")
	b.wantClosing(0, map[string]any{"qty": "2", "realizedPnl": "30"})
}

// The executions of a position that was opened elsewhere before a start are read until they are
// recorded, also if the complete reconciliation cannot look their orders up.
func TestExecutionsFromBeforeAStartAreReadUntilRecorded(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.state.ready, b.state.recon.due = false, b.now
	stopped := b.now.Add(-time.Hour)
	b.state.fillMarks.tradedUntil = stopped
	listed := Funds{Positions: []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}}
	foreign := venues.Fill{
		Symbol: "BTCUSDT", Side: venues.Buy, Qty: venues.MustDecimal("1"), Price: venues.MustDecimal("60000"),
		VenueOrderID: "77", VenueTradeID: "1", ExecutedAt: venues.At(stopped.Add(time.Second)),
	}
	b.pass(0)
	b.reconciled(reconcileDone{kind: reconcileStart, funds: listed})
	for range 3 {
		b.pass(0)
		b.reconciled(reconcileDone{fills: []venues.Fill{foreign}, funds: listed, fillsRead: map[string]bool{"BTCUSDT": true}})
		b.step(func(step stepContext) {
			b.state.lookedUpFills(step, lookedUpFills{symbol: "BTCUSDT", fills: []venues.Fill{foreign}, err: errPoolFull})
		})
		b.now = b.now.Add(time.Minute)
		next := b.step(b.state.reconcile)
		if from := next[0].(callReconcile).fillsFrom["BTCUSDT"]; !from.Before(stopped) {
			t.Fatalf("executions are read from %s after the stop, want from before it", from.Sub(stopped))
		}
	}
}
