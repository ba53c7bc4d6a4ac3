package account

import (
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/actors/account/protection"
	"venuegate/venues"
)

// movedEntry is a filled entry whose stop loss is moved from 58000 to 59000: the old
// stop is live, with its answer received or lost, and the new one is under way.
func (b *fixture) movedEntry(isKnown bool) (o, before, moved, profit *order) {
	b.t.Helper()
	o = b.fillEntry("1")
	b.reportPosition("1")
	legs := b.placedWithin(time.Second)
	b.accept(legs[1])
	if isKnown {
		b.accept(legs[0])
	} else {
		b.answerPlace(legs[0], errTimeout)
	}
	return o, legs[0], b.moveStops(o, stopAt("59000"))[0], legs[1]
}

// reportRejected reports that the venue has rejected an order whose answer was lost.
func (b *fixture) reportRejected(o *order, reason string) {
	r := o.reportWith(venues.StatusRejected, "0")
	r.RejectReason = &venues.RejectReason{Code: venues.CodeOrderRejected, Message: "no", Reason: reason}
	b.report(r)
}

// The stop at the old price is not what the client requested. It stays until its
// successor is live.
func TestRejectedMoveOverARestart(t *testing.T) {
	begin := func(t *testing.T) (next *fixture, o, before, again *order) {
		b := newFixture(t, venues.Capabilities{})
		o, before, moved, profit := b.movedEntry(false)
		b.rejectPlace(moved, "")
		next = b.restartWith("1", before.reportWith(venues.StatusUntriggered, "0"), profit.reportWith(venues.StatusUntriggered, "0"))
		o, before = next.state.orders[o.OrderID], next.state.orders[before.OrderID]
		legs := next.placedWithin(2 * protection.RetryDelay)
		wantPlaced(t, legs, "1")
		if got := legs[0].TriggerPrice.Decimal; !got.Equal(venues.MustDecimal("59000")) {
			t.Fatalf("leg at %s, want 59000", got)
		}
		if before.PendingAction != venues.PendingNone || o.Protection.StopLoss.Status != venues.ProtectionPending {
			t.Fatalf("old stop pending %q, stop loss %s, want none, %s", before.PendingAction, o.Protection.StopLoss.Status, venues.ProtectionPending)
		}
		return next, o, before, legs[0]
	}
	t.Run("accepted", func(t *testing.T) {
		next, o, before, again := begin(t)
		next.accept(again)
		wantWithdrawn(t, before)
		next.confirmCancels(before)
		next.wantStopLoss(o, "59000")
		next.wantDone()
	})
	t.Run("rejected again", func(t *testing.T) {
		next, o, before, again := begin(t)
		next.rejectPlace(again, venues.ReasonWouldTrigger)
		next.wantStopLoss(o, "58000")
		next.wantDone()
		if o.Bracket.IsClosing() || before.PendingAction != venues.PendingNone {
			t.Fatalf("closing = %t, old stop pending %q, want false, none", o.Bracket.IsClosing(), before.PendingAction)
		}
	})
}

// The new stop has reached the venue, or is rejected and everything stays as it was.
func TestMoveUnderWayOverARestart(t *testing.T) {
	accept := func(b *fixture, moved *order) { b.accept(moved) }
	reject := func(b *fixture, moved *order) { b.reportRejected(moved, "") }
	wouldTrigger := func(b *fixture, moved *order) { b.reportRejected(moved, venues.ReasonWouldTrigger) }
	for name, c := range map[string]struct {
		isKnown bool
		then    func(b *fixture, moved *order)
		price   string
	}{
		"accepted":                        {true, accept, "59000"},
		"rejected":                        {true, reject, "58000"},
		"would trigger":                   {true, wouldTrigger, "58000"},
		"accepted, old stop unknown":      {false, accept, "59000"},
		"rejected, old stop unknown":      {false, reject, "58000"},
		"would trigger, old stop unknown": {false, wouldTrigger, "58000"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			o, before, moved, profit := b.movedEntry(c.isKnown)
			next := b.restartWith("1", before.reportWith(venues.StatusUntriggered, "0"), profit.reportWith(venues.StatusUntriggered, "0"))
			o = next.state.orders[o.OrderID]
			c.then(next, next.state.orders[moved.OrderID])
			next.wantStopLoss(o, c.price)
			if o.Bracket.IsClosing() {
				t.Fatal("the position is being closed, want it kept")
			}
		})
	}
}

// Somebody else has moved a stop, while the service runs or not.
func TestStopThatWasMovedElsewhere(t *testing.T) {
	for name, restarts := range map[string]bool{"reported": false, "found after a restart": true} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			o, legs := b.protectedEntry("1")
			moved := legs[0].reportWith(venues.StatusUntriggered, "0")
			moved.TriggerPrice = venues.Some(venues.MustDecimal("58500"))
			if restarts {
				b = b.restartWith("1", moved, legs[1].reportWith(venues.StatusUntriggered, "0"))
				o = b.state.orders[o.OrderID]
			} else {
				b.report(moved)
			}
			b.wantStopLoss(o, "58500")
			b.wantDone()
		})
	}
}

// The entry of a pending move fills while the service is down. The move is requested again for
// the leg that the venue has made meanwhile.
func TestMoveOfALegThatWasMadeDuringARestart(t *testing.T) {
	b := newFixture(t, attaching)
	in := protectedLimitOrder()
	in.cmd.TakeProfit = venues.Optional{}
	o := b.open(in, venues.StatusOpen)
	move := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(),
		mark: venues.Some(venues.MustDecimal("60000")), cmd: venues.AmendOrder{OrderID: o.OrderID},
	}
	stopAt("59000")(&move.cmd)
	b.step(func(step stepContext) { b.state.amend(step, move) })
	filled := o.reportWith(venues.StatusFilled, "1")
	filled.Fill = o.fill("t1", "1", "60000")
	leg := attachedLeg("s", o, stopLeg(o), venues.StatusUntriggered, "0")
	next := b.reload()
	next.state.ready = false
	if read := next.pass(0)[0].(callReconcile); read.kind != reconcileStart || !read.readsList {
		t.Fatalf("first reading = %+v, want one of the list of open orders", read)
	}
	next.reconciled(reconcileDone{
		kind: reconcileStart, answers: []queryDone{{orderID: o.OrderID, report: filled}},
		open: []venues.ExecutionReport{leg}, notInMemory: []lookedUp{{report: leg}},
		funds: Funds{Positions: longPosition("1")},
	})
	for _, e := range next.effects {
		if again, is := e.(callProtect); is && again.request.Leg.VenueOrderID == "s" && again.request.StopLoss.Decimal.Equal(venues.MustDecimal("59000")) {
			return
		}
	}
	t.Fatalf("effects = %+v, want the move of the leg requested", next.effects)
}
