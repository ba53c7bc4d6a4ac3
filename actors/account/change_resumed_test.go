package account

import (
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// amends asks for a change.
func (b *bench) amends(o *order, change func(*venues.AmendOrder)) {
	in := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
		cmd: venues.AmendOrder{OrderID: o.OrderID},
	}
	change(&in.cmd)
	b.step(func(m moment) { b.state.amend(m, in) })
}

// wantPending demands that an order, and its record, tell what is pending and at what
// price it is, or waits.
func (b *bench) wantPending(o *order, action venues.PendingAction, price string) {
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
		b.t.Fatalf("the record of a pending %q has %+v", action, stored.Amend)
	}
}

// answersFor answers every question about an order for a while.
func (b *bench) answersFor(d time.Duration, o *order, r venues.ExecutionReport) {
	for end := b.now.Add(d); b.now.Before(end); {
		if count(b.pass(250*time.Millisecond), isQuery) > 0 {
			b.step(func(m moment) { b.state.queried(m, queryDone{orderID: o.OrderID, report: r, began: m.now}) })
		}
	}
}

// told lets whoever asked for a change be answered that it is pending, and kills.
func (b *bench) toldPending() *bench {
	b.t.Helper()
	b.pass(answerWithin)
	if told := b.lastReply(); told.err != nil || told.order.PendingAction != venues.PendingAmend {
		b.t.Fatalf("told %+v", told)
	}
	return b.reload()
}

const changeLife = orderLifeMax + 10*time.Second // of the bench's venue

// TestPendingAmendOutlivesTheIncarnation: whoever asked was told that it is pending.
// It is until the venue shows it, or can no longer carry it out.
func TestPendingAmendOutlivesTheIncarnation(t *testing.T) {
	begin := func(t *testing.T) (next *bench, o *order) {
		b := newBench(t, venues.Capabilities{})
		o = b.open(limitOrder(""), venues.StatusOpen)
		b.amend(o, "59000")
		next = b.toldPending()
		if next.find(func(e effect) bool { _, is := e.(callAmend); return is }) {
			t.Fatal("the amend is sent again")
		}
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingAmend, "60000")
		return next, o
	}
	t.Run("it has come", func(t *testing.T) {
		next, o := begin(t)
		r := o.says(venues.StatusOpen, "0")
		r.Price = venues.Some(venues.MustDecimal("59000"))
		next.answersFor(time.Second, o, r)
		next.wantPending(o, venues.PendingNone, "59000")
	})
	t.Run("it comes late", func(t *testing.T) {
		next, o := begin(t)
		r := o.says(venues.StatusOpen, "0")
		next.answersFor(orderLifeMax, o, r)
		next.wantPending(o, venues.PendingAmend, "60000")
		r.Price = venues.Some(venues.MustDecimal("59000"))
		next.step(func(m moment) { next.state.report(m, r) })
		next.wantPending(o, venues.PendingNone, "59000")
	})
	t.Run("it never came", func(t *testing.T) {
		next, o := begin(t)
		next.answersFor(changeLife, o, o.says(venues.StatusOpen, "0"))
		next.wantPending(o, venues.PendingNone, "60000")
		if next.notes("change_failed") != 1 || !next.toldOf(o) {
			t.Fatalf("%d rows in the journal", next.notes("change_failed"))
		}
	})
	t.Run("it is filled", func(t *testing.T) {
		next, o := begin(t)
		next.executes(o, "60000")
		next.want(o, venues.StatusFilled, "1")
		next.wantPending(o, venues.PendingNone, "60000")
	})
	t.Run("and another", func(t *testing.T) {
		next, o := begin(t)
		next.pass(time.Second)
		next = next.reload()
		next.wantPending(next.state.orders[o.OrderID], venues.PendingAmend, "60000")
	})
	t.Run("a cancel overtakes it", func(t *testing.T) {
		next, o := begin(t)
		next.cancel(o)
		next = next.reload()
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingCancel, "60000")
		next.cancels(o)
		next.want(o, venues.StatusCancelled, "0")
	})
}

// toldOf says whether the stream tells of an order as it is.
func (b *bench) toldOf(o *order) bool {
	told := false
	for _, e := range b.unanswered {
		if p, is := e.(publishOrder); is && p.order.OrderID == o.OrderID {
			told = p.order.PendingAction == o.PendingAction
		}
	}
	return told
}

// TestPendingAmendCountsOverARestart: it may be in force already.
func TestPendingAmendCountsOverARestart(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.amends(o, func(a *venues.AmendOrder) { a.Qty = venues.Some(venues.MustDecimal("3")) })
	if next := b.toldPending(); !next.state.inFlight(o.Symbol, o.Side).Equal(venues.MustDecimal("3")) {
		t.Fatalf("%s in flight", next.state.inFlight(o.Symbol, o.Side))
	}
}

// TestReplacementOverARestart: the venue was asked to cancel a stop that it cannot
// amend, and the service was killed before it placed the one that replaces it.
func TestReplacementOverARestart(t *testing.T) {
	begin := func(t *testing.T, reduceOnly bool) (next *bench, o *order) {
		b := newBench(t, venues.Capabilities{})
		in := stopOrder()
		in.cmd.ReduceOnly = reduceOnly
		o = b.open(in, venues.StatusUntriggered)
		b.amends(o, func(a *venues.AmendOrder) { a.TriggerPrice = venues.Some(venues.MustDecimal("61500")) })
		next = b.toldPending()
		if next.find(isCancel) {
			t.Fatal("the cancel is sent again")
		}
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingAmend, "61000")
		return next, o
	}
	gone := func(b *bench, o *order, at time.Time) {
		r := o.says(venues.StatusCancelled, "0")
		r.VenueTime = at
		b.step(func(m moment) { b.state.queried(m, queryDone{orderID: o.OrderID, report: r}) })
	}
	wantReplaced := func(t *testing.T, b *bench, o *order) *order {
		t.Helper()
		b.want(o, venues.StatusReplaced, "0")
		next := b.state.orders[o.ReplacedBy]
		if next == nil || next.Replaces != o.OrderID || !next.TriggerPrice.Decimal.Equal(venues.MustDecimal("61500")) {
			t.Fatalf("successor %+v", next)
		}
		if n := count(b.asked, func(e effect) bool { c, is := e.(callPlace); return is && c.orderID == next.OrderID }); n != 1 {
			t.Fatalf("it is sent %d times", n)
		}
		return next
	}
	t.Run("it was cancelled", func(t *testing.T) {
		next, o := begin(t, false)
		gone(next, o, next.now)
		successor := wantReplaced(t, next, o)
		again := next.reload()
		again.want(again.state.orders[successor.OrderID], venues.StatusUnknown, "0")
		if count(again.unanswered, func(e effect) bool { _, is := e.(callPlace); return is }) != 0 {
			t.Fatal("it is sent again")
		}
	})
	t.Run("it waits still", func(t *testing.T) {
		next, o := begin(t, false)
		next.answersFor(changeLife, o, o.says(venues.StatusUntriggered, "0"))
		next.wantPending(o, venues.PendingNone, "61000")
		gone(next, o, next.now)
		next.want(o, venues.StatusCancelled, "0")
	})
	t.Run("somebody else cancelled it later", func(t *testing.T) {
		next, o := begin(t, true)
		at := next.now.Add(changeLife)
		next.now = at.Add(time.Minute)
		gone(next, o, at)
		next.want(o, venues.StatusCancelled, "0")
		next.wantPending(o, venues.PendingNone, "61000")
	})
	t.Run("it was cancelled too long ago", func(t *testing.T) {
		next, o := begin(t, false)
		at := next.now
		next.now = at.Add(replaceLate + changeLife)
		gone(next, o, at)
		next.want(o, venues.StatusCancelled, "0")
		next.wantPending(o, venues.PendingNone, "61000")
		if o.Error == nil || o.Error.Reason != reasonNotReplaced {
			t.Fatalf("the order says %+v", o.Error)
		}
	})
	t.Run("it was cancelled long ago and only reduces", func(t *testing.T) {
		next, o := begin(t, true)
		at := next.now
		next.now = at.Add(replaceLate + changeLife)
		gone(next, o, at)
		wantReplaced(t, next, o)
	})
	t.Run("a cancel has overtaken it", func(t *testing.T) {
		next, o := begin(t, false)
		next.cancel(o)
		next = next.reload()
		o = next.state.orders[o.OrderID]
		gone(next, o, next.now)
		next.want(o, venues.StatusCancelled, "0")
	})
	t.Run("it was reached", func(t *testing.T) {
		next, o := begin(t, false)
		next.step(func(m moment) { next.state.report(m, o.says(venues.StatusOpen, "0")) })
		next.answersFor(changeLife, o, o.says(venues.StatusOpen, "0"))
		next.wantPending(o, venues.PendingNone, "61000")
	})
}

// TestMovedProtectionIsPendingOverARestart, until the leg that was asked for lives or
// is refused.
func TestMovedProtectionIsPendingOverARestart(t *testing.T) {
	begin := func(t *testing.T) (next *bench, o, moved *order) {
		b := newBench(t, venues.Capabilities{})
		o, before, moved, profit := b.movedEntry(true)
		b.toldPending()
		next = b.dies("1", before.says(venues.StatusUntriggered, "0"), profit.says(venues.StatusUntriggered, "0"))
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingAmend, "60000")
		return next, o, next.state.orders[moved.OrderID]
	}
	t.Run("it lives", func(t *testing.T) {
		next, o, moved := begin(t)
		next.live(moved)
		next.wantPending(o, venues.PendingNone, "60000")
		next.wantStop(o, "59000")
	})
	t.Run("it is refused", func(t *testing.T) {
		next, o, moved := begin(t)
		next.rejects(moved, venues.ReasonWouldTrigger)
		next.wantPending(o, venues.PendingNone, "60000")
		next.wantStop(o, "58000")
		if next.notes("change_failed") != 1 || o.guard.closing {
			t.Fatalf("%d rows in the journal, closing %t", next.notes("change_failed"), o.guard.closing)
		}
	})
}

// TestAddedStopThatIsRefusedOverARestart: there was none before, and nothing is closed.
func TestAddedStopThatIsRefusedOverARestart(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	in := protectedOrder()
	in.cmd.StopLoss = venues.Optional{}
	o := b.open(in, venues.StatusOpen)
	b.fillMore(o, "t1", "1")
	b.holds("1")
	profit := b.legs(time.Second)[0]
	b.live(profit)
	added := b.moves(o, stopAt("59000"))[0]
	next := b.dies("1", profit.says(venues.StatusUntriggered, "0"))
	o = next.state.orders[o.OrderID]
	next.rejects(next.state.orders[added.OrderID], venues.ReasonWouldTrigger)
	next.wantPending(o, venues.PendingNone, "60000")
	if o.guard.closing || o.Protection.StopLoss != nil || o.StopLoss.Valid || o.Protection.TakeProfit.Status != venues.ProtectionLive {
		t.Fatalf("closing %t, stop loss %+v", o.guard.closing, o.Protection.StopLoss)
	}
	next.wantNothingMore()
}

// TestAttachedMoveOverARestart: the venue was asked to move what it has attached, and
// nobody heard whether it has.
func TestAttachedMoveOverARestart(t *testing.T) {
	asked := func(b *bench) *venues.ProtectRequest {
		for _, e := range b.unanswered {
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
	begin := func(t *testing.T) (b *bench, o *order) {
		b = newBench(t, attaches)
		o = b.fillEntry("1")
		b.holds("1")
		b.tells(leg(o, "58000"))
		b.moves(o, stopAt("59000"))
		b.toldPending()
		return b, o
	}
	t.Run("its leg waits", func(t *testing.T) {
		b, o := begin(t)
		next := b.dies("1", leg(o, "58000"))
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingAmend, "60000")
		request := asked(next)
		if request == nil || request.Leg.VenueOrderID != "a" || request.TakeProfit != nil || !request.StopLoss.Decimal.Equal(venues.MustDecimal("59000")) {
			t.Fatalf("asked %+v", request)
		}
		next.step(func(m moment) { next.state.protected(m, protectDone{orderID: o.OrderID}) })
		next.wantPending(o, venues.PendingNone, "60000")
		if !o.Protection.StopLoss.Price.Equal(venues.MustDecimal("59000")) {
			t.Fatalf("the stop loss is at %s", o.Protection.StopLoss.Price)
		}
	})
	t.Run("its leg has moved", func(t *testing.T) {
		b, o := begin(t)
		next := b.dies("1", leg(o, "59000"))
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingNone, "60000")
		if asked(next) != nil || !o.Protection.StopLoss.Price.Equal(venues.MustDecimal("59000")) {
			t.Fatalf("the stop loss is at %s", o.Protection.StopLoss.Price)
		}
	})
	t.Run("its leg was reached", func(t *testing.T) {
		b, o := begin(t)
		a := bothLegs(o)
		a.Fired = venues.ProtectingStopLoss
		r := attachedLeg("a", o, a, venues.StatusFilled, "1")
		r.Fill = o.fill("t9", "1", "58000")
		r.Fill.Side, r.Fill.VenueOrderID = venues.Sell, "a"
		next := b.dies("0", r)
		o = next.state.orders[o.OrderID]
		next.wantPending(o, venues.PendingNone, "60000")
		if asked(next) != nil {
			t.Fatal("a position that is over is protected")
		}
	})
	t.Run("the entry is not filled", func(t *testing.T) {
		b := newBench(t, attaches)
		o := b.open(protectedOrder(), venues.StatusOpen)
		b.moves(o, stopAt("59000"))
		b.toldPending()
		next := b.dies("0", o.says(venues.StatusOpen, "0"))
		o = next.state.orders[o.OrderID]
		if request := asked(next); request == nil || request.Leg != (venues.OrderRef{}) {
			t.Fatalf("asked %+v", request)
		}
		next.step(func(m moment) {
			next.state.protected(m, protectDone{orderID: o.OrderID, err: venues.Errorf(venues.CodeOrderRejected, "no")})
		})
		next.wantPending(o, venues.PendingNone, "60000")
		if !o.Protection.StopLoss.Price.Equal(venues.MustDecimal("58000")) {
			t.Fatalf("the stop loss is at %s", o.Protection.StopLoss.Price)
		}
	})
}
