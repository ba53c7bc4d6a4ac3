package binancesim

import (
	"strconv"
	"strings"
	"time"

	"venuegate/venues/simcore"
)

// depthPaces are the intervals of book streams by the suffix of their names.
var depthPaces = map[string]time.Duration{
	"": paceDepth, "0ms": paceDepth0, "100ms": paceDepth1, "500ms": paceDepth5,
}

// allMarket are the streams that cover all symbols.
var allMarket = map[string]streamKind{
	"!bookTicker":         {name: "bookTicker", category: categoryPublic},
	"!markPrice@arr":      {name: "!markPrice", category: categoryMarket, every: paceMark3s},
	"!markPrice@arr@1s":   {name: "!markPrice", category: categoryMarket, every: paceMark},
	"!ticker@arr":         {name: "ticker", category: categoryMarket, every: paceTicker},
	"!miniTicker@arr":     {name: "miniTicker", category: categoryMarket, every: paceTicker},
	"!forceOrder@arr":     {name: "forceOrder", category: categoryMarket},
	"!contractInfo":       {name: "contractInfo", category: categoryMarket},
	"!assetIndex@arr":     {name: "assetIndex", category: categoryMarket},
	"!ticker_1h@arr":      {name: "none", category: categoryMarket},
	"!compositeIndex@arr": {name: "none", category: categoryMarket},
}

// parse parses a stream name; ok is false where the stream does not exist.
func (st *streams) parse(name string) (streamKind, bool) {
	if kind, ok := allMarket[name]; ok {
		return kind, true
	}
	lower, topic, found := strings.Cut(name, "@")
	symbol := strings.ToUpper(lower)
	if _, listed := st.markets[symbol]; !found || !listed || lower != strings.ToLower(lower) {
		return streamKind{}, false
	}
	kind, ok := parseTopic(topic)
	kind.symbol, kind.name = symbol, topic
	return kind, ok
}

func parseTopic(topic string) (streamKind, bool) {
	base, speed, _ := strings.Cut(topic, "@")
	switch {
	case strings.HasPrefix(base, "depth"):
		return parseDepth(strings.TrimPrefix(base, "depth"), speed)
	case base == "bookTicker" || base == "trade":
		return streamKind{category: categoryPublic}, speed == ""
	case base == "aggTrade" || base == "forceOrder":
		return streamKind{category: categoryMarket}, speed == ""
	case base == "markPrice":
		return parseMark(speed)
	case base == "ticker" || base == "miniTicker":
		return streamKind{category: categoryMarket, every: paceTicker}, speed == ""
	case strings.HasPrefix(base, "kline_"):
		interval := simcore.Interval(strings.TrimPrefix(base, "kline_"))
		return streamKind{category: categoryMarket, every: paceKline, interval: interval}, interval.Valid() && speed == ""
	}
	return streamKind{}, false
}

func parseDepth(levels, speed string) (streamKind, bool) {
	pace, ok := depthPaces[speed]
	kind := streamKind{category: categoryPublic, every: pace}
	if levels == "" || !ok {
		return kind, ok
	}
	n, err := strconv.Atoi(levels)
	kind.levels = n
	return kind, err == nil && (n == 5 || n == 10 || n == 20)
}

func parseMark(speed string) (streamKind, bool) {
	switch speed {
	case "":
		return streamKind{category: categoryMarket, every: paceMark3s}, true
	case "1s":
		return streamKind{category: categoryMarket, every: paceMark}, true
	}
	return streamKind{}, false
}
