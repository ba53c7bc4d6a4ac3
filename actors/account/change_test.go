package account

import (
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// changeTerms amends the terms of an order.
func (b *fixture) changeTerms(o *order, change func(*venues.AmendOrder)) {
	in := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
		cmd: venues.AmendOrder{OrderID: o.OrderID},
	}
	change(&in.cmd)
	b.step(func(step stepContext) { b.state.amend(step, in) })
}

// wantPending checks the pending action of an order and of its record, and its limit or
// trigger price.
func (b *fixture) wantPending(o *order, action venues.PendingAction, price string) {
	b.t.Helper()
	stored, _ := b.puts[o.Key().String()].(persistence.OrderRecord)
	now := o.Price
	if o.Type.IsStop() {
		now = o.TriggerPrice
	}
	if o.PendingAction != action || stored.PendingAction != action || !now.Decimal.Equal(venues.MustDecimal(price)) {
		b.t.Fatalf("pending %q (stored %q) at %s, want %q at %s", o.PendingAction, stored.PendingAction, now.Decimal, action, price)
	}
	if (stored.Amend != nil) != (action == venues.PendingAmend) {
		b.t.Fatalf("stored amendment = %+v with %q pending, want one only with %q", stored.Amend, action, venues.PendingAmend)
	}
}

// answerQueries advances the time and answers every query of an order with a report.
func (b *fixture) answerQueries(d time.Duration, o *order, r venues.ExecutionReport) {
	for end := b.now.Add(d); b.now.Before(end); {
		if count(b.pass(250*time.Millisecond), isQuery) > 0 {
			b.step(func(step stepContext) {
				b.state.queryAnswered(step, queryDone{orderID: o.OrderID, report: r, began: step.now})
			})
		}
	}
}

// replyPending advances the time until the callers of a change have received it as pending, and
// returns the restarted account.
func (b *fixture) replyPending() *fixture {
	b.t.Helper()
	b.pass(replyWithin)
	if r := b.lastReply(); r.err != nil || r.order.PendingAction != venues.PendingAmend {
		b.t.Fatalf("reply = %+v, %v, want a pending amend", r.order, r.err)
	}
	return b.reload()
}

// changeLife is how long the venue of newFixture may carry out a change.
const changeLife = requestLife + 10*time.Second

// An amend that was answered as pending stays pending until the venue shows it or can no
// longer carry it out.
func TestPendingAmendOutlivesARestart(t *testing.T) {
	begin := func(t *testing.T) (next *fixture, o *order) {
		b := newFixture(t, venues.Capabilities{})
		o = b.open(limitOrder(""), venues.StatusOpen)
		b.amend(o, "59000")
		next = b.replyPending()
		if next.find(func(e effect) bool { _, is := e.(callAmend); return is }) {
			t.Fatal("the amend was sent again, want it queried only")
		}
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingAmend, "60000")
		return next, o
	}
	t.Run("carried out", func(t *testing.T) {
		next, o := begin(t)
		r := o.reportWith(venues.StatusOpen, "0")
		r.Price = venues.Some(venues.MustDecimal("59000"))
		next.answerQueries(time.Second, o, r)
		next.wantPending(o, venues.PendingNone, "59000")
	})
	t.Run("carried out late", func(t *testing.T) {
		next, o := begin(t)
		r := o.reportWith(venues.StatusOpen, "0")
		next.answerQueries(requestLife, o, r)
		next.wantPending(o, venues.PendingAmend, "60000")
		r.Price = venues.Some(venues.MustDecimal("59000"))
		next.report(r)
		next.wantPending(o, venues.PendingNone, "59000")
	})
	t.Run("not carried out", func(t *testing.T) {
		next, o := begin(t)
		next.answerQueries(changeLife, o, o.reportWith(venues.StatusOpen, "0"))
		next.wantPending(o, venues.PendingNone, "60000")
		if rows := next.journalCount("change_failed"); rows != 1 || !next.isPublished(o) {
			t.Fatalf("%d journal rows, published = %t, want 1, true", rows, next.isPublished(o))
		}
	})
	t.Run("order filled", func(t *testing.T) {
		next, o := begin(t)
		next.fillWhole(o, "60000")
		next.want(o, venues.StatusFilled, "1")
		next.wantPending(o, venues.PendingNone, "60000")
	})
	t.Run("another restart", func(t *testing.T) {
		next, o := begin(t)
		next.pass(time.Second)
		next = next.reload()
		next.wantPending(next.state.orders[o.OrderID], venues.PendingAmend, "60000")
	})
	t.Run("overtaken by a cancel", func(t *testing.T) {
		next, o := begin(t)
		next.cancel(o)
		next = next.reload()
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingCancel, "60000")
		next.confirmCancels(o)
		next.want(o, venues.StatusCancelled, "0")
	})
}

// isPublished reports whether the last update of an order has its pending action.
func (b *fixture) isPublished(o *order) bool {
	isPublished := false
	for _, e := range b.pendingEffects {
		if p, is := e.(publishOrder); is && p.record.Key().ID == o.OrderID {
			isPublished = p.record.(persistence.OrderRecord).PendingAction == o.PendingAction
		}
	}
	return isPublished
}

// An amend that is pending at a restart may be in force already: it counts as in flight.
func TestPendingAmendIsInFlightAfterARestart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.changeTerms(o, func(a *venues.AmendOrder) { a.Qty = venues.Some(venues.MustDecimal("3")) })
	next := b.replyPending()
	if got := risk.InFlight(next.state.riskPort, o.Symbol, o.Side); !got.Equal(venues.MustDecimal("3")) {
		t.Fatalf("%s in flight, want 3", got)
	}
}

// The venue was requested to cancel a stop that it cannot amend, and the service was
// killed before it placed the replacement.
func TestReplacementOverARestart(t *testing.T) {
	begin := func(t *testing.T, reduceOnly bool) (next *fixture, o *order) {
		b := newFixture(t, venues.Capabilities{})
		in := stopOrder()
		in.cmd.ReduceOnly = reduceOnly
		o = b.open(in, venues.StatusUntriggered)
		b.changeTerms(o, func(a *venues.AmendOrder) { a.TriggerPrice = venues.Some(venues.MustDecimal("61500")) })
		next = b.replyPending()
		if next.find(isCancel) {
			t.Fatal("the cancel was sent again, want it queried only")
		}
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingAmend, "61000")
		return next, o
	}
	cancelled := func(b *fixture, o *order, at time.Time) {
		r := o.reportWith(venues.StatusCancelled, "0")
		r.VenueTime = at
		b.step(func(step stepContext) { b.state.queryAnswered(step, queryDone{orderID: o.OrderID, report: r}) })
	}
	wantReplaced := func(t *testing.T, b *fixture, o *order) *order {
		t.Helper()
		b.want(o, venues.StatusReplaced, "0")
		next := b.state.orders[o.ReplacedBy]
		if next == nil || next.Replaces != o.OrderID || !next.TriggerPrice.Decimal.Equal(venues.MustDecimal("61500")) {
			t.Fatalf("replacement = %+v, want one of %s at 61500", next, o.OrderID)
		}
		if n := count(b.effects, func(e effect) bool { c, is := e.(callPlace); return is && c.orderID == next.OrderID }); n != 1 {
			t.Fatalf("replacement sent %d times, want once", n)
		}
		return next
	}
	t.Run("cancelled", func(t *testing.T) {
		next, o := begin(t, false)
		cancelled(next, o, next.now)
		successor := wantReplaced(t, next, o)
		again := next.reload()
		again.want(again.state.orders[successor.OrderID], venues.StatusUnknown, "0")
		if count(again.pendingEffects, func(e effect) bool { _, is := e.(callPlace); return is }) != 0 {
			t.Fatal("the replacement was sent again, want it queried only")
		}
	})
	t.Run("not cancelled", func(t *testing.T) {
		next, o := begin(t, false)
		next.answerQueries(changeLife, o, o.reportWith(venues.StatusUntriggered, "0"))
		next.wantPending(o, venues.PendingNone, "61000")
		cancelled(next, o, next.now)
		next.want(o, venues.StatusCancelled, "0")
	})
	t.Run("cancelled later by another client", func(t *testing.T) {
		next, o := begin(t, true)
		at := next.now.Add(changeLife)
		next.now = at.Add(time.Minute)
		cancelled(next, o, at)
		next.want(o, venues.StatusCancelled, "0")
		next.wantPending(o, venues.PendingNone, "61000")
	})
	t.Run("cancelled too long ago", func(t *testing.T) {
		next, o := begin(t, false)
		at := next.now
		next.now = at.Add(replaceLate + changeLife)
		cancelled(next, o, at)
		next.want(o, venues.StatusCancelled, "0")
		next.wantPending(o, venues.PendingNone, "61000")
		if o.Error == nil || o.Error.Reason != reasonNotReplaced {
			t.Fatalf("error = %+v, want reason %s", o.Error, reasonNotReplaced)
		}
	})
	t.Run("reduce-only, cancelled long ago", func(t *testing.T) {
		next, o := begin(t, true)
		at := next.now
		next.now = at.Add(replaceLate + changeLife)
		cancelled(next, o, at)
		wantReplaced(t, next, o)
	})
	t.Run("overtaken by a cancel", func(t *testing.T) {
		next, o := begin(t, false)
		next.cancel(o)
		next = next.reload()
		o = next.state.orders[o.OrderID]
		cancelled(next, o, next.now)
		next.want(o, venues.StatusCancelled, "0")
	})
	t.Run("triggered", func(t *testing.T) {
		next, o := begin(t, false)
		next.report(o.reportWith(venues.StatusOpen, "0"))
		next.answerQueries(changeLife, o, o.reportWith(venues.StatusOpen, "0"))
		next.wantPending(o, venues.PendingNone, "61000")
	})
}

// A move is pending until its new leg is live or rejected.
func TestPendingMoveOutlivesARestart(t *testing.T) {
	begin := func(t *testing.T) (next *fixture, o, moved *order) {
		b := newFixture(t, venues.Capabilities{})
		o, before, moved, profit := b.movedEntry(true)
		b.replyPending()
		next = b.restartWith("1", before.reportWith(venues.StatusUntriggered, "0"), profit.reportWith(venues.StatusUntriggered, "0"))
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingAmend, "60000")
		return next, o, next.state.orders[moved.OrderID]
	}
	t.Run("leg accepted", func(t *testing.T) {
		next, o, moved := begin(t)
		next.accept(moved)
		next.wantPending(o, venues.PendingNone, "60000")
		next.wantStopLoss(o, "59000")
	})
	t.Run("leg rejected", func(t *testing.T) {
		next, o, moved := begin(t)
		next.reportRejected(moved, venues.ReasonWouldTrigger)
		next.wantPending(o, venues.PendingNone, "60000")
		next.wantStopLoss(o, "58000")
		if rows := next.journalCount("change_failed"); rows != 1 || o.Bracket.IsClosing() {
			t.Fatalf("%d journal rows, closing = %t, want 1, false", rows, o.Bracket.IsClosing())
		}
	})
}

// There was no stop before: its rejection closes nothing.
func TestRejectedFirstStopOverARestart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	in := protectedLimitOrder()
	in.cmd.StopLoss = venues.Optional{}
	o := b.open(in, venues.StatusOpen)
	b.fillMore(o, "t1", "1")
	b.reportPosition("1")
	profit := b.placedWithin(time.Second)[0]
	b.accept(profit)
	added := b.moveStops(o, stopAt("59000"))[0]
	next := b.restartWith("1", profit.reportWith(venues.StatusUntriggered, "0"))
	o = next.state.orders[o.OrderID]
	next.reportRejected(next.state.orders[added.OrderID], venues.ReasonWouldTrigger)
	next.wantPending(o, venues.PendingNone, "60000")
	if o.Bracket.IsClosing() || o.Protection.StopLoss != nil || o.StopLoss.Valid || o.Protection.TakeProfit.Status != venues.ProtectionLive {
		t.Fatalf("closing = %t, stop loss %+v, take profit %s, want false, none, live", o.Bracket.IsClosing(), o.Protection.StopLoss, o.Protection.TakeProfit.Status)
	}
	next.wantDone()
}

// The venue was requested to move what it has attached, and its answer was lost.
func TestMoveOfAttachedProtectionOverARestart(t *testing.T) {
	requested := func(b *fixture) *venues.ProtectRequest {
		for _, e := range b.pendingEffects {
			if c, is := e.(callProtect); is {
				return &c.request
			}
		}
		return nil
	}
	leg := func(o *order, stop string) venues.ExecutionReport {
		a := bothLegs(o)
		a.StopLoss = venues.Some(venues.MustDecimal(stop))
		return attachedLeg("a", o, a, venues.StatusUntriggered, "0")
	}
	begin := func(t *testing.T) (b *fixture, o *order) {
		b = newFixture(t, attaching)
		o = b.fillEntry("1")
		b.reportPosition("1")
		b.reportUnknown(leg(o, "58000"))
		b.moveStops(o, stopAt("59000"))
		b.replyPending()
		return b, o
	}
	t.Run("leg not moved", func(t *testing.T) {
		b, o := begin(t)
		next := b.restartWith("1", leg(o, "58000"))
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingAmend, "60000")
		request := requested(next)
		if request == nil || request.Leg.VenueOrderID != "a" || request.TakeProfit != nil || !request.StopLoss.Decimal.Equal(venues.MustDecimal("59000")) {
			t.Fatalf("request = %+v, want the stop loss of leg a at 59000", request)
		}
		next.answerProtect(o, nil)
		next.wantPending(o, venues.PendingNone, "60000")
		if !o.Protection.StopLoss.Price.Equal(venues.MustDecimal("59000")) {
			t.Fatalf("stop loss at %s, want 59000", o.Protection.StopLoss.Price)
		}
	})
	t.Run("leg moved", func(t *testing.T) {
		b, o := begin(t)
		next := b.restartWith("1", leg(o, "59000"))
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingNone, "60000")
		if requested(next) != nil || !o.Protection.StopLoss.Price.Equal(venues.MustDecimal("59000")) {
			t.Fatalf("stop loss at %s, want 59000 and no request", o.Protection.StopLoss.Price)
		}
	})
	t.Run("leg triggered", func(t *testing.T) {
		b, o := begin(t)
		a := bothLegs(o)
		a.Triggered = venues.LegStopLoss
		r := attachedLeg("a", o, a, venues.StatusFilled, "1")
		r.Fill = o.fill("t9", "1", "58000")
		r.Fill.Side, r.Fill.VenueOrderID = venues.Sell, "a"
		next := b.restartWith("0", r)
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingNone, "60000")
		if requested(next) != nil {
			t.Fatal("protection of a closed position was requested, want none")
		}
	})
	t.Run("entry not filled", func(t *testing.T) {
		b := newFixture(t, attaching)
		o := b.open(protectedLimitOrder(), venues.StatusOpen)
		b.moveStops(o, stopAt("59000"))
		b.replyPending()
		next := b.restartWith("0", o.reportWith(venues.StatusOpen, "0"))
		o = next.state.orders[o.OrderID]
		if request := requested(next); request == nil || request.Leg != (venues.OrderRef{}) {
			t.Fatalf("request = %+v, want one without a leg", request)
		}
		next.answerProtect(o, venues.Errorf(venues.CodeOrderRejected, "no"))
		next.wantPending(o, venues.PendingNone, "60000")
		if !o.Protection.StopLoss.Price.Equal(venues.MustDecimal("58000")) {
			t.Fatalf("stop loss at %s, want 58000", o.Protection.StopLoss.Price)
		}
	})
}

// TestAcknowledgedCancelIsQueried: the venue has acknowledged the cancel without its end, and the
// stream does not report it.
func TestAcknowledgedCancelIsQueried(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.cancel(o)
	b.step(func(step stepContext) {
		b.state.cancelled(step, cancelDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
	})
	if n := count(b.pass(changeVisibleMax), isQuery); n != 1 {
		t.Fatalf("%d queries within %s of the acknowledgement, want 1", n, changeVisibleMax)
	}
	b.step(func(step stepContext) {
		b.state.queryAnswered(step, queryDone{orderID: o.OrderID, report: o.reportWith(venues.StatusCancelled, "0"), began: step.now})
	})
	b.want(o, venues.StatusCancelled, "0")
}
