package book_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/actors/book"
	"venuegate/venues"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// text is an encoder with readable output.
type text struct{}

func (text) AppendBook(dst []byte, m *venues.BookMessage) []byte {
	dst = fmt.Appendf(dst, "%s #%d", m.Type, m.Seq)
	if m.Type == venues.MessageStale {
		return dst
	}
	return fmt.Appendf(dst, " %v %v", m.Bids, m.Asks)
}

func (text) AppendTrade(dst []byte, m *venues.TradeMessage) []byte {
	return fmt.Appendf(dst, "%s #%d %s", m.Type, m.Seq, m.Price)
}

func (text) AppendCandle(dst []byte, m *venues.CandleMessage) []byte {
	return fmt.Appendf(dst, "%s #%d %s", m.Type, m.Seq, m.Close)
}

// sink records its frames.
type sink struct {
	mu     sync.Mutex
	frames []venues.Frame
}

func (s *sink) Deliver(f venues.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frames = append(s.frames, f)
}

// take empties the sink and returns its frames as lines.
func (s *sink) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, f := range s.frames {
		lines = append(lines, string(f.Bytes))
	}
	s.frames = nil
	return strings.Join(lines, "\n")
}

// venue is the feed and the REST side of a book.
type venue struct {
	mu       sync.Mutex
	channels []string
	seq      uint64
	err      error
	requests int
}

func (v *venue) Subscribe(channels ...venues.FeedTopic)   { v.note("+", channels) }
func (v *venue) Unsubscribe(channels ...venues.FeedTopic) { v.note("-", channels) }

func (v *venue) note(sign string, channels []venues.FeedTopic) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range channels {
		v.channels = append(v.channels, fmt.Sprintf("%s%d%s", sign, c.Kind, c.Timeframe))
	}
}

func (v *venue) takeChannels() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	taken := strings.Join(v.channels, " ")
	v.channels = nil
	return taken
}

func (v *venue) Snapshot(context.Context, string) (*venues.BookUpdate, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.requests++
	if v.err != nil {
		return nil, v.err
	}
	return update(0, v.seq, true, 100, 101), nil
}

func (v *venue) Candles(_ context.Context, q venues.CandlesQuery) ([]venues.Candle, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return []venues.Candle{{Symbol: q.Symbol, Timeframe: q.Timeframe, Close: venues.MustDecimal("7")}}, v.err
}

func update(prev, last uint64, snapshot bool, bid, ask int64) *venues.BookUpdate {
	u := venues.NewBookUpdate()
	u.Symbol, u.Snapshot = "BTCUSDT", snapshot
	u.PrevSeq, u.FirstSeq, u.LastSeq = prev, prev+1, last
	u.Bids = append(u.Bids, venues.Level{Price: bid, Qty: int64(last)})
	u.Asks = append(u.Asks, venues.Level{Price: ask, Qty: int64(last)})
	u.Received = time.Now()
	u.VenueTime = u.Received
	return u
}

var instrument = venues.Instrument{
	Symbol: "BTCUSDT", Exchange: venues.Binance,
	TickSize: venues.MustDecimal("0.1"), QtyStep: venues.MustDecimal("0.001"),
}

// start starts a book of a venue with stream snapshots, which change may modify.
func start(k *actortest.Kit, v *venue, change ...func(*book.Deps)) *book.Client {
	deps := book.Deps{
		Instrument: instrument, StreamSnapshots: true, Feed: v, Reader: v, Encoder: text{},
		Pool: k.System.NewPool("rest", 2, 8), CheckEvery: -1,
	}
	for _, f := range change {
		f(&deps)
	}
	c := book.New(k.System.Ref(book.Name("BTCUSDT")), deps)
	k.Start(c.Child())
	return c
}

func subscribe(k *actortest.Kit, c *book.Client, topic string) (*sink, venues.Subscription) {
	k.T.Helper()
	parsed, ok := venues.ParseTopic(topic)
	if !ok {
		k.T.Fatalf("topic %s, want a valid one", topic)
	}
	s := &sink{}
	var sub venues.Subscription
	var err error
	k.Do(func() { sub, err = c.Subscribe(k.T.Context(), parsed, s) })
	if err != nil {
		k.T.Fatal(err)
	}
	k.Settle()
	return s, sub
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
	}
}

func TestSubscriberFollowsTheBook(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		v := &venue{}
		c := start(k, v)
		s, sub := subscribe(k, c, "book:binance:BTCUSDT:5")
		expect(t, "channels", v.takeChannels(), "+1")
		c.Update(update(0, 10, true, 100, 101))
		c.Update(update(10, 11, false, 100, 101))
		c.Update(update(11, 12, false, 100, 101))
		k.Settle()
		if got := s.take(); !strings.HasPrefix(got, "snapshot #1") || strings.Contains(got, "stale") {
			t.Errorf("frames = %s, want snapshot #1 and nothing stale", got)
		}
		sub.Resync()
		sub.Resync()
		k.Settle()
		if got := s.take(); !strings.HasPrefix(got, "snapshot #") {
			t.Errorf("frames after Resync = %s, want a snapshot", got)
		}
		sub.Close()
		sub.Close()
		c.Update(update(12, 13, false, 99, 101))
		k.Settle()
		expect(t, "after close", s.take(), "")
	})
}

func TestBatchMakesOneMessage(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		c := start(k, &venue{})
		s, _ := subscribe(k, c, "book:binance:BTCUSDT:5")
		c.Update(update(0, 10, true, 100, 101))
		k.Settle()
		s.take()
		for seq := range uint64(50) {
			c.Update(update(10+seq, 11+seq, false, 100, 101))
		}
		k.Settle()
		expect(t, "batch", s.take(), "delta #2 [{100 60}] [{101 60}]")
	}, actortest.Seeded(1))
}

func TestFallingBehindMakesTheBookStale(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		v := &venue{}
		c := start(k, v)
		s, _ := subscribe(k, c, "book:binance:BTCUSDT:5")
		c.Update(update(0, 10, true, 100, 101))
		k.Settle()
		s.take()
		v.takeChannels()
		for seq := range uint64(2000) {
			c.Update(update(10+seq, 11+seq, false, 100, 101))
		}
		k.Settle()
		expect(t, "overrun", s.take(), "stale #2")
		if got := c.Stats(); got.Overruns != 1 || got.Phase != book.PhaseStale {
			t.Errorf("stats = %+v, want one overrun and a stale book", got)
		}
		k.Advance(time.Second)
		expect(t, "channels", v.takeChannels(), "+1")
		c.Update(update(0, 5000, true, 99, 101))
		k.Settle()
		expect(t, "recovered", s.take(), "snapshot #3 [{99 5000}] [{101 5000}]")
	}, actortest.Seeded(1))
}

func TestRestSnapshotIsFetchedAndRetried(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		v := &venue{seq: 10, err: errors.New("no connection")}
		c := start(k, v, func(d *book.Deps) { d.StreamSnapshots = false })
		s, _ := subscribe(k, c, "book:binance:BTCUSDT:1")
		c.Update(update(9, 10, false, 99, 102))
		k.Advance(2 * time.Second)
		if v.requests < 3 || v.requests > 5 {
			t.Errorf("requests in 2 s = %d, want 3 to 5", v.requests)
		}
		expect(t, "without a snapshot", s.take(), "")
		v.mu.Lock()
		v.err = nil
		v.mu.Unlock()
		k.Advance(2 * time.Second)
		expect(t, "joined", s.take(), "snapshot #1 [{100 10}] [{101 10}]")
		stats := c.Stats()
		if stats.SnapshotErrors == 0 || stats.Snapshots != 1 || stats.Phase != book.PhaseLive || stats.Silence < time.Second {
			t.Errorf("stats = %+v, want errors, one snapshot and a live book", stats)
		}
	})
}

func TestPeriodicComparisonFindsADrift(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		v := &venue{seq: 10}
		c := start(k, v, func(d *book.Deps) { d.StreamSnapshots, d.CheckEvery = false, time.Minute })
		s, _ := subscribe(k, c, "book:binance:BTCUSDT:1")
		c.Update(update(9, 10, false, 100, 101))
		k.Advance(100 * time.Second)
		if stats := c.Stats(); stats.ChecksMatched == 0 || stats.ChecksMismatched != 0 {
			t.Errorf("stats of an equal book = %+v, want matching checks only", stats)
		}
		s.take()
		c.Update(update(10, 11, false, 98, 103)) // the venue then still shows 100 and 101 alone
		k.Settle()
		v.mu.Lock()
		v.seq = 11
		v.mu.Unlock()
		k.Advance(100 * time.Second)
		if stats := c.Stats(); stats.ChecksMismatched != 1 || stats.Phase != book.PhaseLive {
			t.Errorf("stats of a drifted book = %+v, want one mismatch and a live book", stats)
		}
		expect(t, "frames", s.take(), "stale #2\nsnapshot #3 [{100 11}] [{101 11}]")
	})
}

func TestCandlesBeginByREST(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		v := &venue{}
		c := start(k, v)
		s, _ := subscribe(k, c, "kline:binance:BTCUSDT:1h")
		expect(t, "first", s.take(), "snapshot #1 7")
		c.Candle(venues.Candle{Timeframe: "1h", Close: venues.MustDecimal("8")})
		k.Settle()
		expect(t, "then", s.take(), "update #2 8")
		expect(t, "channels", v.takeChannels(), "+31h")
	})
}

// A subscriber that comes after the stream of candles has ended does not receive its last one.
func TestCandlesBeginAgain(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		v := &venue{}
		c := start(k, v)
		subscribe(k, c, "trades:binance:BTCUSDT") // keeps the book
		s, sub := subscribe(k, c, "kline:binance:BTCUSDT:1h")
		c.Candle(venues.Candle{Timeframe: "1h", Close: venues.MustDecimal("8")})
		k.Settle()
		expect(t, "first", s.take(), "snapshot #1 7\nupdate #2 8")
		sub.Close()
		k.Advance(6 * time.Minute)
		expect(t, "channels", v.takeChannels(), "+2 +31h -31h")
		s, _ = subscribe(k, c, "kline:binance:BTCUSDT:1h")
		expect(t, "again", s.take(), "snapshot #3 7")
	})
}

func TestQuoteIsReadWithoutWaiting(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		v := &venue{}
		c := start(k, v)
		if q, known := c.Quote(); known || !q.Stale {
			t.Errorf("quote before the first message = %+v, want a stale unknown one", q)
		}
		k.Settle()
		expect(t, "channels", v.takeChannels(), "+1 +2 +4")
		go func() {
			c.Update(update(0, 10, true, 100, 101))
			c.Trade(venues.Trade{Price: venues.MustDecimal("10.05")})
			c.Mark(venues.MarkPrice{Price: venues.MustDecimal("10.04")})
		}()
		if q, err := c.AwaitQuote(k.T.Context()); err != nil || !q.HasPrice() {
			t.Errorf("awaited quote = %+v, error %v, want a price", q, err)
		}
		k.Settle()
		q, known := c.Quote()
		if !known || q.Stale || q.Mark.Decimal.String() != "10.04" || q.Last.Decimal.String() != "10.05" ||
			q.BestBid.Decimal.String() != "10" || q.BestAsk.Decimal.String() != "10.1" || q.VenueTime.IsZero() {
			t.Errorf("quote = %+v, want bid 10 and ask 10.1", q)
		}
		c.Interrupted(venues.FeedTopic{Kind: venues.FeedBook}, errors.New("broken"))
		k.Settle()
		if q, known := c.Quote(); !known || !q.Stale || q.BestBid.Valid {
			t.Errorf("quote while interrupted = %+v, want a stale one without a bid", q)
		}
		k.Advance(6 * time.Minute)
		expect(t, "topics without readers", v.takeChannels(), "-1 -2 -4")
	})
}

func TestBookEndsWhenNobodyNeedsIt(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		v := &venue{}
		c := start(k, v)
		s, sub := subscribe(k, c, "trades:binance:BTCUSDT")
		c.Trade(venues.Trade{Price: venues.MustDecimal("10")})
		k.Settle()
		expect(t, "trade", s.take(), "update #1 10")
		sub.Close()
		k.Advance(5 * time.Second)
		expect(t, "lingering", v.takeChannels(), "+2")
		k.Advance(6 * time.Second)
		expect(t, "let go", v.takeChannels(), "-2")
		_, err := c.Subscribe(k.T.Context(), venues.Topic{Kind: venues.TopicTrades}, s)
		if !errors.Is(err, actors.ErrStopped) {
			t.Errorf("subscribe to an ended book: error %v, want ErrStopped", err)
		}
	})
}

func TestResidentBookStays(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		v := &venue{}
		start(k, v, func(d *book.Deps) { d.Resident = true })
		k.Advance(time.Hour)
		if got := v.takeChannels(); !strings.HasPrefix(got, "+1 +2 +4") || strings.Contains(got, "-") {
			t.Errorf("channels = %s, want +1 +2 +4 and none removed", got)
		}
	})
}

// bomb is an encoder that fails once.
type bomb struct {
	text
	armed *bool
}

func (b bomb) AppendBook(dst []byte, m *venues.BookMessage) []byte {
	if *b.armed {
		*b.armed = false
		panic("boom")
	}
	return b.text.AppendBook(dst, m)
}

func TestSubscribersOutliveAFailure(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		v, armed := &venue{}, false
		c := start(k, v, func(d *book.Deps) { d.Encoder = bomb{armed: &armed} })
		s, _ := subscribe(k, c, "book:binance:BTCUSDT:1")
		c.Update(update(0, 10, true, 100, 101))
		k.Settle()
		s.take()
		armed = true
		c.Update(update(10, 11, false, 100, 101))
		k.Settle()
		if q, _ := c.Quote(); !q.Stale {
			t.Errorf("quote of a failed book = %+v, want a stale one", q)
		}
		if stats := c.Stats(); stats.Phase == book.PhaseLive {
			t.Errorf("stats of a failed book = %+v, want it not live", stats)
		}
		k.Advance(time.Second)
		if got := s.take(); !strings.HasPrefix(got, "stale #") {
			t.Errorf("frames after the failure = %s, want stale", got)
		}
		expect(t, "channels", v.takeChannels(), "+1 +1 +2 +4")
		c.Update(update(0, 20, true, 100, 101))
		k.Settle()
		if got := s.take(); !strings.HasPrefix(got, "snapshot #") {
			t.Errorf("frames of the restored book = %s, want a snapshot", got)
		}
	}, actortest.ExpectFailures())
}

func TestChangedStepsRebuildTheBook(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		v := &venue{}
		c := start(k, v)
		s, _ := subscribe(k, c, "book:binance:BTCUSDT:1")
		c.Update(update(0, 10, true, 100, 101))
		k.Settle()
		s.take()
		c.SetScale(instrument.Scale())
		k.Settle()
		expect(t, "unchanged", s.take(), "")
		c.SetScale(venues.Scale{PriceDecimals: 2, QtyDecimals: 3})
		k.Settle()
		expect(t, "changed", s.take(), "stale #2")
	})
}

// A watch whose caller has given up is closed, although the request reaches the book.
func TestAbandonedWatchIsClosed(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		c := start(k, &venue{})
		k.Settle()
		ctx, cancel := context.WithCancel(k.T.Context())
		cancel()
		condition := venues.PriceCondition{Field: venues.FieldLast, Op: venues.OpAbove, Value: venues.MustDecimal("100")}
		hits := 0
		for range 20 { // the reply may arrive before the end of the context is noticed
			if w, err := c.WatchPrice(ctx, condition, func(venues.PriceHit) { hits++ }); err == nil {
				w.Close()
			}
		}
		k.Settle()
		c.Trade(venues.Trade{Side: venues.Buy, Price: venues.MustDecimal("101"), Qty: venues.MustDecimal("1")})
		k.Settle()
		if hits != 0 {
			t.Errorf("%d hits of abandoned watches, want none", hits)
		}
	})
}

func TestUnknownTopicIsNotFound(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		c := start(k, &venue{})
		for _, topic := range []venues.Topic{{Kind: venues.TopicBook, Depth: 7}, {Kind: venues.TopicKline, Timeframe: "2m"}, {Kind: venues.TopicOrders}} {
			if _, err := c.Subscribe(k.T.Context(), topic, &sink{}); venues.CodeOf(err) != venues.CodeNotFound {
				t.Errorf("%s: error %v, want not_found", topic, err)
			}
		}
	})
}

func TestNameFitsAnyScript(t *testing.T) {
	for symbol, want := range map[string]string{"BTCUSDT-260925": "book/BTCUSDT-260925", "币USDT": "book/_005e01USDT"} {
		if got := book.Name(symbol); got != want {
			t.Errorf("%s: %s, want %s", symbol, got, want)
		}
	}
}
