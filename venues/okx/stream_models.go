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

// Channels of the public streams. That of candles has the bar at its end.
const (
	channelBooks  = "books"
	channelTrades = "trades"
	channelMark   = "mark-price"
	channelCandle = "candle"
)

// pathOf is the path that has a kind of stream.
func pathOf(kind venues.FeedKind) string {
	if kind == venues.FeedCandles {
		return pathBusiness
	}
	return pathPublic
}

// channelName is the venue's name of a kind of stream.
func channelName(channel venues.FeedChannel) string {
	switch channel.Kind {
	case venues.FeedBook:
		return channelBooks
	case venues.FeedTrades:
		return channelTrades
	case venues.FeedCandles:
		return channelCandle + bars[channel.Timeframe]
	default:
		return channelMark
	}
}

// topic is what the venue calls the argument of a subscription.
type topic struct {
	Channel string `json:"channel"`
	InstID  string `json:"instId"`
}

// text is the topic as the venue prints it.
func (t topic) text() string {
	text, err := json.Marshal(t)
	if err != nil {
		panic("okx: topic: " + err.Error()) // strings alone
	}
	return string(text)
}

// decodeTrades reads trades; each is one taker's at one price. The id is that of
// the last match in it.
func decodeTrades(parser *fastjson.Parser, data []byte, k *contract) (trades []venues.Trade, ids []uint64, err error) {
	_, rows, err := pushOf(parser, data, channelTrades, k.VenueSymbol)
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
			Symbol: k.Symbol, ID: text, Price: o.PositiveDecimal("px"), Qty: k.base(o.PositiveDecimal("sz")),
			Side: side, VenueTime: o.TimeText("ts"),
		}
		if o.Err() != nil {
			return nil, nil, o.Err()
		}
		trades, ids = append(trades, trade), append(ids, id)
	}
	return trades, ids, nil
}

func decodeMarks(parser *fastjson.Parser, data []byte, k *contract) ([]venues.MarkPrice, error) {
	_, rows, err := pushOf(parser, data, channelMark, k.VenueSymbol)
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

// decodeCandles reads states of candles.
func decodeCandles(parser *fastjson.Parser, data []byte, k *contract, tf venues.Timeframe) ([]venues.Candle, error) {
	o, err := argOf(parser, data, channelCandle+bars[tf], k.VenueSymbol)
	if err != nil {
		return nil, err
	}
	rows, err := rowsOf(o)
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
