package account

import (
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// amend requests another price.
func (b *fixture) amend(o *order, price string) {
	in := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
		cmd: venues.AmendOrder{OrderID: o.OrderID, Price: venues.Some(venues.MustDecimal(price))},
	}
	b.step(func(step stepContext) { b.state.amend(step, in) })
}

func TestRejectedAmendDoesNotEndTheCancelAfterIt(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.amend(o, "59000")
	b.cancel(o)
	b.replies = nil
	b.step(func(step stepContext) {
		b.state.amended(step, amendDone{orderID: o.OrderID, err: venues.Errorf(venues.CodeOrderRejected, "too late")})
	})
	if len(b.replies) != 0 || o.PendingAction != venues.PendingCancel {
		t.Fatalf("replies = %+v with %q pending, want none with %q", b.replies, o.PendingAction, venues.PendingCancel)
	}
	b.confirmCancels(o)
	if r := b.lastReply(); r.err != nil || r.order.Status != venues.StatusCancelled {
		t.Fatalf("reply = %+v, want status %s", r, venues.StatusCancelled)
	}
}

func TestAcceptedAmendThatIsNotVisibleIsQueried(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.amend(o, "59000")
	b.step(func(step stepContext) {
		b.state.amended(step, amendDone{orderID: o.OrderID, report: o.reportWith(venues.StatusPending, "0")})
	})
	for range 40 {
		if count(b.pass(time.Second), isQuery) > 0 {
			b.step(func(step stepContext) {
				b.state.queryAnswered(step, queryDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
			})
		}
	}
	if o.PendingAction != venues.PendingNone || o.change.kind != venues.PendingNone {
		t.Fatalf("pending action = %q, change = %q, want none", o.PendingAction, o.change.kind)
	}
}

// TestLostAmendIsQueriedAfterAFill: the status of the order changes while the outcome of
// its amend is unknown.
func TestLostAmendIsQueriedAfterAFill(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.amend(o, "59000")
	b.step(func(step stepContext) { b.state.amended(step, amendDone{orderID: o.OrderID, err: errTimeout}) })
	r := o.reportWith(venues.StatusPartiallyFilled, "0.4")
	r.Fill = o.fill("t1", "0.4", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	for range 40 {
		if count(b.pass(time.Second), isQuery) > 0 {
			b.step(func(step stepContext) { b.state.queryAnswered(step, queryDone{orderID: o.OrderID, report: r}) })
		}
	}
	if o.PendingAction != venues.PendingNone {
		t.Fatalf("pending action = %q, want %q", o.PendingAction, venues.PendingNone)
	}
}

func TestAmendBeyondTheStopLossIsRejected(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(protectedLimitOrder(), venues.StatusOpen)
	b.amend(o, "57000")
	if venues.CodeOf(b.lastReply().err) != venues.CodeInvalidRequest {
		t.Fatalf("reply = %+v, want error %s", b.lastReply(), venues.CodeInvalidRequest)
	}
}

func TestListReadBeforeAnAmendDoesNotUndoIt(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	newer, older := o.reportWith(venues.StatusOpen, "0"), o.reportWith(venues.StatusOpen, "0")
	newer.Price, newer.VenueTime = venues.Some(venues.MustDecimal("59000")), b.now
	older.VenueTime = b.now.Add(-time.Second)
	b.step(func(step stepContext) { b.state.handleReport(step, newer) })
	b.step(func(step stepContext) { b.state.reconciled(step, reconcileDone{open: []venues.ExecutionReport{older}}) })
	if !o.Price.Decimal.Equal(venues.MustDecimal("59000")) {
		t.Fatalf("price = %s, want 59000", o.Price.Decimal)
	}
}
