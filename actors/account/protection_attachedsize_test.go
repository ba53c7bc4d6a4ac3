package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

// TestAttachedLegOfTooLittleIsNotEnough: the order has grown after the venue made its
// leg, which protects the smaller quantity for ever.
func TestAttachedLegOfTooLittleIsNotEnough(t *testing.T) {
	b := newBench(t, attaches)
	o := b.fillEntry("0.4")
	b.holds("0.4")
	b.tells(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
	small := b.state.orders[o.Protection.StopLoss.OrderID]
	b.step(func(m moment) {
		r := o.says(venues.StatusPartiallyFilled, "0.4")
		r.Qty = venues.MustDecimal("3")
		b.state.report(m, r)
	})
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
	b.fillMore(o, "t2", "2.6")
	b.holds("3")
	wantLegs(t, o, venues.ProtectionPending, venues.ProtectionPending)
	if b.pass(DefaultAlarmAfter); b.notes("unprotected") != 1 {
		t.Fatalf("%d alarms", b.notes("unprotected"))
	}
	b.now = b.now.Add(time.Millisecond)
	b.reconciled(reconcileDone{funds: Funds{Positions: b.state.positions()}})
	legs := b.legs(2 * protectRetry)
	if len(legs) != 2 || !legs[0].Qty.Equal(o.FilledQty) {
		t.Fatalf("%d legs of our own", len(legs))
	}
	b.live(legs...)
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
	if small.PendingAction != venues.PendingCancel {
		t.Fatal("the smaller leg stays")
	}
}

// TestAttachedLegThatGrowsIsEnough, and one of the position always is.
func TestAttachedLegThatGrowsIsEnough(t *testing.T) {
	b := newBench(t, attaches)
	o := b.fillEntry("1")
	small := attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0")
	small.Qty = venues.MustDecimal("0.4")
	b.tells(small)
	wantLegs(t, o, venues.ProtectionPending, venues.ProtectionPending)
	b.tells(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
	b.pass(time.Minute)

	b = newBench(t, attaches)
	o = b.fillEntry("1")
	whole := attachedLeg("s", o, stopLeg(o), venues.StatusUntriggered, "0")
	whole.Qty = venues.MustDecimal("0.4")
	b.tells(whole)
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionPending)
}
