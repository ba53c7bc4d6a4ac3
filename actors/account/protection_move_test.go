package account

import (
	"errors"
	"strings"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// moves asks for a change of protection and returns the legs that were placed.
func (b *bench) moves(o *order, change func(*venues.AmendOrder)) []*order {
	return b.movesOf(o, instrument(), change)
}

func (b *bench) movesOf(o *order, i *venues.Instrument, change func(*venues.AmendOrder)) []*order {
	in := amendOrder{instrument: i, mark: venues.Some(venues.MustDecimal("60000"))}
	in.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
	in.cmd.OrderID = o.OrderID
	change(&in.cmd)
	b.replies = nil
	var legs []*order
	for _, e := range b.step(func(m moment) { b.state.amend(m, in) }) {
		if c, ok := e.(callPlace); ok {
			legs = append(legs, b.state.orders[c.orderID])
		}
	}
	return legs
}

func stopAt(price string) func(*venues.AmendOrder) {
	return func(a *venues.AmendOrder) { a.StopLoss = venues.Some(venues.MustDecimal(price)) }
}

func TestMovedLegLivesBeforeTheOldOneGoes(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	moved := b.moves(o, stopAt("59000"))
	if len(moved) != 1 || !moved[0].TriggerPrice.Decimal.Equal(venues.MustDecimal("59000")) || legs[0].PendingAction != venues.PendingNone || len(b.replies) != 0 {
		t.Fatalf("%d legs, the old one is %q, answered %v", len(moved), legs[0].PendingAction, b.replies)
	}
	b.live(moved...)
	if r := b.lastReply(); r.err != nil || r.order.Protection.StopLoss.Status != venues.ProtectionLive || !r.order.StopLoss.Decimal.Equal(venues.MustDecimal("59000")) {
		t.Fatalf("answer %+v, %v", r.order, r.err)
	}
	if legs[0].PendingAction != venues.PendingCancel {
		t.Fatal("the old leg stays")
	}
}

// A leg that the venue refuses changes nothing, and closes nothing.
func TestRefusedMoveKeepsWhatWas(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	moved := b.moves(o, stopAt("59000"))
	refusal := venues.Errorf(venues.CodeInvalidRequest, "Order would immediately trigger.").With("reason", venues.ReasonWouldTrigger)
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: moved[0].OrderID, err: refusal}) })
	if r := b.lastReply(); venues.CodeOf(r.err) != venues.CodeInvalidRequest {
		t.Fatalf("answer %v", r.err)
	}
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
	if o.guard.closing || !o.Protection.StopLoss.Price.Equal(venues.MustDecimal("58000")) || o.Protection.StopLoss.OrderID != legs[0].OrderID {
		t.Fatalf("closing %v, stop loss %+v", o.guard.closing, o.Protection.StopLoss)
	}
	if later := b.legs(30 * time.Second); len(later) != 0 {
		t.Fatalf("%d legs later", len(later))
	}
}

// TestRefusedMoveProtectsWhatHasFilledMeanwhile: what was is too small by now.
func TestRefusedMoveProtectsWhatHasFilledMeanwhile(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, _ := b.protectedEntry("0.4")
	moved := b.moves(o, stopAt("59000"))
	b.fillMore(o, "t2", "0.6")
	b.holds("1")
	legs := b.legs(time.Second)
	b.live(moved[0], legs[1])
	b.refuse(legs[0], "")
	if r := b.lastReply(); venues.CodeOf(r.err) != venues.CodeOrderRejected {
		t.Fatalf("answer %v", r.err)
	}
	wantLegs(t, o, venues.ProtectionPending, venues.ProtectionLive)
	again := b.legs(time.Second)
	if len(again) != 1 || !again[0].Qty.Equal(o.Qty) {
		t.Fatalf("%d legs for the %s that is open", len(again), o.FilledQty)
	}
	b.live(again...)
	b.wantStop(o, "58000")
}

func TestProtectionCannotBeMoved(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*venues.AmendOrder)
		before func(b *bench, o *order)
		code   venues.Code
		detail string
	}{
		"wrong side":         {change: stopAt("60001"), code: venues.CodeInvalidRequest, detail: "wrong_side"},
		"off the tick":       {change: stopAt("59000.05"), code: venues.CodeInvalidRequest, detail: "not_a_multiple_of_tick"},
		"with other changes": {change: func(a *venues.AmendOrder) { stopAt("59000")(a); a.Qty = venues.Some(venues.MustDecimal("2")) }, code: venues.CodeInvalidRequest, detail: "not_with_other_changes"},
		"nothing protected": {change: stopAt("59000"), code: venues.CodeNotFound, before: func(b *bench, _ *order) {
			b.holds("1")
			b.holds("0")
			for _, leg := range b.state.inOrder() {
				if leg.EntryOrderID != "" {
					b.step(func(m moment) { b.state.report(m, leg.says(venues.StatusCancelled, "0")) })
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			o := b.fillEntry("1")
			b.live(b.legs(time.Second)...)
			if c.before != nil {
				c.before(b, o)
			}
			placed := b.moves(o, c.change)
			r := b.lastReply()
			if len(placed) != 0 || venues.CodeOf(r.err) != c.code {
				t.Fatalf("%d legs, %v", len(placed), r.err)
			}
			if refusal, _ := errors.AsType[*venues.Error](r.err); c.detail != "" {
				if faults := refusal.Details["fields"].([]venues.FieldFault); faults[0].Rule != c.detail {
					t.Fatalf("%+v", faults)
				}
			}
		})
	}
}

func TestProtectionIsRemovedAndAdded(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o, legs := b.protectedEntry("1")
	b.moves(o, func(a *venues.AmendOrder) { a.DropStopLoss = true })
	if legs[0].PendingAction != venues.PendingCancel || o.StopLoss.Valid || len(b.replies) != 0 {
		t.Fatalf("the stop loss is %+v, answers %+v", o.Protection.StopLoss, b.replies)
	}
	if status := o.Protection.StopLoss.Status; status != venues.ProtectionCancelled {
		t.Errorf("the stop loss that is taken away is %s", status)
	}
	b.cancels(legs[0])
	if b.lastReply().err != nil || b.notes("protection_lost") != 0 {
		t.Fatalf("answered %+v, %d alarms", b.lastReply(), b.notes("protection_lost"))
	}
	added := b.moves(o, stopAt("57000"))
	if len(added) != 1 {
		t.Fatalf("%d legs", len(added))
	}
	b.live(added...)
	wantLegs(t, o, venues.ProtectionLive, venues.ProtectionLive)
}

// Where the venue attaches protection it is asked, and asked again if it is not
// known whether it heard.
func TestAttachedProtectionIsMoved(t *testing.T) {
	b := newBench(t, attaches)
	o := b.fillEntry("1")
	b.tells(attachedLeg("a", o, bothLegs(o), venues.StatusUntriggered, "0"))
	b.moves(o, stopAt("59000"))
	asked := func() *venues.ProtectRequest {
		for _, e := range b.asked {
			if c, ok := e.(callProtect); ok {
				return &c.request
			}
		}
		return nil
	}
	request := asked()
	if request == nil || request.Leg.VenueOrderID != "a" || request.TakeProfit != nil || !request.StopLoss.Decimal.Equal(venues.MustDecimal("59000")) {
		t.Fatalf("%+v", request)
	}
	b.step(func(m moment) { b.state.protected(m, protectDone{o.OrderID, venues.ErrOutcomeUnknown}) })
	if asked() == nil {
		t.Fatal("not asked again")
	}
	b.step(func(m moment) { b.state.protected(m, protectDone{orderID: o.OrderID}) })
	if r := b.lastReply(); r.err != nil || !r.order.Protection.StopLoss.Price.Equal(venues.MustDecimal("59000")) {
		t.Fatalf("%+v, %v", r.order.Protection, r.err)
	}
}

// TestBothChangesAreTwoRequests, in the order in which the protection fits the order
// at every moment.
func TestBothChangesAreTwoRequests(t *testing.T) {
	for name, c := range map[string]struct{ price, stop, first string }{
		"the price falls": {"58000", "57000", "first stopLoss and takeProfit"},
		"the price rises": {"64000", "62000", "first the rest"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, venues.Capabilities{AttachedProtection: true})
			in := limitOrder("")
			in.cmd.StopLoss = venues.Some(venues.MustDecimal("59000"))
			o := b.open(in, venues.StatusOpen)
			b.moves(o, func(a *venues.AmendOrder) {
				stopAt(c.stop)(a)
				a.Price = venues.Some(venues.MustDecimal(c.price))
			})
			refusal, _ := errors.AsType[*venues.Error](b.lastReply().err)
			if refusal == nil || refusal.Code != venues.CodeInvalidRequest {
				t.Fatalf("answer %v", b.lastReply().err)
			}
			if faults := refusal.Details["fields"].([]venues.FieldFault); !strings.Contains(faults[0].Allowed, c.first) {
				t.Errorf("%+v", faults[0])
			}
			if o.PendingAction != venues.PendingNone || len(b.asked) != 1 {
				t.Errorf("pending %q, asked %+v", o.PendingAction, b.asked)
			}
		})
	}
}

// TestOnlyStopIsTakenAway: nothing of the entry is left to look after, and that is what
// was asked for.
func TestOnlyStopIsTakenAway(t *testing.T) {
	begin := func(t *testing.T) (b *bench, o, stop *order) {
		b = newBench(t, venues.Capabilities{})
		in := protectedOrder()
		in.cmd.TakeProfit = venues.Optional{}
		o = b.open(in, venues.StatusOpen)
		b.fillMore(o, "t1", "1")
		b.holds("1")
		stop = b.legs(time.Second)[0]
		b.live(stop)
		b.moves(o, func(a *venues.AmendOrder) { a.DropStopLoss = true })
		return b, o, stop
	}
	t.Run("and is", func(t *testing.T) {
		b, o, stop := begin(t)
		b.wantPending(o, venues.PendingAmend, "60000")
		b.cancels(stop)
		if r := b.lastReply(); r.err != nil || r.order.Protection.StopLoss.Status != venues.ProtectionCancelled {
			t.Fatalf("answered %+v", r)
		}
		b.wantPending(o, venues.PendingNone, "60000")
	})
	t.Run("over a restart", func(t *testing.T) {
		b, o, stop := begin(t)
		b.toldPending()
		next := b.dies("1", stop.says(venues.StatusUntriggered, "0"))
		o, stop = next.state.orders[o.OrderID], next.state.orders[stop.OrderID]
		next.wantPending(o, venues.PendingAmend, "60000")
		wantWithdrawn(t, stop)
		next.cancels(stop)
		next.wantPending(o, venues.PendingNone, "60000")
		next.wantNothingMore()
	})
}
