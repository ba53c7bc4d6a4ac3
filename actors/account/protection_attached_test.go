package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

// Two orders, one for each leg, linked by the entry's client id or by nothing.
func TestAttachedLegsAreFollowed(t *testing.T) {
	for _, linked := range []bool{true, false} {
		b := newBench(t, attaches)
		o := b.fillEntry("1")
		b.holds("1")
		wantLegs(t, o, venues.ProtectionPending, venues.ProtectionPending)
		stop, profit := stopLeg(o), profitLeg(o)
		if !linked {
			stop.EntryClientID, profit.EntryClientID = "", ""
		}
		b.tells(attachedLeg("s", o, stop, venues.StatusUntriggered, "0"))
		wantLegs(t, o, venues.ProtectionLive, venues.ProtectionPending)
		b.tells(attachedLeg("p", o, profit, venues.StatusUntriggered, "0"))
		wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
		if leg := b.state.findFilled(&venues.Fill{Symbol: "BTCUSDT", VenueOrderID: "s"}); leg == nil || leg.Source != venues.SourceProtection || leg.EntryOrderID != o.OrderID {
			t.Fatalf("leg %+v", leg)
		}
		fired := attachedLeg("p", o, profit, venues.StatusFilled, "1")
		fired.Fill = &venues.Fill{Symbol: o.Symbol, Side: venues.Sell, Qty: o.Qty, Price: venues.MustDecimal("65010"), VenueTradeID: "x", VenueOrderID: "p"}
		b.tells(fired)
		ended := attachedLeg("s", o, stop, venues.StatusCancelled, "0")
		ended.Fault = &venues.OrderFault{Reason: venues.ReasonOtherLegTriggered}
		b.tells(ended)
		wantLegs(t, o, venues.ProtectionCancelled, venues.ProtectionTriggered)
		if got := b.triggered(); len(got) != 1 || got[0] != "take_profit 65000" {
			t.Fatalf("stop.triggered %v", got)
		}
		if why := b.state.closeReason(b.moment(), b.state.book("BTCUSDT"), venues.Long, time.Time{}); why != venues.ClosedTakeProfit {
			t.Fatalf("closed by %s", why)
		}
		if o.Unfinished() {
			t.Fatal("the entry is looked after for ever")
		}
	}
}

// One order holds both triggers; which was reached is told, or shows in the price.
func TestAttachedPairIsFollowed(t *testing.T) {
	for name, c := range map[string]struct {
		fired  venues.Protecting
		price  string
		stop   venues.ProtectionStatus
		profit venues.ProtectionStatus
		event  string
	}{
		"stop loss is told":     {venues.ProtectingStopLoss, "", venues.ProtectionTriggered, venues.ProtectionCancelled, "stop_loss 58000"},
		"take profit is told":   {venues.ProtectingTakeProfit, "", venues.ProtectionCancelled, venues.ProtectionTriggered, "take_profit 65000"},
		"stop loss is filled":   {"", "57900", venues.ProtectionTriggered, venues.ProtectionCancelled, "stop_loss 58000"},
		"take profit is filled": {"", "65000", venues.ProtectionCancelled, venues.ProtectionTriggered, "take_profit 65000"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, attaches)
			o := b.fillEntry("1")
			b.tells(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
			wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
			a := bothLegs(o)
			a.Fired = c.fired
			b.tells(attachedLeg("a", o, a, venues.StatusOpen, "0"))
			if c.price != "" {
				wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
				r := attachedLeg("a", o, a, venues.StatusFilled, "1")
				r.TriggerPrice = venues.Optional{}
				r.Fill = &venues.Fill{Symbol: o.Symbol, Side: venues.Sell, Qty: o.Qty, Price: venues.MustDecimal(c.price), VenueTradeID: "x", VenueOrderID: "a"}
				b.tells(r)
			}
			wantLegs(t, o, c.stop, c.profit)
			if got := b.triggered(); len(got) != 1 || got[0] != c.event {
				t.Fatalf("stop.triggered %v", got)
			}
		})
	}
}

// A leg that fails at its trigger is placed from here.
func TestAttachedLegThatFailsIsReplaced(t *testing.T) {
	b := newBench(t, attaches)
	o := b.fillEntry("1")
	b.holds("1")
	b.tells(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
	b.tells(attachedLeg("a", o, bothLegs(o), venues.StatusRejected, "0"))
	wantLegs(t, o, venues.ProtectionPending, venues.ProtectionPending)
	if legs := b.legs(2 * time.Second); len(legs) != 2 {
		t.Fatalf("%d legs of our own", len(legs))
	} else {
		b.live(legs...)
	}
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
}

// Attached protection that does not come is an alarm; once the venue has been
// compared with, legs are placed from here.
func TestAttachedProtectionThatDoesNotCome(t *testing.T) {
	b := newBench(t, attaches)
	o := b.fillEntry("0.4")
	if legs := b.legs(DefaultAlarmAfter - time.Second); len(legs) != 0 {
		t.Fatal("legs before the venue's had time to come")
	}
	var compares int
	for _, e := range b.pass(1100 * time.Millisecond) {
		if _, ok := e.(callReconcile); ok {
			compares++
		}
	}
	if compares != 1 || b.notes("unprotected") != 1 {
		t.Fatalf("%d comparisons, %d alarms", compares, b.notes("unprotected"))
	}
	if legs := b.legs(1200 * time.Millisecond); len(legs) != 0 {
		t.Fatal("legs before it was known that the venue has none")
	}
	b.step(func(m moment) {
		b.state.reconciled(m, reconcileDone{startedAt: b.now, funds: Funds{ReadAt: b.now, Positions: []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: o.FilledQty}}}})
	})
	legs := b.legs(1200 * time.Millisecond)
	if len(legs) != 2 || !legs[0].Qty.Equal(o.FilledQty) {
		t.Fatalf("%d legs", len(legs))
	}
	b.live(legs...)
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
	// The venue's own come with the rest of the entry, and take over.
	b.fillMore(o, "t2", "0.6")
	b.tells(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
	wantWithdrawn(t, legs...)
}

// Triggers that were moved elsewhere show in the record.
func TestAttachedPriceFollowsTheVenue(t *testing.T) {
	b := newBench(t, attaches)
	o := b.fillEntry("1")
	a := stopLeg(o)
	b.tells(attachedLeg("s", o, a, venues.StatusUntriggered, "0"))
	a.StopLoss = venues.Some(venues.MustDecimal("58500"))
	b.tells(attachedLeg("s", o, a, venues.StatusUntriggered, "0"))
	if price := o.Protection.StopLoss.Price; !price.Equal(venues.MustDecimal("58500")) {
		t.Fatalf("stop loss at %s", price)
	}
}

// A newer entry's protection replaces the older one's where it belongs to the
// position.
func TestAttachedProtectionIsSuperseded(t *testing.T) {
	b := newBench(t, attaches)
	first := b.fillEntry("1")
	b.holds("1")
	b.tells(attachedLeg("s1", first, stopLeg(first), venues.StatusUntriggered, "0"))
	in := protectedOrder()
	in.cmd.RequestID = "r2"
	second := b.open(in, venues.StatusOpen)
	b.fillMore(second, "t2", "1")
	b.tells(attachedLeg("s1", first, stopLeg(first), venues.StatusCancelled, "0"))
	b.tells(attachedLeg("s2", second, stopLeg(second), venues.StatusUntriggered, "0"))
	b.now = b.now.Add(time.Millisecond)
	b.readsFunds()
	b.legs(2 * time.Second)
	if first.Protection.StopLoss.Status != venues.ProtectionCancelled || second.Protection.StopLoss.Status != venues.ProtectionLive {
		t.Fatalf("first %s, second %s", first.Protection.StopLoss.Status, second.Protection.StopLoss.Status)
	}
	if b.notes("protection_lost") != 0 {
		t.Fatal("alarm")
	}
}

// Legs that were placed from here grow with their entry, also after a restart.
func TestOwnLegsOfAnAttachingVenueOutliveARestart(t *testing.T) {
	b := newBench(t, attaches)
	o := b.fillEntry("0.4")
	b.holds("0.4")
	b.tells(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
	b.tells(attachedLeg("a", o, bothLegs(o), venues.StatusRejected, "0"))
	b.live(b.legs(2 * time.Second)...)
	again := b.reload()
	again.holds("0.4")
	o = again.state.orders[o.OrderID]
	again.fillMore(o, "t2", "0.6")
	if legs := again.legs(time.Second); len(legs) != 2 || !legs[0].Qty.Equal(o.Qty) {
		t.Fatalf("%d legs for what was filled since", len(legs))
	}
}
