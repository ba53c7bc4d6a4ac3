package simcore_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"venuegate/venues/simcore"
)

func withFlow(seed uint64) func(*simcore.Options) {
	return func(o *simcore.Options) { o.Quiet, o.Seed = false, seed }
}

// run runs the order flow for d and returns a digest of all events.
func run(t *testing.T, seed uint64, d time.Duration) (*engine, string) {
	t.Helper()
	e := newEngine(t, withFlow(seed))
	for end := e.now.Add(d); e.now.Before(end); {
		e.advance(50 * time.Millisecond)
	}
	digest := sha256.New()
	for _, event := range e.events {
		fmt.Fprintf(digest, "%d %v ", event.Seq, event.Time)
		switch body := event.Body.(type) {
		case simcore.TradeEvent:
			fmt.Fprintf(digest, "trade %d %s %s\n", body.Trade.ID, body.Trade.Price(), body.Trade.Qty())
		default:
			fmt.Fprintf(digest, "%v\n", body)
		}
	}
	return e, hex.EncodeToString(digest.Sum(nil))
}

func TestFlowIsDeterministic(t *testing.T) {
	_, first := run(t, 1, 20*time.Second)
	_, second := run(t, 1, 20*time.Second)
	_, other := run(t, 2, 20*time.Second)
	if first != second {
		t.Error("events differ with equal seeds, want equal")
	}
	if first == other {
		t.Error("events are equal with different seeds, want different")
	}
}

func TestFlowKeepsBooksFilled(t *testing.T) {
	const duration = 2 * time.Minute
	e, _ := run(t, 1, duration)
	changes, trades, marks := map[string]int{}, map[string]int{}, map[string]int{}
	for _, event := range e.events {
		switch body := event.Body.(type) {
		case simcore.BookEvent:
			changes[body.Symbol] += len(body.Changes)
		case simcore.TradeEvent:
			trades[body.Symbol]++
		case simcore.MarkEvent:
			marks[body.Mark.Symbol]++
		}
	}
	for _, symbol := range []string{"BTCUSDT", "ETH-SWAP"} {
		if perSecond := changes[symbol] / int(duration/time.Second); perSecond < 13 {
			t.Errorf("%s: %d changes a second, want at least 13, a hundred with eight symbols", symbol, perSecond)
		}
		if trades[symbol] == 0 || marks[symbol] < 100 {
			t.Errorf("%s: %d trades and %d mark prices, want some and at least 100", symbol, trades[symbol], marks[symbol])
		}
		book, _ := e.Book(symbol, 1000)
		if len(book.Bids) < 200 || len(book.Asks) < 200 || len(book.Bids) > 400 {
			t.Errorf("%s: %d bids and %d asks, want 200 to 400", symbol, len(book.Bids), len(book.Asks))
		}
		if !book.Bids[0].Price.LessThan(book.Asks[0].Price) {
			t.Errorf("%s: best bid %s, best ask %s, want bid below ask", symbol, book.Bids[0].Price, book.Asks[0].Price)
		}
	}
	if changes["OMG-SWAP"] > 0 || trades["OMG-SWAP"] > 0 {
		t.Errorf("%d changes and %d trades of the halted symbol, want none after its first ladder", changes["OMG-SWAP"], trades["OMG-SWAP"])
	}
}

func TestPauseStopsTheFlow(t *testing.T) {
	e := newEngine(t, withFlow(1))
	e.must(e.Pause("BTCUSDT", true))
	before, _ := e.Book("BTCUSDT", 10)
	for range 100 {
		e.advance(100 * time.Millisecond)
	}
	after, _ := e.Book("BTCUSDT", 10)
	if before.UpdateID != after.UpdateID {
		t.Errorf("update id of a paused market = %d, want %d", after.UpdateID, before.UpdateID)
	}
	e.must(e.Pause("BTCUSDT", false))
	e.advance(time.Second)
	if resumed, _ := e.Book("BTCUSDT", 10); resumed.UpdateID == after.UpdateID {
		t.Errorf("update id of a resumed market = %d, want a later one", resumed.UpdateID)
	}
}

func TestMovePriceFillsCrossedOrders(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	crossed := e.place(limit(a, simcore.Sell, "0.1", "60500"))
	beyond := e.place(limit(a, simcore.Sell, "0.1", "62000"))
	e.must(e.MovePrice("BTCUSDT", dec("61000")))
	e.equal("average price of the crossed order", e.current(crossed).AvgPrice(), "60500")
	e.equal("filled beyond the price", e.current(beyond).FilledQty(), "0")
	e.equal("last", e.LastPrice("BTCUSDT"), "61000")
	mark, _ := e.Mark("BTCUSDT")
	e.equal("mark", mark.Mark, "61000")
	book, _ := e.Book("BTCUSDT", 1)
	e.equal("best bid", book.Bids[0].Price, "60999.9")
	e.equal("best ask", book.Asks[0].Price, "61000.1")
	e.rejected(simcore.ReasonPriceOffTick, e.MovePrice("BTCUSDT", dec("61000.05")))
	e.rejected(simcore.ReasonUnknownSymbol, e.MovePrice("NOPE", dec("1")))
}

func TestDepthAndHalt(t *testing.T) {
	e := newEngine(t)
	e.must(e.SetDepth("BTCUSDT", 3))
	if book, _ := e.Book("BTCUSDT", 100); len(book.Bids) != 3 || len(book.Asks) != 3 {
		t.Errorf("%d bids and %d asks, want 3 and 3", len(book.Bids), len(book.Asks))
	}
	e.rejected(simcore.ReasonBadRequest, e.SetDepth("BTCUSDT", 1001))
	e.must(e.Halt("BTCUSDT", true))
	_, err := e.Place(market(e.trader(), simcore.Buy, "0.1"))
	e.rejected(simcore.ReasonNotTradable, err)
	e.must(e.Halt("BTCUSDT", false))
	e.place(market(e.trader(), simcore.Buy, "0.1"))
}

func TestMirrorReplacesTheHouse(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	resting := e.place(limit(a, simcore.Sell, "0.1", "60200"))
	change := func(side simcore.Side, price, qty string) simcore.LevelChange {
		c, ok := e.ChangeOf("BTCUSDT", side, simcore.Level{Price: dec(price), Qty: dec(qty)})
		if !ok {
			t.Fatalf("%s at %s is off the grid, want a level", qty, price)
		}
		return c
	}
	e.must(e.Mirror("BTCUSDT", []simcore.LevelChange{change(simcore.Buy, "60250", "2")}, []simcore.LevelChange{change(simcore.Sell, "60260", "3")}))
	e.equal("filled by the crossing book", e.current(resting).FilledQty(), "0.1")
	book, _ := e.Book("BTCUSDT", 10)
	if len(book.Bids) != 1 || len(book.Asks) != 1 {
		t.Fatalf("book = %v, want one level on each side", book)
	}
	e.equal("bid", book.Bids[0].Qty, "2")
	e.must(e.Print("BTCUSDT", simcore.Buy, dec("60260"), dec("0.5")))
	e.equal("last", e.LastPrice("BTCUSDT"), "60260")
	if _, ok := e.ChangeOf("BTCUSDT", simcore.Buy, simcore.Level{Price: dec("60250.05"), Qty: dec("1")}); ok {
		t.Error("a price off the tick is converted, want false")
	}
}

func BenchmarkFlowSecond(b *testing.B) {
	e := newEngine(b, withFlow(1))
	e.Subscribe(func(simcore.Event) {})
	b.ReportAllocs()
	for b.Loop() {
		for range 20 {
			e.now = e.now.Add(50 * time.Millisecond)
			e.Tick()
		}
		e.events = e.events[:0]
	}
}

func BenchmarkMarketOrder(b *testing.B) {
	e := newEngine(b)
	account := e.trader()
	b.ReportAllocs()
	for b.Loop() {
		e.place(market(account, simcore.Buy, "0.01"))
		e.place(market(account, simcore.Sell, "0.01"))
		e.must(e.SetDepth("BTCUSDT", 20))
		e.events = e.events[:0]
	}
}

// A given pace makes exactly as many trades as it requires, each one print, in steps of its
// length, and leaves the books as deep as without it.
func TestFlowKeepsAGivenPace(t *testing.T) {
	for _, c := range []struct {
		step    time.Duration
		rate    int
		seconds int
	}{
		{10 * time.Millisecond, 2_000, 3},
		{100 * time.Millisecond, 7, 10},
		{250 * time.Millisecond, 1, 20},
	} {
		e := newEngine(t, withFlow(1), func(o *simcore.Options) { o.FlowStep, o.TradesPerSecond = c.step, c.rate })
		for range time.Duration(c.seconds) * time.Second / c.step {
			e.advance(c.step)
		}
		trades, books := 0, 0
		for _, event := range e.events {
			switch body := event.Body.(type) {
			case simcore.TradeEvent:
				if body.Symbol == "BTCUSDT" {
					trades++
				}
			case simcore.BookEvent:
				if body.Symbol == "BTCUSDT" {
					books++
				}
			}
		}
		if want := c.rate * c.seconds; trades != want {
			t.Errorf("%d a second in steps of %s: %d trades in %d s, want %d", c.rate, c.step, trades, c.seconds, want)
		}
		if want := int(time.Duration(c.seconds) * time.Second / c.step); books != want {
			t.Errorf("%d a second in steps of %s: %d changes of the book, want %d", c.rate, c.step, books, want)
		}
		if book, _ := e.Book("BTCUSDT", 1000); len(book.Bids) < 200 || len(book.Asks) < 200 {
			t.Errorf("%d a second in steps of %s: %d bids and %d asks, want at least 200 of each", c.rate, c.step, len(book.Bids), len(book.Asks))
		}
	}
}

// Steps that do not come when they are due are made up for, those of a long pause are not.
func TestFlowMakesUpForLateSteps(t *testing.T) {
	changes := func(e *engine, after time.Duration) (count int) {
		e.events = nil
		e.advance(after)
		for _, event := range e.events {
			if body, is := event.Body.(simcore.MarkEvent); is && body.Mark.Symbol == "BTCUSDT" {
				count++
			}
		}
		return count
	}
	e := newEngine(t, withFlow(1), func(o *simcore.Options) { o.FlowStep = 10 * time.Millisecond })
	changes(e, 9*time.Millisecond)
	// A mark price follows every tenth step.
	if got := changes(e, 91*time.Millisecond); got != 1 {
		t.Errorf("mark prices after 100 ms = %d, want 1", got)
	}
	if got := changes(e, time.Minute); got != 4 {
		t.Errorf("mark prices after a pause = %d, want 4, of 400 ms", got)
	}
}

func TestImpossiblePaceIsRejected(t *testing.T) {
	for _, options := range []simcore.Options{{FlowStep: -1}, {TradesPerSecond: -1}} {
		options.Instruments = testInstruments()
		if _, err := simcore.New(options); err == nil {
			t.Errorf("step %s and rate %d: no error, want one", options.FlowStep, options.TradesPerSecond)
		}
	}
}
