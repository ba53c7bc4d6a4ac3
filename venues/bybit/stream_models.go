package bybit

import (
	"bytes"
	"fmt"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
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
func topicEvent(parser *fastjson.Parser, data []byte, topic string) (*event, error) {
	o, err := parseEvent(parser, data)
	if err != nil {
		return nil, err
	}
	if name := o.text("topic"); o.err == nil && name != topic {
		return nil, fmt.Errorf("topic %q: %w", bounded(name), errForeign)
	}
	return o, o.err
}

// decodeTrades reads the trades of a message, oldest first. S is the taker's
// side.
func decodeTrades(parser *fastjson.Parser, data []byte, topic, symbol, venueSymbol string) ([]venues.Trade, error) {
	o, err := topicEvent(parser, data, topic)
	if err != nil {
		return nil, err
	}
	rows := o.list("data")
	trades := make([]venues.Trade, 0, len(rows))
	for _, row := range rows {
		if name := row.text("s"); row.err == nil && name != venueSymbol {
			return nil, fmt.Errorf("symbol %q: %w", bounded(name), errForeign)
		}
		side, err := parseSide(row.text("S"))
		trade := venues.Trade{
			Symbol: symbol, ID: row.text("i"), Price: row.decimal("p"), Qty: row.decimal("v"),
			Side: side, VenueTime: row.time("T"),
		}
		if row.err == nil && (!trade.Price.IsPositive() || !trade.Qty.IsPositive() || trade.ID == "" || trade.VenueTime.IsZero()) {
			row.fail("p, v, i or T", errMissing)
		}
		if row.err != nil {
			return nil, row.err
		}
		if err != nil {
			return nil, err
		}
		trades = append(trades, trade)
	}
	return trades, o.err
}

// decodeCandles reads the states of a candle.
func decodeCandles(parser *fastjson.Parser, data []byte, topic string, channel venues.FeedChannel) ([]venues.Candle, error) {
	o, err := topicEvent(parser, data, topic)
	if err != nil {
		return nil, err
	}
	rows := o.list("data")
	candles := make([]venues.Candle, 0, len(rows))
	for _, k := range rows {
		if name := k.text("interval"); k.err == nil && name != intervals[channel.Timeframe] {
			return nil, fmt.Errorf("interval %q: %w", bounded(name), errForeign)
		}
		candle := venues.Candle{
			Symbol: channel.Symbol, Timeframe: channel.Timeframe,
			Start: k.time("start"), End: k.time("end"),
			Open: k.decimal("open"), High: k.decimal("high"), Low: k.decimal("low"), Close: k.decimal("close"),
			Volume: k.decimal("volume"), Turnover: k.decimal("turnover"),
			Closed: k.flag("confirm"), VenueTime: k.time("timestamp"),
		}
		if k.err == nil && (candle.Start.IsZero() || candle.End.IsZero()) {
			k.fail("start or end", errMissing)
		}
		if k.err != nil {
			return nil, k.err
		}
		candle.End = candle.End.Add(time.Millisecond) // the venue names the last millisecond
		candles = append(candles, candle)
	}
	return candles, o.err
}

// decodeMark reads the mark price of a ticker. Changes tell what has changed and
// no more: told says whether the mark price has.
func decodeMark(parser *fastjson.Parser, data []byte, topic, symbol, venueSymbol string) (mark venues.MarkPrice, told bool, err error) {
	o, err := topicEvent(parser, data, topic)
	if err != nil {
		return mark, false, err
	}
	ticker := o.object("data")
	if name := ticker.text("symbol"); ticker.err == nil && name != venueSymbol {
		return mark, false, fmt.Errorf("symbol %q: %w", bounded(name), errForeign)
	}
	price := ticker.optional("markPrice")
	mark = venues.MarkPrice{Symbol: symbol, Price: price.Decimal, VenueTime: o.time("ts")}
	if ticker.err == nil && price.Valid && !mark.Price.IsPositive() {
		ticker.fail("markPrice", errMissing)
	}
	if ticker.err != nil {
		return mark, false, ticker.err
	}
	return mark, price.Valid, o.err
}
