package account

import (
	"errors"
	"testing"
	"time"

	"venuegate/venues"
)

func targetAt(price string) func(*venues.AmendOrder) {
	return func(a *venues.AmendOrder) { a.TakeProfit = venues.Some(venues.MustDecimal(price)) }
}

// changes demands that a change of protection is carried out without the venue, which
// has nothing to change.
func (b *bench) changes(o *order, change func(*venues.AmendOrder)) {
	b.t.Helper()
	b.moves(o, change)
	if r := b.lastReply(); r.err != nil {
		b.t.Fatalf("refused: %v", r.err)
	}
	for _, e := range b.asked {
		if _, asks := e.(callProtect); asks {
			b.t.Fatal("the venue was asked")
		}
	}
}

func wantFault(t *testing.T, err error, field, rule string) {
	t.Helper()
	e, _ := errors.AsType[*venues.Error](err)
	if e == nil || e.Code != venues.CodeInvalidRequest {
		t.Fatalf("answer %v", err)
	}
	if faults := e.Details["fields"].([]venues.FieldFault); faults[0].Field != field || faults[0].Rule != rule {
		t.Fatalf("%+v", faults)
	}
}

// bareEntry is an order that rests at a venue which attaches protection, and has none.
func (b *bench) bareEntry() *order {
	return b.open(limitOrder(""), venues.StatusOpen)
}

// TestProtectionOfABareOrderIsChanged as often as one likes: nothing of it is at the
// venue until the order fills.
func TestProtectionOfABareOrderIsChanged(t *testing.T) {
	b := newBench(t, attaches)
	o := b.bareEntry()
	b.changes(o, stopAt("57000"))
	b.changes(o, targetAt("66000"))
	b.changes(o, func(a *venues.AmendOrder) { a.DropStopLoss = true })
	b.changes(o, stopAt("58000"))
	b.changes(o, targetAt("65000"))
	b.fillMore(o, "t1", "0.4")
	legs := b.legs(time.Second)
	if len(legs) != 2 || !legs[0].TriggerPrice.Decimal.Equal(venues.MustDecimal("58000")) || !legs[1].TriggerPrice.Decimal.Equal(venues.MustDecimal("65000")) {
		t.Fatalf("%d legs", len(legs))
	}
	b.live(legs...)
	b.holds("0.4")
	b.live(b.moves(o, stopAt("59000"))...)
	if r := b.lastReply(); r.err != nil || o.Protection.StopLoss.Status != venues.ProtectionLive {
		t.Fatalf("moved while it fills: %v, %+v", r.err, o.Protection.StopLoss)
	}
}

// TestProtectionOfABareOrderOutlivesARestart: the venue's own legs are not waited for.
func TestProtectionOfABareOrderOutlivesARestart(t *testing.T) {
	b := newBench(t, attaches)
	o := b.bareEntry()
	b.changes(o, stopAt("58000"))
	next := b.dies("0", o.says(venues.StatusOpen, "0"))
	o = next.state.orders[o.OrderID]
	next.changes(o, targetAt("65000"))
	next.fillMore(o, "t1", "1")
	if legs := next.legs(time.Second); len(legs) != 2 {
		t.Fatalf("%d legs", len(legs))
	}
}

// TestProtectionThatWasTakenAwayIsAddedAnew: the venue attaches nothing to an order
// that has lost all it had.
func TestProtectionThatWasTakenAwayIsAddedAnew(t *testing.T) {
	b := newBench(t, attaches)
	o := b.open(protectedOrder(), venues.StatusOpen)
	b.moves(o, func(a *venues.AmendOrder) { a.DropStopLoss, a.DropTakeProfit = true, true })
	b.step(func(m moment) { b.state.protected(m, protectDone{orderID: o.OrderID}) })
	if r := b.lastReply(); r.err != nil {
		t.Fatal(r.err)
	}
	b.changes(o, stopAt("58000"))
	b.fillMore(o, "t1", "1")
	if legs := b.legs(time.Second); len(legs) != 1 {
		t.Fatalf("%d legs", len(legs))
	}
}

// TestProtectionOfTooMuchIsRefused: legs that are placed from here are market orders,
// and of those the instrument takes less. Such an order would be naked for ever.
func TestProtectionOfTooMuchIsRefused(t *testing.T) {
	small := instrument()
	small.MaxMarketQty = venues.Some(venues.MustDecimal("0.5"))
	b := newBench(t, attaches)
	o := b.bareEntry()
	b.movesOf(o, small, stopAt("58000"))
	wantFault(t, b.lastReply().err, "qty", "above_maximum")
	if o.Protection != nil || o.Unattached {
		t.Fatalf("changed all the same: %+v", o.Protection)
	}
	lower := func(qty string) func(*venues.AmendOrder) {
		return func(a *venues.AmendOrder) { a.Qty = venues.Some(venues.MustDecimal(qty)) }
	}
	b.movesOf(o, small, lower("0.5"))
	b.step(func(m moment) {
		r := o.says(venues.StatusOpen, "0")
		r.Qty = venues.MustDecimal("0.5")
		b.state.amended(m, amendDone{orderID: o.OrderID, report: r})
	})
	b.movesOf(o, small, stopAt("58000"))
	if r := b.lastReply(); r.err != nil {
		t.Fatal(r.err)
	}
	b.movesOf(o, small, lower("0.6"))
	wantFault(t, b.lastReply().err, "qty", "above_maximum")
}
