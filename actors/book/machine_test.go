package book

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
)

// textEncoder writes readable messages; prices and quantities are scaled integers.
type textEncoder struct{}

func appendHead(dst []byte, h venues.MessageHead) []byte {
	return fmt.Appendf(dst, "%s %s #%d", h.Topic, h.Type, h.Seq)
}

func appendLevels(dst []byte, side string, levels []venues.Level) []byte {
	if len(levels) > 0 {
		dst = fmt.Appendf(dst, " %s", side)
	}
	for _, l := range levels {
		dst = fmt.Appendf(dst, " %d:%d", l.Price, l.Qty)
	}
	return dst
}

func (textEncoder) AppendBook(dst []byte, m *venues.BookMessage) []byte {
	dst = appendLevels(appendHead(dst, m.MessageHead), "b", m.Bids)
	return appendLevels(dst, "a", m.Asks)
}

func (textEncoder) AppendTrade(dst []byte, m *venues.TradeMessage) []byte {
	return fmt.Appendf(appendHead(dst, m.MessageHead), " %s %s %s", m.Side, m.Price, m.Qty)
}

func (textEncoder) AppendCandle(dst []byte, m *venues.CandleMessage) []byte {
	dst = fmt.Appendf(appendHead(dst, m.MessageHead), " %s %s", m.Start.UTC().Format("15:04"), m.Candle.Close)
	if m.Closed {
		dst = append(dst, " closed"...)
	}
	return dst
}

// sinkFunc is a sink that calls a function.
type sinkFunc func(venues.Frame)

func (f sinkFunc) Deliver(frame venues.Frame) { f(frame) }

// machine drives a state without an actor and records its output.
type machine struct {
	state  *state
	now    time.Time
	subs   map[string]*subscription
	prices map[string]*priceWatch
	said   strings.Builder
	phase  Phase
	readAt time.Time
}

var epochStart = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func newMachine(restSnapshots, resident bool) *machine {
	m := &machine{now: epochStart, subs: map[string]*subscription{}, prices: map[string]*priceWatch{}}
	m.state = newState(settings{
		symbol: "BTCUSDT", restSnapshots: restSnapshots, resident: resident, encoder: textEncoder{}, epoch: 1,
	}, newSubscriptions(venues.Binance, "BTCUSDT"), &counters{})
	return m
}

// step ends a step of the machine: publish, deliver, and name the effects.
func (m *machine) step() {
	m.state.publish(m.now)
	if p := m.state.book.phase; p != m.phase {
		fmt.Fprintf(&m.said, "%s\n", p)
		m.phase = p
	}
	for _, e := range m.state.out.effects {
		fmt.Fprintln(&m.said, describe(e))
	}
	for _, d := range m.state.out.deliveries {
		to := []*subscription{d.only}
		if d.to != nil {
			to = d.to.subs
		}
		for _, sub := range to {
			sub.deliver(d.frame)
		}
	}
	m.state.out.reset()
}

func describe(e effect) string {
	channel := func(c venues.FeedTopic) string {
		name := [...]string{"", "book", "trades", "candles", "mark"}[c.Kind]
		return strings.TrimSpace(name + " " + string(c.Timeframe))
	}
	switch e := e.(type) {
	case fetchSnapshot:
		if e.check {
			return fmt.Sprintf("> fetch to check (%d)", e.generation)
		}
		return fmt.Sprintf("> fetch snapshot (%d)", e.generation)
	case fetchCandles:
		return fmt.Sprintf("> fetch candles %s (%d)", e.timeframe, e.generation)
	case subscribe:
		return "> subscribe " + channel(e.channel)
	case unsubscribe:
		return "> unsubscribe " + channel(e.channel)
	case renewBook:
		return "> renew book"
	case armSync:
		return fmt.Sprintf("> timer %s (%d)", e.after, e.generation)
	case armCheck:
		return fmt.Sprintf("> check timer (%d)", e.generation)
	case armCandles:
		return fmt.Sprintf("> candles timer %s (%d)", e.after, e.generation)
	case armLinger:
		return "> linger"
	case notifyHit:
		return fmt.Sprintf("> hit %s %s %s at %s", e.watch.condition.Field, e.watch.condition.Op, e.watch.condition.Value, e.hit.Price)
	case retire:
		return "> retire"
	}
	return fmt.Sprintf("> %T", e)
}

// subscribe adds a subscriber called name that records its frames.
func (m *machine) subscribe(t testing.TB, name, topic string) {
	t.Helper()
	parsed, ok := venues.ParseTopic(topic)
	if !ok {
		t.Fatalf("bad topic %q", topic)
	}
	m.attach(name, parsed, sinkFunc(func(f venues.Frame) {
		mark := ""
		if f.Snapshot {
			mark = "*"
		}
		fmt.Fprintf(&m.said, "%s< %s%s\n", name, f.Bytes, mark)
	}))
}

func (m *machine) attach(name string, topic venues.Topic, sink venues.FrameSink) {
	sub := &subscription{topic: topic, sink: sink, index: detached}
	m.subs[name] = sub
	m.state.attach(m.now, sub)
}

// parseLevels reads "b 100:1 99:2 a 101:3".
func parseLevels(t testing.TB, words []string) (bids, asks []venues.Level) {
	t.Helper()
	side := &bids
	for _, word := range words {
		price, qty, isLevel := strings.Cut(word, ":")
		switch {
		case isLevel:
			*side = append(*side, venues.Level{Price: number(t, price), Qty: number(t, qty)})
		case word == "b":
			side = &bids
		case word == "a":
			side = &asks
		default:
			t.Fatalf("bad level %q", word)
		}
	}
	return bids, asks
}

func number(t testing.TB, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
