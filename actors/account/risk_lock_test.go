package account

import (
	"testing"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// TestLockWaitsForAnAmendThatIsBeingSent: it may make a position larger.
func TestLockWaitsForAnAmendThatIsBeingSent(t *testing.T) {
	b := limited(t)
	o := b.open(limitOrder(""), venues.StatusOpen)
	in := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
		cmd: venues.AmendOrder{OrderID: o.OrderID, Qty: venues.Some(venues.MustDecimal("2"))},
	}
	b.step(func(m moment) { b.state.amend(m, in) })
	if refusal := b.state.departAmend(o.OrderID); refusal != nil {
		t.Fatal(refusal)
	}
	b.loses(2, "1", "-200")
	if countEvents(b, persistence.EventRiskLimitReached) != 0 {
		t.Fatal("the lock is durable while an amend is being sent")
	}
	b.step(func(m moment) {
		b.state.amended(m, amendDone{orderID: o.OrderID, err: errGateClosed})
	})
	if countEvents(b, persistence.EventRiskLimitReached) != 1 || venues.CodeOf(b.lastReply().err) != venues.CodeTradingLocked {
		t.Fatalf("%v", b.lastReply().err)
	}
}
