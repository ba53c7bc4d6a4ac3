package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

func protectedOrder() placeOrder {
	in := limitOrder("r1")
	in.cmd.StopLoss = venues.Some(venues.MustDecimal("58000"))
	in.cmd.TakeProfit = venues.Some(venues.MustDecimal("65000"))
	return in
}

// fillEntry opens a protected order and fills some of it.
func (b *bench) fillEntry(qty string) *order {
	b.t.Helper()
	o := b.open(protectedOrder(), venues.StatusOpen)
	b.fillMore(o, "t1", qty)
	return o
}

func (b *bench) fillMore(o *order, trade, qty string) {
	total := o.FilledQty.Add(venues.MustDecimal(qty))
	r := o.says(venues.StatusPartiallyFilled, total.String())
	if total.Equal(o.Qty) {
		r.Status = venues.StatusFilled
	}
	r.Fill = o.fill(trade, qty, "60000")
	b.step(func(m moment) { b.state.report(m, r) })
}

// legs lets the fills settle and returns the legs that were placed.
func (b *bench) legs(wait time.Duration) []*order {
	var legs []*order
	for _, e := range b.pass(wait) {
		if c, ok := e.(callPlace); ok {
			legs = append(legs, b.state.orders[c.orderID])
		}
	}
	return legs
}

func (b *bench) live(legs ...*order) {
	for _, leg := range legs {
		b.step(func(m moment) {
			b.state.placed(m, placeDone{orderID: leg.OrderID, report: leg.says(venues.StatusUntriggered, "0")})
		})
	}
}

func wantLegs(t *testing.T, o *order, stop, profit venues.ProtectionStatus) {
	t.Helper()
	if o.Protection.StopLoss.Status != stop || o.Protection.TakeProfit.Status != profit {
		t.Fatalf("stop loss %s, take profit %s; want %s, %s", o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status, stop, profit)
	}
}

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
	o := b.fillEntry("0.4")
	first := b.legs(time.Second)
	b.live(first...)
	b.fillMore(o, "t2", "0.6")
	second := b.legs(time.Second)
	if len(second) != 2 || !second[0].Qty.Equal(o.Qty) {
		t.Fatalf("legs after the second fill: %d", len(second))
	}
	if first[0].PendingAction != venues.PendingNone {
		t.Fatal("the old leg was withdrawn before the new one lives")
	}
	b.live(second...)
	for _, leg := range first {
		if leg.PendingAction != venues.PendingCancel {
			t.Fatal("the old leg stays")
		}
	}
}

func TestTriggeredLegEndsTheOther(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.fillEntry("1")
	legs := b.legs(time.Second)
	b.live(legs...)
	stop, profit := legs[0], legs[1]
	r := stop.says(venues.StatusFilled, "1")
	r.Fill = stop.fill("t9", "1", "57990")
	b.step(func(m moment) { b.state.report(m, r) })
	wantLegs(t, o, venues.ProtectionTriggered, venues.ProtectionLive)
	if profit.PendingAction != venues.PendingCancel {
		t.Fatal("the take profit is orphaned")
	}
	b.step(func(m moment) {
		b.state.cancelled(m, cancelDone{orderID: profit.OrderID, report: profit.says(venues.StatusCancelled, "0")})
	})
	wantLegs(t, o, venues.ProtectionTriggered, venues.ProtectionCancelled)
}

func TestFlatPositionLeavesNoStopBehind(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.fillEntry("1")
	legs := b.legs(time.Second)
	b.live(legs...)
	position := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}
	b.step(func(m moment) { b.state.position(m, position) })
	position.Qty = venues.MustDecimal("0")
	b.step(func(m moment) { b.state.position(m, position) })
	for _, leg := range legs {
		if leg.PendingAction != venues.PendingCancel {
			t.Fatalf("the %s stays behind", leg.Protects)
		}
	}
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
