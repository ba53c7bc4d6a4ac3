package account

import (
	"errors"
	"testing"
	"time"

	"venuegate/venues"
)

// A leg that the venue has cancelled while the position is open is an alarm, and
// placed again.
func TestLegCancelledByTheVenueIsReplaced(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	b.step(func(m moment) { b.state.report(m, legs[0].says(venues.StatusCancelled, "0")) })
	wantLegs(t, o, venues.ProtectionPending, venues.ProtectionLive)
	b.now = b.now.Add(time.Millisecond)
	b.readsFunds()
	again := b.legs(2 * time.Second)
	if len(again) != 1 || again[0].Protects != venues.ProtectingStopLoss || b.notes("protection_lost") != 1 {
		t.Fatalf("%d legs placed, %d alarms", len(again), b.notes("protection_lost"))
	}
	b.live(again...)
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
}

// One that ended because the position did is neither.
func TestLegCancelledWithItsPosition(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	b.step(func(m moment) { b.state.report(m, legs[0].says(venues.StatusCancelled, "0")) })
	b.holds("0")
	b.now = b.now.Add(time.Millisecond)
	b.readsFunds()
	if again := b.legs(2 * time.Second); len(again) != 0 || b.notes("protection_lost") != 0 {
		t.Fatalf("%d legs placed, %d alarms", len(again), b.notes("protection_lost"))
	}
	if o.Protection.StopLoss.Status != venues.ProtectionCancelled {
		t.Fatalf("stop loss %s", o.Protection.StopLoss.Status)
	}
}

// A leg whose outcome is unknown may be live: it is asked for, and nothing is
// closed before its absence is proven.
func TestUnknownLegDoesNotCloseThePosition(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.fillEntry("1")
	b.holds("1")
	legs := b.legs(time.Second)
	b.live(legs[1])
	lost := errors.Join(venues.ErrOutcomeUnknown, errors.New("time-out"))
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: legs[0].OrderID, err: lost}) })
	asked := 0
	for _, e := range b.pass(30 * time.Second) {
		switch ask := e.(type) {
		case callPlace:
			t.Fatalf("placed %s", b.state.orders[ask.orderID].Type)
		case callQuery:
			asked++
		}
	}
	if asked < 10 || o.guard.closing {
		t.Fatalf("asked %d times, closing %v", asked, o.guard.closing)
	}
	b.step(func(m moment) {
		b.state.queried(m, queryDone{orderID: legs[0].OrderID, report: legs[0].says(venues.StatusUntriggered, "0")})
	})
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
}

// The position of a partly filled entry was closed elsewhere: its legs go, and
// what fills afterwards is protected anew.
func TestPartlyFilledEntryLeavesNoOrphans(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("0.4")
	b.holds("0")
	wantWithdrawn(t, legs...)
	b.cancels(legs...)
	wantLegs(t, o, venues.ProtectionPending, venues.ProtectionPending)
	if more := b.legs(30 * time.Second); len(more) != 0 || b.notes("unprotected") != 0 {
		t.Fatalf("%d legs of nothing, %d alarms", len(more), b.notes("unprotected"))
	}
	b.fillMore(o, "t2", "0.6")
	b.holds("0.6")
	more := b.legs(time.Second)
	if len(more) != 2 || !more[0].Qty.Equal(venues.MustDecimal("0.6")) {
		t.Fatalf("%d legs", len(more))
	}
}

// That goes on over a restart: what was closed elsewhere is not protected again.
func TestPartlyFilledEntryStaysReleasedOverARestart(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("0.4")
	b.holds("0")
	b.cancels(legs...)
	b = b.reload()
	o = b.state.orders[o.OrderID]
	b.step(func(m moment) {
		b.state.reconciled(m, reconcileDone{open: []venues.ExecutionReport{o.says(venues.StatusPartiallyFilled, "0.4")}})
	})
	if more := b.legs(time.Minute); len(more) != 0 || b.notes("unprotected") != 0 {
		t.Fatalf("%d legs of nothing, %d alarms", len(more), b.notes("unprotected"))
	}
	b.fillMore(o, "t2", "0.6")
	if more := b.legs(time.Second); len(more) != 2 || !more[0].Qty.Equal(venues.MustDecimal("0.6")) {
		t.Fatalf("%d legs", len(more))
	}
}

// What was stopped must not go on opening.
func TestStopEndsItsEntry(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("0.4")
	b.executes(legs[0], "57990")
	if o.PendingAction != venues.PendingCancel {
		t.Fatal("the entry goes on")
	}
}

// The policy of the installation may keep what cannot be protected.
func TestUnprotectedPositionIsKept(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.state.policy = ProtectionPolicy{AlarmAfter: 2 * time.Second, CloseAfter: 4 * time.Second, KeepOpen: true}
	o := b.fillEntry("1")
	refusal := venues.Errorf(venues.CodeOrderRejected, "no")
	for range 20 {
		for _, leg := range b.legs(time.Second) {
			if !leg.Type.IsStop() {
				t.Fatal("the position is closed")
			}
			b.step(func(m moment) { b.state.placed(m, placeDone{orderID: leg.OrderID, err: refusal}) })
		}
	}
	if o.guard.closing || b.notes("unprotected") < 4 {
		t.Fatalf("closing %v, %d alarms", o.guard.closing, b.notes("unprotected"))
	}
}
