package account

import (
	"testing"
	"time"

	"venuegate/actors/account/protection"
	"venuegate/venues"
)

// The venue makes one order for each leg, and reports its entry or not.
func TestAttachedLegsAreAdopted(t *testing.T) {
	for _, isNamed := range []bool{true, false} {
		b := newFixture(t, attaching)
		o := b.fillEntry("1")
		b.reportPosition("1")
		wantLegs(t, o, venues.ProtectionPending, venues.ProtectionPending)
		stop, profit := stopLeg(o), profitLeg(o)
		if !isNamed {
			stop.EntryClientID, profit.EntryClientID = "", ""
		}
		b.reportUnknown(attachedLeg("s", o, stop, venues.StatusUntriggered, "0"))
		wantLegs(t, o, venues.ProtectionLive, venues.ProtectionPending)
		b.reportUnknown(attachedLeg("p", o, profit, venues.StatusUntriggered, "0"))
		wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
		if leg := b.state.findFilled(&venues.Fill{Symbol: "BTCUSDT", VenueOrderID: "s"}); leg == nil || leg.Source != venues.SourceProtection || leg.EntryOrderID != o.OrderID {
			t.Fatalf("leg = %+v, want a leg of %s", leg, o.OrderID)
		}
		filled := attachedLeg("p", o, profit, venues.StatusFilled, "1")
		filled.Fill = &venues.Fill{Symbol: o.Symbol, Side: venues.Sell, Qty: o.Qty, Price: venues.MustDecimal("65010"), VenueTradeID: "x", VenueOrderID: "p"}
		b.reportUnknown(filled)
		ended := attachedLeg("s", o, stop, venues.StatusCancelled, "0")
		ended.RejectReason = &venues.RejectReason{Reason: venues.ReasonOtherLegTriggered}
		b.reportUnknown(ended)
		wantLegs(t, o, venues.ProtectionCancelled, venues.ProtectionTriggered)
		wantTriggerEvent(t, b, "take_profit 65000")
		if got := b.state.forPositions(b.stepContext()).CloseReason("BTCUSDT", venues.Long, time.Time{}); got != venues.ClosedTakeProfit {
			t.Fatalf("close reason = %s, want %s", got, venues.ClosedTakeProfit)
		}
		if o.Unfinished() {
			t.Fatal("entry is unfinished, want finished")
		}
	}
}

func wantTriggerEvent(t *testing.T, b *fixture, want string) {
	t.Helper()
	if got := b.triggerEvents(); len(got) != 1 || got[0] != want {
		t.Fatalf("events stop.triggered = %v, want [%s]", got, want)
	}
}

// The venue makes one order with both triggers.
func TestTriggerEventOfAnAttachedPair(t *testing.T) {
	for name, c := range map[string]struct {
		reported venues.LegKind
		price    string
		stop     venues.ProtectionStatus
		profit   venues.ProtectionStatus
		event    string
	}{
		"stop loss reported":   {venues.LegStopLoss, "", venues.ProtectionTriggered, venues.ProtectionCancelled, "stop_loss 58000"},
		"take profit reported": {venues.LegTakeProfit, "", venues.ProtectionCancelled, venues.ProtectionTriggered, "take_profit 65000"},
		"stop loss filled":     {"", "57900", venues.ProtectionTriggered, venues.ProtectionCancelled, "stop_loss 58000"},
		"take profit filled":   {"", "65000", venues.ProtectionCancelled, venues.ProtectionTriggered, "take_profit 65000"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, attaching)
			o := b.fillEntry("1")
			b.reportUnknown(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
			wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
			a := bothLegs(o)
			a.Triggered = c.reported
			b.reportUnknown(attachedLeg("a", o, a, venues.StatusOpen, "0"))
			if c.price != "" {
				wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
				r := attachedLeg("a", o, a, venues.StatusFilled, "1")
				r.TriggerPrice = venues.Optional{}
				r.Fill = &venues.Fill{Symbol: o.Symbol, Side: venues.Sell, Qty: o.Qty, Price: venues.MustDecimal(c.price), VenueTradeID: "x", VenueOrderID: "a"}
				b.reportUnknown(r)
			}
			wantLegs(t, o, c.stop, c.profit)
			wantTriggerEvent(t, b, c.event)
		})
	}
}

// The alarm of legs that do not appear reconciles the account, and the service places
// legs of its own after that.
func TestAttachedLegsThatDoNotAppearReconcileTheAccount(t *testing.T) {
	b := newFixture(t, attaching)
	o := b.fillEntry("0.4")
	wantPlaced(t, b.placedWithin(DefaultAlarmAfter-time.Second))
	reconciliations := count(b.pass(1100*time.Millisecond), func(e effect) bool { _, ok := e.(callReconcile); return ok })
	if alarms := b.journalCount("unprotected"); reconciliations != 1 || alarms != 1 {
		t.Fatalf("%d reconciliations, %d alarms, want 1, 1", reconciliations, alarms)
	}
	wantPlaced(t, b.placedWithin(1200*time.Millisecond))
	b.step(func(step stepContext) {
		b.state.reconciled(step, reconcileDone{startedAt: b.now, funds: Funds{ReadAt: b.now, Positions: longPosition("0.4")}})
	})
	legs := b.placedWithin(1200 * time.Millisecond)
	wantPlaced(t, legs, "0.4", "0.4")
	b.accept(legs...)
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
}

// The order was enlarged after the venue made its leg, whose size does not follow.
func TestAttachedLegOfAnEnlargedOrder(t *testing.T) {
	b := newFixture(t, attaching)
	o := b.fillEntry("0.4")
	b.reportPosition("0.4")
	b.reportUnknown(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
	small := b.state.orders[o.Protection.StopLoss.OrderID]
	enlarged := o.reportWith(venues.StatusPartiallyFilled, "0.4")
	enlarged.Qty = venues.MustDecimal("3")
	b.report(enlarged)
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
	b.fillMore(o, "t2", "2.6")
	b.reportPosition("3")
	wantLegs(t, o, venues.ProtectionPending, venues.ProtectionPending)
	if b.pass(DefaultAlarmAfter); b.journalCount("unprotected") != 1 {
		t.Fatalf("%d alarms, want 1", b.journalCount("unprotected"))
	}
	b.now = b.now.Add(time.Millisecond)
	b.reconciled(reconcileDone{funds: Funds{Positions: b.state.positions.Listed()}})
	legs := b.placedWithin(2 * protection.RetryDelay)
	wantPlaced(t, legs, "3", "3")
	b.accept(legs...)
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
	wantWithdrawn(t, small)
}

// Legs that the service has placed grow with their entry, also after a restart.
func TestOwnLegsOfAnAttachingVenueOutliveARestart(t *testing.T) {
	b := newFixture(t, attaching)
	o := b.fillEntry("0.4")
	b.reportPosition("0.4")
	b.reportUnknown(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
	b.reportUnknown(attachedLeg("a", o, bothLegs(o), venues.StatusRejected, "0"))
	b.accept(b.placedWithin(2 * time.Second)...)
	again := b.reload()
	again.reportPosition("0.4")
	again.fillMore(again.state.orders[o.OrderID], "t2", "0.6")
	wantPlaced(t, again.placedWithin(time.Second), "1", "1")
}
