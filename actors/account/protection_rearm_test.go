package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

// TestFillBeyondAStopIsProtectedToo: the entry goes on filling until its cancel gets
// there, and the stop has closed what there was before.
func TestFillBeyondAStopIsProtectedToo(t *testing.T) {
	for name, reached := range map[string]int{"stop loss": 0, "take profit": 1} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			o, legs := b.protectedEntry("0.4")
			b.executes(legs[reached], "58000")
			b.cancels(legs[1-reached])
			b.fillMore(o, "t2", "0.6")
			again := b.legs(time.Second)
			if len(again) != 2 || !again[0].Qty.Equal(venues.MustDecimal("0.6")) || !again[1].Qty.Equal(again[0].Qty) {
				t.Fatalf("%d legs", len(again))
			}
			b.refuse(again[0], venues.ReasonWouldTrigger)
			if out := o.guard.exit; out == nil || !out.Qty.Equal(venues.MustDecimal("0.6")) {
				t.Fatalf("closed by %+v", out)
			}
		})
	}
}

// TestFillWhileAStopIsExecutedIsProtectedToo: it is not the leg's.
func TestFillWhileAStopIsExecutedIsProtectedToo(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("0.4")
	b.step(func(m moment) { b.state.report(m, legs[0].says(venues.StatusOpen, "0")) })
	b.fillMore(o, "t2", "0.6")
	b.executes(legs[0], "58000")
	if again := b.legs(time.Second); len(again) != 2 || !again[0].Qty.Equal(venues.MustDecimal("0.6")) {
		t.Fatalf("%d legs", len(again))
	}
}

// TestFillBeyondTwoStopsIsProtectedToo: a stop that was superseded is reached before
// its cancel gets there, and so is its successor, which finds the rest.
func TestFillBeyondTwoStopsIsProtectedToo(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.fillEntry("0.25")
	first := b.legs(protectSettle)
	b.fillMore(o, "t2", "0.25")
	second := b.legs(protectSettle)
	b.live(second[0], first[0])
	b.executes(first[0], "58000")
	b.cutsShort(second[0], venues.StatusExpired, "0.25")
	if again := b.legs(time.Minute); len(again) != 0 {
		t.Fatalf("%d legs for nothing", len(again))
	}
	b.fillMore(o, "t3", "0.25")
	if again := b.legs(time.Second); len(again) != 2 || !again[0].Qty.Equal(venues.MustDecimal("0.25")) {
		t.Fatalf("%d legs for what was filled since", len(again))
	}
}

// TestStopThatIsCutShortLeavesNothingNaked: the market order that it became finds too
// few who buy, and the venue ends it with the position still open.
func TestStopThatIsCutShortLeavesNothingNaked(t *testing.T) {
	for _, end := range []venues.OrderStatus{venues.StatusExpired, venues.StatusCancelled} {
		for filled, left := range map[string]string{"0": "1", "0.6": "0.4"} {
			t.Run(string(end)+" with "+filled, func(t *testing.T) {
				b := newBench(t, venues.Capabilities{})
				o, legs := b.protectedEntry("1")
				b.step(func(m moment) { b.state.report(m, legs[0].says(venues.StatusOpen, "0")) })
				b.cutsShort(legs[0], end, filled)
				again := b.legs(time.Second)
				if len(again) != 2 || !again[0].Qty.Equal(venues.MustDecimal(left)) {
					t.Fatalf("%d legs for the rest", len(again))
				}
				b.refuse(again[0], venues.ReasonWouldTrigger)
				if out := o.guard.exit; out == nil || !out.Qty.Equal(venues.MustDecimal(left)) {
					t.Fatalf("closed by %+v", out)
				}
			})
		}
	}
}

// TestAttachedStopThatIsCutShortLeavesNothingNaked: the venue makes no other.
func TestAttachedStopThatIsCutShortLeavesNothingNaked(t *testing.T) {
	b := newBench(t, attaches)
	o := b.fillEntry("1")
	b.holds("1")
	a := bothLegs(o)
	b.tells(attachedLeg("a", o, a, venues.StatusUntriggered, "0"))
	a.Fired = venues.ProtectingStopLoss
	b.tells(attachedLeg("a", o, a, venues.StatusOpen, "0"))
	b.tells(attachedLeg("a", o, a, venues.StatusCancelled, "0"))
	if again := b.legs(time.Second); len(again) != 2 || !again[0].Qty.Equal(o.Qty) {
		t.Fatalf("%d legs of our own", len(again))
	}
}

// TestStopThatFindsLessIsProtectedForTheRestAlone: what it missed is gone, and what the
// entry fills from then on is not.
func TestStopThatFindsLessIsProtectedForTheRestAlone(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("0.5")
	b.stranger(1, venues.Sell, "0.2", "59000", nil)
	b.cutsShort(legs[0], venues.StatusExpired, "0.3")
	b.cancels(legs[1])
	b.fillMore(o, "t2", "0.5")
	if again := b.legs(time.Second); len(again) != 2 || !again[0].Qty.Equal(venues.MustDecimal("0.5")) {
		t.Fatalf("%d legs: %+v", len(again), again)
	}
}

// TestStopThatFindsLessIsOver: somebody has closed a part before it was reached.
func TestStopThatFindsLessIsOver(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	b.stranger(1, venues.Sell, "0.4", "59000", nil)
	b.cutsShort(legs[0], venues.StatusExpired, "0.6")
	b.cancels(legs[1])
	if again := b.legs(time.Minute); len(again) != 0 {
		t.Fatalf("%d legs for nothing", len(again))
	}
	wantLegs(t, o, venues.ProtectionTriggered, venues.ProtectionCancelled)
}

// TestOnlyWhatIsOpenIsClosed: of an entry whose first fill was closed by somebody,
// and of one whose close was cut short by a restart.
func TestOnlyWhatIsOpenIsClosed(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, _ := b.protectedEntry("0.4")
	b.holds("0")
	b.fillMore(o, "t2", "0.6")
	b.refuse(b.legs(time.Second)[0], venues.ReasonWouldTrigger)
	out := o.guard.exit
	if out == nil || !out.Qty.Equal(venues.MustDecimal("0.6")) {
		t.Fatalf("closed by %+v", out)
	}
	r := out.says(venues.StatusExpired, "0.5")
	r.Fill = out.fill("x1", "0.5", "57000")
	b.step(func(m moment) { b.state.report(m, r) })
	if left := b.reload().state.orders[o.OrderID].guarded(); !left.Equal(venues.MustDecimal("0.1")) {
		t.Fatalf("%s left to close after a restart", left)
	}
}

// TestFlatWordOfAnEarlierPosition: a position was closed and opened again at once. The
// word that it was flat in between may come last, on the stream or by a list that lags
// behind; the new one keeps its protection.
func TestFlatWordOfAnEarlierPosition(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	_, first := b.protectedEntry("1")
	in := protectedOrder()
	in.cmd.RequestID = "r2"
	o := b.open(in, venues.StatusOpen)
	b.now = b.now.Add(time.Second)
	r := o.says(venues.StatusFilled, "1")
	r.Fill = o.fill("t9", "1", "60000")
	r.Fill.ExecutedAt = venues.At(b.now)
	b.step(func(m moment) { b.state.report(m, r) })
	second := b.legs(protectSettle)
	b.live(second...)

	flat := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, UpdatedAt: venues.At(r.Fill.ExecutedAt.Add(-10 * time.Millisecond))}
	b.step(func(m moment) { b.state.position(m, flat) })
	wantWithdrawn(t, first...)
	b.cancels(first...)
	wantLive := func() {
		t.Helper()
		for _, leg := range second {
			if leg.PendingAction != venues.PendingNone {
				t.Fatalf("the %s of the position that is open is withdrawn", leg.Protects)
			}
		}
	}
	wantLive()
	b.holds("1")
	b.now = b.now.Add(time.Second)
	lists := func() {
		b.step(func(m moment) { b.state.fundsRead(m, fundsDone{funds: Funds{ReadAt: b.now}}) })
	}
	lists()
	wantLive()
	b.now = b.now.Add(positionLag)
	lists()
	wantWithdrawn(t, second...)
}

// TestLegsThatWereDismissedStaySo after a restart: their position is over, and what the
// entry fills from then on is protected anew.
func TestLegsThatWereDismissedStaySo(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("0.4")
	b.holds("0")
	wantWithdrawn(t, legs...)
	again := b.reload()
	o = again.state.orders[o.OrderID]
	for _, leg := range legs {
		again.cancels(again.state.orders[leg.OrderID])
	}
	again.fillMore(o, "t2", "0.6")
	if legs := again.legs(time.Second); len(legs) != 2 || !legs[0].Qty.Equal(venues.MustDecimal("0.6")) {
		t.Fatalf("%d legs for what was filled since", len(legs))
	}
}

// TestLostLegOfAPositionThatTheListLacksYet: the venue ends a leg right after the fill,
// and its list is older than that. It is no proof that the position is over.
func TestLostLegOfAPositionThatTheListLacksYet(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.fillEntry("1") // at the first second
	legs := b.legs(time.Second)
	b.live(legs...)
	b.step(func(m moment) { b.state.report(m, legs[0].says(venues.StatusCancelled, "0")) })
	var again []*order
	for range 5 {
		b.now = b.now.Add(500 * time.Millisecond)
		var open []venues.Position
		if b.now.Sub(legs[0].CreatedAt.Time) > positionLag {
			open = []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
		}
		b.step(func(m moment) { b.state.fundsRead(m, fundsDone{funds: Funds{Positions: open, ReadAt: b.now}}) })
		again = append(again, b.legs(500*time.Millisecond)...)
	}
	if len(again) != 1 || again[0].Protects != venues.ProtectingStopLoss {
		t.Fatalf("%d legs in the place of the one that is lost", len(again))
	}
}
