package account

import (
	"testing"

	"venuegate/persistence"
	"venuegate/venues"
)

// An order that takes at once is committed twice: with its intent and with its
// end.
func TestTakerIsCommittedWithItsEnd(t *testing.T) {
	for _, ends := range []bool{true, false} {
		b := newBench(t, venues.Capabilities{})
		in := limitOrder("r1")
		in.cmd.Type, in.cmd.Price = venues.TypeMarket, venues.Optional{}
		o := b.place(in)
		clear(b.puts)
		b.step(func(m moment) {
			b.state.placed(m, placeDone{orderID: o.OrderID, report: o.says(venues.StatusOpen, "0")})
		})
		if _, stored := b.puts[o.Key().String()]; stored || len(b.asked) != 0 || len(b.replies) != 0 {
			t.Fatalf("stored %v, asked for %d effects", stored, len(b.asked))
		}
		if ends {
			r := o.says(venues.StatusFilled, "1")
			r.Fill = o.fill("t1", "1", "60000")
			b.step(func(m moment) { b.state.report(m, r) })
		} else {
			b.pass(fillsWithin)
		}
		if _, stored := b.puts[o.Key().String()]; !stored || b.lastReply().order.Status != o.Status || o.Status == venues.StatusPending {
			t.Fatalf("stored %v, answered %s", stored, b.lastReply().order.Status)
		}
	}
}

// A cancelled order of which a late fill proves that nothing was left is told as
// filled.
func TestLateFillThatCompletesACancelledOrder(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder("r1"), venues.StatusOpen)
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusCancelled, "0")) })
	b.step(func(m moment) {
		b.state.fills(m, []venues.Fill{*o.fill("t1", "0.4", "60000"), *o.fill("t2", "0.6", "60000")})
	})
	b.want(o, venues.StatusCancelled, "1")
	if n := len(b.events); n != 2 || b.events[0].Type != persistence.EventOrderPartiallyFilled || b.events[1].Type != persistence.EventOrderFilled {
		t.Fatalf("%d events", n)
	}
}
