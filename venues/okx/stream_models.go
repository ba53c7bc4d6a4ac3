package okx

import (
	"encoding/json"
	"strconv"

	"github.com/valyala/fastjson"

	"venuegate/venues"
)

// Paths of the venue's streams.
const (
	pathPublic   = "/ws/v5/public"
	pathBusiness = "/ws/v5/business"
	pathPrivate  = "/ws/v5/private"
)

// Channels of the public streams. The name of a candle channel continues with the bar, as
// in candle1H.
const (
	channelBooks  = "books"
	channelTrades = "trades"
	channelMark   = "mark-price"
	channelCandle = "candle"
)

// pathOf returns the path for a kind of topic.
func pathOf(kind venues.FeedKind) string {
	if kind == venues.FeedCandles {
		return pathBusiness
	}
	return pathPublic
}

// channelName returns the venue's channel for a topic.
func channelName(topic venues.FeedTopic) string {
	switch topic.Kind {
	case venues.FeedBook:
		return channelBooks
	case venues.FeedTrades:
		return channelTrades
	case venues.FeedCandles:
		return channelCandle + bars[topic.Timeframe]
	default:
		return channelMark
	}
}

// topicArg is the argument of a subscription.
type topicArg struct {
	Channel string `json:"channel"`
	InstID  string `json:"instId"`
}

// text returns the argument as the venue prints it.
func (t topicArg) text() string {
	text, err := json.Marshal(t)
	if err != nil {
		panic("okx: topic: " + err.Error()) // strings only
	}
	return string(text)
}

// decodeTrades decodes trades. The venue aggregates the matches of one taker order at one
// price; the id is that of the last match.
func decodeTrades(parser *fastjson.Parser, data []byte, k *instrument) (trades []venues.Trade, ids []uint64, err error) {
	_, rows, err := parseRows(parser, data, channelTrades, k.VenueSymbol)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range rows {
		text := o.Text("tradeId")
		id, err := strconv.ParseUint(text, 10, 64)
		if o.Err() == nil && err != nil {
			o.Fail("tradeId", err)
		}
		side, err := parseSide(o.Text("side"))
		if o.Err() == nil && err != nil {
			o.Fail("side", err)
		}
		trade := venues.Trade{
			Symbol: k.Symbol, ID: text, Price: o.PositiveDecimal("px"), Qty: k.toBase(o.PositiveDecimal("sz")),
			Side: side, VenueTime: o.TimeText("ts"),
		}
		if o.Err() != nil {
			return nil, nil, o.Err()
		}
		trades, ids = append(trades, trade), append(ids, id)
	}
	return trades, ids, nil
}

func decodeMarks(parser *fastjson.Parser, data []byte, k *instrument) ([]venues.MarkPrice, error) {
	_, rows, err := parseRows(parser, data, channelMark, k.VenueSymbol)
	if err != nil {
		return nil, err
	}
	marks := make([]venues.MarkPrice, 0, len(rows))
	for _, o := range rows {
		mark := venues.MarkPrice{Symbol: k.Symbol, Price: o.PositiveDecimal("markPx"), VenueTime: o.TimeText("ts")}
		if o.Err() != nil {
			return nil, o.Err()
		}
		marks = append(marks, mark)
	}
	return marks, nil
}

// decodeCandles decodes candles, which are pushed with each change until they are final.
func decodeCandles(parser *fastjson.Parser, data []byte, k *instrument, tf venues.Timeframe) ([]venues.Candle, error) {
	o, err := parseTopicPush(parser, data, channelCandle+bars[tf], k.VenueSymbol)
	if err != nil {
		return nil, err
	}
	rows, err := dataRows(o)
	if err != nil {
		return nil, err
	}
	candles := make([]venues.Candle, 0, len(rows))
	for _, row := range rows {
		cells, err := row.Array()
		if err != nil {
			return nil, err
		}
		texts := make(candleRow, len(cells))
		for n, cell := range cells {
			texts[n] = o.StringOf("data", cell)
		}
		if o.Err() != nil {
			return nil, o.Err()
		}
		candle, err := texts.candle(k.Symbol, tf)
		if err != nil {
			return nil, err
		}
		candles = append(candles, candle)
	}
	return candles, nil
}
