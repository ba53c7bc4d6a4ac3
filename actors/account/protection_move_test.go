package account

import (
	"errors"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// moveStops amends the protection of an order and returns the legs that were placed.
func (b *fixture) moveStops(o *order, change func(*venues.AmendOrder)) []*order {
	return b.moveStopsOf(o, instrument(), change)
}

func (b *fixture) moveStopsOf(o *order, i *venues.Instrument, change func(*venues.AmendOrder)) []*order {
	in := amendOrder{instrument: i, mark: venues.Some(venues.MustDecimal("60000"))}
	in.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
	in.cmd.OrderID = o.OrderID
	change(&in.cmd)
	b.replies = nil
	var legs []*order
	for _, e := range b.step(func(step stepContext) { b.state.amend(step, in) }) {
		if c, ok := e.(callPlace); ok {
			legs = append(legs, b.state.orders[c.orderID])
		}
	}
	return legs
}

func stopAt(price string) func(*venues.AmendOrder) {
	return func(a *venues.AmendOrder) { a.StopLoss = venues.Some(venues.MustDecimal(price)) }
}

func targetAt(price string) func(*venues.AmendOrder) {
	return func(a *venues.AmendOrder) { a.TakeProfit = venues.Some(venues.MustDecimal(price)) }
}

// moveHere amends protection that the service keeps: it succeeds without a request to
// the venue.
func (b *fixture) moveHere(o *order, change func(*venues.AmendOrder)) {
	b.t.Helper()
	b.moveStops(o, change)
	if r := b.lastReply(); r.err != nil {
		b.t.Fatalf("error = %v, want none", r.err)
	}
	if b.protectRequest() != nil {
		b.t.Fatal("the venue was requested to change protection, want no request")
	}
}

// protectRequest returns the request to change protection of the last step; nil if
// there is none.
func (b *fixture) protectRequest() *venues.ProtectRequest {
	for _, e := range b.effects {
		if c, ok := e.(callProtect); ok {
			return &c.request
		}
	}
	return nil
}

// answerProtect answers a request to change protection.
func (b *fixture) answerProtect(o *order, err error) {
	b.step(func(step stepContext) { b.state.protected(step, protectDone{o.OrderID, err}) })
}

func wantFieldError(t *testing.T, err error, field, rule string) {
	t.Helper()
	e, _ := errors.AsType[*venues.Error](err)
	if e == nil || e.Code != venues.CodeInvalidRequest {
		t.Fatalf("error = %v, want %s", err, venues.CodeInvalidRequest)
	}
	if got := e.Details["fields"].([]venues.FieldError)[0]; got.Field != field || got.Rule != rule {
		t.Fatalf("field error = %s %s, want %s %s", got.Field, got.Rule, field, rule)
	}
}

func TestMoveSucceedsOnceTheNewLegIsLive(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	moved := b.moveStops(o, stopAt("59000"))
	wantPlaced(t, moved, "1")
	if len(b.replies) != 0 || legs[0].PendingAction != venues.PendingNone {
		t.Fatalf("replies = %v, old leg pending %q, want none, none", b.replies, legs[0].PendingAction)
	}
	b.accept(moved...)
	if r := b.lastReply(); r.err != nil || r.order.Protection.StopLoss.Status != venues.ProtectionLive || !r.order.StopLoss.Decimal.Equal(venues.MustDecimal("59000")) {
		t.Fatalf("reply = %+v, %v, want a live stop loss at 59000", r.order, r.err)
	}
	wantWithdrawn(t, legs[0])
}

// A rejected leg changes nothing and closes nothing; the client receives its error.
func TestRejectedMoveIsTheErrorOfItsLeg(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	moved := b.moveStops(o, stopAt("59000"))
	b.answerPlace(moved[0], venues.Errorf(venues.CodeInvalidRequest, "Order would immediately trigger.").With("reason", venues.ReasonWouldTrigger))
	if r := b.lastReply(); venues.CodeOf(r.err) != venues.CodeOrderRejected {
		t.Fatalf("error = %v, want %s", r.err, venues.CodeOrderRejected)
	}
	b.wantStopLoss(o, "58000")
	if got := o.Protection.StopLoss.OrderID; o.Bracket.IsClosing() || got != legs[0].OrderID {
		t.Fatalf("closing = %t, stop loss %s, want false, %s", o.Bracket.IsClosing(), got, legs[0].OrderID)
	}
	wantPlaced(t, b.placedWithin(30*time.Second))
}

func TestProtectionCannotBeMoved(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*venues.AmendOrder)
		before func(b *fixture)
		field  string
		rule   string
	}{
		"wrong side":         {change: stopAt("60001"), field: "stopLoss", rule: "wrong_side"},
		"off the tick":       {change: stopAt("59000.05"), field: "stopLoss", rule: "not_a_multiple_of_tick"},
		"with other changes": {change: func(a *venues.AmendOrder) { stopAt("59000")(a); a.Qty = venues.Some(venues.MustDecimal("2")) }, field: "stopLoss", rule: "not_with_other_changes"},
		"nothing protected": {change: stopAt("59000"), before: func(b *fixture) {
			b.reportPosition("1")
			b.reportPosition("0")
			for _, leg := range b.state.allInOrder() {
				if leg.EntryOrderID != "" {
					b.report(leg.reportWith(venues.StatusCancelled, "0"))
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			o := b.fillEntry("1")
			b.accept(b.placedWithin(time.Second)...)
			if c.before != nil {
				c.before(b)
			}
			wantPlaced(t, b.moveStops(o, c.change))
			if err := b.lastReply().err; c.rule != "" {
				wantFieldError(t, err, c.field, c.rule)
			} else if venues.CodeOf(err) != venues.CodeNotFound {
				t.Fatalf("error = %v, want %s", err, venues.CodeNotFound)
			}
			if o.PendingAction != venues.PendingNone {
				t.Errorf("pending action = %q, want none", o.PendingAction)
			}
		})
	}
}

// The removal of protection is pending until the leg is cancelled.
func TestRemovalOfProtection(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	b.moveStops(o, func(a *venues.AmendOrder) { a.RemoveStopLoss = true })
	wantWithdrawn(t, legs[0])
	wantLegs(t, o, venues.ProtectionCancelled, venues.ProtectionLive)
	if o.StopLoss.Valid || len(b.replies) != 0 {
		t.Fatalf("requested stop loss = %v, replies = %+v, want none, none", o.StopLoss, b.replies)
	}
	b.confirmCancels(legs[0])
	if alarms := b.journalCount("protection_lost"); b.lastReply().err != nil || alarms != 0 {
		t.Fatalf("error = %v, %d alarms, want none, none", b.lastReply().err, alarms)
	}
}

// Where the venue attaches protection it is requested to move it, and again if the
// outcome is unknown.
func TestMoveOfAttachedProtectionSucceedsWithTheVenue(t *testing.T) {
	b := newFixture(t, attaching)
	o := b.fillEntry("1")
	b.reportUnknown(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
	b.moveStops(o, stopAt("59000"))
	if r := b.protectRequest(); r == nil || r.Leg.VenueOrderID != "a" || r.TakeProfit != nil || !r.StopLoss.Decimal.Equal(venues.MustDecimal("59000")) {
		t.Fatalf("request = %+v, want the stop loss of leg a at 59000", r)
	}
	if b.answerProtect(o, venues.ErrOutcomeUnknown); b.protectRequest() == nil {
		t.Fatal("no request after an unknown outcome, want another")
	}
	b.answerProtect(o, nil)
	if r := b.lastReply(); r.err != nil || !r.order.Protection.StopLoss.Price.Equal(venues.MustDecimal("59000")) {
		t.Fatalf("reply = %+v, %v, want the stop loss at 59000", r.order.Protection, r.err)
	}
}

// Nothing is left to protect after the removal of the only stop, which is what the
// client requested.
func TestRemovalOfTheOnlyStop(t *testing.T) {
	begin := func(t *testing.T) (b *fixture, o, stop *order) {
		b = newFixture(t, venues.Capabilities{})
		in := protectedLimitOrder()
		in.cmd.TakeProfit = venues.Optional{}
		o = b.open(in, venues.StatusOpen)
		b.fillMore(o, "t1", "1")
		b.reportPosition("1")
		stop = b.placedWithin(time.Second)[0]
		b.accept(stop)
		b.moveStops(o, func(a *venues.AmendOrder) { a.RemoveStopLoss = true })
		return b, o, stop
	}
	t.Run("succeeds", func(t *testing.T) {
		b, o, stop := begin(t)
		b.wantPending(o, venues.PendingAmend, "60000")
		b.confirmCancels(stop)
		if r := b.lastReply(); r.err != nil || r.order.Protection.StopLoss.Status != venues.ProtectionCancelled {
			t.Fatalf("reply = %+v, %v, want a cancelled stop loss", r.order.Protection, r.err)
		}
		b.wantPending(o, venues.PendingNone, "60000")
	})
	t.Run("outlives a restart", func(t *testing.T) {
		b, o, stop := begin(t)
		b.replyPending()
		next := b.restartWith("1", stop.reportWith(venues.StatusUntriggered, "0"))
		o, stop = next.state.orders[o.OrderID], next.state.orders[stop.OrderID]
		next.wantPending(o, venues.PendingAmend, "60000")
		wantWithdrawn(t, stop)
		next.confirmCancels(stop)
		next.wantPending(o, venues.PendingNone, "60000")
		next.wantDone()
	})
}

// unattachedEntry is an order without protection that rests at a venue which attaches
// it.
func (b *fixture) unattachedEntry() *order { return b.open(limitOrder(""), venues.StatusOpen) }

// Nothing of it is at the venue until the order fills.
func TestProtectionOfAnUnattachedOrderIsChangedHere(t *testing.T) {
	b := newFixture(t, attaching)
	o := b.unattachedEntry()
	b.moveHere(o, stopAt("57000"))
	b.moveHere(o, targetAt("66000"))
	b.moveHere(o, func(a *venues.AmendOrder) { a.RemoveStopLoss = true })
	b.moveHere(o, stopAt("58000"))
	b.moveHere(o, targetAt("65000"))
	b.fillMore(o, "t1", "0.4")
	legs := b.placedWithin(time.Second)
	wantPlaced(t, legs, "0.4", "0.4")
	if !legs[0].TriggerPrice.Decimal.Equal(venues.MustDecimal("58000")) || !legs[1].TriggerPrice.Decimal.Equal(venues.MustDecimal("65000")) {
		t.Fatalf("legs at %s, %s, want 58000, 65000", legs[0].TriggerPrice.Decimal, legs[1].TriggerPrice.Decimal)
	}
	b.accept(legs...)
	b.reportPosition("0.4")
	b.accept(b.moveStops(o, stopAt("59000"))...)
	if r := b.lastReply(); r.err != nil {
		t.Fatalf("error of a move while the order fills = %v, want none", r.err)
	}
	b.wantStopLoss(o, "59000")
}

func TestProtectionOfAnUnattachedOrderOutlivesARestart(t *testing.T) {
	b := newFixture(t, attaching)
	o := b.unattachedEntry()
	b.moveHere(o, stopAt("58000"))
	next := b.restartWith("0", o.reportWith(venues.StatusOpen, "0"))
	o = next.state.orders[o.OrderID]
	next.moveHere(o, targetAt("65000"))
	next.fillMore(o, "t1", "1")
	wantPlaced(t, next.placedWithin(time.Second), "1", "1")
}

// The venue attaches nothing to an order that has lost all protection.
func TestRemovedProtectionIsAddedHere(t *testing.T) {
	b := newFixture(t, attaching)
	o := b.open(protectedLimitOrder(), venues.StatusOpen)
	b.moveStops(o, func(a *venues.AmendOrder) { a.RemoveStopLoss, a.RemoveTakeProfit = true, true })
	b.answerProtect(o, nil)
	if r := b.lastReply(); r.err != nil {
		t.Fatalf("error = %v, want none", r.err)
	}
	b.moveHere(o, stopAt("58000"))
	b.fillMore(o, "t1", "1")
	wantPlaced(t, b.placedWithin(time.Second), "1")
}

// Legs that the service places are market orders, whose quantity the instrument
// limits: the order could not be protected.
func TestProtectionAboveTheMarketOrderLimitIsRejected(t *testing.T) {
	small := instrument()
	small.MaxMarketQty = venues.Some(venues.MustDecimal("0.5"))
	b := newFixture(t, attaching)
	o := b.unattachedEntry()
	b.moveStopsOf(o, small, stopAt("58000"))
	wantFieldError(t, b.lastReply().err, "qty", "above_maximum")
	if o.Protection != nil || o.Unattached {
		t.Fatalf("protection = %+v, unattached = %t, want them unchanged", o.Protection, o.Unattached)
	}
	resize := func(qty string) func(*venues.AmendOrder) {
		return func(a *venues.AmendOrder) { a.Qty = venues.Some(venues.MustDecimal(qty)) }
	}
	b.moveStopsOf(o, small, resize("0.5"))
	b.step(func(step stepContext) {
		r := o.reportWith(venues.StatusOpen, "0")
		r.Qty = venues.MustDecimal("0.5")
		b.state.amended(step, amendDone{orderID: o.OrderID, report: r})
	})
	b.moveStopsOf(o, small, stopAt("58000"))
	if r := b.lastReply(); r.err != nil {
		t.Fatalf("error = %v, want none", r.err)
	}
	b.moveStopsOf(o, small, resize("0.6"))
	wantFieldError(t, b.lastReply().err, "qty", "above_maximum")
}
