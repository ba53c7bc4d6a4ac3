package venuetest

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

var feedInputCases = []conformanceCase{
	{number: 390, name: "trades with figures or a side of a wrong type, unknown or empty: an interruption, nothing in their place", run: spoiltTrades},
	{number: 391, name: "candles whose figures are no numbers: an interruption, nothing in their place", run: spoiltCandles},
	{number: 392, name: "mark prices of a wrong type or no numbers: an interruption, nothing in their place", run: spoiltMarks},
	{number: 393, name: "books whose levels are no numbers: an interruption, and the book begins anew", run: spoiltBooks},
	{number: 394, name: "public messages cut short, or HTML: an interruption, and the streams go on", run: feedMessagesCut},
	{number: 395, name: "unknown members of public messages change nothing", run: unknownMembersOfFeeds},
}

var (
	tradesOf  = venues.FeedChannel{Kind: venues.FeedTrades, Symbol: symbol}
	candlesOf = venues.FeedChannel{Kind: venues.FeedCandles, Symbol: symbol, Timeframe: "1m"}
	marksOf   = venues.FeedChannel{Kind: venues.FeedMark, Symbol: symbol}
)

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

// spoiltMessages spoils the messages of a kind in each way: the channel must be
// interrupted, told of again afterwards, and never told of wrongly.
func (s *stage) spoiltMessages(b *books, channel venues.FeedChannel, mark string, changes map[string]func(string) string) {
	s.t.Helper()
	for what, change := range changes {
		b.mu.Lock()
		interrupted := b.interrupted[channel]
		b.mu.Unlock()
		s.streams.tamper(func(message string) string {
			if strings.Contains(message, mark) {
				return change(message)
			}
			return message
		})
		s.stir(b, what+": the interruption", func(b *books) bool { return b.interrupted[channel] > interrupted })
		s.streams.tamper(nil)
		b.mu.Lock()
		told := b.told(channel.Kind)
		b.mu.Unlock()
		s.stir(b, what+": the next message", func(b *books) bool { return b.told(channel.Kind) > told })
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sane(s.t)
}

// sane fails the case if anything was told that cannot be; the lock is held.
func (b *books) sane(t *testing.T) {
	t.Helper()
	near := func(price decimal.Decimal) bool { return price.GreaterThan(d("64000")) && price.LessThan(d("66000")) }
	for _, told := range b.trades {
		if !near(told.Price) || !told.Qty.IsPositive() || told.Side != venues.Buy && told.Side != venues.Sell || told.ID == "" {
			t.Errorf("%+v", told)
		}
	}
	for _, told := range b.candles {
		if !near(told.Open) || !near(told.Close) || !near(told.High) || !near(told.Low) || told.Start.IsZero() {
			t.Errorf("%+v", told)
		}
	}
	for _, told := range b.marks {
		if !near(told.Price) {
			t.Errorf("%+v", told)
		}
	}
}

// inEachMember are the ways to spoil members.
func inEachMember(members, values []string) map[string]func(string) string {
	changes := map[string]func(string) string{}
	for _, member := range members {
		for _, value := range values {
			changes[member+"="+value] = with(member, value)
		}
	}
	return changes
}

// unnumbered makes words of the prices.
func unnumbered(message string) string { return strings.ReplaceAll(message, `"65`, `"many`) }

func spoiltTrades(s *stage) {
	b, _ := s.feed(tradesOf)
	s.stir(b, "a trade", func(b *books) bool { return len(b.trades) > 0 })
	event := s.harness.Wire.TradeEvent
	s.spoiltMessages(b, tradesOf, event.Mark, inEachMember(event.Figures, []string{wrongTyped, unknownWord, emptyWord}))
	s.spoiltMessages(b, tradesOf, event.Mark, inEachMember(event.Words, []string{wrongTyped, unknownWord, emptyWord}))
}

func spoiltCandles(s *stage) {
	b, _ := s.feed(candlesOf)
	s.stir(b, "a candle", func(b *books) bool { return len(b.candles) > 0 })
	s.spoiltMessages(b, candlesOf, s.harness.Wire.CandleEvent.Mark, map[string]func(string) string{"words": unnumbered})
}

func spoiltMarks(s *stage) {
	b, _ := s.feed(marksOf)
	s.stir(b, "a mark price", func(b *books) bool { return len(b.marks) > 0 })
	event := s.harness.Wire.MarkEvent
	s.spoiltMessages(b, marksOf, event.Mark, inEachMember(event.Figures, []string{wrongTyped, unknownWord}))
}

func spoiltBooks(s *stage) {
	b, _ := s.feed(bookOf(symbol))
	s.stir(b, "an update", func(b *books) bool { return b.of(symbol).updates > 0 })
	s.spoiltMessages(b, bookOf(symbol), s.harness.Wire.BookEvent.Mark, map[string]func(string) string{
		"words": unnumbered, "numbers": func(message string) string { return strings.ReplaceAll(message, `["65`, `[["65`) },
	})
	s.begins(b)
	s.stir(b, "the whole book", func(b *books) bool { return b.of(symbol).whole })
}

func feedMessagesCut(s *stage) {
	for what, cut := range map[string]func(string) string{"half": cutShort, "a page": func(string) string { return page }} {
		for channel, event := range map[venues.FeedChannel]Event{tradesOf: s.harness.Wire.TradeEvent, bookOf(symbol): s.harness.Wire.BookEvent} {
			b, feed := s.feed(channel)
			s.stir(b, "the stream", func(b *books) bool { return b.told(channel.Kind) > 0 })
			s.spoiltMessages(b, channel, event.Mark, map[string]func(string) string{what: cut})
			feed.Close()
		}
	}
}

func unknownMembersOfFeeds(s *stage) {
	s.streams.tamper(novel)
	b, _ := s.feed(tradesOf, candlesOf, marksOf, bookOf(symbol))
	s.stir(b, "all of them", func(b *books) bool {
		return len(b.trades) > 0 && len(b.candles) > 0 && len(b.marks) > 0 && b.of(symbol).updates > 1
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.interrupted) > 0 {
		s.t.Errorf("interrupted %v: %v", b.interrupted, b.causes)
	}
}
