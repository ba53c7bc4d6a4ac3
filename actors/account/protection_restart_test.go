package account

import (
	"testing"
	"time"

	"venuegate/actors/account/protection"
	"venuegate/venues"
)

// restartWith restarts the account from what is stored and compares it with a venue
// that lists a position of a quantity and open orders.
func (b *fixture) restartWith(qty string, open ...venues.ExecutionReport) *fixture {
	b.t.Helper()
	next := b.reload()
	next.state.ready = false
	next.reconciled(reconcileDone{startedAt: next.now, open: open, funds: Funds{ReadAt: next.now, Positions: longPosition(qty)}})
	return next
}

// wantProtectedAgain checks that what is left is protected again, and returns its stop.
func (b *fixture) wantProtectedAgain(left string) *order {
	b.t.Helper()
	legs := b.placedWithin(2 * time.Second)
	if len(legs) == 0 || legs[0].Protects != venues.LegStopLoss {
		b.t.Fatalf("%d legs for the %s that is left, want a stop loss first", len(legs), left)
	}
	for _, leg := range legs {
		if !leg.Qty.Equal(venues.MustDecimal(left)) {
			b.t.Fatalf("size of the %s = %s, want %s", leg.Protects, leg.Qty, left)
		}
	}
	return legs[0]
}

// triggeredEntry is a filled entry whose only leg was triggered and is being executed.
func (b *fixture) triggeredEntry() (o, stop *order) {
	b.t.Helper()
	in := protectedLimitOrder()
	in.cmd.TakeProfit = venues.Optional{}
	o = b.open(in, venues.StatusOpen)
	b.fillMore(o, "t1", "1")
	b.reportPosition("1")
	stop = b.placedWithin(time.Second)[0]
	b.accept(stop)
	b.report(stop.reportWith(venues.StatusOpen, "0"))
	if o.Unfinished() {
		b.t.Fatalf("entry is unfinished with stop loss %s, want finished", o.Protection.StopLoss.Status)
	}
	return o, stop
}

func TestProtectionIsResumedAfterTheReconciliation(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.fillEntry("1")
	restarted := b.reload()
	restarted.state.ready = false
	wantPlaced(t, restarted.placedWithin(time.Minute)) // the position may be closed
	restarted.reconciled(reconcileDone{funds: Funds{Positions: longPosition("1")}})
	wantPlaced(t, restarted.placedWithin(2*protection.RetryDelay), "1", "1")
}

func TestProtectionOfAClosedPositionIsNotResumed(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.fillEntry("1")
	b.now = b.now.Add(time.Minute)
	restarted := b.reload()
	restarted.state.ready = false
	restarted.reconciled(reconcileDone{})
	wantPlaced(t, restarted.placedWithin(time.Minute))
}

// The venue ended a triggered leg early during the restart, or does after it.
func TestLegThatEndsEarlyOverARestart(t *testing.T) {
	for _, end := range []venues.OrderStatus{venues.StatusExpired, venues.StatusCancelled} {
		for filled, left := range map[string]string{"0": "1", "0.6": "0.4"} {
			t.Run(string(end)+" during the restart with "+filled, func(t *testing.T) {
				b := newFixture(t, venues.Capabilities{})
				_, stop := b.triggeredEntry()
				b.restartWith(left, stop.endedEarly(end, filled)).wantProtectedAgain(left)
			})
			t.Run(string(end)+" after the restart with "+filled, func(t *testing.T) {
				b := newFixture(t, venues.Capabilities{})
				o, stop := b.triggeredEntry()
				next := b.restartWith("1", stop.reportWith(venues.StatusOpen, "0"))
				next.report(stop.endedEarly(end, filled))
				next.rejectPlace(next.wantProtectedAgain(left), venues.ReasonWouldTrigger)
				next.wantExit(next.state.orders[o.OrderID], left)
			})
		}
	}
}

func TestAttachedLegThatEndsEarlyOverARestart(t *testing.T) {
	b := newFixture(t, attaching)
	o := b.fillEntry("1")
	b.reportPosition("1")
	a := bothLegs(o)
	b.reportUnknown(attachedLeg("a", o, a, venues.StatusUntriggered, "0"))
	a.Triggered = venues.LegStopLoss
	b.reportUnknown(attachedLeg("a", o, a, venues.StatusOpen, "0"))
	wantLegs(t, o, venues.ProtectionTriggered, venues.ProtectionCancelled)
	b.restartWith("1", attachedLeg("a", o, a, venues.StatusCancelled, "0")).wantProtectedAgain("1")
}

func TestLegThatClosesThePositionOverARestart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o, stop := b.triggeredEntry()
	closed := stop.reportWith(venues.StatusFilled, "1")
	closed.Fill = stop.fill("t9", "1", "58000")
	next := b.restartWith("0", closed)
	next.wantDone()
	if got := next.state.orders[o.OrderID].Protection.StopLoss.Status; got != venues.ProtectionTriggered {
		t.Fatalf("stop loss = %s, want %s", got, venues.ProtectionTriggered)
	}
	if again := next.reload(); len(again.state.orders) != 0 {
		t.Fatalf("%d orders loaded by the next start, want none", len(again.state.orders))
	}
}

// The entry stays in memory until its leg ends.
func TestLegThatEndsEarlyAfterClosedKeep(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o, stop := b.triggeredEntry()
	b.now = b.now.Add(2 * closedKeep)
	b.step(func(step stepContext) { b.state.evictClosed(step.now) })
	b.endEarly(stop, venues.StatusExpired, "0.6")
	b.wantProtectedAgain("0.4")
	if b.state.orders[o.OrderID] != o {
		t.Fatal("the entry was evicted, want it kept")
	}
}

// unknownOutcomes are the ways in which an order has no outcome at a restart.
var unknownOutcomes = map[string]func(*fixture, *order){
	"request under way": func(*fixture, *order) {},
	"request timed out": func(b *fixture, o *order) { b.answerPlace(o, errTimeout) },
}

func TestLegWithUnknownOutcomeOverARestart(t *testing.T) {
	for name, lose := range unknownOutcomes {
		begin := func(t *testing.T) (next *fixture, o *order, legs []*order) {
			b := newFixture(t, venues.Capabilities{})
			o = b.fillEntry("1")
			b.reportPosition("1")
			legs = b.placedWithin(time.Second)
			lose(b, legs[0])
			b.accept(legs[1])
			b.pass(time.Second)
			next = b.restartWith("1", legs[1].reportWith(venues.StatusUntriggered, "0"))
			return next, next.state.orders[o.OrderID], legs
		}
		t.Run(name+", placed", func(t *testing.T) {
			next, o, legs := begin(t)
			next.step(func(step stepContext) {
				next.state.queryAnswered(step, queryDone{orderID: legs[0].OrderID, report: legs[0].reportWith(venues.StatusUntriggered, "0")})
			})
			next.wantDone()
			wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
		})
		t.Run(name+", not placed", func(t *testing.T) {
			next, o, legs := begin(t)
			next.now = next.now.Add(requestLife + next.state.caps.AbsenceAfter)
			next.answerChecks(absenceSpan+2*time.Second, readsNothing)
			next.want(next.state.orders[legs[0].OrderID], venues.StatusRejected, "0")
			stop := o.Bracket.Current(venues.LegStopLoss)
			if next.exitOf(o) == nil && (stop == nil || stop.Status.IsClosed()) {
				t.Fatalf("neither leg nor exit is open with stop loss %s, want one", o.Protection.StopLoss.Status)
			}
			if next.journalCount("unprotected") == 0 {
				t.Fatal("no alarm, want one")
			}
		})
	}
}

// The retry of a rejected leg was due when the account ended.
func TestRejectedLegOverARestart(t *testing.T) {
	for name, rejected := range map[string]int{"one": 1, "both": 2} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			o := b.fillEntry("1")
			b.reportPosition("1")
			legs := b.placedWithin(protection.GatherDelay)
			for _, leg := range legs[:rejected] {
				b.rejectPlace(leg, "")
			}
			b.accept(legs[rejected:]...)
			var open []venues.ExecutionReport
			for _, leg := range legs[rejected:] {
				open = append(open, leg.reportWith(venues.StatusUntriggered, "0"))
			}
			next := b.restartWith("1", open...)
			again := next.placedWithin(2 * protection.RetryDelay)
			wantPlaced(t, again, []string{"1", "1"}[:rejected]...)
			if again[0].Protects != venues.LegStopLoss {
				t.Fatalf("first leg = %s, want %s", again[0].Protects, venues.LegStopLoss)
			}
			next.accept(again...)
			next.wantDone()
			wantLegs(t, next.state.orders[o.OrderID], venues.ProtectionLive, venues.ProtectionLive)
		})
	}
}

func TestRejectedAttachedLegOverARestart(t *testing.T) {
	b := newFixture(t, attaching)
	o := b.fillEntry("1")
	b.reportPosition("1")
	b.reportUnknown(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
	b.reportUnknown(attachedLeg("a", o, bothLegs(o), venues.StatusRejected, "0"))
	next := b.restartWith("1")
	var again []*order
	for range 10 {
		again = append(again, next.placedWithin(time.Second)...)
		next.reconciled(reconcileDone{startedAt: next.now, funds: Funds{Positions: next.state.positions.Listed(), ReadAt: next.now}})
	}
	wantPlaced(t, again, "1", "1")
}

// The cancel of superseded legs is requested again, and its outcome is not that of
// their successors.
func TestSupersededLegsOverARestart(t *testing.T) {
	begin := func(t *testing.T) (next *fixture, o *order, first, second []*order) {
		b := newFixture(t, venues.Capabilities{})
		o, first = b.protectedEntry("0.4")
		second = b.growEntry(o, "t2", "0.6")
		b.reportPosition("1")
		wantWithdrawn(t, first...)
		var open []venues.ExecutionReport
		for _, leg := range append(first, second...) {
			open = append(open, leg.reportWith(venues.StatusUntriggered, "0"))
		}
		next = b.restartWith("1", open...)
		restored := func(legs []*order) (list []*order) {
			for _, leg := range legs {
				list = append(list, next.state.orders[leg.OrderID])
			}
			return list
		}
		first, second = restored(first), restored(second)
		wantWithdrawn(t, first...)
		if n := count(next.pendingEffects, isCancel); n < 2 {
			t.Fatalf("%d cancels, want 2", n)
		}
		return next, next.state.orders[o.OrderID], first, second
	}
	t.Run("cancelled", func(t *testing.T) {
		next, o, first, _ := begin(t)
		next.confirmCancels(first...)
		next.wantDone()
		wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
	})
	t.Run("triggered", func(t *testing.T) {
		next, _, first, _ := begin(t)
		next.fillWhole(first[0], "58000")
		next.confirmCancels(first[1])
		next.wantProtectedAgain("0.6")
	})
	t.Run("successor lost", func(t *testing.T) {
		next, _, first, second := begin(t)
		next.confirmCancels(first...)
		next.pass(5 * time.Second)
		next.report(second[0].reportWith(venues.StatusCancelled, "0"))
		next.pass(time.Millisecond)
		next.readFunds()
		wantPlaced(t, next.placedWithin(2*protection.RetryDelay), "1")
	})
}

// The successor was rejected, and its retry was due: the small leg does not count as
// protection, and the alarm is not delayed.
func TestLegThatIsTooSmallOverARestart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o, first := b.protectedEntry("0.5")
	b.fillMore(o, "t2", "0.5")
	b.reportPosition("1")
	second := b.placedWithin(time.Second)
	b.accept(second[1])
	b.rejectPlace(second[0], "")
	next := b.restartWith("1", first[0].reportWith(venues.StatusUntriggered, "0"), second[1].reportWith(venues.StatusUntriggered, "0"))
	wantLegs(t, next.state.orders[o.OrderID], venues.ProtectionPending, venues.ProtectionLive)
	wantPlaced(t, next.placedWithin(DefaultAlarmAfter), "1")
	if got := next.journalCount("unprotected"); got != 1 {
		t.Fatalf("%d alarms, want 1", got)
	}
}

// Legs of a closed position stay out of the bracket of an entry that fills more.
func TestLegsOfAClosedPositionOverARestart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o, legs := b.protectedEntry("0.4")
	b.reportPosition("0")
	wantWithdrawn(t, legs...)
	next := b.reload()
	for _, leg := range legs {
		next.confirmCancels(next.state.orders[leg.OrderID])
	}
	next.fillMore(next.state.orders[o.OrderID], "t2", "0.6")
	wantPlaced(t, next.placedWithin(time.Second), "0.6", "0.6")
}

// A quantity that was closed elsewhere before a restart is not protected again after it.
func TestReleasedQuantityOverARestart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o, legs := b.protectedEntry("0.4")
	b.reportPosition("0")
	b.confirmCancels(legs...)
	b = b.reload()
	o = b.state.orders[o.OrderID]
	b.step(func(step stepContext) {
		b.state.reconciled(step, reconcileDone{open: []venues.ExecutionReport{o.reportWith(venues.StatusPartiallyFilled, "0.4")}})
	})
	b.wantDone()
	b.fillMore(o, "t2", "0.6")
	wantPlaced(t, b.placedWithin(time.Second), "0.6", "0.6")
}

// closingEntry is a filled entry that is closed because its stop loss was rejected.
func (b *fixture) closingEntry() (o, exit *order) {
	b.t.Helper()
	o = b.fillEntry("1")
	b.reportPosition("1")
	legs := b.placedWithin(time.Second)
	b.rejectPlace(legs[0], venues.ReasonWouldTrigger)
	b.accept(legs[1])
	b.confirmCancels(legs[1])
	return o, b.wantExit(o, "1")
}

func TestExitWithUnknownOutcomeOverARestart(t *testing.T) {
	for name, lose := range unknownOutcomes {
		t.Run(name+", filled", func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			o, exit := b.closingEntry()
			lose(b, exit)
			filled := exit.reportWith(venues.StatusFilled, "1")
			filled.Fill = exit.fill("x1", "1", "57000")
			next := b.restartWith("0", filled)
			next.wantDone()
			wantLegs(t, next.state.orders[o.OrderID], venues.ProtectionFailed, venues.ProtectionCancelled)
		})
		t.Run(name+", partly filled", func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			_, exit := b.closingEntry()
			lose(b, exit)
			expired := exit.reportWith(venues.StatusExpired, "0.6")
			expired.Fill = exit.fill("x1", "0.6", "57000")
			again := b.restartWith("0.4", expired).placedWithin(2 * time.Second)
			wantPlaced(t, again, "0.4")
			if again[0].Type != venues.TypeMarket {
				t.Fatalf("type = %s, want %s", again[0].Type, venues.TypeMarket)
			}
		})
		t.Run(name+", not placed", func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			o, exit := b.closingEntry()
			lose(b, exit)
			b.pass(time.Second)
			next := b.restartWith("1")
			wantPlaced(t, next.placedWithin(2*time.Second)) // the first may close
			next.now = next.now.Add(requestLife + next.state.caps.AbsenceAfter)
			next.answerChecks(absenceSpan+2*time.Second, readsNothing)
			next.want(next.state.orders[exit.OrderID], venues.StatusRejected, "0")
			next.placedWithin(2 * time.Second)
			if again := next.wantExit(next.state.orders[o.OrderID], "1"); again.OrderID == exit.OrderID {
				t.Fatalf("exit = %s, want another than the one that was not placed", again.OrderID)
			}
		})
	}
}

// A part of the exit was filled: only the rest is closed after a restart.
func TestPartOfAnExitOverARestart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o, _ := b.protectedEntry("0.4")
	b.reportPosition("0")
	b.fillMore(o, "t2", "0.6")
	b.rejectPlace(b.placedWithin(time.Second)[0], venues.ReasonWouldTrigger)
	exit := b.wantExit(o, "0.6")
	r := exit.reportWith(venues.StatusExpired, "0.5")
	r.Fill = exit.fill("x1", "0.5", "57000")
	b.report(r)
	if left := b.reload().state.orders[o.OrderID].QtyToProtect(); !left.Equal(venues.MustDecimal("0.1")) {
		t.Fatalf("%s left to close after a restart, want 0.1", left)
	}
}

// The exit was rejected, and the other leg is being cancelled. The account closes the position
// after a restart.
func TestRejectedExitOverARestart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.fillEntry("1")
	b.reportPosition("1")
	legs := b.placedWithin(time.Second)
	b.accept(legs[1])
	b.rejectPlace(legs[0], venues.ReasonWouldTrigger)
	b.rejectPlace(b.wantExit(o, "1"), "")
	next := b.restartWith("1", legs[1].reportWith(venues.StatusUntriggered, "0"))
	o = next.state.orders[o.OrderID]
	next.confirmCancels(next.state.orders[legs[1].OrderID])
	next.placedWithin(2 * protection.RetryDelay)
	next.fillWhole(next.wantExit(o, "1"), "57000")
	wantLegs(t, o, venues.ProtectionFailed, venues.ProtectionCancelled)
	next.wantDone()
}

// The exit was rejected and is due again. The end of the leg, reported once more in
// between, changes nothing.
func TestRepeatedEndOfALegBeforeARestart(t *testing.T) {
	for name, end := range map[string]venues.OrderStatus{"rejected": venues.StatusRejected, "cancelled": venues.StatusCancelled} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			o, legs := b.protectedEntry("1")
			b.report(legs[0].reportWith(end, "0"))
			for n := 0; b.exitOf(o) == nil && n < 30; n++ {
				for _, leg := range b.placedWithin(700 * time.Millisecond) {
					if leg.Type.IsStop() {
						b.rejectPlace(leg, "")
					}
				}
				b.reportPosition("1")
			}
			b.wantExit(o, "1")
			b.confirmCancels(legs[1])
			for range 2 {
				b.report(legs[0].reportWith(end, "0"))
			}
			b.rejectPlace(b.exitOf(o), "")
			if again := b.restartWith("1").placedWithin(2 * protection.RetryDelay); len(again) == 0 {
				t.Fatalf("neither leg nor exit is placed with stop loss %s and take profit %s, want one", o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status)
			}
		})
	}
}
