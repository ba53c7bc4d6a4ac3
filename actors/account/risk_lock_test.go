package account

import (
	"testing"

	"venuegate/actors"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// TestLockWaitsForAnAmendThatIsBeingSent: the amend may make a position larger.
func TestLockWaitsForAnAmendThatIsBeingSent(t *testing.T) {
	b := limited(t)
	o := b.open(limitOrder(""), venues.StatusOpen)
	in := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
		cmd: venues.AmendOrder{OrderID: o.OrderID, Qty: venues.Some(venues.MustDecimal("2"))},
	}
	b.step(func(step stepContext) { b.state.amend(step, in) })
	if rejection := b.state.beginSendAmend(o.OrderID); rejection != nil {
		t.Fatalf("rejection = %v, want none", rejection)
	}
	b.realizeLoss(2, "1", "-200")
	if n := countEvents(b, persistence.EventRiskLimitReached); n != 0 {
		t.Fatalf("%d locks while an amend is being sent, want 0", n)
	}
	b.step(func(step stepContext) {
		b.state.amended(step, amendDone{orderID: o.OrderID, err: risk.ErrGateClosed})
	})
	if countEvents(b, persistence.EventRiskLimitReached) != 1 || venues.CodeOf(b.lastReply().err) != venues.CodeTradingLocked {
		t.Fatalf("%d locks, reply = %v, want 1 and %s", countEvents(b, persistence.EventRiskLimitReached), b.lastReply().err, venues.CodeTradingLocked)
	}
}
