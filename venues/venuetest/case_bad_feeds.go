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
	{number: 394, name: "public messages cut short: an interruption, nothing in their place, and the stream goes on", run: badFeeds(cutShort)},
	{number: 393, name: "HTML instead of public messages: an interruption, and the stream goes on", run: badFeeds(inHTML)},
	{number: 390, name: "public messages with members of a wrong type: an interruption, nothing in their place", run: badFeeds(mistyped)},
	{number: 391, name: "public messages with unknown words or figures that are no numbers: an interruption, nothing in their place", run: badFeeds(unknown)},
	{number: 392, name: "public messages with members empty or missing: an interruption, nothing in their place", run: badFeeds(missing)},
	{number: 395, name: "unknown members of public messages change nothing", run: novelFeeds},
	{number: 396, name: "confirmations cut short or in HTML: the streams come up all the same", run: badConfirmations},
	{number: 397, name: "unknown members of confirmations change nothing", run: novelConfirmations},
}

// publicTopics are the kinds of public message and the channel that brings them.
var publicTopics = map[string]venues.FeedTopic{
	"books":   bookOf(symbol),
	"trades":  {Kind: venues.FeedTrades, Symbol: symbol},
	"candles": {Kind: venues.FeedCandles, Symbol: symbol, Timeframe: "1m"},
	"marks":   {Kind: venues.FeedMark, Symbol: symbol},
}

// told is how many messages of a kind were told; the lock is held.
func (b *books) told(kind venues.FeedKind) int {
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

// stirInterval is how often a case moves the market of which it wants to hear.
const stirInterval = 20 * time.Millisecond

// stir moves the market, of which every public stream tells, until what is waited
// for has come.
func (s *stage) stir(b *books, what string, done func(*books) bool) {
	s.t.Helper()
	move := time.NewTicker(stirInterval)
	defer move.Stop()
	late := time.After(patience)
	prices := [...]string{"65001", "65002"}
	for n := 0; ; n++ {
		b.mu.Lock()
		ok, story := done(b), b.story()
		b.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-move.C:
			s.move(prices[n%len(prices)])
		case <-late:
			s.t.Fatalf("%s did not come; %s", what, story)
		}
	}
}

// spoilingsAScene is how many spoilings one scene has: a stream takes up to a
// second for each.
const spoilingsAScene = 5

// badFeeds spoils every public message of the table in a way.
func badFeeds(w way) func(*stage) {
	return func(s *stage) {
		scenes := map[string]func(*stage){}
		for n := range s.harness.Wire.Events {
			e := &s.harness.Wire.Events[n]
			channel, public := publicTopics[e.Kind]
			if !public {
				continue
			}
			for some := range slices.Chunk(w.corrupt(e.Members), spoilingsAScene) {
				scenes[e.Kind+", "+some[0].what] = func(s *stage) {
					s.badFeed(e, channel, some)
					for range some {
						s.seen.spoils(e.row(), w)
					}
				}
			}
		}
		s.atOnce(scenes)
	}
}

// badFeed spoils one kind of public message.
func (s *stage) badFeed(e *Event, channel venues.FeedTopic, spoilings []corruption) {
	b, feed := s.feed(channel)
	s.stir(b, e.row(), func(b *books) bool { return b.told(channel.Kind) > 0 })
	for _, spoiling := range spoilings {
		s.spoiltMessage(b, channel, e, spoiling)
	}
	if channel.Kind == venues.FeedBook {
		s.begins(b)
		s.stir(b, "the whole book", func(b *books) bool { return b.of(symbol).whole })
	}
	feed.Close()
	b.sane(s.t)
}

// spoiltMessage spoils the messages of a kind: the channel must be interrupted, and
// told of again afterwards.
func (s *stage) spoiltMessage(b *books, channel venues.FeedTopic, e *Event, by corruption) {
	s.t.Helper()
	b.mu.Lock()
	interrupted := b.interrupted[channel]
	b.mu.Unlock()
	s.streams.tamper(func(message string) string {
		if strings.Contains(message, e.Mark) {
			return by.spoil(message)
		}
		return message
	})
	s.stir(b, e.row()+", "+by.what+": the interruption", func(b *books) bool { return b.interrupted[channel] > interrupted })
	s.streams.tamper(nil)
	b.mu.Lock()
	told := b.told(channel.Kind)
	b.mu.Unlock()
	s.stir(b, e.row()+", "+by.what+": the next message", func(b *books) bool { return b.told(channel.Kind) > told })
}

// sane fails the case if anything was told that cannot be.
func (b *books) sane(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	near := func(price decimal.Decimal) bool { return price.GreaterThan(d("64000")) && price.LessThan(d("66000")) }
	for _, told := range b.trades {
		if !near(told.Price) || !told.Qty.IsPositive() || told.Side != venues.Buy && told.Side != venues.Sell || told.ID == "" {
			t.Errorf("%+v", told)
		}
	}
	for _, told := range b.candles {
		if !near(told.Open) || !near(told.Close) || !near(told.High) || !near(told.Low) || told.End.Sub(told.Start) != time.Minute {
			t.Errorf("%+v", told)
		}
	}
	for _, told := range b.marks {
		if !near(told.Price) {
			t.Errorf("%+v", told)
		}
	}
}

func novelFeeds(s *stage) {
	s.streams.tamper(withNovelty)
	b, _ := s.feed(publicTopics["trades"], publicTopics["candles"], publicTopics["marks"], publicTopics["books"])
	s.stir(b, "all of them", func(b *books) bool {
		return len(b.trades) > 0 && len(b.candles) > 0 && len(b.marks) > 0 && b.of(symbol).updates > 1
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.interrupted) > 0 {
		s.t.Errorf("interrupted %v: %v", b.interrupted, b.causes)
	}
	for n := range s.harness.Wire.Events {
		if e := &s.harness.Wire.Events[n]; publicTopics[e.Kind] != (venues.FeedTopic{}) {
			s.seen.spoils(e.row(), novel)
		}
	}
}

// spoilFirst spoils the first message about the streams themselves that comes.
func (s *stage) spoilFirst(w way) {
	var once atomic.Bool
	spoil := w.corrupt(Members{})[0].spoil
	s.streams.tamper(func(message string) string {
		if !s.harness.Wire.isControl(message) || !once.CompareAndSwap(false, true) {
			return message
		}
		s.seen.spoils(controlRow, w)
		return spoil(message)
	})
}

func badConfirmations(s *stage) {
	scenes := map[string]func(*stage){}
	for _, w := range []way{cutShort, inHTML} {
		scenes["public, "+w.name] = func(s *stage) {
			s.spoilFirst(w)
			b, _ := s.feed(publicTopics["books"])
			s.begins(b)
			s.stir(b, "the book", func(b *books) bool { return b.of(symbol).whole })
		}
		scenes["private, "+w.name] = func(s *stage) {
			s.spoilFirst(w)
			_, h := s.listen(s.account)
			h.await(s.t, "the private stream", func(h *heard) bool { return h.connected > 0 })
		}
	}
	s.atOnce(scenes)
}

func novelConfirmations(s *stage) {
	s.streams.tamper(func(message string) string {
		if !s.harness.Wire.isControl(message) {
			return message
		}
		s.seen.spoils(controlRow, novel)
		return withNovelty(message)
	})
	s.feed(publicTopics["books"], publicTopics["trades"])
	_, h := s.listen(s.account)
	h.await(s.t, "the private stream", func(h *heard) bool { return h.connected > 0 })
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.lost) > 0 {
		s.t.Errorf("lost %v", h.lost)
	}
}
