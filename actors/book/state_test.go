package book

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/venues"
)

// TestTraces runs the scripts of testdata. Each line is one step; a line that ends with
// a backslash belongs to the batch of the next one. The lines:
//
//	new rest|stream [resident]     a fresh book of a venue without or with stream snapshots
//	sub NAME TOPIC                 close NAME      resync NAME
//	book PREV FIRST LAST LEVELS    an update; LEVELS are "b 100:1 a 101:2"
//	book snapshot SEQ LEVELS       a snapshot in the stream
//	rest GENERATION SEQ LEVELS     the answer to a fetch, or "rest GENERATION error"
//	check GENERATION SEQ LEVELS    the answer to a fetch for a comparison
//	due GENERATION                 the sync timer
//	led GENERATION                 the timer of a comparison
//	trade SIDE PRICE QTY           mark PRICE
//	candle TIMEFRAME START CLOSE [closed]
//	candles GENERATION TIMEFRAME START CLOSE [closed], ...   or "error"
//	candlesdue TIMEFRAME GENERATION
//	price NAME last|mark OP VALUE  unprice NAME
//	interrupted|resumed book|trades|mark|1m       overrun book|candles
//	wait DURATION    linger    watch    compare    rescale PRICEDECIMALS
func TestTraces(t *testing.T) {
	actortest.Traces(t, "testdata/*.txt", func(t *testing.T) func(string) string {
		var m *machine
		return func(input string) string {
			for line := range strings.Lines(input) {
				words := strings.Fields(line)
				if words[0] == "new" {
					m = newMachine(words[1] == "rest", len(words) > 2)
					m.state.start(m.now)
					m.step()
					continue
				}
				batched := words[len(words)-1] == `\`
				if batched {
					words = words[:len(words)-1]
				}
				m.run(t, words[0], words[1:])
				if !batched {
					m.step()
				}
			}
			said := m.said.String()
			m.said.Reset()
			return said
		}
	})
}

// A quote is stale until a mark price has come, and after an interruption until the next one.
func TestQuoteIsStaleWithoutAMarkPrice(t *testing.T) {
	m := newMachine(false, true)
	m.state.start(m.now)
	for _, c := range []struct {
		line  string
		stale bool
	}{
		{"book snapshot 10 b 100:1 a 101:1", true},
		{"mark 100", false},
		{"interrupted mark", true},
		{"resumed mark", true},
		{"mark 101", false},
	} {
		words := strings.Fields(c.line)
		m.run(t, words[0], words[1:])
		m.step()
		if got := m.state.summary().stale; got != c.stale {
			t.Errorf("after %s: stale = %t, want %t", c.line, got, c.stale)
		}
	}
}

// What does not concern a topic, or not any more, has no effect on it.
func TestLinesWithoutEffect(t *testing.T) {
	const candles = "sub A kline:binance:BTCUSDT:1m"
	for name, c := range map[string]struct {
		before []string
		line   string
	}{
		"candles resumed that were not interrupted":   {[]string{candles, "resumed 1m", "candles 1 1m 09:00 5"}, "resumed 1m"},
		"candles resumed without subscribers":         {[]string{candles, "interrupted 1m", "close A", "wait 1m", "linger"}, "resumed 1m"},
		"resync of a subscriber that has gone":        {[]string{"sub A book:binance:BTCUSDT:5", "sub B book:binance:BTCUSDT:5", "resumed book", "book 90 91 95 b 100:1", "rest 2 95 b 100:1 a 101:1", "close A"}, "resync A"},
		"resync before the first snapshot":            {[]string{"sub A book:binance:BTCUSDT:5", "resumed book"}, "resync A"},
		"overrun of a book that waits for a snapshot": {[]string{"sub A book:binance:BTCUSDT:5", "resumed book", "book 90 91 95 b 100:1"}, "overrun book"},
	} {
		m := newMachine(true, false)
		m.state.start(m.now)
		for _, line := range append(c.before, c.line) {
			m.said.Reset()
			words := strings.Fields(line)
			m.run(t, words[0], words[1:])
			m.step()
		}
		if got := m.said.String(); got != "" {
			t.Errorf("%s: %q, want nothing", name, got)
		}
	}
}

func (m *machine) run(t *testing.T, verb string, args []string) {
	t.Helper()
	s := m.state
	switch verb {
	case "sub":
		m.subscribe(t, args[0], args[1])
	case "close":
		s.detach(m.now, m.subs[args[0]])
	case "resync":
		s.repeat(m.now, m.subs[args[0]])
	case "book":
		s.book.update(m.now, parseUpdate(t, args))
	case "rest":
		u, err := parseAnswer(t, args[1:])
		s.book.snapshot(m.now, uint64(number(t, args[0])), u, err)
	case "led":
		s.book.checkLed(uint64(number(t, args[0])))
	case "check":
		u, err := parseAnswer(t, args[1:])
		s.book.checkSnapshot(m.now, uint64(number(t, args[0])), u, err)
	case "due":
		s.book.due(m.now, uint64(number(t, args[0])))
	case "wait":
		m.now = m.now.Add(duration(t, args[0]))
	case "linger":
		s.lingerDue(m.now, m.readAt)
	case "watch":
		m.readAt = m.now
		s.watch(m.now)
	case "price":
		w := &priceWatch{condition: venues.PriceCondition{
			Field: venues.PriceField(args[1]), Op: venues.PriceOp(args[2]), Value: venues.MustDecimal(args[3]),
		}}
		m.prices[args[0]] = w
		s.watchPrice(m.now, w)
	case "unprice":
		s.unwatchPrice(m.now, m.prices[args[0]])
	case "compare":
		s.compare(m.now)
	case "rescale":
		s.rescale(m.now, venues.Scale{PriceDecimals: int(number(t, args[0]))})
	default:
		m.runFeed(t, verb, args)
	}
}

func (m *machine) runFeed(t *testing.T, verb string, args []string) {
	t.Helper()
	s := m.state
	switch verb {
	case "trade":
		s.trade(m.now, venues.Trade{Side: venues.Side(args[0]), Price: venues.MustDecimal(args[1]), Qty: venues.MustDecimal(args[2])})
	case "mark":
		s.markPrice(venues.MarkPrice{Price: venues.MustDecimal(args[0])})
	case "candle":
		s.candle(m.now, parseCandle(t, args))
	case "candles":
		m.runCandles(t, args)
	case "candlesdue":
		s.candlesDue(venues.Timeframe(args[0]), uint64(number(t, args[1])))
	case "interrupted":
		s.interrupted(m.now, channelNamed(args[0]))
	case "resumed":
		s.resumed(channelNamed(args[0]))
	case "overrun":
		s.overrun(m.now, channelNamed(args[0]).Kind)
	default:
		t.Fatalf("unknown line %q", verb)
	}
}

func (m *machine) runCandles(t *testing.T, args []string) {
	t.Helper()
	generation := uint64(number(t, args[0]))
	if args[1] == "error" {
		m.state.candlesCame(m.now, "1m", generation, nil, errors.New("refused"))
		return
	}
	var candles []venues.Candle
	for part := range strings.SplitSeq(strings.Join(args[1:], " "), ",") {
		candles = append(candles, parseCandle(t, strings.Fields(part)))
	}
	m.state.candlesCame(m.now, candles[0].Timeframe, generation, candles, nil)
}

func channelNamed(name string) venues.FeedTopic {
	kinds := map[string]venues.FeedKind{
		"book": venues.FeedBook, "trades": venues.FeedTrades, "mark": venues.FeedMark, "candles": venues.FeedCandles,
	}
	if kind, ok := kinds[name]; ok {
		return venues.FeedTopic{Kind: kind, Symbol: "BTCUSDT"}
	}
	return venues.FeedTopic{Kind: venues.FeedCandles, Symbol: "BTCUSDT", Timeframe: venues.Timeframe(name)}
}

func parseUpdate(t *testing.T, args []string) *venues.BookUpdate {
	t.Helper()
	u := venues.NewBookUpdate()
	if args[0] == "snapshot" {
		u.Snapshot = true
		u.LastSeq = uint64(number(t, args[1]))
		u.Bids, u.Asks = parseLevels(t, args[2:])
		return u
	}
	u.PrevSeq, u.FirstSeq, u.LastSeq = uint64(number(t, args[0])), uint64(number(t, args[1])), uint64(number(t, args[2]))
	u.Bids, u.Asks = parseLevels(t, args[3:])
	return u
}

func parseAnswer(t *testing.T, args []string) (*venues.BookUpdate, error) {
	t.Helper()
	if args[0] == "error" {
		return nil, errors.New("refused")
	}
	return parseUpdate(t, append([]string{"snapshot"}, args...)), nil
}

func parseCandle(t *testing.T, args []string) venues.Candle {
	t.Helper()
	at, err := time.Parse("15:04", args[1])
	if err != nil {
		t.Fatal(err)
	}
	return venues.Candle{
		Timeframe: venues.Timeframe(args[0]), Start: at, Close: venues.MustDecimal(args[2]),
		Closed: len(args) > 3 && args[3] == "closed",
	}
}

func duration(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(fmt.Errorf("duration: %w", err))
	}
	return d
}
