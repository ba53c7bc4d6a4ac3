package protection_test

import (
	"testing"
	"time"

	"venuegate/actors/account/protection"
	"venuegate/venues"
)

// report applies a report of a leg that the venue made, under a venue order id.
func (a *account) report(entry *protection.Order, number string, r venues.ExecutionReport) *protection.Order {
	var leg *protection.Order
	for _, o := range a.orders {
		if o.VenueOrderID == number {
			leg = o
		}
	}
	a.do(func(k *protection.Keeper) {
		if leg == nil {
			leg = a.add("", venues.OrderSpec{
				Symbol: entry.Symbol, Side: entry.Side.Opposite(), Type: venues.TypeStopMarket, Qty: entry.Qty, ReduceOnly: true,
			})
			leg.VenueOrderID = number
			var named *protection.Order
			if r.Attachment.EntryClientID == entry.ClientOrderID {
				named = entry
			}
			r.Symbol, r.Side = leg.Symbol, leg.Side
			k.AdoptLeg(leg, &r, named)
		}
		k.FollowAttachment(leg, &r)
		if r.Qty.IsPositive() {
			leg.Qty = r.Qty
		}
		if leg.IsUndecided(&r) {
			return
		}
		leg.FilledQty = r.FilledQty
		if leg.Status = r.Status; r.Status == venues.StatusOpen || r.FilledQty.IsPositive() {
			leg.Triggered = true
		}
		if leg.Error = r.RejectReason; r.Status.IsClosed() {
			a.close(leg, r.Status)
		}
		a.MarkDirty(leg)
	})
	return leg
}

func attached(a venues.Attachment, status venues.OrderStatus) venues.ExecutionReport {
	return venues.ExecutionReport{Status: status, Attachment: &a}
}

func stopOnly(o *protection.Order) venues.Attachment {
	return venues.Attachment{EntryClientID: o.ClientOrderID, WholePosition: true, StopLoss: o.StopLoss}
}

func profitOnly(o *protection.Order) venues.Attachment {
	return venues.Attachment{EntryClientID: o.ClientOrderID, WholePosition: true, TakeProfit: o.TakeProfit}
}

func bothTriggers(o *protection.Order) venues.Attachment {
	return venues.Attachment{EntryClientID: o.ClientOrderID, StopLoss: o.StopLoss, TakeProfit: o.TakeProfit}
}

// A venue may make one order for each leg, and may report its entry or not.
func TestAttachedLegsAreFollowed(t *testing.T) {
	for name, isNamed := range map[string]bool{"entry named": true, "entry not named": false} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, attaching)
			o := a.fillEntry("1")
			stop, profit := stopOnly(o), profitOnly(o)
			if !isNamed {
				stop.EntryClientID, profit.EntryClientID = "", ""
			}
			leg := a.report(o, "s", attached(stop, venues.StatusUntriggered))
			a.wantLegs(o, venues.ProtectionLive, venues.ProtectionPending)
			if leg.EntryOrderID != o.OrderID || leg.Source != venues.SourceProtection {
				t.Fatalf("entry of the leg = %q, source %q, want %q, %q", leg.EntryOrderID, leg.Source, o.OrderID, venues.SourceProtection)
			}
			a.report(o, "p", attached(profit, venues.StatusUntriggered))
			a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
			filled := attached(profit, venues.StatusFilled)
			filled.FilledQty = o.Qty
			a.report(o, "p", filled)
			ended := attached(stop, venues.StatusCancelled)
			ended.RejectReason = &venues.RejectReason{Reason: venues.ReasonOtherLegTriggered}
			a.report(o, "s", ended)
			a.wantLegs(o, venues.ProtectionCancelled, venues.ProtectionTriggered)
			if o.Unfinished() {
				t.Error("entry is unfinished, want finished")
			}
		})
	}
}

// A venue may make one order with both triggers. Which one was reached is reported, or
// follows from the price of the execution.
func TestTriggerOfAnAttachedPair(t *testing.T) {
	for name, c := range map[string]struct {
		reported venues.LegKind
		price    string
		want     venues.LegKind
	}{
		"stop loss reported":   {venues.LegStopLoss, "", venues.LegStopLoss},
		"take profit reported": {venues.LegTakeProfit, "", venues.LegTakeProfit},
		"stop loss filled":     {"", "57900", venues.LegStopLoss},
		"take profit filled":   {"", "65000", venues.LegTakeProfit},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, attaching)
			o := a.fillEntry("1")
			pair := bothTriggers(o)
			leg := a.report(o, "a", attached(pair, venues.StatusUntriggered))
			a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
			pair.Triggered = c.reported
			a.report(o, "a", attached(pair, venues.StatusOpen))
			if c.price != "" {
				a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
				r := attached(pair, venues.StatusFilled)
				r.FilledQty, r.AvgPrice = o.Qty, some(c.price)
				a.report(o, "a", r)
			}
			stop, profit := venues.ProtectionTriggered, venues.ProtectionCancelled
			if c.want == venues.LegTakeProfit {
				stop, profit = profit, stop
			}
			a.wantLegs(o, stop, profit)
			if want := pair.Trigger(c.want); leg.Protects != c.want || !venues.EqualOptional(leg.TriggerPrice, want) {
				t.Errorf("leg = %s at %s, want %s at %s", leg.Protects, leg.TriggerPrice.Decimal, c.want, want.Decimal)
			}
		})
	}
}

func TestRejectedAttachedLegIsPlacedByTheService(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("1")
	a.report(o, "a", attached(bothTriggers(o), venues.StatusUntriggered))
	a.report(o, "a", attached(bothTriggers(o), venues.StatusRejected))
	a.wantLegs(o, venues.ProtectionPending, venues.ProtectionPending)
	legs := a.pass(2 * time.Second)
	a.wantPlaced(legs, "1", "1")
	a.accept(legs...)
	a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
}

func TestAttachedLegThatEndsEarlyIsPlacedByTheService(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("1")
	pair := bothTriggers(o)
	a.report(o, "a", attached(pair, venues.StatusUntriggered))
	pair.Triggered = venues.LegStopLoss
	a.report(o, "a", attached(pair, venues.StatusOpen))
	a.report(o, "a", attached(pair, venues.StatusCancelled))
	a.wantPlaced(a.pass(time.Second), "1", "1")
}

// The service places legs only after a reconciliation has shown none. The
// venue's own, which appear with the rest of the entry, replace them.
func TestAttachedLegsThatDoNotAppear(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("0.4")
	a.wantPlaced(a.pass(protection.DefaultAlarmAfter + 100*time.Millisecond))
	a.wantAlarms("unprotected", 1)
	if a.reconciles != 1 {
		t.Fatalf("%d reconciliations requested, want 1", a.reconciles)
	}
	a.wantPlaced(a.pass(1200 * time.Millisecond))
	a.list(true)
	a.keeper.ReconciledAt = a.keeper.Now
	legs := a.pass(1200 * time.Millisecond)
	a.wantPlaced(legs, "0.4", "0.4")
	a.accept(legs...)
	a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
	a.fill(o, "0.6")
	a.report(o, "a", attached(bothTriggers(o), venues.StatusUntriggered))
	a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
	a.wantWithdrawn(legs...)
}

func TestEntryFollowsTheTriggerOfAnAttachedLeg(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("1")
	stop := stopOnly(o)
	a.report(o, "s", attached(stop, venues.StatusUntriggered))
	stop.StopLoss = some("58500")
	a.report(o, "s", attached(stop, venues.StatusUntriggered))
	if got := o.Protection.StopLoss.Price; !got.Equal(dec("58500")) {
		t.Fatalf("stop loss at %s, want 58500", got)
	}
}

// Where protection belongs to the position, that of a newer entry replaces the older.
func TestNewerEntrySupersedesAttachedProtection(t *testing.T) {
	a := newAccount(t, attaching)
	first := a.fillEntry("1")
	a.list(true)
	a.report(first, "s1", attached(stopOnly(first), venues.StatusUntriggered))
	second := a.fillEntry("1")
	a.report(first, "s1", attached(stopOnly(first), venues.StatusCancelled))
	a.report(second, "s2", attached(stopOnly(second), venues.StatusUntriggered))
	a.keeper.Now = a.keeper.Now.Add(time.Millisecond)
	a.readPositions()
	a.pass(2 * time.Second)
	if got := first.Protection.StopLoss.Status; got != venues.ProtectionCancelled {
		t.Errorf("stop loss of the first = %s, want %s", got, venues.ProtectionCancelled)
	}
	if got := second.Protection.StopLoss.Status; got != venues.ProtectionLive {
		t.Errorf("stop loss of the second = %s, want %s", got, venues.ProtectionLive)
	}
	a.wantAlarms("protection_lost", 0)
}

// A leg of the position follows its size; another protects the quantity of its order.
func TestAttachedLegThatIsTooSmall(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("1")
	small := attached(bothTriggers(o), venues.StatusUntriggered)
	small.Qty = dec("0.4")
	a.report(o, "a", small)
	a.wantLegs(o, venues.ProtectionPending, venues.ProtectionPending)
	whole := attached(bothTriggers(o), venues.StatusUntriggered)
	whole.Qty = dec("1")
	a.report(o, "a", whole)
	a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)

	a = newAccount(t, attaching)
	o = a.fillEntry("1")
	ofPosition := attached(stopOnly(o), venues.StatusUntriggered)
	ofPosition.Qty = dec("0.4")
	a.report(o, "s", ofPosition)
	a.wantLegs(o, venues.ProtectionLive, venues.ProtectionPending)
}

// The entry fills more than its leg covers, which is known before the venue reports the leg again.
func TestFillBeyondAnAttachedLegIsUnprotected(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("0.4")
	small := attached(bothTriggers(o), venues.StatusUntriggered)
	small.Qty = dec("0.4")
	a.report(o, "a", small)
	a.wantLegs(o, venues.ProtectionLive, venues.ProtectionLive)
	a.fill(o, "0.6")
	a.wantLegs(o, venues.ProtectionPending, venues.ProtectionPending)
	if !o.Bracket.IsUnprotected() {
		t.Error("the second fill counts as protected, want unprotected")
	}
}

// A take profit has closed what was filled when the entry gets another stop loss. The venue has no
// leg to change, so that the service protects the next fill.
func TestProtectionAddedAfterAnAttachedLegHasEnded(t *testing.T) {
	a := newAccount(t, attaching)
	o := a.fillEntry("0.4")
	pair := bothTriggers(o)
	a.report(o, "a", attached(pair, venues.StatusUntriggered))
	pair.Triggered = venues.LegTakeProfit
	filled := attached(pair, venues.StatusFilled)
	filled.FilledQty = dec("0.4")
	a.report(o, "a", filled)
	a.failCancel(o)
	a.wantPlaced(a.move(o, stopAt("59000")))
	if len(a.requests) != 0 {
		t.Fatalf("requests to the venue = %+v, want none", a.requests)
	}
	a.fill(o, "0.6")
	a.wantPlaced(a.pass(protection.GatherDelay), "0.6", "0.6")
}
