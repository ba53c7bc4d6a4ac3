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

// refusedBy places an order and gives the rule that refuses it, or nothing.
func (b *bench) refusedBy(in placeOrder) (*order, any) {
	b.t.Helper()
	before := len(b.replies)
	for _, e := range b.step(func(m moment) { b.state.place(m, in) }) {
		if c, is := e.(callPlace); is {
			return b.state.orders[c.orderID], nil
		}
	}
	if len(b.replies) == before {
		b.t.Fatal("neither placed nor refused")
	}
	refusal, is := errors.AsType[*venues.Error](b.lastReply().err)
	if !is || refusal.Code != venues.CodeRiskRejected {
		b.t.Fatalf("refused by %v", b.lastReply().err)
	}
	return nil, refusal.Details["rule"]
}

func TestBoundCountsWhatIsInFlight(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	first, rule := b.refusedBy(bounded("r1", venues.Buy, "0.6", "1"))
	if rule != nil {
		t.Fatalf("the first is refused by %v", rule)
	}
	if _, rule := b.refusedBy(bounded("r2", venues.Buy, "0.5", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 of 1 in flight: refused by %v", rule)
	}
	// It is filled: the position holds what was in flight.
	r := first.says(venues.StatusFilled, "0.6")
	r.Fill = first.fill("t1", "0.6", "60000")
	b.step(func(m moment) { b.state.report(m, r) })
	if _, rule := b.refusedBy(bounded("r3", venues.Buy, "0.5", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 of 1 after the fill: refused by %v", rule)
	}
	if _, rule := b.refusedBy(bounded("r4", venues.Buy, "0.4", "1")); rule != nil {
		t.Errorf("1 of 1: refused by %v", rule)
	}
}

// TestBoundCountsWhatIsFilledAndNotRecorded: the venue tells the end of an order before
// its last execution, which opens a part of the position all the same.
func TestBoundCountsWhatIsFilledAndNotRecorded(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	first, _ := b.refusedBy(bounded("r1", venues.Buy, "0.6", "1"))
	r := first.says(venues.StatusPartiallyFilled, "0.2")
	r.Fill = first.fill("t1", "0.2", "60000")
	b.step(func(m moment) { b.state.report(m, r) })
	b.step(func(m moment) { b.state.report(m, first.says(venues.StatusFilled, "0.6")) })
	b.pass(fillsHoldMax)
	if !first.Status.IsClosed() {
		t.Fatalf("the end is still held back: %s", first.Status)
	}
	if _, rule := b.refusedBy(bounded("r2", venues.Buy, "0.5", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 of 1, 0.4 of it not recorded: refused by %v", rule)
	}
	r = first.says(venues.StatusFilled, "0.6")
	r.Fill = first.fill("t2", "0.4", "60000")
	b.step(func(m moment) { b.state.report(m, r) })
	if _, rule := b.refusedBy(bounded("r3", venues.Buy, "0.4", "1")); rule != nil {
		t.Errorf("1 of 1, all of it recorded: refused by %v", rule)
	}
}

// What is open on the other side makes no room: a stop may close it while the
// order is on its way.
func TestBoundDoesNotNet(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	long, _ := b.refusedBy(bounded("r1", venues.Buy, "0.6", "1"))
	r := long.says(venues.StatusFilled, "0.6")
	r.Fill = long.fill("t1", "0.6", "60000")
	b.step(func(m moment) { b.state.report(m, r) })
	if _, rule := b.refusedBy(bounded("r2", venues.Sell, "1.1", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 short of 1, if the position is closed first: refused by %v", rule)
	}
	if _, rule := b.refusedBy(bounded("r3", venues.Sell, "1", "1")); rule != nil {
		t.Errorf("1 short of 1: refused by %v", rule)
	}
}

// TestBoundBelievesTheVenueThatMoreIsOpen: the executions that closed the long position
// were never told, so that what opened the short one seems to have closed it. What the
// venue has told before the newest execution is void.
func TestBoundBelievesTheVenueThatMoreIsOpen(t *testing.T) {
	for listed, want := range map[string]any{"0": nil, "0.2": nil, "0.6": venues.RuleMaxPosition} {
		b := newBench(t, venues.Capabilities{})
		b.opensLong(1, "0.4")
		b.lists(venues.Long, "0")
		b.stranger(2, venues.Sell, "0.6", "100", nil)
		b.now = b.now.Add(time.Nanosecond)
		b.lists(venues.Short, listed)
		if _, rule := b.refusedBy(bounded("r1", venues.Sell, "0.5", "1")); rule != want {
			t.Errorf("the venue tells %s: refused by %v, want %v", listed, rule, want)
		}
	}
	b := newBench(t, venues.Capabilities{})
	b.opensLong(1, "0.9")
	b.stranger(2, venues.Sell, "0.5", "100", nil)
	if _, rule := b.refusedBy(bounded("r1", venues.Buy, "0.6", "1")); rule != nil {
		t.Errorf("0.4 are open, 0.6 more are refused by %v", rule)
	}
}

// TestBoundCountsWhatAReducingOrderLetsOpen: it may have closed the long position
// already, so that what was sold after it has opened a short one.
func TestBoundCountsWhatAReducingOrderLetsOpen(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.opensLong(1, "0.6")
	closing := limitOrder("r1")
	closing.cmd.Side, closing.cmd.Qty, closing.cmd.ReduceOnly = venues.Sell, venues.MustDecimal("0.6"), true
	reducing := b.place(closing)
	b.step(func(m moment) { b.state.report(m, reducing.says(venues.StatusOpen, "0")) })
	b.stranger(2, venues.Sell, "0.2", "100", nil)
	if _, rule := b.refusedBy(bounded("r2", venues.Sell, "0.9", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 short of 1, if the position is closed already: refused by %v", rule)
	}
	b.now = b.now.Add(time.Nanosecond)
	b.lists(venues.Long, "0")
	if _, rule := b.refusedBy(bounded("r3", venues.Sell, "0.9", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 short of 1, and the venue knows of no long position: refused by %v", rule)
	}
	b.lists(venues.Long, "0.4")
	if _, rule := b.refusedBy(bounded("r4", venues.Sell, "0.9", "1")); rule != nil {
		t.Errorf("the venue says that 0.4 are long, 0.9 short of 1: refused by %v", rule)
	}
}

// An amend that is on its way may be in force already.
func TestBoundCountsAmends(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	first, _ := b.refusedBy(bounded("r1", venues.Buy, "0.2", "1"))
	b.step(func(m moment) { b.state.report(m, first.says(venues.StatusOpen, "0")) })
	b.step(func(m moment) {
		b.state.amend(m, amendOrder{
			cmd:        venues.AmendOrder{OrderID: first.OrderID, Qty: venues.Some(venues.MustDecimal("0.8"))},
			instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
		})
	})
	if first.PendingAction != venues.PendingAmend {
		t.Fatalf("pending %q", first.PendingAction)
	}
	if _, rule := b.refusedBy(bounded("r2", venues.Buy, "0.3", "1")); rule != venues.RuleMaxPosition {
		t.Errorf("1.1 of 1 with the amend: refused by %v", rule)
	}
}

// Who gave up at a deadline must not be surprised by an order afterwards: it is
// not taken, and one that was is not sent.
func TestAnOrderIsNotSentAfterItsDeadline(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	late := limitOrder("r1")
	late.cmd.Deadline = b.now
	b.step(func(m moment) { b.state.place(m, late) })
	if venues.CodeOf(b.lastReply().err) != venues.CodeMaintenance {
		t.Errorf("taken at its deadline: %+v", b.lastReply())
	}
	slow := limitOrder("r2")
	slow.cmd.Deadline = b.now.Add(time.Second)
	o := b.place(slow)
	if refusal := b.state.depart(o.OrderID, b.now); refusal != nil {
		t.Errorf("in time: %v", refusal)
	}
	refusal := b.state.depart(o.OrderID, b.now.Add(time.Second)) // the store was slow
	if code(refusal) != venues.CodeExchangeUnavailable {
		t.Fatalf("sent at its deadline: %v", refusal)
	}
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: refusal}) })
	claim := b.puts[persistence.IdempotencyRecord{Customer: "c1", Scope: persistence.ScopeREST, RequestID: "r2", Attempt: 1}.Key().String()]
	if freed := claim.(persistence.IdempotencyRecord); o.Status != venues.StatusRejected || freed.FreedAt.IsZero() {
		t.Errorf("%s, claim %+v", o.Status, freed)
	}
}

// The window of a signal's requestId is one, whenever its order is made.
func TestTheClaimCountsFromTheReceipt(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	in := limitOrder("r1")
	in.cmd.ReceivedAt = venues.At(b.now.Add(-5 * time.Minute))
	b.place(in)
	claim := b.puts[persistence.IdempotencyRecord{Customer: "c1", Scope: persistence.ScopeREST, RequestID: "r1", Attempt: 1}.Key().String()]
	if got := claim.(persistence.IdempotencyRecord).FirstReceived; !got.Equal(in.cmd.ReceivedAt.Time) {
		t.Errorf("held from %s, want %s", got, in.cmd.ReceivedAt)
	}
}

func TestOrdersAgainstAPositionAreRefusedIfAsked(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	long := b.place(limitOrder("r1"))
	against := limitOrder("r2")
	against.cmd.Side, against.cmd.NotOpposite = venues.Sell, true
	resting, rule := b.refusedBy(against)
	if rule != nil {
		t.Fatalf("before there is a position: refused by %v", rule)
	}
	b.step(func(m moment) { b.state.report(m, resting.says(venues.StatusCancelled, "0")) })
	r := long.says(venues.StatusPartiallyFilled, "0.2")
	r.Fill = long.fill("t1", "0.2", "60000")
	b.step(func(m moment) { b.state.report(m, r) })
	against.cmd.RequestID = "r3"
	if _, rule := b.refusedBy(against); rule != venues.RuleOpposite {
		t.Errorf("against a position: refused by %v", rule)
	}
	against.cmd.RequestID, against.cmd.ReduceOnly = "r4", true
	if _, rule := b.refusedBy(against); rule != nil {
		t.Errorf("a reducing order: refused by %v", rule)
	}
	with := limitOrder("r5")
	with.cmd.NotOpposite = true
	if _, rule := b.refusedBy(with); rule != nil {
		t.Errorf("with the position: refused by %v", rule)
	}
}

// However orders are placed, filled, lost and ended, what was let through can
// never lead past the bound: the position and everything that may still be
// filled stay within it.
func TestBoundHoldsInEveryOrderOfEvents(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, venues.Capabilities{})
		most := venues.MustDecimal("3")
		var live []*order
		for n := range rapid.IntRange(1, 25).Draw(rt, "events") {
			if len(live) == 0 || rapid.IntRange(0, 2).Draw(rt, "event") == 0 {
				qty := decimal.New(int64(rapid.IntRange(1, 20).Draw(rt, "tenths")), -1)
				if o, _ := b.refusedBy(bounded(fmt.Sprint("r", n), venues.Buy, qty.String(), most.String())); o != nil {
					live = append(live, o)
				}
			} else {
				b.befall(rt, live[rapid.IntRange(0, len(live)-1).Draw(rt, "order")], n)
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

// befall lets an order be filled in part, be lost, or end.
func (b *bench) befall(rt *rapid.T, o *order, n int) {
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
		r := o.says(status, o.fillsQty.Add(part).String())
		r.Fill = f
		b.step(func(m moment) { b.state.report(m, r) })
	case 1:
		b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: errTimeout}) })
	default:
		b.step(func(m moment) { b.state.report(m, o.says(venues.StatusCancelled, o.fillsQty.String())) })
	}
}
