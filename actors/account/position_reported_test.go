package account

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/position"
	"venuegate/venues"
)

// TestReopenedPositionIsAnotherOne: the executions that closed the first position are never
// reported, and another one is opened, on either side, within position.CloseFillsMax.
func TestReopenedPositionIsAnotherOne(t *testing.T) {
	for name, side := range map[string]venues.Side{"the same side": venues.Buy, "the other side": venues.Sell} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			b.openLong(1, "1")
			b.streamPosition(venues.Long, "0")
			b.later()
			opened := venues.At(b.now).UTC().Format(venues.TimeFormat)
			b.adoptForeign(2, side, "3", "120", nil)
			b.streamPosition(side.Opens(), "3")
			b.pass(position.CloseFillsMax)
			b.wantClosing(0, map[string]any{
				"side": "long", "qty": "1", "entryPrice": "100", "exitPrice": nil, "realizedPnl": nil, "fee": "0.5",
			})
			if got := b.restart().state.positions.Qty("BTCUSDT", side.Opens()); !got.Equal(venues.MustDecimal("3")) {
				t.Errorf("open quantity after a restart = %s, want 3", got)
			}
			b.later()
			b.adoptForeign(3, side.Opposite(), "3", "130", nil)
			b.streamPosition(side.Opens(), "0")
			b.pass(time.Minute)
			gain := map[venues.Side]string{venues.Buy: "30", venues.Sell: "-30"}[side]
			b.wantClosing(1, map[string]any{
				"side": string(side.Opens()), "qty": "3", "entryPrice": "120", "exitPrice": "130", "realizedPnl": gain, "fee": "1", "openedAt": opened,
			})
			if n := len(b.closings()); n != 2 {
				t.Errorf("%d closings, want 2", n)
			}
		})
	}
}

// TestLateExecutionsOfTheFirstCloseAreCounted while the second position is open: both
// are published with their own prices.
func TestLateExecutionsOfTheFirstCloseAreCounted(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.openLong(1, "1")
	exit := venues.At(b.now)
	b.streamPosition(venues.Long, "0")
	b.later()
	b.adoptForeign(2, venues.Sell, "3", "120", nil)
	b.streamPosition(venues.Short, "3")
	b.pass(position.CloseFillsMax / 2)
	b.adoptForeign(3, venues.Sell, "1", "90", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = exit })
	b.wantClosing(0, map[string]any{"side": "long", "qty": "1", "exitPrice": "90", "realizedPnl": "-10", "fee": "1"})
	b.pass(time.Minute)
	if open := b.state.positions.Qty("BTCUSDT", venues.Short); len(b.closings()) != 1 || open.String() != "3" {
		t.Fatalf("%d closings with %s open, want 1 with 3", len(b.closings()), open)
	}
}

// TestEachReportedCloseIsPublished: two positions are opened and closed, and the
// executions of neither close are reported.
func TestEachReportedCloseIsPublished(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	for n, qty := range []string{"1", "2"} {
		b.openLong(n, qty)
		b.streamPosition(venues.Long, "0")
		b.later()
	}
	b.pass(time.Minute)
	for n, qty := range []string{"1", "2"} {
		b.wantClosing(n, map[string]any{"qty": qty, "realizedPnl": nil, "fee": "0.5"})
	}
	if n := len(b.closings()); n != 2 {
		t.Fatalf("%d closings, want 2", n)
	}
}

// TestReportedClosesAreBounded: closes whose executions never come are published early.
func TestReportedClosesAreBounded(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	for n := range 2 * position.ReportedClosesMax {
		b.adoptForeign(n, venues.Buy, "1", "100", nil)
		b.streamPosition(venues.Long, "1")
		b.now = b.now.Add(100 * time.Millisecond)
		b.streamPosition(venues.Long, "0")
		b.now = b.now.Add(100 * time.Millisecond)
	}
	b.pass(time.Minute)
	sum := decimal.Zero
	for _, end := range b.closings() {
		sum = sum.Add(venues.MustDecimal(end["qty"].(string)))
	}
	if !sum.Equal(decimal.NewFromInt(2 * position.ReportedClosesMax)) { // those of one second are one
		t.Errorf("closed quantity = %s, want %d", sum, 2*position.ReportedClosesMax)
	}
}

// TestLateReportOfAnOlderCloseClosesNothing: the stream reports the close of an
// older position late, and the venue lists this one as open.
func TestLateReportOfAnOlderCloseClosesNothing(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.openLong(1, "2")
	b.streamPosition(venues.Long, "0")
	b.later()
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("2"), EntryPrice: venues.Some(venues.MustDecimal("100"))}
	b.step(func(step stepContext) {
		b.state.fundsRead(step, fundsDone{part: bothParts, funds: Funds{Positions: []venues.Position{open}, ReadAt: step.now}})
	})
	if n := count(b.pass(time.Minute), isClosedPosition); n != 0 || len(b.closings()) != 0 {
		t.Fatalf("%d closed positions on the stream, closings %v, want none", n, b.closings())
	}
	if got := b.state.positions.Qty("BTCUSDT", venues.Long); got.String() != "2" {
		t.Fatalf("open quantity = %s, want 2", got)
	}
}

// TestExitWithAFastClockIsAnExit: the venue's clock is ahead, and the execution comes
// after the report that the position has closed.
func TestExitWithAFastClockIsAnExit(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.openLong(1, "2")
	b.streamPosition(venues.Long, "0")
	b.now = b.now.Add(50 * time.Millisecond)
	for n := range 2 {
		b.adoptForeign(2+n, venues.Sell, "1", "110", func(r *venues.ExecutionReport) {
			r.Fill.ExecutedAt = venues.At(b.now.Add(position.ClockSkewMax - 100*time.Millisecond))
		})
	}
	b.wantClosing(0, map[string]any{"qty": "2", "exitPrice": "110", "realizedPnl": "20"})
}

// TestOrderSentAfterACloseIsNoPartOfIt, however soon after it: by chance the order sells
// the quantity that is missing of the close of the long position.
func TestOrderSentAfterACloseIsNoPartOfIt(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.openLong(1, "3")
	missed := venues.At(b.now)
	b.adoptForeign(2, venues.Sell, "2", "110", nil)
	b.streamPosition(venues.Long, "0")
	b.now = b.now.Add(position.ClockSkewMax / 2)
	sent := limitOrder("")
	sent.cmd.Side = venues.Sell
	o := b.open(sent, venues.StatusOpen)
	r := o.reportWith(venues.StatusFilled, "1")
	r.Fill = o.fill("t1", "1", "90")
	r.Fill.ExecutedAt = venues.At(b.now)
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	if n := len(b.closings()); n != 0 {
		t.Fatalf("%d closings, want 0", n)
	}
	b.streamPosition(venues.Short, "1")
	b.adoptForeign(3, venues.Sell, "1", "120", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = missed })
	b.wantClosing(0, map[string]any{"side": "long", "qty": "3", "realizedPnl": "40"})
	b.pass(time.Minute)
	b.onlyClosing()
}

// TestReversalWithoutAllItsExecutionsIsNotPublished: the venue reports that the short position is
// closed, while by the known executions it has reversed. The next reconciliation finds the
// missing execution.
func TestReversalWithoutAllItsExecutionsIsNotPublished(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Sell, "1", "100", nil)
	b.streamPosition(venues.Short, "3")
	missed := venues.At(b.now.Add(time.Millisecond))
	b.later()
	b.streamPosition(venues.Short, "0")
	b.adoptForeign(2, venues.Buy, "3", "90", nil)
	if n := len(b.closings()); n != 0 {
		t.Fatalf("%d closings, want 0", n)
	}
	b.pass(position.MismatchRetry)
	b.adoptForeign(3, venues.Sell, "2", "110", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = missed })
	b.wantClosing(0, map[string]any{"side": "short", "qty": "3", "realizedPnl": "50"})
}

// TestCloseWaitsForFillsThatAreKnownToBeMissing, even if the known ones add up to zero by
// chance.
func TestCloseWaitsForFillsThatAreKnownToBeMissing(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Buy, "1", "100", nil)
	b.streamPosition(venues.Long, "3")
	b.later()
	out := limitOrder("")
	out.cmd.Side, out.cmd.Qty, out.cmd.ReduceOnly = venues.Sell, venues.MustDecimal("3"), true
	o := b.open(out, venues.StatusOpen)
	r := o.reportWith(venues.StatusFilled, "3")
	r.Fill = o.fill("t1", "1", "110")
	r.Fill.ExecutedAt = venues.At(b.now)
	b.streamPosition(venues.Long, "0")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	if n := len(b.closings()); n != 0 {
		t.Fatalf("%d closings, want 0", n)
	}
	b.adoptForeign(2, venues.Buy, "2", "100", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = venues.At(b.now.Add(-time.Second)) })
	rest := *o.fill("t2", "2", "110")
	rest.ExecutedAt = venues.At(b.now)
	b.step(func(step stepContext) { b.state.handleFills(step, []venues.Fill{rest}) })
	b.wantClosing(0, map[string]any{"qty": "3", "realizedPnl": "30"})
}

// TestReportOfAKnownCloseClosesNothing: the stream reports late that a position was opened
// and closed, which is known, and the next one is opened right after that.
func TestReportOfAKnownCloseClosesNothing(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.openLong(1, "2")
	b.adoptForeign(2, venues.Sell, "2", "110", nil)
	b.streamPosition(venues.Long, "0")
	b.onlyClosing()
	b.streamPosition(venues.Long, "2")
	b.streamPosition(venues.Long, "0")
	b.now = b.now.Add(position.ClockSkewMax / 2)
	b.adoptForeign(3, venues.Buy, "1", "100", nil)
	b.later()
	b.adoptForeign(4, venues.Buy, "1", "100", nil)
	b.streamPosition(venues.Long, "2")
	b.pass(time.Minute)
	b.onlyClosing()
	if got := b.state.positions.Qty("BTCUSDT", venues.Long); got.String() != "2" {
		t.Fatalf("open quantity = %s, want 2", got)
	}
}

// TestReportOfAKnownCloseDelaysNothing: the close of the next position is published
// immediately.
func TestReportOfAKnownCloseDelaysNothing(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.openLong(1, "2")
	b.adoptForeign(2, venues.Sell, "2", "110", nil)
	b.streamPosition(venues.Long, "0")
	b.streamPosition(venues.Long, "2")
	b.streamPosition(venues.Long, "0")
	b.later()
	b.openLong(3, "1")
	b.adoptForeign(4, venues.Sell, "1", "100", nil)
	b.streamPosition(venues.Long, "0")
	b.wantClosing(1, map[string]any{"qty": "1"})
}
