package protection_test

import (
	"testing"
	"time"

	"venuegate/actors/account/protection"
	"venuegate/venues"
)

func TestTriggeredLegWithdrawsTheOther(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	stop, profit := legs[0], legs[1]
	a.executeAll(stop)
	a.wantLegs(o, venues.ProtectionTriggered, venues.ProtectionLive)
	a.wantWithdrawn(profit)
	a.cancel(profit)
	a.wantLegs(o, venues.ProtectionTriggered, venues.ProtectionCancelled)
}

// The position stays open by another entry, which has legs of its own.
func TestTriggeredLegBesideAnotherEntry(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	a.protectedEntry("1")
	o, legs := a.protectedEntry("1")
	a.executeAll(legs[0])
	a.cancel(legs[1])
	a.wantLegs(o, venues.ProtectionTriggered, venues.ProtectionCancelled)
	a.wantPlaced(a.pass(time.Minute))
}

func TestTriggeredLegCancelsTheRestOfItsEntry(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("0.4")
	a.executeAll(legs[0])
	a.wantWithdrawn(o)
}

// The entry fills more before its cancel arrives, after the leg has closed what was
// open before.
func TestFillAfterATriggeredLegIsProtected(t *testing.T) {
	for name, triggered := range map[string]int{"stop loss": 0, "take profit": 1} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, protection.Rules{})
			o, legs := a.protectedEntry("0.4")
			a.executeAll(legs[triggered])
			a.cancel(legs[1-triggered])
			a.fill(o, "0.6")
			again := a.pass(time.Second)
			a.wantPlaced(again, "0.6", "0.6")
			a.reject(again[0], venues.ReasonWouldTrigger)
			a.wantExit(o, "0.6")
		})
	}
}

func TestFillWhileALegExecutesIsProtected(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("0.4")
	a.trigger(legs[0])
	a.fill(o, "0.6")
	a.executeAll(legs[0])
	a.wantPlaced(a.pass(time.Second), "0.6", "0.6")
}

// A superseded leg is triggered before its cancel arrives, and so is its successor,
// which closes the rest.
func TestFillAfterTwoTriggeredLegsIsProtected(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("0.25")
	first := a.pass(protection.GatherDelay)
	a.fill(o, "0.25")
	second := a.pass(protection.GatherDelay)
	a.accept(second[0], first[0])
	a.executeAll(first[0])
	a.execute(second[0], "0.25", venues.StatusExpired)
	a.wantPlaced(a.pass(time.Minute))
	a.fill(o, "0.25")
	a.wantPlaced(a.pass(time.Second), "0.25", "0.25")
}

// The market order that a leg has become finds too few buyers, and the venue ends it
// with the position still open.
func TestPartiallyClosedPositionIsProtectedAgain(t *testing.T) {
	for _, end := range []venues.OrderStatus{venues.StatusExpired, venues.StatusCancelled} {
		for filled, left := range map[string]string{"0": "1", "0.6": "0.4"} {
			t.Run(string(end)+" with "+filled, func(t *testing.T) {
				a := newAccount(t, protection.Rules{})
				o, legs := a.protectedEntry("1")
				a.trigger(legs[0])
				a.execute(legs[0], filled, end)
				again := a.pass(time.Second)
				a.wantPlaced(again, left, left)
				a.reject(again[0], venues.ReasonWouldTrigger)
				a.wantExit(o, left)
			})
		}
	}
}

// What others closed before the trigger was reached needs no protection, but what the
// entry fills afterwards does.
func TestLegLargerThanThePositionEndsTheProtection(t *testing.T) {
	t.Run("of a filled entry", func(t *testing.T) {
		a := newAccount(t, protection.Rules{})
		o, legs := a.protectedEntry("1")
		a.closedElsewhere = dec("0.4")
		a.execute(legs[0], "0.6", venues.StatusExpired)
		a.cancel(legs[1])
		a.wantPlaced(a.pass(time.Minute))
		a.wantLegs(o, venues.ProtectionTriggered, venues.ProtectionCancelled)
	})
	t.Run("until the next fill", func(t *testing.T) {
		a := newAccount(t, protection.Rules{})
		o, legs := a.protectedEntry("0.5")
		a.closedElsewhere = dec("0.2")
		a.execute(legs[0], "0.3", venues.StatusExpired)
		a.cancel(legs[1])
		a.fill(o, "0.5")
		a.wantPlaced(a.pass(time.Second), "0.5", "0.5")
	})
}

// Somebody else has moved a leg of ours.
func TestEntryFollowsALegThatWasMovedElsewhere(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	a.do(func(k *protection.Keeper) {
		r := venues.ExecutionReport{Status: venues.StatusUntriggered, TriggerPrice: some("58500")}
		k.FollowTrigger(legs[0], &r)
		legs[0].TriggerPrice = r.TriggerPrice
		a.MarkDirty(legs[0])
	})
	if got := o.Protection.StopLoss; got.Status != venues.ProtectionLive || !got.Price.Equal(dec("58500")) || !o.StopLoss.Decimal.Equal(got.Price) {
		t.Fatalf("stop loss = %+v, requested at %s, want live at 58500", got, o.StopLoss.Decimal)
	}
	a.wantPlaced(a.pass(time.Minute))
}

// The venue ends a leg because there is nothing left to protect, before it reports why.
func TestLegThatEndsWithThePositionIsNotLost(t *testing.T) {
	for _, reason := range []string{venues.ReasonNoPosition, venues.ReasonOtherLegTriggered} {
		a := newAccount(t, protection.Rules{})
		o, legs := a.protectedEntry("1")
		legs[1].Error = &venues.RejectReason{Reason: reason}
		a.cancel(legs[1])
		a.wantLegs(o, venues.ProtectionLive, venues.ProtectionCancelled)
		if a.reads != 0 {
			t.Errorf("%s: %d readings of the positions requested, want none", reason, a.reads)
		}
	}
}

// The end of a leg that a reading has reported is older than the positions, which were read after.
func TestLostLegOfAReadingNeedsNoOther(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	_, legs := a.protectedEntry("1")
	a.keeper.ReadingBegan = a.keeper.Now
	a.keeper.Now = a.keeper.Now.Add(time.Millisecond)
	a.list(true)
	a.cancel(legs[0])
	a.keeper.ReadingBegan = time.Time{}
	a.wantPlaced(a.pass(protection.GatherDelay), "1")
	if a.reads != 0 {
		t.Errorf("%d readings of the positions requested, want none", a.reads)
	}
}
