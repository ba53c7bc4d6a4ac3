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

func bounded(requestID string, side venues.Side, qty, most string) placeOrder {
	in := limitOrder(requestID)
	in.cmd.Side, in.cmd.Qty, in.cmd.MaxPosition = side, venues.MustDecimal(qty), venues.Some(venues.MustDecimal(most))
	return in
}

// rejectedBy places an order and returns it, or the rule that has rejected it.
func (b *bench) rejectedBy(in placeOrder) (*order, any) {
	b.t.Helper()
	before := len(b.replies)
	for _, e := range b.step(func(step stepContext) { b.state.place(step, in) }) {
		if c, is := e.(callPlace); is {
			return b.state.orders[c.orderID], nil
		}
	}
	if len(b.replies) == before {
		b.t.Fatal("neither placed nor rejected")
	}
	rejection, is := errors.AsType[*venues.Error](b.lastReply().err)
	if !is || rejection.Code != venues.CodeRiskRejected {
		b.t.Fatalf("rejected by %v", b.lastReply().err)
	}
	return nil, rejection.Details["rule"]
}

func TestBoundCountsWhatIsInFlight(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	first, rule := b.rejectedBy(bounded("r1", venues.Buy, "0.6", "1"))
	if rule != nil {
		t.Fatalf("the first is rejected by %v", rule)
	}
	if _, rule := b.rejectedBy(bounded("r2", venues.Buy, "0.5", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 of 1 in flight: rejected by %v", rule)
	}
	// The order is filled: what was in flight is now part of the position.
	r := first.reportWith(venues.StatusFilled, "0.6")
	r.Fill = first.fill("t1", "0.6", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	if _, rule := b.rejectedBy(bounded("r3", venues.Buy, "0.5", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 of 1 after the fill: rejected by %v", rule)
	}
	if _, rule := b.rejectedBy(bounded("r4", venues.Buy, "0.4", "1")); rule != nil {
		t.Errorf("1 of 1: rejected by %v", rule)
	}
}

// TestBoundCountsWhatIsFilledAndNotRecorded: the venue reports the end of an order before
// its last execution, which has opened a part of the position.
func TestBoundCountsWhatIsFilledAndNotRecorded(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	first, _ := b.rejectedBy(bounded("r1", venues.Buy, "0.6", "1"))
	r := first.reportWith(venues.StatusPartiallyFilled, "0.2")
	r.Fill = first.fill("t1", "0.2", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	b.step(func(step stepContext) { b.state.handleReport(step, first.reportWith(venues.StatusFilled, "0.6")) })
	b.pass(fillsHoldMax)
	if !first.Status.IsClosed() {
		t.Fatalf("the end is still held back: %s", first.Status)
	}
	if _, rule := b.rejectedBy(bounded("r2", venues.Buy, "0.5", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 of 1, 0.4 of it not recorded: rejected by %v", rule)
	}
	r = first.reportWith(venues.StatusFilled, "0.6")
	r.Fill = first.fill("t2", "0.4", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	if _, rule := b.rejectedBy(bounded("r3", venues.Buy, "0.4", "1")); rule != nil {
		t.Errorf("1 of 1, all of it recorded: rejected by %v", rule)
	}
}

// A position on the other side does not allow a larger order: a stop may close that
// position before the order is executed.
func TestBoundDoesNotNet(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	long, _ := b.rejectedBy(bounded("r1", venues.Buy, "0.6", "1"))
	r := long.reportWith(venues.StatusFilled, "0.6")
	r.Fill = long.fill("t1", "0.6", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	if _, rule := b.rejectedBy(bounded("r2", venues.Sell, "1.1", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 short of 1, if the position is closed first: rejected by %v", rule)
	}
	if _, rule := b.rejectedBy(bounded("r3", venues.Sell, "1", "1")); rule != nil {
		t.Errorf("1 short of 1: rejected by %v", rule)
	}
}

// TestBoundCountsWhatTheVenueListsAsOpen: the executions that closed the long position were
// never reported, so that those which opened the short one seem to have closed it. A list
// from before the newest execution does not count.
func TestBoundCountsWhatTheVenueListsAsOpen(t *testing.T) {
	for listed, want := range map[string]any{"0": nil, "0.2": nil, "0.6": venues.RuleMaxPosition} {
		b := newBench(t, venues.Capabilities{})
		b.openLong(1, "0.4")
		b.streamPosition(venues.Long, "0")
		b.adoptForeign(2, venues.Sell, "0.6", "100", nil)
		b.now = b.now.Add(time.Nanosecond)
		b.streamPosition(venues.Short, listed)
		if _, rule := b.rejectedBy(bounded("r1", venues.Sell, "0.5", "1")); rule != want {
			t.Errorf("listed %s: rejected by %v, want %v", listed, rule, want)
		}
	}
	b := newBench(t, venues.Capabilities{})
	b.openLong(1, "0.9")
	b.adoptForeign(2, venues.Sell, "0.5", "100", nil)
	if _, rule := b.rejectedBy(bounded("r1", venues.Buy, "0.6", "1")); rule != nil {
		t.Errorf("0.4 are open, 0.6 more are rejected by %v", rule)
	}
}

// TestBoundCountsWhatAReducingOrderLetsOpen: it may have closed the long position
// already, so that what was sold after it has opened a short one.
func TestBoundCountsWhatAReducingOrderLetsOpen(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.openLong(1, "0.6")
	closing := limitOrder("r1")
	closing.cmd.Side, closing.cmd.Qty, closing.cmd.ReduceOnly = venues.Sell, venues.MustDecimal("0.6"), true
	reducing := b.place(closing)
	b.step(func(step stepContext) { b.state.handleReport(step, reducing.reportWith(venues.StatusOpen, "0")) })
	b.adoptForeign(2, venues.Sell, "0.2", "100", nil)
	if _, rule := b.rejectedBy(bounded("r2", venues.Sell, "0.9", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 short with a bound of 1, if the position is closed already: rejected by %v", rule)
	}
	b.now = b.now.Add(time.Nanosecond)
	b.streamPosition(venues.Long, "0")
	if _, rule := b.rejectedBy(bounded("r3", venues.Sell, "0.9", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 short with a bound of 1, and the venue lists no long position: rejected by %v", rule)
	}
	b.streamPosition(venues.Long, "0.4")
	if _, rule := b.rejectedBy(bounded("r4", venues.Sell, "0.9", "1")); rule != nil {
		t.Errorf("the venue lists 0.4 long, and the order is of 0.9 with a bound of 1: rejected by %v", rule)
	}
}

// A pending amend may be in force already.
func TestBoundCountsAmends(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	first, _ := b.rejectedBy(bounded("r1", venues.Buy, "0.2", "1"))
	b.step(func(step stepContext) { b.state.handleReport(step, first.reportWith(venues.StatusOpen, "0")) })
	b.step(func(step stepContext) {
		b.state.amend(step, amendOrder{
			cmd:        venues.AmendOrder{OrderID: first.OrderID, Qty: venues.Some(venues.MustDecimal("0.8"))},
			instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
		})
	})
	if first.PendingAction != venues.PendingAmend {
		t.Fatalf("pending %q", first.PendingAction)
	}
	if _, rule := b.rejectedBy(bounded("r2", venues.Buy, "0.3", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 of 1 with the amend: rejected by %v", rule)
	}
}

// After the deadline of a command, when its caller has given up, no order is placed for
// it: the command is rejected, and an order that was admitted before is not sent.
func TestAnOrderIsNotSentAfterItsDeadline(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	late := limitOrder("r1")
	late.cmd.Deadline = b.now
	b.step(func(step stepContext) { b.state.place(step, late) })
	if venues.CodeOf(b.lastReply().err) != venues.CodeMaintenance {
		t.Errorf("taken at its deadline: %+v", b.lastReply())
	}
	slow := limitOrder("r2")
	slow.cmd.Deadline = b.now.Add(time.Second)
	o := b.place(slow)
	if rejection := b.state.admitSend(o.OrderID, b.now); rejection != nil {
		t.Errorf("in time: %v", rejection)
	}
	rejection := b.state.admitSend(o.OrderID, b.now.Add(time.Second)) // the store was slow
	if code(rejection) != venues.CodeExchangeUnavailable {
		t.Fatalf("sent at its deadline: %v", rejection)
	}
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: rejection}) })
	claim := b.puts[persistence.IdempotencyRecord{Customer: "c1", Scope: persistence.ScopeREST, RequestID: "r2", Attempt: 1}.Key().String()]
	if freed := claim.(persistence.IdempotencyRecord); o.Status != venues.StatusRejected || freed.FreedAt.IsZero() {
		t.Errorf("%s, claim %+v", o.Status, freed)
	}
}

// The time for which a request id is claimed begins when the signal was received, not
// when its order is made.
func TestClaimWindowBeginsAtTheReceipt(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	in := limitOrder("r1")
	in.cmd.ReceivedAt = venues.At(b.now.Add(-5 * time.Minute))
	b.place(in)
	claim := b.puts[persistence.IdempotencyRecord{Customer: "c1", Scope: persistence.ScopeREST, RequestID: "r1", Attempt: 1}.Key().String()]
	if got := claim.(persistence.IdempotencyRecord).FirstReceived; !got.Equal(in.cmd.ReceivedAt.Time) {
		t.Errorf("held from %s, want %s", got, in.cmd.ReceivedAt)
	}
}

func TestOrdersAgainstAPositionAreRejectedIfRequested(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	long := b.place(limitOrder("r1"))
	against := limitOrder("r2")
	against.cmd.Side, against.cmd.RejectOpposite = venues.Sell, true
	resting, rule := b.rejectedBy(against)
	if rule != nil {
		t.Fatalf("before there is a position: rejected by %v", rule)
	}
	b.step(func(step stepContext) { b.state.handleReport(step, resting.reportWith(venues.StatusCancelled, "0")) })
	r := long.reportWith(venues.StatusPartiallyFilled, "0.2")
	r.Fill = long.fill("t1", "0.2", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	against.cmd.RequestID = "r3"
	if _, rule := b.rejectedBy(against); rule != venues.RuleOpposite {
		t.Errorf("against a position: rejected by %v", rule)
	}
	against.cmd.RequestID, against.cmd.ReduceOnly = "r4", true
	if _, rule := b.rejectedBy(against); rule != nil {
		t.Errorf("a reducing order: rejected by %v", rule)
	}
	with := limitOrder("r5")
	with.cmd.RejectOpposite = true
	if _, rule := b.rejectedBy(with); rule != nil {
		t.Errorf("with the position: rejected by %v", rule)
	}
}

// Orders are placed, filled, lost and ended at random. The position and all quantities
// that may still be filled never exceed the bound.
func TestBoundHoldsInEveryOrderOfEvents(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, venues.Capabilities{})
		most := venues.MustDecimal("3")
		var live []*order
		for n := range rapid.IntRange(1, 25).Draw(rt, "events") {
			if len(live) == 0 || rapid.IntRange(0, 2).Draw(rt, "event") == 0 {
				qty := decimal.New(int64(rapid.IntRange(1, 20).Draw(rt, "tenths")), -1)
				if o, _ := b.rejectedBy(bounded(fmt.Sprint("r", n), venues.Buy, qty.String(), most.String())); o != nil {
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
			if exposure.GreaterThan(most) {
				rt.Fatalf("%s may be open, %s are allowed", exposure, most)
			}
		}
	})
}

// change fills an order partially, makes its outcome unknown, or ends it.
func (b *bench) change(rt *rapid.T, o *order, n int) {
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
