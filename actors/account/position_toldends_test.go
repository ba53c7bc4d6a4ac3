package account

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// TestReopenedPositionIsAnotherOne: the executions that ended the first position
// are never told, and within endFillsMax another one is opened on either side.
func TestReopenedPositionIsAnotherOne(t *testing.T) {
	for name, side := range map[string]venues.Side{"the same side": venues.Buy, "the other side": venues.Sell} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			b.opensLong(1, "1")
			b.lists(venues.Long, "0")
			b.later()
			opened := venues.At(b.now).UTC().Format(venues.TimeFormat)
			b.stranger(2, side, "3", "120", nil)
			b.lists(side.Opens(), "3")
			b.pass(endFillsMax)
			b.wantClosing(0, map[string]any{
				"side": "long", "qty": "1", "entryPrice": "100", "exitPrice": nil, "realizedPnl": nil, "fee": "0.5",
			})
			if again := b.restart(); !openQty(again.state.book("BTCUSDT").now.of(side.Opens())).Equal(venues.MustDecimal("3")) {
				t.Error("a restart forgets the position")
			}
			b.later()
			b.stranger(3, side.Opposite(), "3", "130", nil)
			b.lists(side.Opens(), "0")
			b.pass(time.Minute)
			gain := map[venues.Side]string{venues.Buy: "30", venues.Sell: "-30"}[side]
			b.wantClosing(1, map[string]any{
				"side": string(side.Opens()), "qty": "3", "entryPrice": "120", "exitPrice": "130", "realizedPnl": gain, "fee": "1", "openedAt": opened,
			})
			if n := len(b.closings()); n != 2 {
				t.Errorf("%d events position.closed", n)
			}
		})
	}
}

// TestLateExecutionsOfTheFirstEndAreFound while the second position is open: both
// are told with their own prices.
func TestLateExecutionsOfTheFirstEndAreFound(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.opensLong(1, "1")
	exit := venues.At(b.now)
	b.lists(venues.Long, "0")
	b.later()
	b.stranger(2, venues.Sell, "3", "120", nil)
	b.lists(venues.Short, "3")
	b.pass(endFillsMax / 2)
	b.stranger(3, venues.Sell, "1", "90", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = exit })
	b.wantClosing(0, map[string]any{"side": "long", "qty": "1", "exitPrice": "90", "realizedPnl": "-10", "fee": "1"})
	b.pass(time.Minute)
	if open := openQty(b.state.book("BTCUSDT").now.short); len(b.closings()) != 1 || open.String() != "3" {
		t.Fatalf("%d ends, %s open", len(b.closings()), open)
	}
}

// TestEachToldEndIsOne: two positions are opened and closed, and of neither end
// the executions are told.
func TestEachToldEndIsOne(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	for n, qty := range []string{"1", "2"} {
		b.opensLong(n, qty)
		b.lists(venues.Long, "0")
		b.later()
	}
	b.pass(time.Minute)
	for n, qty := range []string{"1", "2"} {
		b.wantClosing(n, map[string]any{"qty": qty, "realizedPnl": nil, "fee": "0.5"})
	}
	if n := len(b.closings()); n != 2 {
		t.Fatalf("%d ends", n)
	}
}

// TestToldEndsAreBounded: what waits for executions that never come is told early.
func TestToldEndsAreBounded(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	for n := range 2 * toldEndsMax {
		b.stranger(n, venues.Buy, "1", "100", nil)
		b.lists(venues.Long, "1")
		b.now = b.now.Add(100 * time.Millisecond)
		b.lists(venues.Long, "0")
		b.now = b.now.Add(100 * time.Millisecond)
	}
	if n := len(b.state.book("BTCUSDT").told[venues.Long]); n > toldEndsMax {
		t.Errorf("%d ends wait", n)
	}
	b.pass(time.Minute)
	sum := decimal.Zero
	for _, end := range b.closings() {
		sum = sum.Add(venues.MustDecimal(end["qty"].(string)))
	}
	if !sum.Equal(decimal.NewFromInt(2 * toldEndsMax)) { // those of one second are one
		t.Errorf("%s were closed", sum)
	}
}

// TestLateWordOfAnOlderEndClosesNothing: the stream tells the end of an older
// position late, and the venue's list says that this one is open.
func TestLateWordOfAnOlderEndClosesNothing(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.opensLong(1, "2")
	b.lists(venues.Long, "0")
	b.later()
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("2"), EntryPrice: venues.Some(venues.MustDecimal("100"))}
	b.step(func(m moment) {
		b.state.fundsRead(m, fundsDone{funds: Funds{Positions: []venues.Position{open}, ReadAt: m.now}})
	})
	if n := count(b.pass(time.Minute), isClosedPosition); n != 0 || len(b.closings()) != 0 {
		t.Fatalf("%d positions end on the stream; %v", n, b.closings())
	}
	if got := openQty(b.state.book("BTCUSDT").now.long); got.String() != "2" {
		t.Fatal(fmt.Sprint("open ", got))
	}
}

// TestExitOfAFastClockIsAnExit: the venue's clock is ahead, and the execution comes
// after the word that the position has ended.
func TestExitOfAFastClockIsAnExit(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.opensLong(1, "2")
	b.lists(venues.Long, "0")
	b.now = b.now.Add(50 * time.Millisecond)
	for n := range 2 {
		b.stranger(2+n, venues.Sell, "1", "110", func(r *venues.ExecutionReport) {
			r.Fill.ExecutedAt = venues.At(b.now.Add(endSkewMax - 100*time.Millisecond))
		})
	}
	b.wantClosing(0, map[string]any{"qty": "2", "exitPrice": "110", "realizedPnl": "20"})
}

// TestOrderSentAfterAnEndIsNoPartOfIt, however soon: by chance it sells as much as is
// missing of what ended the long position.
func TestOrderSentAfterAnEndIsNoPartOfIt(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.opensLong(1, "3")
	missed := venues.At(b.now)
	b.stranger(2, venues.Sell, "2", "110", nil)
	b.lists(venues.Long, "0")
	b.now = b.now.Add(endSkewMax / 2)
	sent := limitOrder("")
	sent.cmd.Side = venues.Sell
	o := b.open(sent, venues.StatusOpen)
	r := o.says(venues.StatusFilled, "1")
	r.Fill = o.fill("t1", "1", "90")
	r.Fill.ExecutedAt = venues.At(b.now)
	b.step(func(m moment) { b.state.report(m, r) })
	if n := len(b.closings()); n != 0 {
		t.Fatalf("%d ends are told", n)
	}
	b.lists(venues.Short, "1")
	b.stranger(3, venues.Sell, "1", "120", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = missed })
	b.wantClosing(0, map[string]any{"side": "long", "qty": "3", "realizedPnl": "40"})
	b.pass(time.Minute)
	b.onlyClosing()
}

// TestTurnWithoutAllItsExecutionsIsNone: the venue tells that the short position has
// ended, and it is flat; by the executions so far it has turned round. What is
// missing is found by the next comparison.
func TestTurnWithoutAllItsExecutionsIsNone(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.stranger(1, venues.Sell, "1", "100", nil)
	b.lists(venues.Short, "3")
	missed := venues.At(b.now.Add(time.Millisecond))
	b.later()
	b.lists(venues.Short, "0")
	b.stranger(2, venues.Buy, "3", "90", nil)
	if n := len(b.closings()); n != 0 {
		t.Fatalf("%d ends are told", n)
	}
	b.pass(doubtRetry)
	b.stranger(3, venues.Sell, "2", "110", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = missed })
	b.wantClosing(0, map[string]any{"side": "short", "qty": "3", "realizedPnl": "50"})
}

// TestEndWaitsForFillsThatAreKnownToBeMissing, even if those that came add up to
// nothing by chance.
func TestEndWaitsForFillsThatAreKnownToBeMissing(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.stranger(1, venues.Buy, "1", "100", nil)
	b.lists(venues.Long, "3")
	b.later()
	out := limitOrder("")
	out.cmd.Side, out.cmd.Qty, out.cmd.ReduceOnly = venues.Sell, venues.MustDecimal("3"), true
	o := b.open(out, venues.StatusOpen)
	r := o.says(venues.StatusFilled, "3")
	r.Fill = o.fill("t1", "1", "110")
	r.Fill.ExecutedAt = venues.At(b.now)
	b.lists(venues.Long, "0")
	b.step(func(m moment) { b.state.report(m, r) })
	if n := len(b.closings()); n != 0 {
		t.Fatalf("%d ends are told", n)
	}
	b.stranger(2, venues.Buy, "2", "100", func(r *venues.ExecutionReport) { r.Fill.ExecutedAt = venues.At(b.now.Add(-time.Second)) })
	rest := *o.fill("t2", "2", "110")
	rest.ExecutedAt = venues.At(b.now)
	b.step(func(m moment) { b.state.fills(m, []venues.Fill{rest}) })
	b.wantClosing(0, map[string]any{"qty": "3", "realizedPnl": "30"})
}

// TestWordOfAnEndThatIsKnownEndsNothing: the stream tells a position open and ended
// once more, late, and right after it the next one is opened.
func TestWordOfAnEndThatIsKnownEndsNothing(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.opensLong(1, "2")
	b.stranger(2, venues.Sell, "2", "110", nil)
	b.lists(venues.Long, "0")
	b.onlyClosing()
	b.lists(venues.Long, "2")
	b.lists(venues.Long, "0")
	b.now = b.now.Add(endSkewMax / 2)
	b.stranger(3, venues.Buy, "1", "100", nil)
	b.later()
	b.stranger(4, venues.Buy, "1", "100", nil)
	b.lists(venues.Long, "2")
	b.pass(time.Minute)
	b.onlyClosing()
	if got := openQty(b.state.book("BTCUSDT").now.long); got.String() != "2" {
		t.Fatalf("%s are open", got)
	}
}

// TestWordOfAnEndThatIsKnownHoldsNothingUp: what is opened and closed after it is told
// at once.
func TestWordOfAnEndThatIsKnownHoldsNothingUp(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.opensLong(1, "2")
	b.stranger(2, venues.Sell, "2", "110", nil)
	b.lists(venues.Long, "0")
	b.lists(venues.Long, "2")
	b.lists(venues.Long, "0")
	b.later()
	b.opensLong(3, "1")
	b.stranger(4, venues.Sell, "1", "100", nil)
	b.lists(venues.Long, "0")
	b.wantClosing(1, map[string]any{"qty": "1"})
}
