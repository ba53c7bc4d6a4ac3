package bybit

import (
	"bytes"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// streamPath is the path of the category's public streams.
const streamPath = "/v5/public/" + category

// topicName returns the venue's name of a topic.
func topicName(topic venues.FeedTopic, venueSymbol string) string {
	switch topic.Kind {
	case venues.FeedBook:
		return "orderbook.200." + venueSymbol
	case venues.FeedTrades:
		return "publicTrade." + venueSymbol
	case venues.FeedCandles:
		return "kline." + intervals[topic.Timeframe] + "." + venueSymbol
	default:
		return "tickers." + venueSymbol
	}
}

var topicHead = []byte(`{"topic":"`)

// topicOf returns the topic of a message; a message without one is an answer. The topic
// usually comes first.
func topicOf(message []byte) (topic []byte, ok bool) {
	if rest, found := bytes.CutPrefix(message, topicHead); found {
		topic, _, ok = bytes.Cut(rest, []byte(`"`))
		return topic, ok
	}
	if !bytes.Contains(message, []byte(`"topic"`)) {
		return nil, false
	}
	name := fastjson.GetString(message, "topic")
	return []byte(name), name != ""
}

// topicEvent parses a message that must be of the topic.
func topicEvent(parser *fastjson.Parser, data []byte, topic string) (*payload.Object, error) {
	o, err := payload.Parse(parser, data)
	if err != nil {
		return nil, err
	}
	o.Expect("topic", topic)
	return o, o.Err()
}

// decodeTrades decodes the trades of a message, oldest first. S is the side of the taker.
func decodeTrades(parser *fastjson.Parser, data []byte, topic, symbol, venueSymbol string) ([]venues.Trade, error) {
	o, err := topicEvent(parser, data, topic)
	if err != nil {
		return nil, err
	}
	rows := o.List("data")
	trades := make([]venues.Trade, 0, len(rows))
	for _, row := range rows {
		row.Expect("s", venueSymbol)
		side, err := parseSide(row.Text("S"))
		trade := venues.Trade{
			Symbol: symbol, ID: row.Text("i"), Price: row.PositiveDecimal("p"), Qty: row.PositiveDecimal("v"),
			Side: side, VenueTime: row.Time("T"),
		}
		if row.Err() == nil && (trade.ID == "" || trade.VenueTime.IsZero()) {
			row.Fail("i or T", payload.ErrMissing)
		}
		if row.Err() != nil {
			return nil, row.Err()
		}
		if err != nil {
			return nil, err
		}
		trades = append(trades, trade)
	}
	return trades, o.Err()
}

// decodeCandles decodes the states of a candle.
func decodeCandles(parser *fastjson.Parser, data []byte, name string, topic venues.FeedTopic) ([]venues.Candle, error) {
	o, err := topicEvent(parser, data, name)
	if err != nil {
		return nil, err
	}
	rows := o.List("data")
	candles := make([]venues.Candle, 0, len(rows))
	for _, k := range rows {
		k.Expect("interval", intervals[topic.Timeframe])
		candle := venues.Candle{
			Symbol: topic.Symbol, Timeframe: topic.Timeframe,
			Start: k.Time("start"), End: k.Time("end"),
			Open: k.Decimal("open"), High: k.Decimal("high"), Low: k.Decimal("low"), Close: k.Decimal("close"),
			Volume: k.Decimal("volume"), Turnover: k.Decimal("turnover"),
			Closed: k.Flag("confirm"), VenueTime: k.Time("timestamp"),
		}
		if k.Err() == nil && (candle.Start.IsZero() || candle.End.IsZero() || !k.Has("confirm")) {
			k.Fail("start, end or confirm", payload.ErrMissing)
		}
		if k.Err() != nil {
			return nil, k.Err()
		}
		candle.End = candle.End.Add(time.Millisecond) // the venue states the last millisecond
		candles = append(candles, candle)
	}
	return candles, o.Err()
}

// decodeMark decodes the mark price of a ticker. Deltas contain changed members only;
// changed reports whether the mark price is one.
func decodeMark(parser *fastjson.Parser, data []byte, topic, symbol, venueSymbol string) (mark venues.MarkPrice, changed bool, err error) {
	o, err := topicEvent(parser, data, topic)
	if err != nil {
		return mark, false, err
	}
	ticker := o.Object("data")
	ticker.Expect("symbol", venueSymbol)
	price := ticker.Optional("markPrice")
	mark = venues.MarkPrice{Symbol: symbol, Price: price.Decimal, VenueTime: o.Time("ts")}
	if ticker.Err() == nil && price.Valid && !mark.Price.IsPositive() {
		ticker.Fail("markPrice", payload.ErrMissing)
	}
	if ticker.Err() != nil {
		return mark, false, ticker.Err()
	}
	return mark, price.Valid, o.Err()
}
