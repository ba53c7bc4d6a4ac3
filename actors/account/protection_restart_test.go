package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

// dies lets the next incarnation begin with what is stored, and compare itself with
// what the venue tells then.
func (b *bench) dies(held string, told ...venues.ExecutionReport) *bench {
	b.t.Helper()
	next := b.reload()
	next.state.ready = false
	funds := Funds{ReadAt: next.now}
	if qty := venues.MustDecimal(held); qty.IsPositive() {
		funds.Positions = []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: qty}}
	}
	next.reconciled(reconcileDone{startedAt: next.now, open: told, funds: funds})
	return next
}

// wantNothingMore demands that all is done: no order follows, and no alarm.
func (b *bench) wantNothingMore() {
	b.t.Helper()
	if more := b.legs(time.Minute); len(more) != 0 || b.notes("unprotected") != 0 {
		b.t.Fatalf("%d orders more, %d alarms", len(more), b.notes("unprotected"))
	}
}

// wantRest demands that what is left is protected again, and gives its stop.
func (b *bench) wantRest(left string) *order {
	b.t.Helper()
	legs := b.legs(2 * time.Second)
	if len(legs) == 0 || legs[0].Protects != venues.ProtectingStopLoss {
		b.t.Fatalf("%d legs for the %s that is left", len(legs), left)
	}
	for _, leg := range legs {
		if !leg.Qty.Equal(venues.MustDecimal(left)) {
			b.t.Fatalf("a %s of %s for the %s that is left", leg.Protects, leg.Qty, left)
		}
	}
	return legs[0]
}

// reachedEntry is a filled entry whose stop was reached and is being executed. There
// is no other leg.
func (b *bench) reachedEntry() (o, stop *order) {
	b.t.Helper()
	in := protectedOrder()
	in.cmd.TakeProfit = venues.Optional{}
	o = b.open(in, venues.StatusOpen)
	b.fillMore(o, "t1", "1")
	b.holds("1")
	stop = b.legs(time.Second)[0]
	b.live(stop)
	b.step(func(m moment) { b.state.report(m, stop.says(venues.StatusOpen, "0")) })
	if o.Unfinished() {
		b.t.Fatalf("the stop loss is %s", o.Protection.StopLoss.Status)
	}
	return o, stop
}

// TestStopThatIsCutShortOverARestart: nobody was there when the venue ended what the
// stop had become, or it does so later.
func TestStopThatIsCutShortOverARestart(t *testing.T) {
	for _, end := range []venues.OrderStatus{venues.StatusExpired, venues.StatusCancelled} {
		for filled, left := range map[string]string{"0": "1", "0.6": "0.4"} {
			cut := func(stop *order) venues.ExecutionReport {
				r := stop.says(end, filled)
				if r.FilledQty.IsPositive() {
					r.Fill = stop.fill("t-"+stop.OrderID, filled, "58000")
				}
				return r
			}
			t.Run(string(end)+" meanwhile with "+filled, func(t *testing.T) {
				b := newBench(t, venues.Capabilities{})
				_, stop := b.reachedEntry()
				b.dies(left, cut(stop)).wantRest(left)
			})
			t.Run(string(end)+" later with "+filled, func(t *testing.T) {
				b := newBench(t, venues.Capabilities{})
				o, stop := b.reachedEntry()
				next := b.dies("1", stop.says(venues.StatusOpen, "0"))
				next.step(func(m moment) { next.state.report(m, cut(stop)) })
				next.refuse(next.wantRest(left), venues.ReasonWouldTrigger)
				if out := next.state.orders[o.OrderID].guard.exit; out == nil || !out.Qty.Equal(venues.MustDecimal(left)) {
					t.Fatalf("closed by %+v", out)
				}
			})
		}
	}
}

// TestAttachedStopThatIsCutShortOverARestart: the venue makes no other.
func TestAttachedStopThatIsCutShortOverARestart(t *testing.T) {
	b := newBench(t, attaches)
	o := b.fillEntry("1")
	b.holds("1")
	a := bothLegs(o)
	b.tells(attachedLeg("a", o, a, venues.StatusUntriggered, "0"))
	a.Fired = venues.ProtectingStopLoss
	b.tells(attachedLeg("a", o, a, venues.StatusOpen, "0"))
	wantLegs(t, o, venues.ProtectionTriggered, venues.ProtectionCancelled)
	b.dies("1", attachedLeg("a", o, a, venues.StatusCancelled, "0")).wantRest("1")
}

// TestStopThatClosesOverARestartIsTheEnd of its entry, which is not looked after.
func TestStopThatClosesOverARestartIsTheEnd(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, stop := b.reachedEntry()
	closed := stop.says(venues.StatusFilled, "1")
	closed.Fill = stop.fill("t9", "1", "58000")
	next := b.dies("0", closed)
	next.wantNothingMore()
	if status := next.state.orders[o.OrderID].Protection.StopLoss.Status; status != venues.ProtectionTriggered {
		t.Fatalf("the stop loss is %s", status)
	}
	if again := next.reload(); len(again.state.orders) != 0 {
		t.Fatalf("%d orders are read again", len(again.state.orders))
	}
}

// TestStopThatIsCutShortLate: its entry is kept for as long as that takes.
func TestStopThatIsCutShortLate(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, stop := b.reachedEntry()
	b.now = b.now.Add(2 * closedKeep)
	b.step(b.state.evictClosed)
	b.cutsShort(stop, venues.StatusExpired, "0.6")
	b.wantRest("0.4")
	if b.state.orders[o.OrderID] != o {
		t.Fatal("the entry is another")
	}
}

// TestLegOfUnknownOutcomeOverARestart: it has come to the venue or not.
func TestLegOfUnknownOutcomeOverARestart(t *testing.T) {
	for name, lose := range map[string]func(*bench, *order){
		"on its way": func(*bench, *order) {},
		"unknown": func(b *bench, leg *order) {
			b.step(func(m moment) { b.state.placed(m, placeDone{orderID: leg.OrderID, err: errTimeout}) })
		},
	} {
		begin := func(t *testing.T) (next *bench, o *order, legs []*order) {
			b := newBench(t, venues.Capabilities{})
			o = b.fillEntry("1")
			b.holds("1")
			legs = b.legs(time.Second)
			lose(b, legs[0])
			b.live(legs[1])
			b.pass(time.Second)
			next = b.dies("1", legs[1].says(venues.StatusUntriggered, "0"))
			return next, next.state.orders[o.OrderID], legs
		}
		t.Run(name+" and placed", func(t *testing.T) {
			next, o, legs := begin(t)
			next.step(func(m moment) {
				next.state.queried(m, queryDone{orderID: legs[0].OrderID, report: legs[0].says(venues.StatusUntriggered, "0")})
			})
			next.wantNothingMore()
			wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
		})
		t.Run(name+" and not placed", func(t *testing.T) {
			next, o, legs := begin(t)
			next.now = next.now.Add(orderLifeMax + next.state.caps.AbsenceAfter)
			next.answer(absenceSpan+2*time.Second, readsNothing)
			next.want(next.state.orders[legs[0].OrderID], venues.StatusRejected, "0")
			stop := o.guard.current(venues.ProtectingStopLoss)
			if out := o.guard.exit; out == nil && (stop == nil || stop.Status.IsClosed()) {
				t.Fatalf("nothing takes its place: stop loss %s", o.Protection.StopLoss.Status)
			}
			if next.notes("unprotected") == 0 {
				t.Fatal("no alarm")
			}
		})
	}
}

// TestRefusedLegOverARestart: its retry was still to come.
func TestRefusedLegOverARestart(t *testing.T) {
	for name, want := range map[string]int{"one": 1, "both": 2} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			o := b.fillEntry("1")
			b.holds("1")
			legs := b.legs(protectSettle)
			for _, leg := range legs[:want] {
				b.refuse(leg, "")
			}
			b.live(legs[want:]...)
			var told []venues.ExecutionReport
			for _, leg := range legs[want:] {
				told = append(told, leg.says(venues.StatusUntriggered, "0"))
			}
			next := b.dies("1", told...)
			again := next.legs(2 * protectRetry)
			if len(again) != want || again[0].Protects != venues.ProtectingStopLoss || !again[0].Qty.Equal(o.Qty) {
				t.Fatalf("%d legs in the place of %d", len(again), want)
			}
			next.live(again...)
			next.wantNothingMore()
			wantLegs(t, next.state.orders[o.OrderID], venues.ProtectionLive, venues.ProtectionLive)
		})
	}
}

// TestRefusedAttachedLegOverARestart: the venue makes no other.
func TestRefusedAttachedLegOverARestart(t *testing.T) {
	b := newBench(t, attaches)
	o := b.fillEntry("1")
	b.holds("1")
	b.tells(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
	b.tells(attachedLeg("a", o, bothLegs(o), venues.StatusRejected, "0"))
	next := b.dies("1")
	var again []*order
	for range 10 {
		again = append(again, next.legs(time.Second)...)
		next.reconciled(reconcileDone{startedAt: next.now, funds: Funds{Positions: next.state.positions(), ReadAt: next.now}})
	}
	if len(again) != 2 || !again[0].Qty.Equal(o.Qty) {
		t.Fatalf("%d legs of our own", len(again))
	}
}

// supersededEntry has grown: its second legs live, the first are being cancelled.
func (b *bench) supersededEntry() (o *order, first, second []*order) {
	b.t.Helper()
	o, first = b.protectedEntry("0.4")
	second = b.grows(o, "t2", "0.6")
	b.holds("1")
	wantWithdrawn(b.t.(*testing.T), first...)
	return o, first, second
}

// TestSupersededLegsOverARestart: their cancel is asked for again, and its outcome is
// not that of their successors.
func TestSupersededLegsOverARestart(t *testing.T) {
	begin := func(t *testing.T) (next *bench, o *order, first, second []*order) {
		b := newBench(t, venues.Capabilities{})
		o, first, second = b.supersededEntry()
		var told []venues.ExecutionReport
		for _, leg := range append(first, second...) {
			told = append(told, leg.says(venues.StatusUntriggered, "0"))
		}
		next = b.dies("1", told...)
		here := func(legs []*order) (list []*order) {
			for _, leg := range legs {
				list = append(list, next.state.orders[leg.OrderID])
			}
			return list
		}
		first, second = here(first), here(second)
		wantWithdrawn(t, first...)
		if n := count(next.unanswered, isCancel); n < 2 {
			t.Fatalf("%d cancels", n)
		}
		return next, next.state.orders[o.OrderID], first, second
	}
	t.Run("cancelled", func(t *testing.T) {
		next, o, first, _ := begin(t)
		next.cancels(first...)
		next.wantNothingMore()
		wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
	})
	t.Run("reached", func(t *testing.T) {
		next, _, first, _ := begin(t)
		next.executes(first[0], "58000")
		next.cancels(first[1])
		next.wantRest("0.6")
	})
	t.Run("and the successor lost", func(t *testing.T) {
		next, o, first, second := begin(t)
		next.cancels(first...)
		next.pass(5 * time.Second)
		next.step(func(m moment) { next.state.report(m, second[0].says(venues.StatusCancelled, "0")) })
		next.pass(time.Millisecond)
		next.readsFunds()
		if again := next.legs(2 * protectRetry); len(again) != 1 || !again[0].Qty.Equal(o.Qty) {
			t.Fatalf("%d legs in its place", len(again))
		}
	})
}

// TestLegTooSmallOverARestart: its successor was refused, and the retry was to come. It
// does not pass for what is wanted, nor put the alarm off.
func TestLegTooSmallOverARestart(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, first := b.protectedEntry("0.5")
	b.fillMore(o, "t2", "0.5")
	b.holds("1")
	second := b.legs(time.Second)
	b.live(second[1])
	b.refuse(second[0], "")
	next := b.dies("1", first[0].says(venues.StatusUntriggered, "0"), second[1].says(venues.StatusUntriggered, "0"))
	o = next.state.orders[o.OrderID]
	wantLegs(t, o, venues.ProtectionPending, venues.ProtectionLive)
	if again := next.legs(DefaultAlarmAfter); len(again) != 1 || next.notes("unprotected") != 1 {
		t.Fatalf("%d legs, %d alarms", len(again), next.notes("unprotected"))
	}
}

// movedEntry is a filled entry whose stop loss is asked to wait at 59000 instead of
// 58000: the stop before it is at the venue, live as the service knows or not, and
// the one that takes its place is on its way.
func (b *bench) movedEntry(known bool) (o, before, moved, profit *order) {
	b.t.Helper()
	o = b.fillEntry("1")
	b.holds("1")
	legs := b.legs(time.Second)
	b.live(legs[1])
	if known {
		b.live(legs[0])
	} else {
		b.step(func(m moment) { b.state.placed(m, placeDone{orderID: legs[0].OrderID, err: errTimeout}) })
	}
	return o, legs[0], b.moves(o, stopAt("59000"))[0], legs[1]
}

// rejects tells that the venue has refused an order whose answer was lost.
func (b *bench) rejects(o *order, reason string) {
	r := o.says(venues.StatusRejected, "0")
	r.Fault = &venues.OrderFault{Code: venues.CodeOrderRejected, Message: "no", Reason: reason}
	b.step(func(m moment) { b.state.report(m, r) })
}

// wantStop demands that the stop loss lives at a price, as the order of the entry's
// size that waits there, and that no other waits beside it.
func (b *bench) wantStop(o *order, price string) {
	b.t.Helper()
	plan := o.Protection.StopLoss
	if plan.Status != venues.ProtectionLive || !plan.Price.Equal(venues.MustDecimal(price)) || !venues.EqualOptional(o.StopLoss, venues.Some(plan.Price)) {
		b.t.Fatalf("the stop loss is %s at %s (asked for at %s), want it at %s", plan.Status, plan.Price, o.StopLoss.Decimal, price)
	}
	for _, leg := range b.state.inOrder() {
		switch {
		case leg.Protects != venues.ProtectingStopLoss || leg.Status != venues.StatusUntriggered || leg.withdrawn:
		case leg.OrderID != plan.OrderID || !leg.TriggerPrice.Decimal.Equal(plan.Price) || !leg.Qty.Equal(o.guarded()):
			b.t.Fatalf("a stop of %s waits at %s, of %s for %s at %s", leg.Qty, leg.TriggerPrice.Decimal, plan.OrderID, o.guarded(), plan.Price)
		}
	}
}

// TestMovedStopThatWasRefusedOverARestart: what waits at the price before is not what
// was asked for. It stays until its successor lives.
func TestMovedStopThatWasRefusedOverARestart(t *testing.T) {
	begin := func(t *testing.T) (next *bench, o, before, again *order) {
		b := newBench(t, venues.Capabilities{})
		o, before, moved, profit := b.movedEntry(false)
		b.refuse(moved, "")
		next = b.dies("1", before.says(venues.StatusUntriggered, "0"), profit.says(venues.StatusUntriggered, "0"))
		o, before = next.state.orders[o.OrderID], next.state.orders[before.OrderID]
		legs := next.legs(2 * protectRetry)
		if len(legs) != 1 || !legs[0].TriggerPrice.Decimal.Equal(venues.MustDecimal("59000")) || !legs[0].Qty.Equal(o.Qty) {
			t.Fatalf("%d legs; the stop loss is %s at %s, what waits is at %s", len(legs), o.Protection.StopLoss.Status, o.Protection.StopLoss.Price, before.TriggerPrice.Decimal)
		}
		if before.PendingAction != venues.PendingNone || o.Protection.StopLoss.Status != venues.ProtectionPending {
			t.Fatalf("the stop before is %q, the stop loss %s", before.PendingAction, o.Protection.StopLoss.Status)
		}
		return next, o, before, legs[0]
	}
	t.Run("and is placed", func(t *testing.T) {
		next, o, before, again := begin(t)
		next.live(again)
		wantWithdrawn(t, before)
		next.cancels(before)
		next.wantStop(o, "59000")
		next.wantNothingMore()
	})
	t.Run("and is refused again", func(t *testing.T) {
		next, o, before, again := begin(t)
		next.refuse(again, venues.ReasonWouldTrigger)
		next.wantStop(o, "58000")
		next.wantNothingMore()
		if o.guard.closing || before.PendingAction != venues.PendingNone {
			t.Fatalf("closing %t, the stop before is %q", o.guard.closing, before.PendingAction)
		}
	})
}

// TestMovedStopOnItsWayOverARestart: it has come to the venue, or the venue refuses
// it and everything stays as it was.
func TestMovedStopOnItsWayOverARestart(t *testing.T) {
	for name, c := range map[string]struct {
		known bool
		then  func(b *bench, moved *order)
		price string
	}{
		"it is live":                           {true, func(b *bench, moved *order) { b.live(moved) }, "59000"},
		"it is refused":                        {true, func(b *bench, moved *order) { b.rejects(moved, "") }, "58000"},
		"it would trigger":                     {true, func(b *bench, moved *order) { b.rejects(moved, venues.ReasonWouldTrigger) }, "58000"},
		"it is live, the other is found":       {false, func(b *bench, moved *order) { b.live(moved) }, "59000"},
		"it is refused, the other is found":    {false, func(b *bench, moved *order) { b.rejects(moved, "") }, "58000"},
		"it would trigger, the other is found": {false, func(b *bench, moved *order) { b.rejects(moved, venues.ReasonWouldTrigger) }, "58000"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			o, before, moved, profit := b.movedEntry(c.known)
			next := b.dies("1", before.says(venues.StatusUntriggered, "0"), profit.says(venues.StatusUntriggered, "0"))
			o = next.state.orders[o.OrderID]
			c.then(next, next.state.orders[moved.OrderID])
			next.wantStop(o, c.price)
			if o.guard.closing {
				t.Fatal("the position is closed")
			}
		})
	}
}

// TestStopThatIsMovedElsewhere, while the service runs or not, is where it was put.
func TestStopThatIsMovedElsewhere(t *testing.T) {
	for name, restart := range map[string]bool{"heard of": false, "over a restart": true} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			o, legs := b.protectedEntry("1")
			there := legs[0].says(venues.StatusUntriggered, "0")
			there.TriggerPrice = venues.Some(venues.MustDecimal("58500"))
			if restart {
				b = b.dies("1", there, legs[1].says(venues.StatusUntriggered, "0"))
				o = b.state.orders[o.OrderID]
			} else {
				b.step(func(m moment) { b.state.report(m, there) })
			}
			b.wantStop(o, "58500")
			b.wantNothingMore()
		})
	}
}
