package venuetest

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

var badFeedCases = []conformanceCase{
	{number: 394, name: "truncated public messages: an interruption, no event, and the stream continues", run: badFeeds(cutShort)},
	{number: 393, name: "HTML instead of public messages: an interruption, and the stream continues", run: badFeeds(inHTML)},
	{number: 390, name: "public messages with members of a wrong type: an interruption, no event", run: badFeeds(mistyped)},
	{number: 391, name: "public messages with unknown values or invalid numbers: an interruption, no event", run: badFeeds(unknown)},
	{number: 392, name: "public messages with empty or missing members: an interruption, no event", run: badFeeds(missing)},
	{number: 395, name: "unknown members of public messages are ignored", run: novelFeeds},
	{number: 396, name: "truncated confirmations and HTML: the streams connect nevertheless", run: badConfirmations},
	{number: 397, name: "unknown members of confirmations are ignored", run: novelConfirmations},
}

// publicTopics are the kinds of public messages with the topics that publish them.
var publicTopics = map[string]venues.FeedTopic{
	"books":   bookOf(symbol),
	"trades":  {Kind: venues.FeedTrades, Symbol: symbol},
	"candles": {Kind: venues.FeedCandles, Symbol: symbol, Timeframe: "1m"},
	"marks":   {Kind: venues.FeedMark, Symbol: symbol},
}

// received returns how many messages of a kind were received. The lock is held.
func (b *books) received(kind venues.FeedKind) int {
	switch kind {
	case venues.FeedTrades:
		return len(b.trades)
	case venues.FeedCandles:
		return len(b.candles)
	case venues.FeedMark:
		return len(b.marks)
	default:
		return b.of(symbol).updates
	}
}

// moveInterval is how often a case moves the market for which it expects messages.
const moveInterval = 20 * time.Millisecond

// moveUntil moves the market, for which every public stream publishes messages, until
// done returns true.
func (s *env) moveUntil(b *books, what string, done func(*books) bool) {
	s.t.Helper()
	move := time.NewTicker(moveInterval)
	defer move.Stop()
	late := time.After(waitMax)
	prices := [...]string{"65001", "65002"}
	for n := 0; ; n++ {
		b.mu.Lock()
		ok, summary := done(b), b.summary()
		b.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-move.C:
			s.move(prices[n%len(prices)])
		case <-late:
			s.t.Fatalf("timeout, want %s; %s", what, summary)
		}
	}
}

// corruptionsPerSubtest bounds the corruptions of a subtest: a stream takes up to a
// second for each.
const corruptionsPerSubtest = 5

// badFeeds returns a case that corrupts every public message of the table in a way.
func badFeeds(w way) func(*env) {
	return func(s *env) {
		subtests := map[string]func(*env){}
		for n := range s.harness.Wire.Events {
			e := &s.harness.Wire.Events[n]
			channel, public := publicTopics[e.Kind]
			if !public {
				continue
			}
			for some := range slices.Chunk(w.corrupt(e.Members), corruptionsPerSubtest) {
				subtests[e.Kind+", "+some[0].what] = func(s *env) {
					s.badFeed(e, channel, some)
					for range some {
						s.seen.recordCorrupted(e.row(), w)
					}
				}
			}
		}
		s.runParallel(subtests)
	}
}

// badFeedDepth is the depth of the book that badFeed moves: a move changes every level.
const badFeedDepth = 20

// badFeed corrupts one kind of public message.
func (s *env) badFeed(e *Event, channel venues.FeedTopic, corruptions []corruption) {
	s.depth(badFeedDepth)
	b, feed := s.feed(channel)
	s.moveUntil(b, e.row(), func(b *books) bool { return b.received(channel.Kind) > 0 })
	for _, c := range corruptions {
		s.corruptMessages(b, channel, e, c)
	}
	if channel.Kind == venues.FeedBook {
		s.loadSnapshot(b)
		s.moveUntil(b, "the whole book", func(b *books) bool { return b.of(symbol).complete })
	}
	feed.Close()
	b.checkPlausible(s.t)
}

// corruptMessages corrupts the messages of a kind: the topic must be interrupted and
// then receive messages again.
func (s *env) corruptMessages(b *books, channel venues.FeedTopic, e *Event, by corruption) {
	s.t.Helper()
	b.mu.Lock()
	interrupted := b.interrupted[channel]
	b.mu.Unlock()
	s.streams.tamper(func(message string) string {
		if strings.Contains(message, e.Mark) {
			return by.apply(message)
		}
		return message
	})
	s.moveUntil(b, e.row()+", "+by.what+": the interruption", func(b *books) bool { return b.interrupted[channel] > interrupted })
	s.streams.tamper(nil)
	b.mu.Lock()
	reported := b.received(channel.Kind)
	b.mu.Unlock()
	s.moveUntil(b, e.row()+", "+by.what+": the next message", func(b *books) bool { return b.received(channel.Kind) > reported })
}

// checkPlausible fails the case if the sink received an impossible value.
func (b *books) checkPlausible(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	near := func(price decimal.Decimal) bool { return price.GreaterThan(d("64000")) && price.LessThan(d("66000")) }
	for _, reported := range b.trades {
		if !near(reported.Price) || !reported.Qty.IsPositive() || reported.Side != venues.Buy && reported.Side != venues.Sell || reported.ID == "" {
			t.Errorf("trade = %+v, want plausible values", reported)
		}
	}
	for _, reported := range b.candles {
		if !near(reported.Open) || !near(reported.Close) || !near(reported.High) || !near(reported.Low) || reported.End.Sub(reported.Start) != time.Minute {
			t.Errorf("candle = %+v, want plausible values", reported)
		}
	}
	for _, reported := range b.marks {
		if !near(reported.Price) {
			t.Errorf("mark price = %+v, want 64000 to 66000", reported)
		}
	}
}

func novelFeeds(s *env) {
	s.streams.tamper(withNovelty)
	b, _ := s.feed(publicTopics["trades"], publicTopics["candles"], publicTopics["marks"], publicTopics["books"])
	s.moveUntil(b, "messages of all topics", func(b *books) bool {
		return len(b.trades) > 0 && len(b.candles) > 0 && len(b.marks) > 0 && b.of(symbol).updates > 1
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.interrupted) > 0 {
		s.t.Errorf("interruptions = %v for %v, want none", b.interrupted, b.causes)
	}
	for n := range s.harness.Wire.Events {
		if e := &s.harness.Wire.Events[n]; publicTopics[e.Kind] != (venues.FeedTopic{}) {
			s.seen.recordCorrupted(e.row(), novel)
		}
	}
}

// corruptFirst corrupts the first confirmation of a stream.
func (s *env) corruptFirst(w way) {
	var once atomic.Bool
	apply := w.corrupt(Members{})[0].apply
	s.streams.tamper(func(message string) string {
		if !s.harness.Wire.isControl(message) || !once.CompareAndSwap(false, true) {
			return message
		}
		s.seen.recordCorrupted(controlRow, w)
		return apply(message)
	})
}

func badConfirmations(s *env) {
	subtests := map[string]func(*env){}
	for _, w := range []way{cutShort, inHTML} {
		subtests["public, "+w.name] = func(s *env) {
			s.corruptFirst(w)
			b, _ := s.feed(publicTopics["books"])
			s.loadSnapshot(b)
			s.moveUntil(b, "the book", func(b *books) bool { return b.of(symbol).complete })
		}
		subtests["private, "+w.name] = func(s *env) {
			s.corruptFirst(w)
			_, h := s.listen(s.account)
			h.await(s.t, "the private stream", func(h *sink) bool { return h.connected > 0 })
		}
	}
	s.runParallel(subtests)
}

func novelConfirmations(s *env) {
	s.streams.tamper(func(message string) string {
		if !s.harness.Wire.isControl(message) {
			return message
		}
		s.seen.recordCorrupted(controlRow, novel)
		return withNovelty(message)
	})
	s.feed(publicTopics["books"], publicTopics["trades"])
	_, h := s.listen(s.account)
	h.await(s.t, "the private stream", func(h *sink) bool { return h.connected > 0 })
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.lost) > 0 {
		s.t.Errorf("losses = %v, want none", h.lost)
	}
}
