package account

import (
	"errors"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

func TestFillIsProtected(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.fillEntry("0.4")
	wantLegs(t, o, venues.ProtectionPending, venues.ProtectionPending)
	legs := b.legs(time.Second)
	if len(legs) != 2 {
		t.Fatalf("%d legs", len(legs))
	}
	for _, leg := range legs {
		if !leg.ReduceOnly || leg.Side != venues.Sell || !leg.Qty.Equal(o.FilledQty) || leg.Source != venues.SourceProtection {
			t.Fatalf("leg %+v", leg.Order)
		}
	}
	stop, profit := legs[0].request(), legs[1].request()
	if stop.TriggerWhen != venues.TriggerFalling || profit.TriggerWhen != venues.TriggerRising {
		t.Fatalf("stop loss when %s, take profit when %s", stop.TriggerWhen, profit.TriggerWhen)
	}
	b.live(legs...)
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
}

func TestProtectionFollowsTheSizeWithoutAGap(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, first := b.protectedEntry("0.4")
	b.fillMore(o, "t2", "0.6")
	second := b.legs(time.Second)
	if len(second) != 2 || !second[0].Qty.Equal(o.Qty) {
		t.Fatalf("legs after the second fill: %d", len(second))
	}
	if first[0].PendingAction != venues.PendingNone {
		t.Fatal("the old leg was withdrawn before the new one lives")
	}
	b.live(second...)
	wantWithdrawn(t, first...)
}

func TestTriggeredLegEndsTheOther(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	stop, profit := legs[0], legs[1]
	b.executes(stop, "57990")
	wantLegs(t, o, venues.ProtectionTriggered, venues.ProtectionLive)
	if profit.PendingAction != venues.PendingCancel {
		t.Fatal("the take profit is orphaned")
	}
	b.cancels(profit)
	wantLegs(t, o, venues.ProtectionTriggered, venues.ProtectionCancelled)
}

func TestFlatPositionLeavesNoStopBehind(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	_, legs := b.protectedEntry("1")
	b.holds("0")
	wantWithdrawn(t, legs...)
}

// TestWithdrawnLegThatFailsIsNotPlacedAgain: the stop triggers on its way out and
// finds nothing to close.
func TestWithdrawnLegThatFailsIsNotPlacedAgain(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	b.holds("0")
	for _, leg := range legs {
		b.step(func(m moment) { b.state.report(m, leg.says(venues.StatusRejected, "0")) })
	}
	if again := b.legs(time.Minute); len(again) > 0 {
		t.Fatalf("%d stops are placed for a position that is over", len(again))
	}
	wantLegs(t, o, venues.ProtectionCancelled, venues.ProtectionCancelled)
}

func TestStopThatIsAlreadyPassedCloses(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.fillEntry("1")
	legs := b.legs(time.Second)
	refusal := venues.Errorf(venues.CodeInvalidRequest, "Order would immediately trigger.").With("reason", "would_trigger")
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: legs[0].OrderID, err: refusal}) })
	var out *order
	for _, e := range b.asked {
		if c, ok := e.(callPlace); ok {
			out = b.state.orders[c.orderID]
		}
	}
	if out == nil || out.Type != venues.TypeMarket || !out.ReduceOnly || !out.Qty.Equal(o.FilledQty) {
		t.Fatalf("no close: %+v", b.asked)
	}
}

func TestUnprotectedFillIsAnAlarmThenClosed(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.fillEntry("1")
	closed := false
	for range 30 {
		for _, leg := range b.legs(500 * time.Millisecond) {
			closed = closed || leg.Type == venues.TypeMarket
			refusal := venues.Errorf(venues.CodeOrderRejected, "no")
			b.step(func(m moment) { b.state.placed(m, placeDone{orderID: leg.OrderID, err: refusal}) })
		}
	}
	if !closed {
		t.Fatal("a position without protection was left open")
	}
}

func TestEntryWithoutAFillNeedsNoProtection(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(protectedOrder(), venues.StatusOpen)
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusCancelled, "0")) })
	wantLegs(t, o, venues.ProtectionCancelled, venues.ProtectionCancelled)
	if o.Unfinished() {
		t.Fatal("it is still looked after")
	}
}

// TestBurstOfFillsLeavesOneLeg: legs are superseded before they are known to
// live; in the end only the newest one may stay.
func TestBurstOfFillsLeavesOneLeg(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.fillEntry("0.2")
	first := b.legs(time.Second)
	b.fillMore(o, "t2", "0.2")
	second := b.legs(time.Second)
	b.fillMore(o, "t3", "0.6")
	third := b.legs(time.Second)
	b.live(first...)
	b.live(second...)
	b.live(third...)
	for _, leg := range append(first, second...) {
		if leg.PendingAction != venues.PendingCancel {
			t.Fatalf("a %s of %s stays beside that of %s", leg.Protects, leg.Qty, third[0].Qty)
		}
	}
}

func TestLegThatOutlivesItsSuccessorsRefusalIsWithdrawn(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, first := b.protectedEntry("0.4")
	b.fillMore(o, "t2", "0.6")
	second := b.legs(200 * time.Millisecond)
	b.refuse(second[0], "")
	b.live(second[1])
	third := b.legs(2 * time.Second)
	if len(third) != 1 {
		t.Fatalf("%d legs after the refusal", len(third))
	}
	b.live(third...)
	if first[0].PendingAction != venues.PendingCancel {
		t.Fatal("the first stop stays")
	}
}

func TestFailedCancelOfASupersededLegIsTriedAgain(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, first := b.protectedEntry("0.4")
	second := b.grows(o, "t2", "0.6")
	b.step(func(m moment) { b.state.cancelled(m, cancelDone{orderID: first[0].OrderID, err: errPoolFull}) })
	b.step(func(m moment) { b.state.report(m, second[0].says(venues.StatusUntriggered, "0")) })
	if !b.find(isCancel) {
		t.Fatal("the first stop stays")
	}
}

// TestUnprotectedIsClosedUntilItIs: the venue refuses the close too, for a while.
func TestUnprotectedIsClosedUntilItIs(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.fillEntry("0.4")
	b.refuse(b.legs(time.Second)[0], venues.ReasonWouldTrigger)
	if o.PendingAction != venues.PendingCancel {
		t.Fatal("the entry goes on filling")
	}
	exit := o.guard.exit
	for range 5 {
		b.step(func(m moment) {
			b.state.placed(m, placeDone{orderID: exit.OrderID, err: errPoolFull})
		})
		again := b.legs(closeRetryMax)
		if len(again) != 1 || again[0].Type != venues.TypeMarket || !again[0].Qty.Equal(o.FilledQty) {
			t.Fatalf("%d orders after the close was not sent", len(again))
		}
		exit = again[0]
	}
	if !o.Unfinished() {
		t.Fatal("a restart would forget the open position")
	}
	b.executes(exit, "57000")
	if len(b.legs(time.Minute)) != 0 || o.Protection.StopLoss.Status != venues.ProtectionFailed {
		t.Fatalf("closed, and the stop loss is %s", o.Protection.StopLoss.Status)
	}
}

func TestNothingToCloseEndsTheClosing(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.fillEntry("1")
	b.refuse(b.legs(time.Second)[0], venues.ReasonWouldTrigger)
	b.refuse(o.guard.exit, venues.ReasonNoPosition)
	if len(b.legs(time.Minute)) != 0 {
		t.Fatal("it goes on closing what is not there")
	}
}

func TestFillsThatNeverComeAreProtectedToo(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(protectedOrder(), venues.StatusOpen)
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusFilled, "1")) })
	if legs := b.legs(fillsHoldMax + time.Second); len(legs) != 2 {
		t.Fatalf("%d legs", len(legs))
	}
}

func TestLaterFillIsAnAlarmOfItsOwn(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, _ := b.protectedEntry("0.4")
	b.pass(time.Hour)
	b.fillMore(o, "t2", "0.6")
	b.legs(time.Second)
	if o.guard.alarmDue.IsZero() {
		t.Fatal("nobody would notice that the second fill is not protected")
	}
}

// TestFillBehindLegsThatBeginToLiveIsAnAlarmOfItsOwn: what was filled before is
// protected just now.
func TestFillBehindLegsThatBeginToLiveIsAnAlarmOfItsOwn(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.fillEntry("0.4")
	legs := b.legs(protectSettle)
	b.fillMore(o, "t2", "0.6")
	b.live(legs...)
	if b.pass(protectSettle + DefaultAlarmAfter); b.notes("unprotected") != 1 {
		t.Fatalf("%d alarms while the second legs do not come", b.notes("unprotected"))
	}
}

// TestProtectionOfAPositionClosedUnseenIsWithdrawn: after a restart, say.
func TestProtectionOfAPositionClosedUnseenIsWithdrawn(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.fillEntry("1") // the position is never told
	legs := b.legs(time.Second)
	b.live(legs...)
	b.step(func(m moment) { b.state.fundsRead(m, fundsDone{funds: Funds{ReadAt: b.now}}) })
	if b.find(isCancel) {
		t.Fatal("the list of positions may be older than the fill")
	}
	b.pass(time.Minute)
	b.step(func(m moment) { b.state.fundsRead(m, fundsDone{funds: Funds{ReadAt: b.now}}) })
	wantWithdrawn(t, legs...)
}

func TestReplacedStopKeepsItsProtection(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	in := protectedOrder()
	in.cmd.Type, in.cmd.TriggerPrice = venues.TypeStopLimit, venues.Some(venues.MustDecimal("61000"))
	o := b.open(in, venues.StatusUntriggered)
	amend := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(),
		cmd: venues.AmendOrder{OrderID: o.OrderID, TriggerPrice: venues.Some(venues.MustDecimal("61500"))},
	}
	b.step(func(m moment) { b.state.amend(m, amend) })
	b.cancels(o)
	if next := b.state.orders[o.ReplacedBy]; !next.Protection.Awake() {
		t.Fatal("the successor has a stop loss and no protection")
	}
}

func TestProtectionIsResumedOnceTheVenueWasAsked(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.fillEntry("1")
	restarted := b.reload()
	restarted.state.ready = false
	if legs := restarted.legs(time.Minute); len(legs) != 0 {
		t.Fatal("the position may be gone, and nobody has looked")
	}
	long := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}
	restarted.reconciled(reconcileDone{funds: Funds{Positions: []venues.Position{long}}})
	if legs := restarted.legs(2 * protectRetry); len(legs) != 2 {
		t.Fatalf("%d legs", len(legs))
	}
}

func TestProtectionOfAPositionThatIsGoneIsNotResumed(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.fillEntry("1")
	b.now = b.now.Add(time.Minute)
	restarted := b.reload()
	restarted.state.ready = false
	restarted.reconciled(reconcileDone{})
	if legs := restarted.legs(time.Minute); len(legs) != 0 {
		t.Fatalf("%d legs for nothing", len(legs))
	}
}

// TestReasonIsKnownBeforeTheFill: the venue tells the end of the position first.
func TestReasonIsKnownBeforeTheFill(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	_, legs := b.protectedEntry("1")
	b.pass(time.Second)
	b.step(func(m moment) { b.state.report(m, legs[0].says(venues.StatusOpen, "0")) })
	b.holds("0")
	for _, e := range b.asked {
		if p, ok := e.(publishPosition); ok && p.position.Reason != venues.ClosedStopLoss {
			t.Fatalf("closed by %s", p.position.Reason)
		}
	}
}

func TestFailedCancelOfTheOtherLegIsTriedAgain(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	_, legs := b.protectedEntry("1")
	stop, profit := legs[0], legs[1]
	b.executes(profit, "65000")
	b.step(func(m moment) { b.state.cancelled(m, cancelDone{orderID: stop.OrderID, err: errPoolFull}) })
	if b.find(isCancel) {
		t.Fatal("again at once, without end")
	}
	others := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}
	b.reconciled(reconcileDone{funds: Funds{Positions: []venues.Position{others}}})
	if !b.find(isCancel) {
		t.Fatal("the stop loss is orphaned")
	}
}

// TestSupersededLegDoesNotOutliveItsEntry: its cancels fail until the legs after
// it have ended the protection; no stop is left behind for that.
func TestSupersededLegDoesNotOutliveItsEntry(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, first := b.protectedEntry("0.4")
	second := b.grows(o, "t2", "0.6")
	for _, leg := range first {
		b.step(func(m moment) { b.state.cancelled(m, cancelDone{orderID: leg.OrderID, err: errPoolFull}) })
	}
	for _, leg := range second {
		b.step(func(m moment) { b.state.withdraw(m, leg) })
		b.step(func(m moment) { b.state.report(m, leg.says(venues.StatusCancelled, "0")) })
	}
	wantLegs(t, o, venues.ProtectionCancelled, venues.ProtectionCancelled)
	b.reconciled(reconcileDone{})
	wantWithdrawn(t, first...)
}

// TestSupersededStopDoesNotOutliveThePosition: two superseded legs have closed it, and
// the newest are refused, so that nothing takes the place of the stop that waits.
func TestSupersededStopDoesNotOutliveThePosition(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, first := b.protectedEntry("0.4")
	b.fillMore(o, "t2", "0.6")
	second := b.legs(protectSettle)
	b.executes(first[0], "58000")
	third := b.legs(protectSettle)
	b.live(second[0])
	b.refuse(third[0], "")
	b.executes(second[1], "65000")
	b.refuse(third[1], "")
	b.pass(time.Second)
	b.holds("0")
	b.readsFunds()
	wantWithdrawn(t, first[1], second[0])
	b.cancels(first[1], second[0])
	if o.Unfinished() {
		t.Fatalf("the entry is looked after for ever: stop loss %s, take profit %s", o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status)
	}
}

// TestRefusedLegForNothingEndsTheProtection: what it was to protect was closed while it
// was on its way.
func TestRefusedLegForNothingEndsTheProtection(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, first := b.protectedEntry("0.4")
	b.fillMore(o, "t2", "0.6")
	second := b.legs(protectSettle)
	b.executes(first[0], "58000")
	third := b.legs(protectSettle)
	b.executes(second[0], "58000")
	b.cancels(first[1])
	b.refuse(second[1], "")
	b.refuse(third[0], "")
	b.refuse(third[1], "")
	if o.Unfinished() {
		t.Fatalf("it is looked after for ever: stop loss %s, take profit %s", o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status)
	}
}

// TestRefusedCancelOfAStopLeavesItInForce: whoever asked for it was told so. It is
// neither cancelled later, nor taken for cancelled if the venue ends it.
func TestRefusedCancelOfAStopLeavesItInForce(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	b.cancel(legs[0])
	b.step(func(m moment) { b.state.cancelled(m, cancelDone{orderID: legs[0].OrderID, err: errPoolFull}) })
	if b.lastReply().err == nil {
		t.Fatal("the cancel that was not sent is a success")
	}
	b.now = b.now.Add(time.Minute)
	if b.readsFunds(); b.find(isCancel) {
		t.Fatal("it is cancelled after all")
	}
	b.step(func(m moment) { b.state.report(m, legs[0].says(venues.StatusCancelled, "0")) })
	b.now = b.now.Add(time.Second)
	b.readsFunds()
	if again := b.legs(2 * protectRetry); len(again) != 1 {
		t.Fatalf("%d legs in its place (%s)", len(again), o.Protection.StopLoss.Status)
	}
}

// TestStopOfAnEntryIsChangedWithTheEntry: changed by itself, where the venue must
// replace it, its successor would protect nobody and outlive the position.
func TestStopOfAnEntryIsChangedWithTheEntry(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	in := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(),
		cmd: venues.AmendOrder{OrderID: legs[0].OrderID, TriggerPrice: venues.Some(venues.MustDecimal("58500"))},
	}
	b.step(func(m moment) { b.state.amend(m, in) })
	refusal, _ := errors.AsType[*venues.Error](b.lastReply().err)
	if code(refusal) != venues.CodeOrderRejected || refusal.Details["entryOrderId"] != o.OrderID || b.find(isCancel) {
		t.Fatalf("%v", b.lastReply().err)
	}
}

// TestOrderThatOnlyReducesHasNoProtection: it opens nothing, and the legs would be
// orders on the wrong side.
func TestOrderThatOnlyReducesHasNoProtection(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	for _, change := range []func(*placeOrder){
		func(in *placeOrder) { in.cmd.TakeProfit = venues.Optional{} },
		func(in *placeOrder) { in.cmd.StopLoss = venues.Optional{} },
	} {
		if e := b.asks(func(in *placeOrder) { *in = protectedOrder(); in.cmd.ReduceOnly = true; change(in) }); code(e) != venues.CodeInvalidRequest {
			t.Errorf("%v", e)
		}
	}
}

// TestProtectionThatTheVenueWouldRefuse: the legs are market orders, and of those the
// instrument takes less. Where the venue attaches them that is its own affair.
func TestProtectionThatTheVenueWouldRefuse(t *testing.T) {
	small := instrument()
	small.MaxMarketQty = venues.Some(venues.MustDecimal("2"))
	large := func(in *placeOrder) { in.instrument, in.cmd.Qty = small, venues.MustDecimal("3") }
	for _, caps := range []venues.Capabilities{{}, attaches} {
		b := newBench(t, caps)
		if e := b.asks(large); e != nil {
			t.Errorf("without protection: %v", e)
		}
		var want venues.Code
		if !caps.AttachedProtection {
			want = venues.CodeInvalidRequest
		}
		if e := b.asks(func(in *placeOrder) { *in = protectedOrder(); large(in) }); code(e) != want {
			t.Errorf("with protection: %v, want %s", e, want)
		}
	}
}
