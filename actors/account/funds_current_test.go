package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

// A close right after the order that opened a position finds the position, and one right
// after another close finds none: executions are known before the venue's list has them.
func TestPositionsFollowTheExecutions(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	key := (&venues.Position{Symbol: "BTCUSDT", Side: venues.Long}).Key()
	expect := func(when, want string) {
		t.Helper()
		got := "0"
		for _, p := range b.state.currentFunds(b.stepContext()).Positions {
			if p.Key() != key {
				t.Fatalf("%s: position = %+v, want %s", when, p, key)
			}
			got = venues.FormatDecimal(p.Qty)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	fill := func(requestID string, side venues.Side, qty string) {
		in := limitOrder(requestID)
		in.cmd.Side, in.cmd.Qty = side, venues.MustDecimal(qty)
		o := b.place(in)
		r := o.reportWith(venues.StatusFilled, qty)
		r.Fill = o.fill("t-"+requestID, qty, "60000")
		b.step(func(step stepContext) { b.state.handleReport(step, r) })
	}
	read := func(list ...venues.Position) {
		b.step(func(step stepContext) { b.state.updatePositions(step, list, b.now) })
	}
	read()
	b.now = b.now.Add(time.Minute)
	fill("r1", venues.Buy, "0.5")
	expect("before the venue lists it", "0.5")
	b.now = b.now.Add(time.Second)
	read()
	expect("while the venue's list lags", "0.5")
	read(venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("0.5")})
	b.now = b.now.Add(time.Second)
	fill("r2", venues.Sell, "0.2")
	expect("after a part was closed", "0.3")
	b.now = b.now.Add(time.Second)
	read(venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("0.4")})
	expect("the venue knows better later", "0.4")
}
