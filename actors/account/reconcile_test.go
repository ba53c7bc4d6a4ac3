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

func (b *bench) reconciled(in reconcileDone) {
	in.startedAt, in.funds.ReadAt = b.now, b.now
	b.step(func(m moment) { b.state.reconciled(m, in) })
}

// TestStreamThatConnectsDuringAReconciliationIsFollowedByAnother: the one that
// runs may have read before the stream was up.
func TestStreamThatConnectsDuringAReconciliationIsFollowedByAnother(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.step(func(m moment) { b.state.streamConnected(m) })
	if count(b.pass(0), isReconcile) != 1 {
		t.Fatal("no reconciliation")
	}
	b.step(func(m moment) { b.state.streamConnected(m) })
	b.pass(time.Second)
	b.reconciled(reconcileDone{})
	if count(b.pass(0), isReconcile) != 1 {
		t.Fatal("what came between is missed")
	}
	b.reconciled(reconcileDone{})
	if count(b.pass(time.Minute), isReconcile) != 0 {
		t.Fatal("it goes on and on")
	}
}

func TestVenueThatIsDownIsAskedLessOften(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.step(func(m moment) { b.state.streamConnected(m) })
	asked := 0
	for range 3600 {
		if count(b.pass(time.Second), isReconcile) > 0 {
			asked++
			b.step(func(m moment) { b.state.reconciled(m, reconcileDone{err: errors.New("down")}) })
		}
	}
	if asked < 100 || asked > 130 {
		t.Fatalf("asked %d times in an hour", asked)
	}
}

func (b *bench) fillsUntil(symbol string) time.Time {
	return b.puts["c1/accountstate/binance"].(persistence.AccountState).FillsUntil[symbol].Time
}

// TestFillsAreNotPassedBeforeTheyAreRecorded: the order of a fill cannot be
// looked up at first.
func TestFillsAreNotPassedBeforeTheyAreRecorded(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.state.fillsUntil["BTCUSDT"] = b.now
	stranger := venues.Fill{
		Symbol: "BTCUSDT", Side: venues.Buy, Qty: venues.MustDecimal("1"), Price: venues.MustDecimal("60000"),
		VenueOrderID: "77", VenueTradeID: "1", ExecutedAt: venues.At(b.now.Add(time.Second)),
	}
	begun := b.now
	for _, outcome := range []error{errPoolFull, nil} {
		b.pass(5 * time.Minute)
		b.reconciled(reconcileDone{fills: []venues.Fill{stranger}, fillsRead: map[string]bool{"BTCUSDT": true}})
		if until := b.fillsUntil("BTCUSDT"); !until.Equal(begun) {
			t.Fatalf("read up to %s, and nothing is recorded", until.Sub(begun))
		}
		lookedUp := lookedUpFills{symbol: "BTCUSDT", fills: []venues.Fill{stranger}, err: outcome}
		b.step(func(m moment) { b.state.lookedUpFills(m, lookedUp) })
	}
	if until := b.fillsUntil("BTCUSDT"); !until.Equal(b.now) {
		t.Fatalf("stays at %s after all is recorded", until.Sub(begun))
	}
}

func TestQuietSymbolsTakeTurns(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	for n := range 3 * quietSymbolsMax {
		b.state.fillsUntil[fmt.Sprintf("S%02dUSDT", n)] = b.now
	}
	read := map[string]bool{}
	for range 3 {
		b.now = b.now.Add(time.Minute)
		done := reconcileDone{fillsRead: map[string]bool{}}
		b.step(func(moment) { b.state.reconcile() })
		for symbol := range b.asked[0].(callReconcile).fillsFrom {
			read[symbol], done.fillsRead[symbol] = true, true
		}
		if len(done.fillsRead) != quietSymbolsMax {
			t.Fatalf("%d symbols at once", len(done.fillsRead))
		}
		b.reconciled(done)
	}
	if len(read) != 3*quietSymbolsMax {
		t.Fatalf("%d symbols were read", len(read))
	}
}

func TestReadingThatBeganBeforeAPositionClosedDoesNotReviveIt(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}
	closed := open
	closed.Qty = venues.MustDecimal("0")
	b.step(func(m moment) { b.state.position(m, open) })
	begun := b.now
	b.pass(100 * time.Millisecond)
	b.step(func(m moment) { b.state.position(m, closed) })
	b.step(func(m moment) {
		b.state.fundsRead(m, fundsDone{funds: Funds{Positions: []venues.Position{open}, ReadAt: begun}})
	})
	if len(b.state.funds.positions) != 0 {
		t.Fatal("a ghost")
	}
	b.pass(time.Second)
	b.step(func(m moment) {
		b.state.fundsRead(m, fundsDone{funds: Funds{Positions: []venues.Position{open}, ReadAt: b.now}})
	})
	if len(b.state.funds.positions) != 1 {
		t.Fatal("a position opened again is not shown")
	}
}

func TestOrderWhoseFillsAreCompleteIsAskedFor(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.step(func(m moment) { b.state.fills(m, []venues.Fill{*o.fill("t1", "1", "60000")}) })
	if count(b.pass(0), isQuery) != 1 {
		t.Fatalf("it stays %s with everything filled", o.Status)
	}
}

// TestFillsOfASymbolAreReadFromItsFirstOrderOn: a restart forgets an order that
// has ended, but not from when on its fills are to be read.
func TestFillsOfASymbolAreReadFromItsFirstOrderOn(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	if got := b.fillsUntil("BTCUSDT"); !got.Equal(o.CreatedAt.Time) {
		t.Errorf("the intent is durable, fills are read from %v", got)
	}
	b = newBench(t, venues.Capabilities{})
	b.step(func(m moment) { b.state.lookedUp(m, lookedUp{report: o.says(venues.StatusOpen, "0")}) })
	if b.fillsUntil("BTCUSDT").IsZero() {
		t.Error("an order was adopted, and its fills may never be read")
	}
}

// TestRefusedIntentDoesNotHideItsSymbol: the batch that was refused may have been
// the first to name the symbol.
func TestRefusedIntentDoesNotHideItsSymbol(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	clear(b.puts)
	b.step(func(moment) { b.state.intentRefused(o.OrderID, persistence.ErrUnavailable) })
	if b.fillsUntil("BTCUSDT").IsZero() {
		t.Error("the next order will not say it again")
	}
}

// TestOrderIsNotLeftToTheReconciliationOfAnIdleAccount: the stream may be mute,
// and the next comparison was planned while nothing was open.
func TestOrderIsNotLeftToTheReconciliationOfAnIdleAccount(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.step(func(m moment) { b.state.streamConnected(m) })
	b.pass(0)
	b.reconciled(reconcileDone{})
	b.open(limitOrder("r1"), venues.StatusOpen)
	if count(b.pass(reconcileBusy), isReconcile) != 1 {
		t.Error("the order is not looked for")
	}
}
