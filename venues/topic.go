package venues

import (
	"slices"
	"strconv"
	"strings"
)

// TopicKind is the kind of a stream topic (a "channel" of the public interface).
type TopicKind string

// Kinds of topic. The last three are private to a customer.
const (
	TopicTrades    TopicKind = "trades"
	TopicBook      TopicKind = "book"
	TopicKline     TopicKind = "kline"
	TopicOrders    TopicKind = "orders"
	TopicPositions TopicKind = "positions"
	TopicAccount   TopicKind = "account"
)

// BookDepths returns the depths of the book topic.
func BookDepths() []int { return []int{1, 5, 10, 20, 50, 100, 200} }

// Topic is the parsed name of a stream topic.
type Topic struct {
	Kind      TopicKind
	Venue     Venue
	Symbol    string
	Depth     int
	Timeframe Timeframe
}

// ParseTopic parses "book:binance:BTCUSDT:20", "orders" and the like. The symbol is
// normalized but not looked up.
func ParseTopic(text string) (Topic, bool) {
	if t := (Topic{Kind: TopicKind(text)}); slices.Contains([]TopicKind{TopicOrders, TopicPositions, TopicAccount}, t.Kind) {
		return t, true
	}
	// BTC/USDT:USDT contains a colon, so the parts are taken from both ends.
	kind, rest, _ := strings.Cut(text, ":")
	exchange, rest, found := strings.Cut(rest, ":")
	venue, known := ParseVenue(exchange)
	if !found || !known {
		return Topic{}, false
	}
	t := Topic{Kind: TopicKind(kind), Venue: venue}
	switch t.Kind {
	case TopicTrades:
	case TopicBook:
		var depth string
		rest, depth = cutLast(rest)
		n, err := strconv.Atoi(depth)
		if err != nil || strconv.Itoa(n) != depth || !slices.Contains(BookDepths(), n) {
			return Topic{}, false
		}
		t.Depth = n
	case TopicKline:
		var tf string
		rest, tf = cutLast(rest)
		t.Timeframe = Timeframe(tf)
		if _, known := Timeframes()[t.Timeframe]; !known {
			return Topic{}, false
		}
	default:
		return Topic{}, false
	}
	t.Symbol = NormalizeSymbol(rest)
	return t, t.Symbol != ""
}

func cutLast(text string) (before, last string) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return "", text
	}
	return text[:i], text[i+1:]
}

// String returns the canonical name.
func (t Topic) String() string {
	switch t.Kind {
	case TopicBook:
		return "book:" + string(t.Venue) + ":" + t.Symbol + ":" + strconv.Itoa(t.Depth)
	case TopicKline:
		return "kline:" + string(t.Venue) + ":" + t.Symbol + ":" + string(t.Timeframe)
	case TopicTrades:
		return "trades:" + string(t.Venue) + ":" + t.Symbol
	default:
		return string(t.Kind)
	}
}

// Private reports whether the topic belongs to a customer.
func (t Topic) Private() bool { return t.Venue == "" }
