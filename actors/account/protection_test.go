package account

import (
	"errors"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/actors/account/protection"
	"venuegate/venues"
)

// Package protection has the tests of its decisions; the tests here need the whole
// account.

func TestLegsAreReduceOnlyStopsInTheDirectionOfTheirTrigger(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.fillEntry("0.4")
	wantLegs(t, o, venues.ProtectionPending, venues.ProtectionPending)
	legs := b.placedWithin(time.Second)
	wantPlaced(t, legs, "0.4", "0.4")
	for i, want := range []venues.TriggerDirection{venues.TriggerFalling, venues.TriggerRising} {
		leg := legs[i]
		if !leg.ReduceOnly || leg.Side != venues.Sell || leg.Source != venues.SourceProtection {
			t.Errorf("leg = %+v, want a reduce-only sale with source %s", leg.Order, venues.SourceProtection)
		}
		if got := leg.request().TriggerDirection; got != want {
			t.Errorf("trigger direction of the %s = %s, want %s", leg.Protects, got, want)
		}
	}
	b.accept(legs...)
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
}

func TestLegThatWouldTriggerSendsAnExit(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.fillEntry("1")
	b.rejectPlace(b.placedWithin(time.Second)[0], venues.ReasonWouldTrigger)
	exit := b.wantExit(o, "1")
	if !b.find(func(e effect) bool { c, ok := e.(callPlace); return ok && c.orderID == exit.OrderID }) {
		t.Fatalf("effects = %+v, want the request of the exit", b.effects)
	}
}

func TestQuantityWithoutFillsIsProtected(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(protectedLimitOrder(), venues.StatusOpen)
	b.report(o.reportWith(venues.StatusFilled, "1"))
	wantPlaced(t, b.placedWithin(fillsHoldMax+time.Second), "1", "1")
}

func TestReplacedStopKeepsItsProtection(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	in := protectedLimitOrder()
	in.cmd.Type, in.cmd.TriggerPrice = venues.TypeStopLimit, venues.Some(venues.MustDecimal("61000"))
	o := b.open(in, venues.StatusUntriggered)
	amend := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(),
		cmd: venues.AmendOrder{OrderID: o.OrderID, TriggerPrice: venues.Some(venues.MustDecimal("61500"))},
	}
	b.step(func(step stepContext) { b.state.amend(step, amend) })
	b.confirmCancels(o)
	if next := b.state.orders[o.ReplacedBy]; !next.Protection.IsActive() {
		t.Fatalf("protection of the replacement = %+v, want active", next.Protection)
	}
}

// The venue reports the end of the position before the fill of the leg that closed it.
func TestCloseReasonIsKnownBeforeTheFill(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	_, legs := b.protectedEntry("1")
	b.pass(time.Second)
	b.report(legs[0].reportWith(venues.StatusOpen, "0"))
	b.reportPosition("0")
	for _, e := range b.effects {
		if p, ok := e.(publishPosition); ok && p.position.Reason != venues.ClosedStopLoss {
			t.Fatalf("close reason = %s, want %s", p.position.Reason, venues.ClosedStopLoss)
		}
	}
}

// The client received the error: the stop is neither cancelled later, nor taken for
// cancelled if the venue ends it.
func TestFailedCancelByTheClientLeavesTheStopInForce(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	_, legs := b.protectedEntry("1")
	b.cancel(legs[0])
	b.failCancel(legs[0])
	if b.lastReply().err == nil {
		t.Fatal("the cancel that was not sent succeeded, want an error")
	}
	b.now = b.now.Add(time.Minute)
	if b.readFunds(); b.find(isCancel) {
		t.Fatal("the stop is cancelled, want it left in force")
	}
	b.report(legs[0].reportWith(venues.StatusCancelled, "0"))
	b.now = b.now.Add(time.Second)
	b.readFunds()
	wantPlaced(t, b.placedWithin(2*protection.RetryDelay), "1")
}

// Replaced by an amend of its own, a leg would have a successor that protects no entry
// and outlives the position.
func TestAmendOfALegIsRejected(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	in := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(),
		cmd: venues.AmendOrder{OrderID: legs[0].OrderID, TriggerPrice: venues.Some(venues.MustDecimal("58500"))},
	}
	b.step(func(step stepContext) { b.state.amend(step, in) })
	rejection, _ := errors.AsType[*venues.Error](b.lastReply().err)
	if code(rejection) != venues.CodeOrderRejected || rejection.Details["entryOrderId"] != o.OrderID || b.find(isCancel) {
		t.Fatalf("error = %v, want %s with the entry %s", b.lastReply().err, venues.CodeOrderRejected, o.OrderID)
	}
}

func TestReduceOnlyOrderWithProtectionIsRejected(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	for _, change := range []func(*placeOrder){
		func(in *placeOrder) { in.cmd.TakeProfit = venues.Optional{} },
		func(in *placeOrder) { in.cmd.StopLoss = venues.Optional{} },
	} {
		if err := b.tryPlace(func(in *placeOrder) { *in = protectedLimitOrder(); in.cmd.ReduceOnly = true; change(in) }); code(err) != venues.CodeInvalidRequest {
			t.Errorf("error = %v, want %s", err, venues.CodeInvalidRequest)
		}
	}
}

// Legs are market orders, whose quantity the instrument limits. Where the venue
// attaches them it applies its own limit.
func TestProtectedOrderAboveTheMarketOrderLimitIsRejected(t *testing.T) {
	small := instrument()
	small.MaxMarketQty = venues.Some(venues.MustDecimal("2"))
	large := func(in *placeOrder) { in.instrument, in.cmd.Qty = small, venues.MustDecimal("3") }
	for _, caps := range []venues.Capabilities{{}, attaching} {
		b := newFixture(t, caps)
		if err := b.tryPlace(large); err != nil {
			t.Errorf("error without protection = %v, want none", err)
		}
		var want venues.Code
		if !caps.AttachedProtection {
			want = venues.CodeInvalidRequest
		}
		if err := b.tryPlace(func(in *placeOrder) { *in = protectedLimitOrder(); large(in) }); code(err) != want {
			t.Errorf("error with protection = %v, want code %q", err, want)
		}
	}
}

// A leg whose outcome is unknown may be live: the venue is queried, and nothing is
// closed before its absence is confirmed.
func TestLegWithUnknownOutcomeDoesNotCloseThePosition(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.fillEntry("1")
	b.reportPosition("1")
	legs := b.placedWithin(time.Second)
	b.accept(legs[1])
	b.answerPlace(legs[0], errTimeout)
	queries := 0
	for _, e := range b.pass(30 * time.Second) {
		switch call := e.(type) {
		case callPlace:
			t.Fatalf("placed a %s, want queries only", b.state.orders[call.orderID].Type)
		case callQuery:
			queries++
		}
	}
	if queries < 10 || o.Bracket.IsClosing() {
		t.Fatalf("%d queries, closing = %t, want at least 10, false", queries, o.Bracket.IsClosing())
	}
	b.step(func(step stepContext) {
		b.state.queryAnswered(step, queryDone{orderID: legs[0].OrderID, report: legs[0].reportWith(venues.StatusUntriggered, "0")})
	})
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
}

// A position was closed and opened again immediately. The report that it was flat in
// between may come last, by the stream or by a list that lags: the new position keeps
// its protection.
func TestLateEndOfAnEarlierPosition(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	_, first := b.protectedEntry("1")
	in := protectedLimitOrder()
	in.cmd.RequestID = "r2"
	o := b.open(in, venues.StatusOpen)
	b.now = b.now.Add(time.Second)
	r := o.reportWith(venues.StatusFilled, "1")
	r.Fill = o.fill("t9", "1", "60000")
	r.Fill.ExecutedAt = venues.At(b.now)
	b.report(r)
	second := b.placedWithin(protection.GatherDelay)
	b.accept(second...)

	flat := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, UpdatedAt: venues.At(r.Fill.ExecutedAt.Add(-10 * time.Millisecond))}
	b.step(func(step stepContext) { b.state.positionReported(step, flat) })
	wantWithdrawn(t, first...)
	b.confirmCancels(first...)
	wantKept := func() {
		t.Helper()
		for _, leg := range second {
			if leg.PendingAction != venues.PendingNone {
				t.Fatalf("pending action of the %s = %q, want none", leg.Protects, leg.PendingAction)
			}
		}
	}
	wantKept()
	b.reportPosition("1")
	b.now = b.now.Add(time.Second)
	b.readPositions()
	wantKept()
	b.now = b.now.Add(protection.PositionLag)
	b.readPositions()
	wantWithdrawn(t, second...)
}

// wantStops checks the triggers that the only position shows.
func (b *fixture) wantStops(stop, profit string) {
	b.t.Helper()
	list := b.state.positions.Listed()
	if len(list) != 1 {
		b.t.Fatalf("%d positions, want 1", len(list))
	}
	if gotStop, gotProfit := optionalText(list[0].StopLoss), optionalText(list[0].TakeProfit); gotStop != stop || gotProfit != profit {
		b.t.Errorf("stop loss %s, take profit %s, want %s, %s", gotStop, gotProfit, stop, profit)
	}
}

func optionalText(d venues.Optional) string {
	if !d.Valid {
		return "none"
	}
	return venues.FormatDecimal(d.Decimal)
}

func TestPositionShowsAndPublishesItsTriggers(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.fillEntry("1")
	b.reportPosition("1")
	b.wantStops("none", "none")
	legs := b.placedWithin(time.Second)
	b.accept(legs...)
	b.wantStops("58000", "65000")
	var published venues.Position
	for _, e := range b.effects {
		if p, ok := e.(publishPosition); ok {
			published = p.position
		}
	}
	if stop, profit := optionalText(published.StopLoss), optionalText(published.TakeProfit); stop != "58000" || profit != "65000" {
		t.Errorf("published stop loss %s, take profit %s, want 58000, 65000", stop, profit)
	}
	b.readFunds()
	b.step(func(step stepContext) {
		b.state.updatePositions(step, []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: o.Qty}}, b.now)
	})
	b.wantStops("58000", "65000") // the list does not have them
	b.fillWhole(legs[0], "57990")
	b.wantStops("none", "65000")
	b.confirmCancels(legs[1])
	b.wantStops("none", "none")
}

func TestTriggerReportedByTheVenueIsShown(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.step(func(step stepContext) {
		b.state.positionReported(step, venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1"), StopLoss: venues.Some(venues.MustDecimal("50000"))})
	})
	b.fillEntry("0.4")
	b.wantStops("50000", "none")
	b.reportPosition("0")
	if n := len(b.state.currentFunds(b.stepContext()).Positions); n != 0 {
		t.Errorf("%d positions, want none", n)
	}
}

// The mark price of the market completes the event of a venue that does not report it.
func TestPositionIsPublishedWithItsMarkPrice(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.prices = map[string]string{"BTCUSDT": "60100"}
	wantMark := func(want string) {
		t.Helper()
		if list := b.state.positions.Listed(); len(list) != 1 || optionalText(list[0].MarkPrice) != want {
			t.Errorf("positions = %+v, want one with mark price %s", list, want)
		}
	}
	b.reportPosition("1")
	wantMark("60100")
	b.step(func(step stepContext) {
		b.state.positionReported(step, venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("2"), MarkPrice: venues.Some(venues.MustDecimal("60200"))})
	})
	wantMark("60200")
}
