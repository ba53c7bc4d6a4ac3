package account

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/venues"
)

// deafBench hears of a part of what is executed; the rest is found when it compares
// itself with the venue.
type deafBench struct {
	*bench
	truth  *book
	missed []venues.ExecutionReport
	// missing is what they add up to.
	missing decimal.Decimal
}

// trade executes at the venue. The stream may tell of it, and of the position.
func (d *deafBench) trade(rt *rapid.T, n int) {
	side := rapid.SampledFrom([]venues.Side{venues.Buy, venues.Sell}).Draw(rt, "side")
	// No two sums of these are equal: what is missing shows.
	qty := decimal.New(int64(rapid.IntRange(0, 100).Draw(rt, "qty"))<<12+1<<n, -3)
	if open := openQty(d.truth.now.of(side.Reduces())); open.IsPositive() && rapid.Bool().Draw(rt, "closes") {
		qty = open
	}
	price := fmt.Sprint(rapid.IntRange(90, 110).Draw(rt, "price"))
	d.truth.add(execution{executionKey: executionKey{d.now, fmt.Sprint(n)}, side: side, qty: qty, price: venues.MustDecimal(price)})
	r := d.strangerReport(n, side, qty.String(), price)
	missing := d.missing.Add(qty)
	if side == venues.Sell {
		missing = d.missing.Sub(qty)
	}
	// What adds up to nothing shows nowhere until the next comparison.
	if rapid.IntRange(0, 3).Draw(rt, "is missed") == 0 && !missing.IsZero() {
		d.missed, d.missing = append(d.missed, r), missing
	} else {
		d.step(func(m moment) { d.state.lookedUp(m, lookedUp{report: r}) })
	}
	if rapid.IntRange(0, 3).Draw(rt, "word is missed") != 0 {
		for _, s := range positionSides() {
			d.lists(s, openQty(d.truth.now.of(s)).String())
		}
	}
}

// open is the venue's list.
func (d *deafBench) open() []venues.Position {
	var list []venues.Position
	for _, side := range positionSides() {
		if qty := openQty(d.truth.now.of(side)); qty.IsPositive() {
			list = append(list, venues.Position{Symbol: "BTCUSDT", Side: side, Qty: qty})
		}
	}
	return list
}

// passes lets time pass; the venue answers what it is asked.
func (d *deafBench) passes(span time.Duration) {
	for end := d.now.Add(span); d.now.Before(end); {
		d.pass(100 * time.Millisecond)
		asked := d.unanswered
		d.unanswered = nil
		if count(asked, isReconcile) > 0 {
			d.step(func(m moment) {
				for _, r := range d.missed {
					d.state.lookedUp(m, lookedUp{report: r})
				}
			})
			d.missed, d.missing = nil, decimal.Zero
			d.reconciled(reconcileDone{fillsRead: map[string]bool{"BTCUSDT": true}, funds: Funds{Positions: d.open()}})
		}
		if count(asked, func(e effect) bool { _, is := e.(planFunds); return is }) > 0 {
			d.step(func(m moment) { d.state.readFunds() })
			d.step(func(m moment) { d.state.fundsRead(m, fundsDone{funds: Funds{Positions: d.open(), ReadAt: m.now}}) })
		}
	}
}

// TestEndsAreThoseOfAllExecutions, also of those that were missed at first: each
// position is told closed once, with its own quantity and result.
func TestEndsAreThoseOfAllExecutions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := &deafBench{bench: newBench(t, venues.Capabilities{}), truth: newBook("BTCUSDT")}
		d.state.recon.due = d.now // and from then on
		for n := range rapid.IntRange(1, 10).Draw(rt, "executions") {
			d.trade(rt, n)
			d.passes(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 4 * time.Second}).Draw(rt, "pause"))
		}
		d.passes(10 * time.Minute)
		var got, want []string
		for _, c := range d.closings() {
			got = append(got, fmt.Sprint(c["side"], c["qty"], " for ", c["realizedPnl"]))
		}
		for _, over := range d.truth.over {
			want = append(want, fmt.Sprint(over.side, venues.FormatDecimal(over.life.EntryQty), " for ", *text(pnl(over.side, &over.life))))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("told %v, closed %v", got, want)
		}
	})
}
