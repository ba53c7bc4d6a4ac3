package protection_test

import (
	"testing"
	"time"

	"venuegate/actors/account/protection"
	"venuegate/venues"
)

// The crash comes after the fill and before its legs.
func TestRestartPlacesMissingLegs(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("0.4")
	a.restart()
	if !o.Bracket.IsUnprotected() {
		t.Error("the fill counts as protected after the restart, want unprotected")
	}
	legs := a.pass(protection.RetryDelay)
	a.wantPlaced(legs, "0.4", "0.4")
	a.accept(legs...)
	a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
	if o.Bracket.IsUnprotected() {
		t.Error("the fill counts as unprotected with both legs live, want protected")
	}
}

func TestRestartKeepsLiveLegs(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	a.restart()
	a.wantPlaced(a.pass(time.Minute))
	a.wantAlarms("unprotected", 0)
	a.accept(legs...) // the venue reports them again
	for _, leg := range legs {
		if leg.PendingAction != venues.PendingNone {
			t.Errorf("pending action of the live %s = %q, want none", leg.Protects, leg.PendingAction)
		}
	}
	a.executeAll(legs[0])
	a.wantLegs(o, venues.ProtectionTriggered, venues.ProtectionLive)
	a.wantWithdrawn(legs[1])
}

// The crash comes between the new leg and the cancel of the one that it replaces.
func TestRestartWithdrawsSupersededLegs(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, first := a.protectedEntry("0.4")
	a.fill(o, "0.6")
	second := a.pass(protection.GatherDelay)
	a.wantPlaced(second, "1", "1")
	a.restart()
	a.accept(second...)
	a.wantWithdrawn(first...)
}

// The legs of a position that was closed are being cancelled, and cannot protect what the entry
// fills after the restart.
func TestRestartRetiresWithdrawnLegs(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("0.4")
	a.flat()
	a.wantWithdrawn(legs...)
	a.restart()
	a.fill(o, "0.4")
	a.wantPlaced(a.pass(protection.GatherDelay), "0.4", "0.4")
}

// Only a filled entry with protection in force has something to protect.
func TestRestartLeavesOtherOrders(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	unfilled := a.open(protectedOrder())
	spec := protectedOrder()
	spec.StopLoss, spec.TakeProfit = venues.Optional{}, venues.Optional{}
	plain := a.open(spec)
	a.fill(plain, "0.4")
	a.restart()
	for name, o := range map[string]*protection.Order{"unfilled": unfilled, "without protection": plain} {
		if due := o.Bracket.Due(); !due.IsZero() || o.Bracket.IsUnprotected() {
			t.Errorf("%s: due = %v, unprotected = %t, want never, false", name, due, o.Bracket.IsUnprotected())
		}
	}
	a.wantPlaced(a.pass(time.Minute))
}

// A venue may make one order with both triggers, which is the leg of both kinds after a restart
// too.
func TestRestartLinksAnAttachedPair(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("1")
	pair := bothTriggers(o)
	a.report(o, "a", attached(pair, venues.StatusUntriggered))
	a.restart()
	pair.Triggered = venues.LegTakeProfit
	a.report(o, "a", attached(pair, venues.StatusOpen))
	a.wantLegs(o, venues.ProtectionCancelled, venues.ProtectionTriggered)
}

// The stop loss executed before the restart, and the cancels of the take profit and of the rest of
// the entry failed.
func TestRestartAfterATriggeredLeg(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("0.4")
	a.executeAll(legs[0])
	a.failCancel(legs[1])
	a.failCancel(o)
	a.restart()
	a.cancel(legs[1])
	a.wantLegs(o, venues.ProtectionTriggered, venues.ProtectionCancelled)
	a.wantPlaced(a.pass(time.Minute))
}

func TestRestartContinuesTheClosing(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("1")
	if o.Bracket.HasOpenOrders() {
		t.Error("an entry without legs has open orders, want none")
	}
	legs := a.pass(time.Second)
	a.reject(legs[0], venues.ReasonWouldTrigger)
	a.cancel(legs[1])
	a.wantLegs(o, venues.ProtectionPending, venues.ProtectionCancelled)
	exit := a.wantExit(o, "1")
	a.restart()
	if got := o.Bracket.Exit(); got != exit || !o.Bracket.IsClosing() || !o.Bracket.HasOpenOrders() {
		t.Fatalf("exit = %v, closing = %t, open orders = %t, want the exit before the restart, true, true",
			got, o.Bracket.IsClosing(), o.Bracket.HasOpenOrders())
	}
	a.wantPlaced(a.pass(time.Minute))
	a.executeAll(exit)
	if o.Bracket.HasOpenOrders() {
		t.Error("the entry has open orders after its exit has closed the position, want none")
	}
	if o.Unfinished() {
		t.Error("entry is unfinished, want finished")
	}
}
