package protection_test

import (
	"testing"
	"time"

	"venuegate/actors/account/protection"
	"venuegate/venues"
)

func TestFillPlacesBothLegs(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("0.4")
	a.wantLegs(o, venues.ProtectionPending, venues.ProtectionPending)
	legs := a.pass(time.Second)
	a.wantPlaced(legs, "0.4", "0.4")
	for _, leg := range legs {
		if !leg.ReduceOnly || leg.Side != venues.Sell || leg.Type != venues.TypeStopMarket {
			t.Errorf("leg = %+v, want a reduce-only sell stop", leg.OrderSpec)
		}
	}
	a.accept(legs...)
	a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
}

func TestEntryWithoutFillPlacesNoLegs(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.open(protectedOrder())
	a.cancel(o)
	a.wantPlaced(a.pass(time.Minute))
	a.wantLegs(o, venues.ProtectionCancelled, venues.ProtectionCancelled)
	if o.Unfinished() {
		t.Error("entry is unfinished, want finished")
	}
}

func TestLegIsReplacedAfterItsSuccessorIsLive(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, first := a.protectedEntry("0.4")
	a.fill(o, "0.6")
	second := a.pass(time.Second)
	a.wantPlaced(second, "1", "1")
	if got := first[0].PendingAction; got != venues.PendingNone {
		t.Fatalf("pending action of the old leg = %q, want none before the new one is live", got)
	}
	a.accept(second...)
	a.wantWithdrawn(first...)
}

func TestBurstOfFillsLeavesTheNewestLegs(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("0.2")
	first := a.pass(time.Second)
	a.fill(o, "0.2")
	second := a.pass(time.Second)
	a.fill(o, "0.6")
	third := a.pass(time.Second)
	a.accept(first...)
	a.accept(second...)
	a.accept(third...)
	a.wantWithdrawn(append(first, second...)...)
}

func TestRejectedLegIsPlacedAgain(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, first := a.protectedEntry("0.4")
	a.fill(o, "0.6")
	second := a.pass(200 * time.Millisecond)
	a.reject(second[0], "")
	a.accept(second[1])
	third := a.pass(2 * time.Second)
	a.wantPlaced(third, "1")
	a.accept(third...)
	a.wantWithdrawn(first[0])
}

func TestRejectedLegOfAClosedPositionEndsTheProtection(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, first := a.protectedEntry("0.4")
	a.fill(o, "0.6")
	second := a.pass(protection.GatherDelay)
	a.executeAll(first[0])
	third := a.pass(protection.GatherDelay)
	a.executeAll(second[0])
	a.cancel(first[1])
	a.reject(second[1], "")
	for _, leg := range third {
		a.reject(leg, "")
	}
	if o.Unfinished() {
		t.Fatalf("entry is unfinished with stop loss %s, take profit %s, want finished", o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status)
	}
}

// The first fill has just been protected when the second one comes: the second one has an
// alarm of its own.
func TestFillDuringProtectionHasItsOwnAlarm(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("0.4")
	legs := a.pass(protection.GatherDelay)
	a.fill(o, "0.6")
	a.accept(legs...)
	a.pass(protection.GatherDelay + protection.DefaultAlarmAfter)
	a.wantAlarms("unprotected", 1)
}

func TestLaterFillHasItsOwnAlarm(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, _ := a.protectedEntry("0.4")
	a.pass(time.Hour)
	a.fill(o, "0.6")
	a.pass(time.Second)
	if o.Bracket.Due().IsZero() {
		t.Fatal("nothing is due of the second fill, want its alarm")
	}
}

func TestLegCancelledByTheVenueIsPlacedAgain(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	a.cancel(legs[0])
	a.wantLegs(o, venues.ProtectionPending, venues.ProtectionLive)
	a.keeper.Now = a.keeper.Now.Add(time.Millisecond)
	a.readPositions()
	again := a.pass(2 * time.Second)
	a.wantPlaced(again, "1")
	a.wantAlarms("protection_lost", 1)
	a.accept(again...)
	a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
}

func TestLegCancelledWithItsPositionIsNotPlacedAgain(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	a.cancel(legs[0])
	a.flat()
	a.keeper.Now = a.keeper.Now.Add(time.Millisecond)
	a.readPositions()
	a.wantPlaced(a.pass(2 * time.Second))
	a.wantAlarms("protection_lost", 0)
	if got := o.Protection.StopLoss.Status; got != venues.ProtectionCancelled || o.Bracket.IsUnprotected() {
		t.Errorf("stop loss = %s, unprotected = %t, want %s, false", got, o.Bracket.IsUnprotected(), venues.ProtectionCancelled)
	}
}

// Only for the newest leg of a kind another one is placed, and not before the first reading of the
// venue, which may find it.
func TestLegNotFoundIsPlacedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		superseded, read bool
		want             []string
	}{
		"newest":                   {read: true, want: []string{"1"}},
		"superseded":               {superseded: true, read: true},
		"before the first reading": {},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, protection.Rules{})
			o := a.fillEntry("1")
			legs := a.pass(protection.GatherDelay)
			a.accept(legs[1])
			if c.superseded {
				a.accept(a.move(o, stopAt("59000"))...)
			}
			if c.read {
				a.list(true)
			}
			a.do(func(k *protection.Keeper) {
				legs[0].Status, legs[0].NotFoundSince = venues.StatusUnknown, venues.At(k.Now)
				k.LegNotFound(o, legs[0])
			})
			a.wantPlaced(a.pass(protection.RetryDelay), c.want...)
		})
	}
}

// The venue has ended the leg because the position was closed elsewhere, which only its list of
// positions shows.
func TestLostLegOfAPositionThatIsNoLongerListed(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	a.pass(2 * protection.PositionLag)
	a.cancel(legs[0])
	a.keeper.Now = a.keeper.Now.Add(time.Millisecond)
	a.list(false)
	a.wantPlaced(a.pass(protection.GatherDelay))
	a.wantLegs(o, venues.ProtectionCancelled, venues.ProtectionLive)
	if o.Bracket.IsUnprotected() {
		t.Error("the closed position counts as unprotected, want protected")
	}
}

// A list of positions that is older than the fill does not mean that the position is
// closed.
func TestLostLegOfAPositionThatIsNotListedYet(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	a.fillEntry("1")
	legs := a.pass(time.Second)
	a.accept(legs...)
	a.cancel(legs[0])
	var again []*protection.Order
	for range 5 {
		again = append(again, a.pass(500*time.Millisecond)...)
		a.list(a.keeper.Now.Sub(legs[0].CreatedAt.Time) > protection.PositionLag)
	}
	again = append(again, a.pass(time.Second)...)
	a.wantPlaced(again, "1")
	if again[0].Protects != venues.LegStopLoss {
		t.Errorf("placed a %s, want a %s", again[0].Protects, venues.LegStopLoss)
	}
}
