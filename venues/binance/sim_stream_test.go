package binance_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/binance"
	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore"
)

// books is a feed sink that keeps one book the way the service does: joined to a
// snapshot, then held to its sequence.
type books struct {
	mu          sync.Mutex
	wake        chan struct{}
	updates     map[string]int
	gaps        map[string]int
	last        map[string]uint64
	trades      []venues.Trade
	candles     []venues.Candle
	marks       map[string]int
	interrupted map[venues.FeedChannel]int
	resumed     map[venues.FeedChannel]int
	causes      []error
}

func newBooks() *books {
	return &books{
		wake: make(chan struct{}, 1), updates: map[string]int{}, gaps: map[string]int{}, last: map[string]uint64{}, marks: map[string]int{},
		interrupted: map[venues.FeedChannel]int{}, resumed: map[venues.FeedChannel]int{},
	}
}

func (b *books) note(what func()) {
	b.mu.Lock()
	what()
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *books) Book(u *venues.BookUpdate) {
	defer u.Release()
	b.note(func() {
		if last := b.last[u.Symbol]; last != 0 && u.PrevSeq != last {
			b.gaps[u.Symbol]++
		}
		b.last[u.Symbol] = u.LastSeq
		b.updates[u.Symbol]++
	})
}
func (b *books) Trade(t venues.Trade)    { b.note(func() { b.trades = append(b.trades, t) }) }
func (b *books) Candle(c venues.Candle)  { b.note(func() { b.candles = append(b.candles, c) }) }
func (b *books) Mark(m venues.MarkPrice) { b.note(func() { b.marks[m.Symbol]++ }) }
func (b *books) Interrupted(channels []venues.FeedChannel, cause error) {
	b.note(func() {
		b.causes = append(b.causes, cause)
		for _, c := range channels {
			b.interrupted[c]++
			delete(b.last, c.Symbol)
		}
	})
}

func (b *books) Resumed(channels []venues.FeedChannel) {
	b.note(func() {
		for _, c := range channels {
			b.resumed[c]++
		}
	})
}

func (b *books) await(t *testing.T, what string, done func(*books) bool) {
	t.Helper()
	deadline := time.After(15 * time.Second)
	for {
		b.mu.Lock()
		ok := done(b)
		b.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-b.wake:
		case <-deadline:
			b.mu.Lock()
			defer b.mu.Unlock()
			t.Fatalf("%s did not come: updates %v, gaps %v, %d trades, %d candles, marks %v, interrupted %v, resumed %v, causes %v",
				what, b.updates, b.gaps, len(b.trades), len(b.candles), b.marks, b.interrupted, b.resumed, b.causes)
		}
	}
}

func lively(o *binancesim.Options) { o.Quiet = false }

func book(symbol string) venues.FeedChannel {
	return venues.FeedChannel{Kind: venues.FeedBook, Symbol: symbol}
}

func (x *exchange) feed(channels ...venues.FeedChannel) (*books, venues.Feed) {
	x.t.Helper()
	b := newBooks()
	feed := x.connector.OpenFeed(b)
	x.t.Cleanup(feed.Close)
	feed.Subscribe(channels...)
	return b, feed
}

func TestSimFeed(t *testing.T) {
	x := start(t, lively, nil)
	channels := []venues.FeedChannel{
		book("BTCUSDT"), book("DOGEUSDT"),
		{Kind: venues.FeedTrades, Symbol: "BTCUSDT"},
		{Kind: venues.FeedCandles, Symbol: "BTCUSDT", Timeframe: "1m"},
		{Kind: venues.FeedMark, Symbol: "BTCUSDT"},
	}
	b, feed := x.feed(channels...)
	b.await(t, "every channel's confirmation", func(b *books) bool { return len(b.resumed) == len(channels) })
	x.trade("buy", "0.01")
	b.await(t, "every kind of message", func(b *books) bool {
		return b.updates["BTCUSDT"] > 5 && b.updates["DOGEUSDT"] > 5 && len(b.trades) > 0 && len(b.candles) > 0 && b.marks["BTCUSDT"] > 0
	})
	b.mu.Lock()
	if len(b.gaps) != 0 || len(b.causes) != 0 {
		t.Errorf("gaps %v, interruptions %v", b.gaps, b.causes)
	}
	b.mu.Unlock()
	snapshot, err := x.connector.Snapshot(t.Context(), "BTCUSDT")
	if err != nil {
		t.Fatal(err)
	}
	b.await(t, "an update after the snapshot", func(b *books) bool { return b.last["BTCUSDT"] >= snapshot.LastSeq })

	feed.Unsubscribe(book("DOGEUSDT"))
	feed.Unsubscribe(channels[2:]...) // the market connection carries nothing now
	var before int
	b.await(t, "more of the other book", func(b *books) bool {
		if before == 0 {
			before = b.updates["BTCUSDT"]
		}
		return b.updates["BTCUSDT"] > before+3
	})
	feed.Close()
	b.mu.Lock()
	after := b.updates["BTCUSDT"]
	b.mu.Unlock()
	x.sim.Step()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.updates["BTCUSDT"] != after {
		t.Error("the sink heard something after Close")
	}
}

func TestSimFeedReconnects(t *testing.T) {
	x := start(t, lively, nil)
	b, _ := x.feed(book("BTCUSDT"))
	b.await(t, "updates", func(b *books) bool { return b.updates["BTCUSDT"] > 2 })
	x.streams.cut()
	b.await(t, "the interruption and the return", func(b *books) bool {
		return b.interrupted[book("BTCUSDT")] == 1 && b.resumed[book("BTCUSDT")] == 2
	})
	count := 0
	b.await(t, "more updates", func(b *books) bool {
		if count == 0 {
			count = b.updates["BTCUSDT"]
		}
		return b.updates["BTCUSDT"] > count+2
	})
}

// A stream that goes mute while its connection lives is noticed, subscribed
// again and, if that does not help, given a new connection.
func TestSimFeedNoticesSilence(t *testing.T) {
	x := start(t, lively, func(o *binance.Options) { o.BookSilenceMax = 500 * time.Millisecond })
	b, _ := x.feed(book("BTCUSDT"))
	b.await(t, "updates", func(b *books) bool { return b.updates["BTCUSDT"] > 2 })
	x.fault(simcore.FaultMute, "/public", "btcusdt", 0, simcore.FaultArgs{})
	b.await(t, "two interruptions", func(b *books) bool { return b.interrupted[book("BTCUSDT")] >= 2 })
	x.sim.Control().ClearFaults()
	count := 0
	b.await(t, "updates again", func(b *books) bool {
		if count == 0 {
			count = b.updates["BTCUSDT"]
		}
		return b.updates["BTCUSDT"] > count+3
	})
}

// A renewed connection goes on where the old one stopped.
func TestSimFeedRenewsWithoutAGap(t *testing.T) {
	x := start(t, lively, func(o *binance.Options) { o.ConnLifetime = 200 * time.Millisecond })
	b, _ := x.feed(book("BTCUSDT"), venues.FeedChannel{Kind: venues.FeedTrades, Symbol: "BTCUSDT"})
	b.await(t, "updates over several connections", func(b *books) bool { return b.updates["BTCUSDT"] > 25 })
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.gaps) != 0 || len(b.causes) != 0 || b.resumed[book("BTCUSDT")] != 1 {
		t.Errorf("gaps %v, interruptions %v, resumed %v", b.gaps, b.causes, b.resumed)
	}
	seen := map[string]bool{}
	for _, trade := range b.trades {
		if seen[trade.ID] {
			t.Errorf("trade %s twice", trade.ID)
		}
		seen[trade.ID] = true
	}
}

func TestSimPrivateStreamReconnects(t *testing.T) {
	x := start(t, nil, nil)
	e := x.listenPrivate()
	order := x.place(nil)
	e.awaitLife(t, order.ClientOrderID, venues.StatusOpen)
	x.streams.cut()
	e.await(t, "the loss and the return", func(e *events) bool { return len(e.lost) == 1 && e.connected == 2 })
	if _, err := x.account.Cancel(t.Context(), refOf(order)); err != nil {
		t.Fatal(err)
	}
	e.await(t, "the next event", func(e *events) bool {
		return slices.Contains(e.lifeOf(order.ClientOrderID), venues.StatusCancelled)
	})
}

func TestSimListenKeyExpires(t *testing.T) {
	x := start(t, nil, nil)
	e := x.listenPrivate()
	x.sim.ExpireListenKey(x.sim.DemoAccount().ID)
	e.await(t, "the loss and the return", func(e *events) bool { return len(e.lost) == 1 && e.connected == 2 })
	order := x.place(nil)
	e.awaitLife(t, order.ClientOrderID, venues.StatusOpen)
}

// A private stream that tells nothing of an acknowledged order is replaced.
func TestSimPrivateStreamIsMute(t *testing.T) {
	x := start(t, nil, func(o *binance.Options) { o.EventSilenceMax = 300 * time.Millisecond })
	e := x.listenPrivate()
	x.fault(simcore.FaultMute, "/private", "", 0, simcore.FaultArgs{})
	order := x.place(nil)
	e.await(t, "the loss", func(e *events) bool { return len(e.lost) >= 1 })
	x.sim.Control().ClearFaults()
	e.await(t, "the return", func(e *events) bool { return e.connected >= 2 })
	if _, err := x.account.Cancel(t.Context(), refOf(order)); err != nil {
		t.Fatal(err)
	}
	e.await(t, "an event", func(e *events) bool { return len(e.lifeOf(order.ClientOrderID)) > 0 })
}

func TestSimDuplicateEventsAreHarmless(t *testing.T) {
	x := start(t, nil, nil)
	e := x.listenPrivate()
	x.fault(simcore.FaultDuplicate, "/private", "", 0, simcore.FaultArgs{})
	order := x.place(market(venues.Buy, "0.01"))
	e.await(t, "the fill, twice", func(e *events) bool {
		filled := 0
		for _, r := range e.reports {
			if r.ClientOrderID == order.ClientOrderID && r.Status == venues.StatusFilled {
				filled++
			}
		}
		return filled >= 2
	})
}

func TestSimListenKeyNeedsAKey(t *testing.T) {
	x := start(t, nil, nil)
	x.account = x.open(simcore.AccountInfo{Credentials: simcore.Credentials{APIKey: "unknown", APISecret: "x"}})
	e := newEvents()
	feed := x.account.OpenPrivate(e)
	feed.Close()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.connected != 0 || len(e.lost) != 0 {
		t.Errorf("connected %d, lost %v", e.connected, e.lost)
	}
}

func TestSimMaintenance(t *testing.T) {
	x := start(t, nil, nil)
	x.fault(simcore.FaultMaintenance, "/fapi/v1/order", "POST", 1, simcore.FaultArgs{})
	if _, err := x.account.Mode(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := x.account.Place(t.Context(), x.order(nil))
	if code := venues.CodeOf(err); code != venues.CodeMaintenance && code != venues.CodeExchangeUnavailable {
		t.Errorf("%v", err)
	}
	if errors.Is(err, venues.ErrNotSent) {
		t.Errorf("%v: it was sent", err)
	}
}
