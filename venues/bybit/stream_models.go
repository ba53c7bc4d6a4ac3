package bybit

import (
	"bytes"
	"fmt"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// streamPath is where the public streams of the category live.
const streamPath = "/v5/public/" + category

// topicName is the venue's name of a stream.
func topicName(channel venues.FeedChannel, venueSymbol string) string {
	switch channel.Kind {
	case venues.FeedBook:
		return "orderbook.200." + venueSymbol
	case venues.FeedTrades:
		return "publicTrade." + venueSymbol
	case venues.FeedCandles:
		return "kline." + intervals[channel.Timeframe] + "." + venueSymbol
	default:
		return "tickers." + venueSymbol
	}
}

var topicHead = []byte(`{"topic":"`)

// topicOf finds the topic of a message; none means that it is an answer. The
// topic usually stands first, but need not.
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
	if name := o.Text("topic"); o.Err() == nil && name != topic {
		return nil, fmt.Errorf("topic %q: %w", payload.Bounded(name), payload.ErrForeign)
	}
	return o, o.Err()
}

// decodeTrades reads the trades of a message, oldest first. S is the taker's
// side.
func decodeTrades(parser *fastjson.Parser, data []byte, topic, symbol, venueSymbol string) ([]venues.Trade, error) {
	o, err := topicEvent(parser, data, topic)
	if err != nil {
		return nil, err
	}
	rows := o.List("data")
	trades := make([]venues.Trade, 0, len(rows))
	for _, row := range rows {
		if name := row.Text("s"); row.Err() == nil && name != venueSymbol {
			return nil, fmt.Errorf("symbol %q: %w", payload.Bounded(name), payload.ErrForeign)
		}
		side, err := parseSide(row.Text("S"))
		trade := venues.Trade{
			Symbol: symbol, ID: row.Text("i"), Price: row.Decimal("p"), Qty: row.Decimal("v"),
			Side: side, VenueTime: row.Time("T"),
		}
		if row.Err() == nil && (!trade.Price.IsPositive() || !trade.Qty.IsPositive() || trade.ID == "" || trade.VenueTime.IsZero()) {
			row.Fail("p, v, i or T", payload.ErrMissing)
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

// decodeCandles reads the states of a candle.
func decodeCandles(parser *fastjson.Parser, data []byte, topic string, channel venues.FeedChannel) ([]venues.Candle, error) {
	o, err := topicEvent(parser, data, topic)
	if err != nil {
		return nil, err
	}
	rows := o.List("data")
	candles := make([]venues.Candle, 0, len(rows))
	for _, k := range rows {
		if name := k.Text("interval"); k.Err() == nil && name != intervals[channel.Timeframe] {
			return nil, fmt.Errorf("interval %q: %w", payload.Bounded(name), payload.ErrForeign)
		}
		candle := venues.Candle{
			Symbol: channel.Symbol, Timeframe: channel.Timeframe,
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
		candle.End = candle.End.Add(time.Millisecond) // the venue names the last millisecond
		candles = append(candles, candle)
	}
	return candles, o.Err()
}

// decodeMark reads the mark price of a ticker. Changes tell what has changed and
// no more: told says whether the mark price has.
func decodeMark(parser *fastjson.Parser, data []byte, topic, symbol, venueSymbol string) (mark venues.MarkPrice, told bool, err error) {
	o, err := topicEvent(parser, data, topic)
	if err != nil {
		return mark, false, err
	}
	ticker := o.Object("data")
	if name := ticker.Text("symbol"); ticker.Err() == nil && name != venueSymbol {
		return mark, false, fmt.Errorf("symbol %q: %w", payload.Bounded(name), payload.ErrForeign)
	}
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
