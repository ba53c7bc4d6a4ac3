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

func TestClosedPositionIsPublishedOnceByTheLastSource(t *testing.T) {
	open := func(b *fixture) {
		b.adoptForeign(1, venues.Buy, "2", "100", nil)
		b.streamPosition(venues.Long, "2")
		b.now = b.now.Add(time.Second)
	}
	exits := func(b *fixture) []effect {
		b.adoptForeign(2, venues.Sell, "2", "110", nil)
		return b.effects
	}
	for name, steps := range map[string][]func(b *fixture) []effect{
		"the venue":     {exits, func(b *fixture) []effect { return b.streamPosition(venues.Long, "0") }},
		"the execution": {func(b *fixture) []effect { return b.streamPosition(venues.Long, "0") }, exits},
		"nobody more":   {exits, func(b *fixture) []effect { return b.pass(position.DisputeMax) }},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			open(b)
			steps[0](b)
			if n := len(b.closings()); n != 0 {
				t.Fatalf("%d closings before both sources agree, want 0", n)
			}
			if n := count(steps[1](b), isClosedPosition); n != 1 {
				t.Fatalf("%d closed positions on the stream, want 1", n)
			}
			got := b.onlyClosing()
			for field, want := range map[string]string{
				"exchange": "binance", "symbol": "BTCUSDT", "side": "long", "qty": "2", "entryPrice": "100", "exitPrice": "110",
				"realizedPnl": "20", "fee": "1", "reason": "manual", "openedAt": "2026-03-01T12:00:00.000Z",
			} {
				if got[field] != want {
					t.Errorf("%s is %v, want %s", field, got[field], want)
				}
			}
			b.pass(time.Minute)
			b.onlyClosing()
		})
	}
}

func TestCloseWithoutItsExecutionsIsPublishedWithoutPrices(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Buy, "2", "100", nil)
	b.streamPosition(venues.Long, "2")
	b.now = b.now.Add(time.Second)
	b.streamPosition(venues.Long, "0")
	b.pass(position.CloseFillsMax - time.Second)
	if n := len(b.closings()); n != 0 {
		t.Fatalf("%d closings before CloseFillsMax, want 0", n)
	}
	if n := count(b.pass(time.Second), isClosedPosition); n != 1 {
		t.Fatalf("%d closed positions on the stream, want 1", n)
	}
	got := b.onlyClosing()
	if got["qty"] != "2" || got["entryPrice"] != "100" || got["exitPrice"] != nil || got["realizedPnl"] != nil {
		t.Fatalf("closing = %v, want qty 2 and entry price 100, without exit price and P&L", got)
	}
	// They are found eventually: recorded, without a second close.
	b.adoptForeign(2, venues.Sell, "2", "110", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = venues.At(b.now.Add(-position.CloseFillsMax)) })
	b.pass(time.Minute)
	b.onlyClosing()
}

func TestReasonOfAClose(t *testing.T) {
	for want, change := range map[venues.CloseReason]func(*order, *venues.ExecutionReport){
		venues.ClosedManual:      func(*order, *venues.ExecutionReport) {},
		venues.ClosedLiquidation: func(_ *order, r *venues.ExecutionReport) { r.Forced = true },
		venues.ClosedTakeProfit:  func(o *order, _ *venues.ExecutionReport) { o.Protects = venues.LegTakeProfit },
		venues.ClosedStopLoss:    func(o *order, _ *venues.ExecutionReport) { o.Protects = venues.LegStopLoss },
		venues.ClosedOpposite:    func(o *order, _ *venues.ExecutionReport) { o.ClosesAs = venues.ClosedOpposite },
	} {
		t.Run(string(want), func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			b.adoptForeign(1, venues.Buy, "1", "60000", nil)
			b.streamPosition(venues.Long, "1")
			in := limitOrder("")
			in.cmd.Side, in.cmd.ReduceOnly = venues.Sell, true
			o := b.place(in)
			r := o.reportWith(venues.StatusFilled, "1")
			r.Fill = o.fill("t9", "1", "61000")
			change(o, &r)
			b.step(func(step stepContext) { b.state.handleReport(step, r) })
			var published venues.Position
			for _, e := range b.streamPosition(venues.Long, "0") {
				if p, ok := e.(publishPosition); ok {
					published = p.position
				}
			}
			if got := b.onlyClosing()["reason"]; got != string(want) || published.Reason != want {
				t.Fatalf("reason = %v, on the stream %s, want %s", got, published.Reason, want)
			}
		})
	}
}

// In hedge mode an order without the reduce-only flag opens its own position, and
// is no reason for the close of the other.
func TestReasonOfACloseInHedgeMode(t *testing.T) {
	for want, ends := range map[venues.CloseReason]func(*order){
		venues.ClosedManual:   func(*order) {},
		venues.ClosedStopLoss: func(o *order) { o.ReduceOnly, o.Protects = true, venues.LegStopLoss },
	} {
		b := newFixture(t, venues.Capabilities{})
		b.state.positions.HedgeMode = true
		b.adoptForeign(1, venues.Buy, "1", "60000", func(r *venues.ExecutionReport) { r.Fill.PositionSide = venues.Long })
		b.streamPosition(venues.Long, "1")
		b.now = b.now.Add(time.Second)
		in := limitOrder("")
		in.cmd.Side, in.cmd.CloseReason = venues.Sell, venues.ClosedOpposite
		o := b.place(in)
		ends(o)
		r := o.reportWith(venues.StatusFilled, "1")
		b.step(func(step stepContext) { b.state.handleReport(step, r) })
		b.pass(fillsHoldMax) // its executions are not reported
		b.streamPosition(venues.Long, "0")
		b.pass(time.Minute)
		if got := b.onlyClosing()["reason"]; got != string(want) {
			t.Errorf("closed by %v, want %s", got, want)
		}
	}
}

// What was closed before the position was opened has not closed it.
func TestReasonOfACloseIsNotOlderThanThePosition(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Buy, "1", "60000", nil)
	b.streamPosition(venues.Long, "1")
	b.now = b.now.Add(time.Second)
	b.adoptForeign(2, venues.Sell, "1", "61000", func(r *venues.ExecutionReport) { r.Forced = true })
	b.streamPosition(venues.Long, "0")
	b.now = b.now.Add(time.Minute)
	b.adoptForeign(3, venues.Buy, "1", "60000", nil)
	b.streamPosition(venues.Long, "1")
	b.now = b.now.Add(time.Second)
	b.streamPosition(venues.Long, "0")
	b.pass(time.Minute)
	list := b.closings()
	if len(list) != 2 || list[0]["reason"] != "liquidation" || list[1]["reason"] != "manual" {
		t.Fatalf("closings = %v, want the reasons liquidation and manual", list)
	}
}

// TestCommentOfAClose: the first that the position's orders have, over restarts.
func TestCommentOfAClose(t *testing.T) {
	for _, c := range []struct{ opened, closed, want string }{
		{"", "", ""}, {"in", "", "in"}, {"", "out", "out"}, {"in", "out", "in"},
	} {
		for _, restarts := range []bool{false, true} {
			b := newFixture(t, venues.Capabilities{})
			trade := func(n int, side venues.Side, comment string) {
				in := limitOrder(fmt.Sprint(n))
				in.cmd.Side, in.cmd.ReduceOnly, in.cmd.Comment = side, side == venues.Sell, comment
				o := b.place(in)
				r := o.reportWith(venues.StatusFilled, "1")
				r.Fill = o.fill(fmt.Sprint("t", n), "1", "60000")
				b.step(func(step stepContext) { b.state.handleReport(step, r) })
			}
			trade(1, venues.Buy, c.opened)
			b.streamPosition(venues.Long, "1")
			b.now = b.now.Add(time.Hour)
			if restarts {
				b = b.restart()
				b.streamPosition(venues.Long, "1")
			}
			trade(2, venues.Sell, c.closed)
			b.streamPosition(venues.Long, "0")
			if got := b.onlyClosing()["comment"]; got != c.want {
				t.Errorf("%+v: comment = %v, want %v", c, got, c.want)
			}
		}
	}
}

// TestAccountingSurvivesARestart between the entry and the exit.
func TestAccountingSurvivesARestart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Sell, "2", "100", nil)
	b.now = b.now.Add(time.Hour)
	b.adoptForeign(2, venues.Sell, "1", "130", nil)
	again := b.restart()
	again.now = b.now.Add(time.Hour)
	again.adoptForeign(3, venues.Buy, "3", "90", nil)
	again.pass(position.DisputeMax)
	got := again.onlyClosing()
	if got["side"] != "short" || got["qty"] != "3" || got["entryPrice"] != "110" || got["realizedPnl"] != "60" || got["openedAt"] != "2026-03-01T12:00:00.000Z" {
		t.Fatalf("closing = %v, want a short of 3, entry price 110, P&L 60, opened at 12:00:00", got)
	}
}

// TestEveryPositionClosesOnce: executions come late, twice and in any order, the
// venue's reports between them, with restarts; each position is published as closed once,
// with sums that are those of its executions.
func TestEveryPositionClosesOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newFixture(t, venues.Capabilities{})
		truth := &truePositions{}
		var reports []func(*fixture)
		for n := range rapid.IntRange(1, 12).Draw(rt, "executions") {
			side := rapid.SampledFrom([]venues.Side{venues.Buy, venues.Sell}).Draw(rt, "side")
			qty := fmt.Sprint(rapid.IntRange(1, 3).Draw(rt, "qty"))
			price := fmt.Sprint(rapid.IntRange(90, 110).Draw(rt, "price"))
			at := b.now.Add(time.Duration(n+1) * 100 * time.Millisecond)
			truth.trade(side, venues.MustDecimal(qty), venues.MustDecimal(price))
			reports = append(reports, func(b *fixture) {
				b.adoptForeign(n, side, qty, price, func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = venues.At(at) })
			})
		}
		b.now = b.now.Add(2 * time.Second)
		for _, report := range rapid.Permutation(append(reports, reports...)).Draw(rt, "arrival") {
			report(b)
			if rapid.IntRange(0, 3).Draw(rt, "word") == 0 {
				for _, side := range position.Sides() {
					b.streamPosition(side, truth.open(side).String())
				}
			}
		}
		b.pass(time.Minute)
		var got, want decimal.Decimal
		for _, c := range truth.closed {
			want = want.Add(c.pnl)
		}
		for _, c := range b.closings() {
			got = got.Add(venues.MustDecimal(c["realizedPnl"].(string)))
		}
		for _, side := range position.Sides() {
			if open := b.state.positions.Qty("BTCUSDT", side); !open.Equal(truth.open(side)) {
				rt.Fatalf("%s is open %s, want %s", open, side, truth.open(side))
			}
		}
		if len(b.closings()) != len(truth.closed) || !got.Equal(want) {
			rt.Fatalf("%d ends that brought %s, want %d with %s", len(b.closings()), got, len(truth.closed), want)
		}
	})
}

func TestPositionFromBeforeTheAccountIsAdopted(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.state.ready = false
	there := venues.Position{Symbol: "ETHUSDT", Side: venues.Short, Qty: venues.MustDecimal("4"), EntryPrice: venues.Some(venues.MustDecimal("2000"))}
	b.reconciled(reconcileDone{funds: Funds{Positions: []venues.Position{there}}})
	if got := b.state.positions.Qty("ETHUSDT", venues.Short); !got.Equal(there.Qty) {
		t.Fatalf("open quantity = %s, want %s", got, there.Qty)
	}
	b.now = b.now.Add(time.Second)
	b.adoptForeign(1, venues.Buy, "4", "1900", func(r *venues.ExecutionReport) { r.Symbol, r.Fill.Symbol = "ETHUSDT", "ETHUSDT" })
	b.pass(position.DisputeMax)
	got := b.onlyClosing()
	if got["entryPrice"] != "2000" || got["realizedPnl"] != "400" || got["openedAt"] != nil {
		t.Fatalf("closing = %v, want entry price 2000, P&L 400 and no opening time", got)
	}
}

// TestCloseReportedImmediatelyNeedsNoReconciliation: closing is common, and a reconciliation reads
// the venue for more than its limits allow often.
func TestCloseReportedImmediatelyNeedsNoReconciliation(t *testing.T) {
	for name, late := range map[string]time.Duration{"with its execution": 0, "before its execution": position.MismatchRetry / 2} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			b.openLong(1, "2")
			b.streamPosition(venues.Long, "0")
			b.pass(late)
			b.adoptForeign(2, venues.Sell, "2", "110", nil)
			b.onlyClosing()
			if n := count(b.pass(2*position.MismatchRetry), isReconcile); n != 0 {
				t.Fatalf("%d reconciliations, want 0", n)
			}
		})
	}
}

func TestListIsAdoptedAfterAReconciliation(t *testing.T) {
	for name, done := range map[string]reconcileDone{
		"fills were read":  {fillsRead: map[string]bool{"BTCUSDT": true}},
		"no longer listed": {unlisted: []string{"BTCUSDT"}}, // nothing more can be read
	} {
		t.Run(name, func(t *testing.T) { testListIsAdopted(t, done) })
	}
}

func testListIsAdopted(t *testing.T, done reconcileDone) {
	t.Helper()
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Buy, "2", "100", nil)
	b.now = b.now.Add(time.Minute)
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("5"), EntryPrice: venues.Some(venues.MustDecimal("120"))}
	list := Funds{Positions: []venues.Position{open}, ReadAt: b.now}
	b.step(func(step stepContext) { b.state.fundsRead(step, fundsDone{part: bothParts, funds: list}) })
	if got := b.state.positions.Qty("BTCUSDT", venues.Long); got.String() != "2" {
		t.Fatalf("open quantity before a reconciliation = %s, want 2", got)
	}
	if n := count(b.pass(position.MismatchRetry), isReconcile); n != 1 {
		t.Fatalf("%d reconciliations after a mismatch, want 1", n)
	}
	done.funds = list
	b.reconciled(done)
	if got := b.state.positions.Qty("BTCUSDT", venues.Long); got.String() != "5" {
		t.Fatalf("open quantity after the reconciliation = %s, want 5", got)
	}
	if n := len(b.closings()); n != 0 {
		t.Fatalf("%d closings, want 0", n)
	}
}
