package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

// closingEntry is one that cannot be protected and is being closed.
func (b *bench) closingEntry() (o, out *order) {
	b.t.Helper()
	o = b.fillEntry("1")
	b.holds("1")
	legs := b.legs(time.Second)
	b.refuse(legs[0], venues.ReasonWouldTrigger)
	b.live(legs[1])
	b.cancels(legs[1])
	return o, o.guard.exit
}

// TestCloseOfUnknownOutcomeOverARestart: it has closed or has not come to the venue.
func TestCloseOfUnknownOutcomeOverARestart(t *testing.T) {
	for name, lose := range map[string]func(*bench, *order){
		"on its way": func(*bench, *order) {},
		"unknown": func(b *bench, out *order) {
			b.step(func(m moment) { b.state.placed(m, placeDone{orderID: out.OrderID, err: errTimeout}) })
		},
	} {
		t.Run(name+" and done", func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			o, out := b.closingEntry()
			lose(b, out)
			done := out.says(venues.StatusFilled, "1")
			done.Fill = out.fill("x1", "1", "57000")
			next := b.dies("0", done)
			next.wantNothingMore()
			wantLegs(t, next.state.orders[o.OrderID], venues.ProtectionFailed, venues.ProtectionCancelled)
		})
		t.Run(name+" and cut short", func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			_, out := b.closingEntry()
			lose(b, out)
			cut := out.says(venues.StatusExpired, "0.6")
			cut.Fill = out.fill("x1", "0.6", "57000")
			next := b.dies("0.4", cut)
			again := next.legs(2 * time.Second)
			if len(again) != 1 || again[0].Type != venues.TypeMarket || !again[0].Qty.Equal(venues.MustDecimal("0.4")) {
				t.Fatalf("%d orders close the rest", len(again))
			}
		})
		t.Run(name+" and not placed", func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			o, out := b.closingEntry()
			lose(b, out)
			b.pass(time.Second)
			next := b.dies("1")
			if more := next.legs(2 * time.Second); len(more) != 0 {
				t.Fatalf("%d orders beside the one that may close", len(more))
			}
			next.now = next.now.Add(orderLifeMax + next.state.caps.AbsenceAfter)
			next.answer(absenceSpan+2*time.Second, readsNothing)
			next.want(next.state.orders[out.OrderID], venues.StatusRejected, "0")
			next.legs(2 * time.Second)
			again := next.state.orders[o.OrderID].guard.exit
			if again == nil || again.OrderID == out.OrderID || !again.Qty.Equal(o.Qty) {
				t.Fatalf("closed by %+v", again)
			}
		})
	}
}

// TestClosingGoesOnOverARestart: the close was refused, and the other leg is on its way
// out. What is open is not left with the half of its protection.
func TestClosingGoesOnOverARestart(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.fillEntry("1")
	b.holds("1")
	legs := b.legs(time.Second)
	b.live(legs[1])
	b.refuse(legs[0], venues.ReasonWouldTrigger)
	b.refuse(o.guard.exit, "")
	next := b.dies("1", legs[1].says(venues.StatusUntriggered, "0"))
	o, profit := next.state.orders[o.OrderID], next.state.orders[legs[1].OrderID]
	next.cancels(profit)
	again := next.legs(2 * protectRetry)
	if len(again) != 1 || again[0].Type != venues.TypeMarket || !again[0].Qty.Equal(o.Qty) {
		t.Fatalf("%d orders, closing %t: stop loss %s, take profit %s", len(again), o.guard.closing, o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status)
	}
	next.executes(again[0], "57000")
	wantLegs(t, o, venues.ProtectionFailed, venues.ProtectionCancelled)
	next.wantNothingMore()
}

// TestRepeatedCloseOverARestart: the close was refused and is to be tried again. A leg
// whose end is told once more in between changes nothing.
func TestRepeatedCloseOverARestart(t *testing.T) {
	for name, end := range map[string]venues.OrderStatus{"refused": venues.StatusRejected, "lost": venues.StatusCancelled} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			o, legs := b.protectedEntry("1")
			b.step(func(m moment) { b.state.report(m, legs[0].says(end, "0")) })
			for n := 0; o.guard.exit == nil && n < 30; n++ {
				for _, leg := range b.legs(700 * time.Millisecond) {
					if leg.Type.IsStop() {
						b.refuse(leg, "")
					}
				}
				b.holds("1")
			}
			if o.guard.exit == nil {
				t.Fatal("it is not closed")
			}
			b.cancels(legs[1])
			for range 2 {
				b.step(func(m moment) { b.state.report(m, legs[0].says(end, "0")) })
			}
			b.refuse(o.guard.exit, "")
			if again := b.dies("1").legs(2 * protectRetry); len(again) == 0 {
				t.Fatalf("nothing protects or closes: stop loss %s, take profit %s", o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status)
			}
		})
	}
}

// TestCloseOfMoreThanOneOrderTakes is made in as many as it needs.
func TestCloseOfMoreThanOneOrderTakes(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.mostAtMarket = "0.6"
	o, out := b.closingEntry()
	if !out.Qty.Equal(venues.MustDecimal("0.6")) {
		t.Fatalf("closed by an order of %s", out.Qty)
	}
	b.executes(out, "57000")
	rest := b.legs(2 * time.Second)
	if len(rest) != 1 || rest[0] != o.guard.exit || !rest[0].Qty.Equal(venues.MustDecimal("0.4")) {
		t.Fatalf("%d orders for the rest", len(rest))
	}
	b.executes(rest[0], "57000")
	b.wantNothingMore()
}
