package account

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/actors/account/position"
	"venuegate/venues"
)

// partialFixture is a fixture to which the stream reports only some of the executions; a
// reconciliation finds the others.
type partialFixture struct {
	*fixture
	truth  *truePositions
	missed []venues.ExecutionReport
	// missing is the sum of the executions that were not reported.
	missing decimal.Decimal
}

// trade executes at the venue. The stream may report it, and the position.
func (d *partialFixture) trade(rt *rapid.T, n int) {
	side := rapid.SampledFrom([]venues.Side{venues.Buy, venues.Sell}).Draw(rt, "side")
	// No two sums of these quantities are equal, so that a missing execution shows.
	qty := decimal.New(int64(rapid.IntRange(0, 100).Draw(rt, "qty"))<<12+1<<n, -3)
	if open := d.truth.open(side.Reduces()); open.IsPositive() && rapid.Bool().Draw(rt, "closes") {
		qty = open
	}
	price := fmt.Sprint(rapid.IntRange(90, 110).Draw(rt, "price"))
	d.truth.trade(side, qty, venues.MustDecimal(price))
	r := d.foreignReport(n, side, qty.String(), price)
	missing := d.missing.Add(qty)
	if side == venues.Sell {
		missing = d.missing.Sub(qty)
	}
	// Missing executions that add up to zero show only at the next reconciliation.
	if rapid.IntRange(0, 3).Draw(rt, "is missed") == 0 && !missing.IsZero() {
		d.missed, d.missing = append(d.missed, r), missing
	} else {
		d.step(func(step stepContext) { d.state.orderLookedUp(step, lookedUp{report: r}) })
	}
	if rapid.IntRange(0, 3).Draw(rt, "word is missed") != 0 {
		for _, s := range position.Sides() {
			d.streamPosition(s, d.truth.open(s).String())
		}
	}
}

// open returns the venue's list of positions.
func (d *partialFixture) open() []venues.Position {
	var list []venues.Position
	for _, side := range position.Sides() {
		if qty := d.truth.open(side); qty.IsPositive() {
			list = append(list, venues.Position{Symbol: "BTCUSDT", Side: side, Qty: qty})
		}
	}
	return list
}

// passAnswering advances the time while the venue answers every request.
func (d *partialFixture) passAnswering(span time.Duration) {
	for end := d.now.Add(span); d.now.Before(end); {
		d.pass(100 * time.Millisecond)
		effects := d.pendingEffects
		d.pendingEffects = nil
		if count(effects, isReconcile) > 0 {
			d.step(func(step stepContext) {
				for _, r := range d.missed {
					d.state.orderLookedUp(step, lookedUp{report: r})
				}
			})
			d.missed, d.missing = nil, decimal.Zero
			d.reconciled(reconcileDone{fillsRead: map[string]bool{"BTCUSDT": true}, funds: Funds{Positions: d.open()}})
		}
		if count(effects, func(e effect) bool { _, is := e.(callFunds); return is }) > 0 {
			d.step(func(step stepContext) {
				d.state.fundsRead(step, fundsDone{part: bothParts, funds: Funds{Positions: d.open(), ReadAt: step.now}})
			})
		}
	}
}

// TestClosesAreThoseOfAllExecutions, including those that were missed at first: each
// position is published as closed once, with its own quantity and result.
func TestClosesAreThoseOfAllExecutions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := &partialFixture{fixture: newFixture(t, venues.Capabilities{}), truth: &truePositions{}}
		d.state.recon.due = d.now // and from then on
		for n := range rapid.IntRange(1, 10).Draw(rt, "executions") {
			d.trade(rt, n)
			d.passAnswering(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 4 * time.Second}).Draw(rt, "pause"))
		}
		d.passAnswering(10 * time.Minute)
		var got, want []string
		for _, c := range d.closings() {
			got = append(got, fmt.Sprint(c["side"], c["qty"], " for ", c["realizedPnl"]))
		}
		for _, c := range d.truth.closed {
			want = append(want, fmt.Sprint(c.side, venues.FormatDecimal(c.qty), " for ", venues.FormatDecimal(c.pnl)))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("published %v, want %v", got, want)
		}
	})
}
