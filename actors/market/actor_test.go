package market_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"venuegate/actors/actortest"
	"venuegate/actors/market"
	"venuegate/venues"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// log records the calls of a fake, in order.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *log) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := strings.Join(l.lines, "; ")
	l.lines = nil
	return taken
}

// source opens feeds that record their calls.
type source struct {
	log
	sinks []venues.FeedSink
	panic bool // on the next subscription
}

func (s *source) OpenFeed(sink venues.FeedSink) venues.Feed {
	s.sinks = append(s.sinks, sink)
	return &feed{s, len(s.sinks)}
}

func (s *source) sink() venues.FeedSink { return s.sinks[len(s.sinks)-1] }

type feed struct {
	source *source
	n      int
}

func names(topics []venues.FeedTopic) string {
	var list []string
	for _, c := range topics {
		list = append(list, fmt.Sprintf("%s/%d", c.Symbol, c.Kind))
	}
	return strings.Join(list, ",")
}

func (f *feed) Subscribe(topics ...venues.FeedTopic) {
	if f.source.panic {
		f.source.panic = false
		panic("feed broke")
	}
	f.source.add("%d+%s", f.n, names(topics))
}

func (f *feed) Unsubscribe(topics ...venues.FeedTopic) {
	f.source.add("%d-%s", f.n, names(topics))
}
func (f *feed) Close() { f.source.add("%d closed", f.n) }

// recorder is a book that records its calls.
type recorder struct{ log }

func (b *recorder) Update(u *venues.BookUpdate) {
	b.add("update %d", u.LastSeq)
	u.Release()
}
func (b *recorder) Trade(t venues.Trade)    { b.add("trade %s", t.ID) }
func (b *recorder) Candle(c venues.Candle)  { b.add("candle %s", c.Timeframe) }
func (b *recorder) Mark(m venues.MarkPrice) { b.add("mark %s", m.Price) }
func (b *recorder) Interrupted(c venues.FeedTopic, cause error) {
	b.add("interrupted %d: %v", c.Kind, cause)
}
func (b *recorder) Resumed(c venues.FeedTopic) { b.add("resumed %d", c.Kind) }

func topic(symbol string, kind venues.FeedKind) venues.FeedTopic {
	return venues.FeedTopic{Symbol: symbol, Kind: kind}
}

type fixture struct {
	source *source
	client *market.Client
	health []market.Health
}

func start(k *actortest.Kit) *fixture {
	f := &fixture{source: &source{}}
	f.client = market.New(k.System.Ref("market/1"), market.Deps{
		Name: "market/1", Source: f.source,
		Report: func(h market.Health) { f.health = append(f.health, h) },
	})
	k.Start(f.client.Child())
	return f
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func update(symbol string, seq uint64) *venues.BookUpdate {
	u := venues.NewBookUpdate()
	u.Symbol, u.LastSeq = symbol, seq
	return u
}

func TestFeedReachesItsBook(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		f := start(k)
		btc, eth := &recorder{}, &recorder{}
		f.client.Attach("BTCUSDT", btc)
		f.client.Attach("ETHUSDT", eth)
		sink := f.source.sink()
		sink.Book(update("BTCUSDT", 7))
		sink.Trade(venues.Trade{Symbol: "BTCUSDT", ID: "1"})
		sink.Candle(venues.Candle{Symbol: "ETHUSDT", Timeframe: "1m"})
		sink.Mark(venues.MarkPrice{Symbol: "ETHUSDT", Price: venues.MustDecimal("3")})
		sink.Book(update("DOGEUSDT", 7))
		expect(t, "btc", btc.take(), "update 7; trade 1")
		expect(t, "eth", eth.take(), "candle 1m; mark 3")
		f.client.Detach("BTCUSDT", eth)
		sink.Book(update("BTCUSDT", 8))
		f.client.Detach("BTCUSDT", btc)
		sink.Book(update("BTCUSDT", 9))
		expect(t, "after detach", btc.take(), "update 8")
		if got := f.client.Stats().Unrouted; got != 2 {
			t.Errorf("%d unrouted, want 2", got)
		}
	})
}

func TestSecondSubscriptionSubscribesAgain(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		f := start(k)
		book := topic("BTCUSDT", venues.FeedBook)
		f.client.Subscribe(book)
		f.client.Subscribe(book)
		f.client.Unsubscribe(book, topic("BTCUSDT", venues.FeedMark))
		f.client.Unsubscribe(book)
		k.Settle()
		expect(t, "feed", f.source.take(), "1+BTCUSDT/1; 1-BTCUSDT/1; 1+BTCUSDT/1; 1-BTCUSDT/1")
	})
}

func TestInterruptionReachesBooksAndHealth(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		f := start(k)
		btc := &recorder{}
		f.client.Attach("BTCUSDT", btc)
		topics := []venues.FeedTopic{topic("BTCUSDT", venues.FeedBook), topic("ETHUSDT", venues.FeedBook)}
		f.client.Subscribe(topics...)
		k.Settle()
		f.source.sink().Interrupted(append(topics, topic("GONEUSDT", venues.FeedBook)), errors.New("reset"))
		k.Settle()
		expect(t, "book", btc.take(), "interrupted 1: reset")
		if h := f.client.Stats(); h.Interrupted != 2 || h.Topics != 2 || h.Cause == nil || h.Since.IsZero() || h.Interruptions != 3 {
			t.Errorf("stats = %+v, want 2 of 2 topics interrupted and 3 interruptions", h)
		}
		k.Advance(time.Second)
		f.client.Unsubscribe(topics[1])
		f.source.sink().Resumed(topics[:1])
		k.Settle()
		expect(t, "book", btc.take(), "resumed 1")
		if h := f.client.Stats(); h.Interrupted != 0 || h.Cause != nil {
			t.Errorf("stats %+v, want Interrupted 0, no Cause", h)
		}
		var reported []string
		for _, h := range f.health {
			reported = append(reported, fmt.Sprintf("%d/%d", h.Interrupted, h.Topics))
		}
		expect(t, "health", strings.Join(reported, " "), "0/2 2/2 1/1 0/1")
	})
}

func TestStopWaitsForTheFeed(t *testing.T) {
	var f *fixture
	actortest.Run(t, func(k *actortest.Kit) { f = start(k) })
	expect(t, "feed", f.source.take(), "1 closed")
}

func TestFailureOpensANewFeed(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		f := start(k)
		btc := &recorder{}
		f.client.Attach("BTCUSDT", btc)
		f.client.Subscribe(topic("BTCUSDT", venues.FeedBook))
		k.Settle()
		f.source.take()
		f.source.panic = true
		f.client.Subscribe(topic("BTCUSDT", venues.FeedTrades))
		k.Advance(time.Second)
		expect(t, "feeds", f.source.take(), "1 closed; 2+BTCUSDT/1,BTCUSDT/2")
		expect(t, "book", btc.take(), "interrupted 1: market connection restarted; interrupted 2: market connection restarted")
		f.source.sinks[0].Book(update("BTCUSDT", 1))
		f.source.sinks[0].Interrupted(nil, nil)
		f.source.sinks[0].Resumed(nil)
		expect(t, "old feed", btc.take(), "")
		f.source.sinks[1].Book(update("BTCUSDT", 2))
		expect(t, "new feed", btc.take(), "update 2")
	}, actortest.ExpectFailures())
}
