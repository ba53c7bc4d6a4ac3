package account

import (
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// amends asks for another quantity and gives what is to be sent.
func (b *bench) amends(o *order, qty string) callAmend {
	b.t.Helper()
	in := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
		cmd: venues.AmendOrder{OrderID: o.OrderID, Qty: venues.Some(venues.MustDecimal(qty))},
	}
	for _, e := range b.step(func(m moment) { b.state.amend(m, in) }) {
		if c, ok := e.(callAmend); ok {
			return c
		}
	}
	b.t.Fatalf("nothing is sent: %+v", b.replies)
	return callAmend{}
}

// TestAmendDoesNotPassALock that was decided after it was admitted.
func TestAmendDoesNotPassALock(t *testing.T) {
	b := limited(t)
	grows, shrinks := b.open(limitOrder("1"), venues.StatusOpen), b.open(limitOrder("2"), venues.StatusOpen)
	more, less := b.amends(grows, "2"), b.amends(shrinks, "0.5")
	b.loses(2, "1", "-200")
	if countEvents(b, persistence.EventRiskLimitReached) != 1 {
		t.Fatal("not locked")
	}
	_, refusal := b.state.departAmend(more)
	if code(refusal) != venues.CodeTradingLocked {
		t.Fatalf("a larger order: %v", refusal)
	}
	b.step(func(m moment) { b.state.amended(m, amendDone{orderID: grows.OrderID, err: refusal}) })
	if got := venues.CodeOf(b.lastReply().err); got != venues.CodeTradingLocked || grows.PendingAction != venues.PendingNone {
		t.Errorf("answered %v", b.lastReply().err)
	}
	if passes, refusal := b.state.departAmend(less); refusal != nil || !passes {
		t.Errorf("a smaller order: %v", refusal)
	}
}

// TestLockWaitsForAmends as it does for orders.
func TestLockWaitsForAmends(t *testing.T) {
	b := limited(t)
	o := b.open(limitOrder("1"), venues.StatusOpen)
	more := b.amends(o, "2")
	if passes, refusal := b.state.departAmend(more); refusal != nil || passes {
		t.Fatalf("passes %v: %v", passes, refusal)
	}
	b.loses(2, "1", "-200")
	if !b.state.isClosed() || countEvents(b, persistence.EventRiskLimitReached) != 0 {
		t.Fatal("the lock is durable while an amend is being sent")
	}
	b.step(func(m moment) { b.state.amended(m, amendDone{orderID: o.OrderID, err: errGateClosed}) })
	if got := venues.CodeOf(b.lastReply().err); got != venues.CodeTradingLocked {
		t.Errorf("answered %v", b.lastReply().err)
	}
	if countEvents(b, persistence.EventRiskLimitReached) != 1 {
		t.Fatal("not locked")
	}
	b.pass(time.Second)
}
