package account

import (
	"testing"

	"venuegate/persistence"
	"venuegate/venues"
)

// An order that fills immediately is committed twice: with its intent and with its end.
func TestOrderThatTakesLiquidityIsCommittedTwice(t *testing.T) {
	for _, ends := range []bool{true, false} {
		b := newFixture(t, venues.Capabilities{})
		in := limitOrder("r1")
		in.cmd.Type, in.cmd.Price = venues.TypeMarket, venues.Optional{}
		o := b.place(in)
		clear(b.puts)
		b.step(func(step stepContext) {
			b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
		})
		if _, stored := b.puts[o.Key().String()]; stored || len(b.effects) != 0 || len(b.replies) != 0 {
			t.Fatalf("stored = %t, %d effects, %d replies, want none before the end", stored, len(b.effects), len(b.replies))
		}
		if ends {
			r := o.reportWith(venues.StatusFilled, "1")
			r.Fill = o.fill("t1", "1", "60000")
			b.step(func(step stepContext) { b.state.handleReport(step, r) })
		} else {
			b.pass(fillsWithin)
		}
		if _, stored := b.puts[o.Key().String()]; !stored || b.lastReply().order.Status != o.Status || o.Status == venues.StatusPending {
			t.Fatalf("stored = %t, answered %s, want true and %s", stored, b.lastReply().order.Status, o.Status)
		}
	}
}

// A cancelled order that a late fill completes is published as filled.
func TestLateFillThatCompletesACancelledOrder(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder("r1"), venues.StatusOpen)
	b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusCancelled, "0")) })
	b.step(func(step stepContext) {
		b.state.handleFills(step, []venues.Fill{*o.fill("t1", "0.4", "60000"), *o.fill("t2", "0.6", "60000")})
	})
	b.want(o, venues.StatusCancelled, "1")
	if n := len(b.events); n != 2 || b.events[0].Type != persistence.EventOrderPartiallyFilled || b.events[1].Type != persistence.EventOrderFilled {
		t.Fatalf("%d events, want order.partially_filled and order.filled", n)
	}
}
