package simcore_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"venuegate/venues/simcore"
)

func lively(seed uint64) func(*simcore.Options) {
	return func(o *simcore.Options) { o.Quiet, o.Seed = false, seed }
}

// run lets the market live and answers a digest of all its events.
func run(t *testing.T, seed uint64, d time.Duration) (*engine, string) {
	t.Helper()
	e := newEngine(t, lively(seed))
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
		t.Error("equal seeds give different markets")
	}
	if first == other {
		t.Error("different seeds give equal markets")
	}
}

func TestFlowKeepsBooksAlive(t *testing.T) {
	const lived = 2 * time.Minute
	e, _ := run(t, 1, lived)
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
		if perSecond := changes[symbol] / int(lived/time.Second); perSecond < 13 {
			t.Errorf("%s: %d changes a second; eight symbols must give a hundred", symbol, perSecond)
		}
		if trades[symbol] == 0 || marks[symbol] < 100 {
			t.Errorf("%s: %d trades, %d mark prices", symbol, trades[symbol], marks[symbol])
		}
		book, _ := e.Book(symbol, 1000)
		if len(book.Bids) < 200 || len(book.Asks) < 200 || len(book.Bids) > 400 {
			t.Errorf("%s: %d bids, %d asks", symbol, len(book.Bids), len(book.Asks))
		}
		if !book.Bids[0].Price.LessThan(book.Asks[0].Price) {
			t.Errorf("%s is crossed", symbol)
		}
	}
	if len(changes) != 2 && changes["OMG-SWAP"] > 440 {
		t.Errorf("the halted symbol moved: %d changes", changes["OMG-SWAP"])
	}
}

func TestPauseStopsTheFlow(t *testing.T) {
	e := newEngine(t, lively(1))
	e.must(e.Pause("BTCUSDT", true))
	before, _ := e.Book("BTCUSDT", 10)
	for range 100 {
		e.advance(100 * time.Millisecond)
	}
	after, _ := e.Book("BTCUSDT", 10)
	if before.UpdateID != after.UpdateID {
		t.Error("a paused market moved")
	}
	e.must(e.Pause("BTCUSDT", false))
	e.advance(time.Second)
	if resumed, _ := e.Book("BTCUSDT", 10); resumed.UpdateID == after.UpdateID {
		t.Error("a resumed market stands still")
	}
}

func TestMovePriceFillsWhatItPasses(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	passed := e.place(limit(a, simcore.Sell, "0.1", "60500"))
	beyond := e.place(limit(a, simcore.Sell, "0.1", "62000"))
	e.must(e.MovePrice("BTCUSDT", dec("61000")))
	e.equal("passed", e.again(passed).AvgPrice(), "60500")
	e.equal("beyond", e.again(beyond).FilledQty(), "0")
	e.equal("last", e.LastPrice("BTCUSDT"), "61000")
	mark, _ := e.Mark("BTCUSDT")
	e.equal("mark", mark.Mark, "61000")
	book, _ := e.Book("BTCUSDT", 1)
	e.equal("best bid", book.Bids[0].Price, "60999.9")
	e.equal("best ask", book.Asks[0].Price, "61000.1")
	e.refused(simcore.ReasonPriceOffTick, e.MovePrice("BTCUSDT", dec("61000.05")))
	e.refused(simcore.ReasonUnknownSymbol, e.MovePrice("NOPE", dec("1")))
}

func TestDepthAndHalt(t *testing.T) {
	e := newEngine(t)
	e.must(e.SetDepth("BTCUSDT", 3))
	if book, _ := e.Book("BTCUSDT", 100); len(book.Bids) != 3 || len(book.Asks) != 3 {
		t.Errorf("%d bids, %d asks", len(book.Bids), len(book.Asks))
	}
	e.refused(simcore.ReasonBadRequest, e.SetDepth("BTCUSDT", 1001))
	e.must(e.Halt("BTCUSDT", true))
	_, err := e.Place(market(e.trader(), simcore.Buy, "0.1"))
	e.refused(simcore.ReasonNotTradable, err)
	e.must(e.Halt("BTCUSDT", false))
	e.place(market(e.trader(), simcore.Buy, "0.1"))
}

func TestMirror(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	resting := e.place(limit(a, simcore.Sell, "0.1", "60200"))
	change := func(side simcore.Side, price, qty string) simcore.LevelChange {
		c, ok := e.ChangeOf("BTCUSDT", side, simcore.Level{Price: dec(price), Qty: dec(qty)})
		if !ok {
			t.Fatalf("%s %s is off the grid", price, qty)
		}
		return c
	}
	e.must(e.Mirror("BTCUSDT", []simcore.LevelChange{change(simcore.Buy, "60250", "2")}, []simcore.LevelChange{change(simcore.Sell, "60260", "3")}))
	e.equal("passed by the book", e.again(resting).FilledQty(), "0.1")
	book, _ := e.Book("BTCUSDT", 10)
	if len(book.Bids) != 1 || len(book.Asks) != 1 {
		t.Fatalf("%v", book)
	}
	e.equal("bid", book.Bids[0].Qty, "2")
	e.must(e.Print("BTCUSDT", simcore.Buy, dec("60260"), dec("0.5")))
	e.equal("last", e.LastPrice("BTCUSDT"), "60260")
	if _, ok := e.ChangeOf("BTCUSDT", simcore.Buy, simcore.Level{Price: dec("60250.05"), Qty: dec("1")}); ok {
		t.Error("a price off the tick is taken")
	}
}

func BenchmarkFlowSecond(b *testing.B) {
	e := newEngine(b, lively(1))
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
