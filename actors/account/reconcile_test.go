package account

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

func isReconcile(e effect) bool { _, ok := e.(callReconcile); return ok }

// reconciled answers the running reconciliation.
func (b *fixture) reconciled(in reconcileDone) {
	if b.state.recon.routine && !b.state.recon.running {
		in.kind = reconcileRoutine
	}
	if in.startedAt.IsZero() {
		in.startedAt = b.now
	}
	in.funds.ReadAt = b.now
	b.step(func(step stepContext) { b.state.reconciled(step, in) })
}

// TestStreamThatConnectsDuringAReconciliationIsFollowedByAnother: the one that
// runs may have read before the stream was up.
func TestStreamThatConnectsDuringAReconciliationIsFollowedByAnother(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.step(func(step stepContext) { b.state.streamConnected(step) })
	if n := count(b.pass(0), isReconcile); n != 1 {
		t.Fatalf("%d reconciliations, want 1", n)
	}
	begun := b.now
	b.step(func(step stepContext) { b.state.streamConnected(step) })
	b.pass(time.Second)
	b.reconciled(reconcileDone{startedAt: begun})
	if n := count(b.pass(0), isReconcile); n != 1 {
		t.Fatalf("%d reconciliations after the running one, want 1", n)
	}
	b.reconciled(reconcileDone{})
	if count(b.pass(time.Minute), isReconcile) != 0 {
		t.Fatal("reconciliations continue, want none")
	}
}

func TestVenueThatIsDownIsReadLessOften(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.step(func(step stepContext) { b.state.streamConnected(step) })
	reads := 0
	for range 3600 {
		if count(b.pass(time.Second), isReconcile) > 0 {
			reads++
			b.step(func(step stepContext) { b.state.reconciled(step, reconcileDone{err: errors.New("down")}) })
		}
	}
	if reads < 100 || reads > 130 {
		t.Fatalf("%d reconciliations in an hour, want 100 to 130", reads)
	}
}

func (b *fixture) fillsUntil(symbol string) time.Time {
	return b.puts["c1/accountstate/binance"].(persistence.AccountState).FillsUntil[symbol].Time
}

// TestFillMarkWaitsForRecordedFills: the mark of a symbol stays while the order of a fill
// cannot be looked up.
func TestFillMarkWaitsForRecordedFills(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.state.fillMarks.until["BTCUSDT"] = b.now
	foreign := venues.Fill{
		Symbol: "BTCUSDT", Side: venues.Buy, Qty: venues.MustDecimal("1"), Price: venues.MustDecimal("60000"),
		VenueOrderID: "77", VenueTradeID: "1", ExecutedAt: venues.At(b.now.Add(time.Second)),
	}
	begun := b.now
	for _, outcome := range []error{errPoolFull, nil} {
		b.pass(5 * time.Minute)
		b.reconciled(reconcileDone{fills: []venues.Fill{foreign}, fillsRead: map[string]bool{"BTCUSDT": true}})
		if until := b.fillsUntil("BTCUSDT"); !until.Equal(begun) {
			t.Fatalf("fill mark = start + %s although the fill is not recorded, want the start", until.Sub(begun))
		}
		lookedUp := lookedUpFills{symbol: "BTCUSDT", fills: []venues.Fill{foreign}, err: outcome}
		b.step(func(step stepContext) { b.state.lookedUpFills(step, lookedUp) })
	}
	if until := b.fillsUntil("BTCUSDT"); !until.Equal(b.now) {
		t.Fatalf("fill mark = start + %s after the fill is recorded, want start + %s", until.Sub(begun), b.now.Sub(begun))
	}
}

func TestQuietSymbolsTakeTurns(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	for n := range 3 * quietSymbolsMax {
		b.state.fillMarks.until[fmt.Sprintf("S%02dUSDT", n)] = b.now
	}
	read := map[string]bool{}
	for range 3 {
		b.now = b.now.Add(time.Minute)
		b.step(b.state.reconcile)
		e := b.effects[0].(callReconcile)
		done := reconcileDone{fillsRead: map[string]bool{}}
		for symbol := range e.fillsFrom {
			read[symbol], done.fillsRead[symbol] = true, true
		}
		if len(done.fillsRead) != quietSymbolsMax {
			t.Fatalf("%d symbols in one reconciliation, want %d", len(done.fillsRead), quietSymbolsMax)
		}
		b.reconciled(done)
	}
	if len(read) != 3*quietSymbolsMax {
		t.Fatalf("%d symbols were read, want %d", len(read), 3*quietSymbolsMax)
	}
}

func TestReadingFromBeforeACloseDoesNotReopenThePosition(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}
	closed := open
	closed.Qty = venues.MustDecimal("0")
	b.step(func(step stepContext) { b.state.positionReported(step, open) })
	begun := b.now
	b.pass(100 * time.Millisecond)
	b.step(func(step stepContext) { b.state.positionReported(step, closed) })
	b.step(func(step stepContext) {
		b.state.fundsRead(step, fundsDone{part: bothParts, funds: Funds{Positions: []venues.Position{open}, ReadAt: begun}})
	})
	if n := b.state.positions.ListedCount(); n != 0 {
		t.Fatalf("%d positions, want 0", n)
	}
	b.pass(time.Second)
	b.step(func(step stepContext) {
		b.state.fundsRead(step, fundsDone{part: bothParts, funds: Funds{Positions: []venues.Position{open}, ReadAt: b.now}})
	})
	if n := b.state.positions.ListedCount(); n != 1 {
		t.Fatalf("%d positions after it was opened again, want 1", n)
	}
}

func TestOrderWhoseFillsAreCompleteIsQueried(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.step(func(step stepContext) { b.state.handleFills(step, []venues.Fill{*o.fill("t1", "1", "60000")}) })
	if n := count(b.pass(0), isQuery); n != 1 {
		t.Fatalf("%d queries of a filled order that is %s, want 1", n, o.Status)
	}
}

// TestFillsOfASymbolAreReadFromItsFirstOrderOn: a restart does not load an order that has
// ended, but the stored mark has the time from which its fills are read.
func TestFillsOfASymbolAreReadFromItsFirstOrderOn(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	if got := b.fillsUntil("BTCUSDT"); !got.Equal(o.CreatedAt.Time) {
		t.Errorf("fill mark = %v, want %v", got, o.CreatedAt.Time)
	}
	b = newFixture(t, venues.Capabilities{})
	b.step(func(step stepContext) {
		b.state.orderLookedUp(step, lookedUp{report: o.reportWith(venues.StatusOpen, "0")})
	})
	if b.fillsUntil("BTCUSDT").IsZero() {
		t.Error("no fill mark after an order was adopted, want one")
	}
}

// TestRejectedIntentKeepsTheFillMark: the rejected batch may have been the one that
// stores the mark of the symbol.
func TestRejectedIntentKeepsTheFillMark(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	clear(b.puts)
	b.step(func(stepContext) { b.state.intentRejected(o.OrderID, persistence.ErrUnavailable) })
	if b.fillsUntil("BTCUSDT").IsZero() {
		t.Error("no fill mark after the intent was rejected, want one")
	}
}

// TestFirstOrderAdvancesTheReconciliation: the stream may be stalled, and the
// next reconciliation was scheduled while no order was open.
func TestFirstOrderAdvancesTheReconciliation(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.step(func(step stepContext) { b.state.streamConnected(step) })
	b.pass(0)
	b.reconciled(reconcileDone{})
	b.open(limitOrder("r1"), venues.StatusOpen)
	if n := count(b.pass(reconcileBusy), isReconcile); n != 1 {
		t.Errorf("%d reconciliations within %s, want 1", n, reconcileBusy)
	}
}
