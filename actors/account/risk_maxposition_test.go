package account

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/persistence"
	"venuegate/venues"
)

// bounded returns an order of a channel that limits the position to maxPosition.
func bounded(requestID string, side venues.Side, qty, maxPosition string) placeOrder {
	in := limitOrder(requestID)
	in.cmd.Side, in.cmd.Qty, in.cmd.MaxPosition = side, venues.MustDecimal(qty), venues.Some(venues.MustDecimal(maxPosition))
	return in
}

// rejectedBy places an order and returns it, or the rule that has rejected it.
func (b *fixture) rejectedBy(in placeOrder) (*order, any) {
	b.t.Helper()
	before := len(b.replies)
	for _, e := range b.step(func(step stepContext) { b.state.place(step, in) }) {
		if c, is := e.(callPlace); is {
			return b.state.orders[c.orderID], nil
		}
	}
	if len(b.replies) == before {
		b.t.Fatal("neither a request nor a reply, want one")
	}
	rejection, is := errors.AsType[*venues.Error](b.lastReply().err)
	if !is || rejection.Code != venues.CodeRiskRejected {
		b.t.Fatalf("reply = %v, want %s", b.lastReply().err, venues.CodeRiskRejected)
	}
	return nil, rejection.Details["rule"]
}

func TestMaxPositionCountsWhatIsInFlight(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	first, rule := b.rejectedBy(bounded("r1", venues.Buy, "0.6", "1"))
	if rule != nil {
		t.Fatalf("first order: rule = %v, want none", rule)
	}
	if _, rule := b.rejectedBy(bounded("r2", venues.Buy, "0.5", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 of 1 in flight: rule = %v, want %s", rule, venues.RuleMaxPosition)
	}
	// The order is filled: what was in flight is now part of the position.
	r := first.reportWith(venues.StatusFilled, "0.6")
	r.Fill = first.fill("t1", "0.6", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	if _, rule := b.rejectedBy(bounded("r3", venues.Buy, "0.5", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 of 1 after the fill: rule = %v, want %s", rule, venues.RuleMaxPosition)
	}
	if _, rule := b.rejectedBy(bounded("r4", venues.Buy, "0.4", "1")); rule != nil {
		t.Errorf("1 of 1: rule = %v, want none", rule)
	}
}

// TestMaxPositionCountsWhatIsFilledAndNotRecorded: the venue reports the end of an order before
// its last execution, which has opened a part of the position.
func TestMaxPositionCountsWhatIsFilledAndNotRecorded(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	first, _ := b.rejectedBy(bounded("r1", venues.Buy, "0.6", "1"))
	r := first.reportWith(venues.StatusPartiallyFilled, "0.2")
	r.Fill = first.fill("t1", "0.2", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	b.step(func(step stepContext) { b.state.handleReport(step, first.reportWith(venues.StatusFilled, "0.6")) })
	b.pass(fillsHoldMax)
	if !first.Status.IsClosed() {
		t.Fatalf("status = %s, want a closed one", first.Status)
	}
	if _, rule := b.rejectedBy(bounded("r2", venues.Buy, "0.5", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 of 1, 0.4 of it not recorded: rule = %v, want %s", rule, venues.RuleMaxPosition)
	}
	r = first.reportWith(venues.StatusFilled, "0.6")
	r.Fill = first.fill("t2", "0.4", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	if _, rule := b.rejectedBy(bounded("r3", venues.Buy, "0.4", "1")); rule != nil {
		t.Errorf("1 of 1, all of it recorded: rule = %v, want none", rule)
	}
}

// A position on the other side does not allow a larger order: a stop may close that
// position before the order is executed.
func TestMaxPositionDoesNotNet(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	long, _ := b.rejectedBy(bounded("r1", venues.Buy, "0.6", "1"))
	r := long.reportWith(venues.StatusFilled, "0.6")
	r.Fill = long.fill("t1", "0.6", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	if _, rule := b.rejectedBy(bounded("r2", venues.Sell, "1.1", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 short of 1, if the position is closed first: rule = %v, want %s", rule, venues.RuleMaxPosition)
	}
	if _, rule := b.rejectedBy(bounded("r3", venues.Sell, "1", "1")); rule != nil {
		t.Errorf("1 short of 1: rule = %v, want none", rule)
	}
}

// TestMaxPositionCountsWhatTheVenueListsAsOpen: the executions that closed the long position were
// never reported, so that those which opened the short one seem to have closed it. A list
// from before the newest execution does not count.
func TestMaxPositionCountsWhatTheVenueListsAsOpen(t *testing.T) {
	for listed, want := range map[string]any{"0": nil, "0.2": nil, "0.6": venues.RuleMaxPosition} {
		b := newFixture(t, venues.Capabilities{})
		b.openLong(1, "0.4")
		b.streamPosition(venues.Long, "0")
		b.adoptForeign(2, venues.Sell, "0.6", "100", nil)
		b.now = b.now.Add(time.Nanosecond)
		b.streamPosition(venues.Short, listed)
		if _, rule := b.rejectedBy(bounded("r1", venues.Sell, "0.5", "1")); rule != want {
			t.Errorf("listed %s: rejected by %v, want %v", listed, rule, want)
		}
	}
	b := newFixture(t, venues.Capabilities{})
	b.openLong(1, "0.9")
	b.adoptForeign(2, venues.Sell, "0.5", "100", nil)
	if _, rule := b.rejectedBy(bounded("r1", venues.Buy, "0.6", "1")); rule != nil {
		t.Errorf("0.6 more with 0.4 of 1 open: rule = %v, want none", rule)
	}
}

// TestMaxPositionCountsPossibleExposure: it may have closed the long position
// already, so that what was sold after it has opened a short one.
func TestMaxPositionCountsPossibleExposure(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.openLong(1, "0.6")
	closing := limitOrder("r1")
	closing.cmd.Side, closing.cmd.Qty, closing.cmd.ReduceOnly = venues.Sell, venues.MustDecimal("0.6"), true
	reducing := b.place(closing)
	b.step(func(step stepContext) { b.state.handleReport(step, reducing.reportWith(venues.StatusOpen, "0")) })
	b.adoptForeign(2, venues.Sell, "0.2", "100", nil)
	if _, rule := b.rejectedBy(bounded("r2", venues.Sell, "0.9", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 short of 1, if the position is closed already: rule = %v, want %s", rule, venues.RuleMaxPosition)
	}
	b.now = b.now.Add(time.Nanosecond)
	b.streamPosition(venues.Long, "0")
	if _, rule := b.rejectedBy(bounded("r3", venues.Sell, "0.9", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 short of 1, and no long position on the venue's list: rule = %v, want %s", rule, venues.RuleMaxPosition)
	}
	b.streamPosition(venues.Long, "0.4")
	if _, rule := b.rejectedBy(bounded("r4", venues.Sell, "0.9", "1")); rule != nil {
		t.Errorf("0.9 short of 1, and 0.4 long on the venue's list: rule = %v, want none", rule)
	}
}

// A pending amend may be in force already.
func TestMaxPositionCountsAmends(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	first, _ := b.rejectedBy(bounded("r1", venues.Buy, "0.2", "1"))
	b.step(func(step stepContext) { b.state.handleReport(step, first.reportWith(venues.StatusOpen, "0")) })
	b.step(func(step stepContext) {
		b.state.amend(step, amendOrder{
			cmd:        venues.AmendOrder{OrderID: first.OrderID, Qty: venues.Some(venues.MustDecimal("0.8"))},
			instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
		})
	})
	if first.PendingAction != venues.PendingAmend {
		t.Fatalf("pending action = %q, want %q", first.PendingAction, venues.PendingAmend)
	}
	if _, rule := b.rejectedBy(bounded("r2", venues.Buy, "0.3", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 of 1 with the amend: rule = %v, want %s", rule, venues.RuleMaxPosition)
	}
}

// After the deadline of a command, when its caller has given up, no order is placed for
// it: the command is rejected, and an order that was admitted before is not sent.
func TestAnOrderIsNotSentAfterItsDeadline(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	late := limitOrder("r1")
	late.cmd.Deadline = b.now
	b.step(func(step stepContext) { b.state.place(step, late) })
	if venues.CodeOf(b.lastReply().err) != venues.CodeMaintenance {
		t.Errorf("reply at the deadline = %+v, want %s", b.lastReply(), venues.CodeMaintenance)
	}
	slow := limitOrder("r2")
	slow.cmd.Deadline = b.now.Add(time.Second)
	o := b.place(slow)
	if rejection := b.state.beginSend(o.OrderID, b.now); rejection != nil {
		t.Errorf("rejection before the deadline = %v, want none", rejection)
	}
	rejection := b.state.beginSend(o.OrderID, b.now.Add(time.Second)) // the store was slow
	if code(rejection) != venues.CodeExchangeUnavailable {
		t.Fatalf("rejection at the deadline = %v, want %s", rejection, venues.CodeExchangeUnavailable)
	}
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: rejection}) })
	claim := b.puts[persistence.IdempotencyRecord{Customer: "c1", Scope: persistence.ScopeREST, RequestID: "r2", Attempt: 1}.Key().String()]
	if freed := claim.(persistence.IdempotencyRecord); o.Status != venues.StatusRejected || freed.FreedAt.IsZero() {
		t.Errorf("status = %s, claim = %+v, want %s and a freed claim", o.Status, freed, venues.StatusRejected)
	}
}

// The time for which a request id is claimed begins when the signal was received, not
// when its order is made.
func TestClaimWindowBeginsAtTheReceipt(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	in := limitOrder("r1")
	in.cmd.ReceivedAt = venues.At(b.now.Add(-5 * time.Minute))
	b.place(in)
	claim := b.puts[persistence.IdempotencyRecord{Customer: "c1", Scope: persistence.ScopeREST, RequestID: "r1", Attempt: 1}.Key().String()]
	if got := claim.(persistence.IdempotencyRecord).FirstReceived; !got.Equal(in.cmd.ReceivedAt.Time) {
		t.Errorf("held from %s, want %s", got, in.cmd.ReceivedAt)
	}
}

func TestOrdersAgainstAPositionAreRejectedIfRequested(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	long := b.place(limitOrder("r1"))
	against := limitOrder("r2")
	against.cmd.Side, against.cmd.RejectOpposite = venues.Sell, true
	resting, rule := b.rejectedBy(against)
	if rule != nil {
		t.Fatalf("order without a position: rule = %v, want none", rule)
	}
	b.step(func(step stepContext) { b.state.handleReport(step, resting.reportWith(venues.StatusCancelled, "0")) })
	r := long.reportWith(venues.StatusPartiallyFilled, "0.2")
	r.Fill = long.fill("t1", "0.2", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	against.cmd.RequestID = "r3"
	if _, rule := b.rejectedBy(against); rule != venues.RuleOpposite {
		t.Errorf("order against a position: rule = %v, want %s", rule, venues.RuleOpposite)
	}
	against.cmd.RequestID, against.cmd.ReduceOnly = "r4", true
	if _, rule := b.rejectedBy(against); rule != nil {
		t.Errorf("order that reduces: rule = %v, want none", rule)
	}
	with := limitOrder("r5")
	with.cmd.RejectOpposite = true
	if _, rule := b.rejectedBy(with); rule != nil {
		t.Errorf("order with the position: rule = %v, want none", rule)
	}
}

// Orders are placed, filled, lost and ended at random. The position and all quantities
// that may still be filled never exceed the bound.
func TestMaxPositionHoldsInEveryOrderOfEvents(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newFixture(t, venues.Capabilities{})
		limit := venues.MustDecimal("3")
		var live []*order
		for n := range rapid.IntRange(1, 25).Draw(rt, "events") {
			if len(live) == 0 || rapid.IntRange(0, 2).Draw(rt, "event") == 0 {
				qty := decimal.New(int64(rapid.IntRange(1, 20).Draw(rt, "tenths")), -1)
				if o, _ := b.rejectedBy(bounded(fmt.Sprint("r", n), venues.Buy, qty.String(), limit.String())); o != nil {
					live = append(live, o)
				}
			} else {
				b.change(rt, live[rapid.IntRange(0, len(live)-1).Draw(rt, "order")], n)
			}
			exposure := decimal.Zero
			for _, o := range live {
				exposure = exposure.Add(o.fillsQty)
				if !o.Status.IsClosed() {
					exposure = exposure.Add(o.Qty.Sub(o.fillsQty))
				}
			}
			if exposure.GreaterThan(limit) {
				rt.Fatalf("%s may be open, want at most %s", exposure, limit)
			}
		}
	})
}

// change fills an order partially, makes its outcome unknown, or ends it.
func (b *fixture) change(rt *rapid.T, o *order, n int) {
	if o.Status.IsClosed() {
		return
	}
	switch rapid.IntRange(0, 2).Draw(rt, "befalls") {
	case 0:
		part := o.Qty.Sub(o.fillsQty).Div(decimal.New(2, 0)).RoundUp(1)
		f := o.fill(fmt.Sprint("t", n), part.String(), "60000")
		status := venues.StatusPartiallyFilled
		if o.fillsQty.Add(part).Equal(o.Qty) {
			status = venues.StatusFilled
		}
		r := o.reportWith(status, o.fillsQty.Add(part).String())
		r.Fill = f
		b.step(func(step stepContext) { b.state.handleReport(step, r) })
	case 1:
		b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: errTimeout}) })
	default:
		b.step(func(step stepContext) {
			b.state.handleReport(step, o.reportWith(venues.StatusCancelled, o.fillsQty.String()))
		})
	}
}
