package protection_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"venuegate/actors/account/protection"
	"venuegate/persistence"
	"venuegate/venues"
)

// move starts a change of protection and returns the legs that it places.
func (a *account) move(o *protection.Order, change func(*venues.AmendOrder)) []*protection.Order {
	a.t.Helper()
	var cmd venues.AmendOrder
	change(&cmd)
	if err := a.keeper.CheckMove(o, &cmd, some("60000")); err != nil {
		a.t.Fatalf("CheckMove = %v, want no error", err)
	}
	a.placed, a.ended = nil, nil
	a.do(func(k *protection.Keeper) {
		o.Move, o.PendingAction = protection.NewMove(o, &cmd), venues.PendingAmend
		k.StartMove(o)
		a.MarkDirty(o)
	})
	return a.placed
}

func stopAt(price string) func(*venues.AmendOrder) {
	return func(cmd *venues.AmendOrder) { cmd.StopLoss = some(price) }
}

// wantEnded checks that the move has ended, successfully if rejected is false.
func (a *account) wantEnded(rejected bool) {
	a.t.Helper()
	if len(a.ended) != 1 || (a.ended[0] != nil) != rejected {
		a.t.Fatalf("moves ended with %v, want one, rejected = %t", a.ended, rejected)
	}
}

func TestMovedLegIsLiveBeforeTheOldOneIsWithdrawn(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	moved := a.move(o, stopAt("59000"))
	a.wantPlaced(moved, "1")
	if got := moved[0].TriggerPrice.Decimal; !got.Equal(dec("59000")) || legs[0].PendingAction != venues.PendingNone || len(a.ended) != 0 {
		t.Fatalf("new leg at %s, old one pending %q, moves ended %v, want 59000, none, none", got, legs[0].PendingAction, a.ended)
	}
	a.accept(moved...)
	a.wantEnded(false)
	a.wantWithdrawn(legs[0])
	if !o.StopLoss.Decimal.Equal(dec("59000")) {
		t.Errorf("requested stop loss = %s, want 59000", o.StopLoss.Decimal)
	}
}

func TestRejectedMoveRestoresTheLegBefore(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	moved := a.move(o, stopAt("59000"))
	published := o.Protection
	a.reject(moved[0], venues.ReasonWouldTrigger)
	a.wantEnded(true)
	if got := published.StopLoss.Price; !got.Equal(dec("59000")) {
		t.Errorf("stop loss in a copy of the record from before = %s, want 59000 as it was", got)
	}
	if cause, is := errors.AsType[protection.LegRejected](a.ended[0]); !is || cause.Reason.Reason != venues.ReasonWouldTrigger {
		t.Errorf("cause = %v, want the reason of the leg", a.ended[0])
	}
	a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
	if got := o.Protection.StopLoss; o.Bracket.IsClosing() || !got.Price.Equal(dec("58000")) || got.OrderID != legs[0].OrderID {
		t.Fatalf("closing = %t, stop loss %+v, want %s at 58000", o.Bracket.IsClosing(), got, legs[0].OrderID)
	}
	a.wantPlaced(a.pass(30 * time.Second))
}

// Without a stop loss before the move, there is none after its rejection.
func TestRejectedAdditionLeavesTheRest(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	spec := protectedOrder()
	spec.StopLoss = venues.Optional{}
	o := a.open(spec)
	a.fill(o, "1")
	a.accept(a.pass(time.Second)...)
	added := a.move(o, stopAt("59000"))
	a.wantPlaced(added, "1")
	a.reject(added[0], venues.ReasonWouldTrigger)
	a.wantEnded(true)
	if o.Bracket.IsClosing() || o.Protection.StopLoss != nil || o.StopLoss.Valid || o.Protection.TakeProfit.Status != venues.ProtectionLive {
		t.Fatalf("closing = %t, protection %+v, requested stop loss %v, want the live take profit alone", o.Bracket.IsClosing(), o.Protection, o.StopLoss)
	}
	a.wantPlaced(a.pass(time.Minute))
}

// The outcome of the leg before is not known when the one that replaces it is rejected.
func TestRejectedMoveOfAPendingLeg(t *testing.T) {
	t.Run("that is not live yet", func(t *testing.T) {
		a := newAccount(t, protection.Rules{})
		o := a.fillEntry("1")
		a.pass(protection.GatherDelay)
		moved := a.move(o, stopAt("59000"))
		a.reject(moved[0], "")
		if len(a.ended) != 0 {
			t.Fatalf("moves ended with %v, want none: nothing else protects the position", a.ended)
		}
		again := a.pass(protection.RetryDelay)
		a.wantPlaced(again, "1")
		if got := again[0].TriggerPrice.Decimal; !got.Equal(dec("59000")) {
			t.Errorf("placed again at %s, want 59000", got)
		}
	})
	t.Run("that became live", func(t *testing.T) {
		a := newAccount(t, protection.Rules{})
		o := a.fillEntry("1")
		legs := a.pass(protection.GatherDelay)
		moved := a.move(o, stopAt("59000"))
		a.accept(legs...)
		a.reject(moved[0], "")
		a.wantEnded(true)
		a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
		if got := o.Protection.StopLoss; got.OrderID != legs[0].OrderID || !o.StopLoss.Decimal.Equal(dec("58000")) {
			t.Errorf("stop loss = %+v, requested at %s, want %s at 58000", got, o.StopLoss.Decimal, legs[0].OrderID)
		}
		a.wantPlaced(a.pass(time.Minute))
	})
}

func TestMoveBeforeTheFirstFillPlacesNothing(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.open(protectedOrder())
	a.wantPlaced(a.move(o, stopAt("59000")))
	a.wantEnded(false)
	a.fill(o, "0.4")
	legs := a.pass(protection.GatherDelay)
	a.wantPlaced(legs, "0.4", "0.4")
	if got := legs[0].TriggerPrice.Decimal; !got.Equal(dec("59000")) {
		t.Errorf("stop loss placed at %s, want 59000", got)
	}
}

func TestOnlyRemoves(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.open(protectedOrder())
	for name, c := range map[string]struct {
		cmd  venues.AmendOrder
		want bool
	}{
		"removes both":         {venues.AmendOrder{RemoveStopLoss: true, RemoveTakeProfit: true}, true},
		"moves one":            {venues.AmendOrder{StopLoss: some("59000")}, false},
		"removes and replaces": {venues.AmendOrder{RemoveStopLoss: true, TakeProfit: some("66000")}, false},
	} {
		if got := protection.NewMove(o, &c.cmd).OnlyRemoves(); got != c.want {
			t.Errorf("%s: only removes = %t, want %t", name, got, c.want)
		}
	}
}

func TestRejectedMoveProtectsWhatWasFilledSince(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, _ := a.protectedEntry("0.4")
	moved := a.move(o, stopAt("59000"))
	a.fill(o, "0.6")
	legs := a.pass(time.Second)
	a.accept(moved[0], legs[1])
	a.reject(legs[0], "")
	a.wantEnded(true)
	a.wantLegs(o, venues.ProtectionPending, venues.ProtectionLive)
	again := a.pass(time.Second)
	a.wantPlaced(again, "1")
	a.accept(again...)
	if got := o.Protection.StopLoss; got.Status != venues.ProtectionLive || !got.Price.Equal(dec("58000")) {
		t.Fatalf("stop loss = %s at %s, want live at 58000", got.Status, got.Price)
	}
}

func TestProtectionIsRemovedAndAdded(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	a.move(o, func(cmd *venues.AmendOrder) { cmd.RemoveStopLoss = true })
	a.wantWithdrawn(legs[0])
	a.wantLegs(o, venues.ProtectionCancelled, venues.ProtectionLive)
	if o.StopLoss.Valid || len(a.ended) != 0 {
		t.Fatalf("requested stop loss = %v, moves ended %v, want none until the leg is cancelled", o.StopLoss, a.ended)
	}
	a.cancel(legs[0])
	a.wantEnded(false)
	a.wantAlarms("protection_lost", 0)
	added := a.move(o, stopAt("57000"))
	a.wantPlaced(added, "1")
	a.wantLegs(o, venues.ProtectionPending, venues.ProtectionLive)
	a.accept(added...)
	a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
}

// The venue is requested to move what it has attached, and again while it is not known
// whether it did.
func TestAttachedProtectionIsMovedByTheVenue(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("1")
	a.report(o, "a", attached(bothTriggers(o), venues.StatusUntriggered))
	a.wantPlaced(a.move(o, stopAt("59000")))
	if len(a.requests) != 1 {
		t.Fatalf("%d requests, want 1", len(a.requests))
	}
	if r := a.requests[0]; r.Leg.VenueOrderID != "a" || r.TakeProfit != nil || !r.StopLoss.Decimal.Equal(dec("59000")) {
		t.Fatalf("request = %+v, want the stop loss of leg a at 59000", r)
	}
	a.do(func(k *protection.Keeper) { k.MoveAnswered(o, venues.ErrOutcomeUnknown) })
	if len(a.requests) != 2 {
		t.Fatalf("%d requests after an unknown outcome, want 2", len(a.requests))
	}
	a.do(func(k *protection.Keeper) { k.MoveAnswered(o, nil) })
	a.wantEnded(false)
	if got := o.Protection.StopLoss.Price; !got.Equal(dec("59000")) {
		t.Errorf("stop loss at %s, want 59000", got)
	}
}

func TestUnknownOutcomeEndsTheMoveAfterThreeRequests(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("1")
	a.report(o, "a", attached(bothTriggers(o), venues.StatusUntriggered))
	a.move(o, stopAt("59000"))
	for range 3 {
		a.do(func(k *protection.Keeper) { k.MoveAnswered(o, venues.ErrOutcomeUnknown) })
	}
	a.wantEnded(true)
	if e, is := errors.AsType[*venues.Error](a.ended[0]); !is || e.Code != venues.CodeInternal || e.Details["orderState"] != "unknown" {
		t.Errorf("cause = %#v, want %s with an unknown state", a.ended[0], venues.CodeInternal)
	}
	if len(a.requests) != 3 || !o.Protection.StopLoss.Price.Equal(dec("58000")) {
		t.Errorf("%d requests, stop loss at %s, want 3, 58000", len(a.requests), o.Protection.StopLoss.Price)
	}
}

func TestVenueRejectsTheMove(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("1")
	a.report(o, "a", attached(bothTriggers(o), venues.StatusUntriggered))
	a.move(o, stopAt("59000"))
	rejected := venues.Errorf(venues.CodeOrderRejected, "the trigger would be reached")
	a.do(func(k *protection.Keeper) { k.MoveAnswered(o, rejected) })
	if len(a.ended) != 1 || a.ended[0] != error(rejected) { //nolint:errorlint // the error itself
		t.Errorf("moves ended with %v, want the venue's error", a.ended)
	}
	if len(a.requests) != 1 || !o.Protection.StopLoss.Price.Equal(dec("58000")) {
		t.Errorf("%d requests, stop loss at %s, want 1, 58000", len(a.requests), o.Protection.StopLoss.Price)
	}
}

func TestMoveIsRestoredFromItsAmendment(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("1")
	a.report(o, "a", attached(bothTriggers(o), venues.StatusUntriggered))
	a.move(o, stopAt("59000"))
	var stored persistence.Amendment
	o.Move.Record(&stored)
	o.Move = protection.RestoreMove(&stored)
	if o.Move == nil || !o.Move.NeedsResume() {
		t.Fatalf("move = %+v, want one that must be resumed", o.Move)
	}
	a.do(func(k *protection.Keeper) { k.ResumeMove(o) })
	if len(a.requests) != 2 || !a.requests[1].StopLoss.Decimal.Equal(dec("59000")) {
		t.Fatalf("requests = %+v, want the stop loss requested again", a.requests)
	}
	if p := protection.RestoreMove(&persistence.Amendment{Qty: dec("1")}); p != nil {
		t.Errorf("move of an amend of the quantity = %+v, want none", p)
	}
}

// The leg that replaces another one is rejected after a crash: what was requested before is in the
// amendment.
func TestRejectedMoveAfterARestart(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	moved := a.move(o, stopAt("59000"))
	var stored persistence.Amendment
	o.Move.Record(&stored)
	a.restart()
	a.do(func(k *protection.Keeper) {
		o.Move = protection.RestoreMove(&stored)
		k.ResumeMove(o)
	})
	if len(a.ended) != 0 {
		t.Fatalf("moves ended with %v, want none while the new leg is pending", a.ended)
	}
	a.reject(moved[0], venues.ReasonWouldTrigger)
	a.wantEnded(true)
	a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
	if got := o.Protection.StopLoss; got.OrderID != legs[0].OrderID || !got.Price.Equal(dec("58000")) || o.Bracket.IsClosing() {
		t.Errorf("closing = %t, stop loss %+v, want %s at 58000", o.Bracket.IsClosing(), got, legs[0].OrderID)
	}
	a.executeAll(legs[0])
	a.wantLegs(o, venues.ProtectionTriggered, venues.ProtectionLive)
}

// The leg that the venue was requested to change ended while the account was down.
func TestMoveOfALegThatHasEnded(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("1")
	leg := a.report(o, "a", attached(bothTriggers(o), venues.StatusUntriggered))
	a.move(o, stopAt("59000"))
	var stored persistence.Amendment
	o.Move.Record(&stored)
	a.cancel(leg)
	a.restart()
	a.ended = nil
	a.do(func(k *protection.Keeper) {
		o.Move = protection.RestoreMove(&stored)
		k.ResumeMove(o)
	})
	if len(a.ended) != 1 || venues.CodeOf(a.ended[0]) != venues.CodeExchangeUnavailable || len(a.requests) != 1 {
		t.Errorf("moves ended with %v, %d requests, want %s, 1", a.ended, len(a.requests), venues.CodeExchangeUnavailable)
	}
	a.do(func(k *protection.Keeper) { k.MoveAnswered(o, nil) }) // a late answer
	if got := o.Protection.StopLoss.Price; !got.Equal(dec("58000")) {
		t.Errorf("stop loss at %s after a late answer, want 58000", got)
	}
}

// The venue attaches legs to the next fills at the prices that it has, which it does not change
// any more.
func TestProtectionOfAPartlyFilledOrderCannotBeMoved(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("0.4")
	a.pass(protection.DefaultAlarmAfter)
	a.list(true)
	a.keeper.Now = a.keeper.Now.Add(time.Millisecond)
	a.keeper.ReconciledAt = a.keeper.Now
	a.wantPlaced(a.pass(2*protection.RetryDelay), "0.4", "0.4")
	cmd := venues.AmendOrder{TakeProfit: some("66000")}
	if err := a.keeper.CheckMove(o, &cmd, some("60000")); err == nil || err.Details["reason"] != "partly_filled" {
		t.Errorf("CheckMove = %v, want the reason partly_filled", err)
	}
}

// A new leg that never becomes live raises an alarm, like that of a fill.
func TestUnansweredMoveRaisesAnAlarm(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, _ := a.protectedEntry("1")
	a.wantPlaced(a.move(o, stopAt("59000")), "1")
	a.pass(protection.DefaultAlarmAfter)
	a.wantAlarms("unprotected", 1)
}

// One of two triggers of an attached leg is removed by a change of the leg, both by its cancel.
func TestTriggersOfAnAttachedPairAreRemoved(t *testing.T) {
	for name, c := range map[string]struct {
		cmd      venues.AmendOrder
		requests int
	}{
		"one":                  {venues.AmendOrder{RemoveStopLoss: true}, 1},
		"one, the other moved": {venues.AmendOrder{RemoveStopLoss: true, TakeProfit: some("66000")}, 1},
		"both":                 {venues.AmendOrder{RemoveStopLoss: true, RemoveTakeProfit: true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, attaching)
			o := a.fillEntry("1")
			leg := a.report(o, "a", attached(bothTriggers(o), venues.StatusUntriggered))
			a.move(o, func(cmd *venues.AmendOrder) { *cmd = c.cmd })
			if len(a.requests) != c.requests || leg.Withdrawn != (c.requests == 0) {
				t.Fatalf("%d requests, leg withdrawn = %t, want %d, %t", len(a.requests), leg.Withdrawn, c.requests, c.requests == 0)
			}
		})
	}
}

// Before the first fill the protection is still a part of the order at the venue.
func TestProtectionAttachedToAnOpenOrderIsMoved(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.open(protectedOrder())
	a.wantPlaced(a.move(o, stopAt("59000")))
	if len(a.requests) != 1 {
		t.Fatalf("%d requests, want 1", len(a.requests))
	}
	if r := a.requests[0]; r.Entry.ClientOrderID != o.ClientOrderID || r.Leg != (venues.OrderRef{}) || !r.StopLoss.Decimal.Equal(dec("59000")) {
		t.Fatalf("request = %+v, want the stop loss of the entry at 59000", r)
	}
	a.do(func(k *protection.Keeper) { k.MoveAnswered(o, nil) })
	a.wantEnded(false)
	if got := o.Protection.StopLoss.Price; !got.Equal(dec("59000")) {
		t.Errorf("stop loss at %s, want 59000", got)
	}
}

func TestTermsAndProtectionAreTwoRequests(t *testing.T) {
	for name, c := range map[string]struct{ price, stop, first string }{
		"lower price":  {"58000", "57000", "first stopLoss and takeProfit"},
		"higher price": {"64000", "62000", "first the rest"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, attaching)
			o := a.open(protectedOrder())
			cmd := venues.AmendOrder{StopLoss: some(c.stop), Price: some(c.price)}
			got := firstFieldError(t, a.keeper.CheckMove(o, &cmd, some("60000")))
			if got.Rule != "not_with_other_changes" || !strings.Contains(got.Allowed, c.first) {
				t.Errorf("field error = %+v, want %q", got, c.first)
			}
		})
	}
}

func TestTriggeredLegCannotBeMoved(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o, legs := a.protectedEntry("1")
	a.trigger(legs[0])
	cmd := venues.AmendOrder{StopLoss: some("59000")}
	if err := a.keeper.CheckTargets(o, &cmd, &venues.Instrument{}, some("60000")); err == nil || err.Details["reason"] != "triggered" {
		t.Errorf("CheckTargets = %v, want the reason triggered", err)
	}
}

// Triggers are checked against the order's own price until it has filled, then against the mark
// price.
func TestTargetsAreCheckedAgainstTheMarkPriceOnceFilled(t *testing.T) {
	i := &venues.Instrument{Status: venues.InstrumentTrading, TickSize: dec("0.1"), QtyStep: dec("0.001")}
	for filled, want := range map[string]bool{"0": false, "0.4": true} {
		a := newAccount(t, protection.Rules{})
		o := a.open(protectedOrder())
		a.fill(o, filled)
		cmd := venues.AmendOrder{StopLoss: some("61000")}
		if err := a.keeper.CheckTargets(o, &cmd, i, some("62000")); (err == nil) != want {
			t.Errorf("%s filled: CheckTargets = %v, want accepted = %t", filled, err, want)
		}
	}
}

func TestLegsAndClosingEntriesCannotBeMoved(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("1")
	legs := a.pass(time.Second)
	cmd := venues.AmendOrder{StopLoss: some("59000")}
	if got := firstFieldError(t, a.keeper.CheckMove(legs[0], &cmd, some("60000"))); got.Rule != "not_of_this_type" {
		t.Errorf("rule of a leg = %q, want not_of_this_type", got.Rule)
	}
	a.reject(legs[0], venues.ReasonWouldTrigger)
	if err := a.keeper.CheckMove(o, &cmd, some("60000")); err == nil || err.Details["reason"] != "closing" {
		t.Errorf("CheckMove = %v, want the reason closing", err)
	}
}

// firstFieldError returns the first line of details.fields.
func firstFieldError(t *testing.T, err *venues.Error) venues.FieldError {
	t.Helper()
	if err == nil || err.Code != venues.CodeInvalidRequest {
		t.Fatalf("error = %v, want %s", err, venues.CodeInvalidRequest)
	}
	return err.Details["fields"].([]venues.FieldError)[0]
}
