package protection_test

import (
	"testing"
	"time"

	"venuegate/actors/account/protection"
	"venuegate/venues"
)

func TestClosedPositionWithdrawsItsLegs(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	_, legs := a.protectedEntry("1")
	a.flat()
	a.wantWithdrawn(legs...)
}

// The close of another position, or of one that ended before the entry was filled, leaves the
// legs as they are.
func TestCloseOfAnotherPositionKeepsTheLegs(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	for _, c := range []struct {
		key    string
		flatAt time.Time
	}{
		{"BTCUSDT/long", o.FilledAt.Add(-time.Millisecond)}, {"BTCUSDT/short", o.FilledAt.Add(time.Minute)}, {"ETHUSDT/long", o.FilledAt.Add(time.Minute)},
	} {
		a.do(func(k *protection.Keeper) { k.PositionClosed(c.key, c.flatAt) })
		for _, leg := range legs {
			if leg.PendingAction != venues.PendingNone {
				t.Errorf("pending action = %q after %s closed at %s, want none", leg.PendingAction, c.key, c.flatAt)
			}
		}
	}
	a.do(func(k *protection.Keeper) { k.PositionClosed("BTCUSDT/long", o.FilledAt) })
	a.wantWithdrawn(legs...)
}

// A leg triggers before its cancel arrives, and finds nothing to close.
func TestWithdrawnLegThatIsRejectedIsNotPlacedAgain(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	a.flat()
	for _, leg := range legs {
		a.reject(leg, "")
	}
	a.wantPlaced(a.pass(time.Minute))
	a.wantLegs(o, venues.ProtectionCancelled, venues.ProtectionCancelled)
}

// The end of the position was not reported.
func TestPositionThatIsNotListedWithdrawsItsLegs(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	a.fillEntry("1")
	legs := a.pass(time.Second)
	a.accept(legs...)
	a.readPositions()
	for _, leg := range legs {
		if leg.PendingAction != venues.PendingNone {
			t.Fatalf("pending action = %q, want none: the list may be older than the fill", leg.PendingAction)
		}
	}
	a.pass(time.Minute)
	a.readPositions()
	a.wantWithdrawn(legs...)
}

// The position of a partly filled entry was closed elsewhere: what fills afterwards is
// protected again.
func TestPartlyFilledEntryOfAClosedPosition(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("0.4")
	a.flat()
	a.wantWithdrawn(legs...)
	a.cancel(legs...)
	a.wantLegs(o, venues.ProtectionPending, venues.ProtectionPending)
	a.wantPlaced(a.pass(30 * time.Second))
	a.wantAlarms("unprotected", 0)
	a.fill(o, "0.6")
	a.list(true)
	a.wantPlaced(a.pass(time.Second), "0.6", "0.6")
}

func TestFailedCancelOfASupersededLegIsRetried(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, first := a.protectedEntry("0.4")
	a.fill(o, "0.6")
	second := a.pass(time.Second)
	a.accept(second...)
	a.failCancel(first[0])
	a.accept(second[0]) // reported live once more
	a.wantWithdrawn(first[0])
}

func TestFailedCancelOfTheOtherLegIsRetried(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	_, legs := a.protectedEntry("1")
	stop, profit := legs[0], legs[1]
	a.executeAll(profit)
	a.failCancel(stop)
	if stop.PendingAction != venues.PendingNone {
		t.Fatal("the cancel was retried immediately, want it with the next list of positions")
	}
	a.readPositions()
	a.wantWithdrawn(stop)
}

// The cancels of the first legs fail until the legs after them have ended the
// protection.
func TestSupersededLegDoesNotOutliveItsEntry(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, first := a.protectedEntry("0.4")
	a.fill(o, "0.6")
	second := a.pass(time.Second)
	a.accept(second...)
	for _, leg := range first {
		a.failCancel(leg)
	}
	for _, leg := range second {
		a.do(func(*protection.Keeper) { a.Withdraw(leg) })
		a.cancel(leg)
	}
	a.wantLegs(o, venues.ProtectionCancelled, venues.ProtectionCancelled)
	a.readPositions()
	a.wantWithdrawn(first...)
}

// Two superseded legs have closed the position, and the newest ones are rejected, so
// that nothing replaces the stops that wait.
func TestSupersededLegDoesNotOutliveThePosition(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, first := a.protectedEntry("0.4")
	a.fill(o, "0.6")
	second := a.pass(protection.GatherDelay)
	a.executeAll(first[0])
	third := a.pass(protection.GatherDelay)
	a.accept(second[0])
	a.reject(third[0], "")
	a.execute(second[1], "0.6", venues.StatusExpired)
	a.reject(third[1], "")
	a.pass(time.Second)
	a.flat()
	a.readPositions()
	a.wantWithdrawn(first[1], second[0])
	a.cancel(first[1], second[0])
	if o.Unfinished() {
		t.Fatalf("entry is unfinished with stop loss %s, take profit %s, want finished", o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status)
	}
}
