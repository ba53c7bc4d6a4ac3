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

// TestAmendThatReducesPassesALock: an order that is filled in part takes what is
// left of it, and one that is being made larger may be so already.
func TestAmendThatReducesPassesALock(t *testing.T) {
	b := limited(t)
	in := limitOrder("")
	in.cmd.Side, in.cmd.Qty = venues.Sell, venues.MustDecimal("2")
	o := b.open(in, venues.StatusOpen)
	r := o.says(venues.StatusPartiallyFilled, "1")
	r.Fill = o.fill("t1", "1", "60000")
	b.tells(r)
	b.lists(venues.Long, "1")
	b.step(func(m moment) {
		b.state.risk.record.Lock = &persistence.RiskLock{Limit: limitDailyLoss, At: venues.At(b.now), Until: venues.At(b.now.Add(time.Hour))}
	})
	price := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
		cmd: venues.AmendOrder{OrderID: o.OrderID, Price: venues.Some(venues.MustDecimal("60100"))},
	}
	if b.step(func(m moment) { b.state.amend(m, price) }); o.PendingAction != venues.PendingAmend {
		t.Fatalf("the price of what is left: %v", b.lastReply().err)
	}
}

func TestAmendOnItsWayCountsAsReducing(t *testing.T) {
	b := limited(t)
	in := limitOrder("")
	in.cmd.Side = venues.Sell
	o := b.open(in, venues.StatusOpen)
	b.amends(o, "2")
	b.step(func(m moment) {
		b.state.risk.record.Lock = &persistence.RiskLock{Limit: limitDailyLoss, At: venues.At(b.now), Until: venues.At(b.now.Add(time.Hour))}
	})
	if refusal := b.asks(sells("1", false)); code(refusal) != venues.CodeTradingLocked {
		t.Fatal("both together turn the position round")
	}
}
