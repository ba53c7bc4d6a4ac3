package protection_test

import (
	"testing"
	"time"

	"venuegate/actors/account/protection"
	"venuegate/venues"
)

func TestPriceBeyondTheTriggerClosesThePosition(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("1")
	a.reject(a.pass(time.Second)[0], venues.ReasonWouldTrigger)
	a.wantExit(o, "1")
	a.wantAlarms("closed_by_protection", 1)
}

// rejectLegs rejects every leg for a while.
func (a *account) rejectLegs(d time.Duration) {
	for end := a.keeper.Now.Add(d); a.keeper.Now.Before(end); {
		for _, leg := range a.pass(500 * time.Millisecond) {
			if leg.Type.IsStop() {
				a.reject(leg, "")
			}
		}
	}
}

func TestUnprotectedPositionRaisesAnAlarmThenIsClosed(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("1")
	a.rejectLegs(protection.DefaultAlarmAfter + time.Second)
	a.wantAlarms("unprotected", 1)
	if o.Bracket.IsClosing() {
		t.Fatal("the position is being closed before CloseAfter, want it open")
	}
	a.rejectLegs(protection.DefaultCloseAfter)
	a.wantExit(o, "1")
}

// The venue has ended a leg, and it is never known whether its position is still open.
func TestLostLegThatIsNotReplacedClosesThePosition(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	a.cancel(legs[0])
	a.pass(protection.DefaultCloseAfter)
	a.wantExit(o, "1")
	a.do(func(*protection.Keeper) { a.MarkDirty(legs[0]) })
	a.cancel(legs[1])
	a.wantLegs(o, venues.ProtectionPending, venues.ProtectionCancelled)
	if !o.Unfinished() {
		t.Error("entry is finished, want unfinished: a restart must load it")
	}
}

// The position is being closed when its stop loss, which was triggered before, ends early.
func TestTriggeredLegOfAClosingPosition(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("1")
	legs := a.pass(protection.GatherDelay)
	a.trigger(legs[0])
	a.reject(legs[1], venues.ReasonWouldTrigger)
	a.wantExit(o, "1")
	a.execute(legs[0], "0.6", venues.StatusExpired)
	if got := o.Protection.StopLoss.Status; got != venues.ProtectionTriggered {
		t.Errorf("stop loss = %s, want %s", got, venues.ProtectionTriggered)
	}
	a.wantPlaced(a.pass(time.Minute))
}

func TestPolicyKeepsTheUnprotectedPositionOpen(t *testing.T) {
	a := newAccount(t, protection.Rules{Policy: protection.Policy{AlarmAfter: 2 * time.Second, CloseAfter: 4 * time.Second, KeepOpen: true}})
	o := a.fillEntry("1")
	a.rejectLegs(20 * time.Second)
	if o.Bracket.IsClosing() {
		t.Fatal("the position is closed, want it kept open")
	}
	if got := len(a.alarms); got < 4 {
		t.Fatalf("%d alarms, want one every 4 s", got)
	}
}

// A leg whose outcome is not known may be live: nothing is closed before it is.
func TestLegThatMayBeLiveIsQueried(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("1")
	legs := a.pass(time.Second)
	a.accept(legs[1])
	a.wantPlaced(a.pass(30 * time.Second))
	if o.Bracket.IsClosing() || len(a.queried) < 10 || a.queried[0] != legs[0] {
		t.Fatalf("closing = %t after %d queries, want queries of the stop loss only", o.Bracket.IsClosing(), len(a.queried))
	}
}

func TestExitIsRetriedUntilThePositionIsClosed(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("0.4")
	a.reject(a.pass(time.Second)[0], venues.ReasonWouldTrigger)
	a.wantWithdrawn(o)
	for range 5 {
		a.reject(o.Bracket.Exit(), "")
		a.wantPlaced(a.pass(protection.ExitRetryMax), "0.4")
	}
	if !o.Unfinished() {
		t.Fatal("entry is finished, want unfinished: a restart must load it")
	}
	a.executeAll(a.wantExit(o, "0.4"))
	a.wantPlaced(a.pass(time.Minute))
	if got := o.Protection.StopLoss.Status; got != venues.ProtectionFailed {
		t.Errorf("stop loss = %s, want %s", got, venues.ProtectionFailed)
	}
}

func TestExitWithoutAPositionEndsTheClosing(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("1")
	a.reject(a.pass(time.Second)[0], venues.ReasonWouldTrigger)
	a.reject(o.Bracket.Exit(), venues.ReasonNoPosition)
	a.wantPlaced(a.pass(time.Minute))
}

func TestPositionAboveTheMarketOrderLimitIsClosedInParts(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	a.maxMarketQty = some("0.6")
	o := a.fillEntry("1")
	a.reject(a.pass(time.Second)[0], venues.ReasonWouldTrigger)
	a.executeAll(a.wantExit(o, "0.6"))
	a.wantPlaced(a.pass(2*time.Second), "0.4")
	a.executeAll(a.wantExit(o, "0.4"))
	a.wantPlaced(a.pass(time.Minute))
}
