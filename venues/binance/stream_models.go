package binance

import (
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// Categories of the venue's streams, which are paths.
const (
	categoryPublic = "/public"
	categoryMarket = "/market"
)

// category returns the path of a kind of topic.
func category(kind venues.FeedKind) string {
	if kind == venues.FeedBook {
		return categoryPublic
	}
	return categoryMarket
}

// streamName returns the venue's name of a stream, in lower case.
func streamName(topic venues.FeedTopic, venueSymbol string) string {
	symbol := strings.ToLower(venueSymbol)
	switch topic.Kind {
	case venues.FeedBook:
		return symbol + "@depth@100ms"
	case venues.FeedTrades:
		return symbol + "@aggTrade"
	case venues.FeedCandles:
		return symbol + "@kline_" + string(topic.Timeframe)
	default:
		return symbol + "@markPrice@1s"
	}
}

// decodeAggTrade decodes a trade. m means that the buyer was the maker, so the taker
// sold.
func decodeAggTrade(parser *fastjson.Parser, data []byte, symbol, venueSymbol string) (trade venues.Trade, id uint64, err error) {
	o, err := eventOf(parser, data, "aggTrade", venueSymbol)
	if err != nil {
		return trade, 0, err
	}
	// The oldest recordings lack the aggregate id; the first trade id is used instead.
	name := "a"
	if !o.Has(name) {
		name = "f"
	}
	id = o.Sequence(name)
	trade = venues.Trade{
		Symbol: symbol, ID: strconv.FormatUint(id, 10),
		Price: o.PositiveDecimal("p"), Qty: o.PositiveDecimal("q"),
		Side: venues.Buy, VenueTime: o.Time("T"),
	}
	if !o.Has("m") {
		o.Fail("m", payload.ErrMissing)
	}
	if o.Flag("m") {
		trade.Side = venues.Sell
	}
	return trade, id, o.Err()
}

// decodeKline decodes a state of a candle.
func decodeKline(parser *fastjson.Parser, data []byte, topic venues.FeedTopic, venueSymbol string) (venues.Candle, error) {
	o, err := eventOf(parser, data, "kline", venueSymbol)
	if err != nil {
		return venues.Candle{}, err
	}
	k := o.Object("k")
	k.Expect("i", string(topic.Timeframe))
	candle := venues.Candle{
		Symbol: topic.Symbol, Timeframe: topic.Timeframe,
		Start: k.Time("t"), End: k.Time("T"),
		Open: k.Decimal("o"), High: k.Decimal("h"), Low: k.Decimal("l"), Close: k.Decimal("c"),
		Volume: k.Decimal("v"), Turnover: k.Decimal("q"),
		Closed: k.Flag("x"), VenueTime: o.Time("E"),
	}
	if k.Err() == nil && (candle.Start.IsZero() || candle.End.IsZero() || !k.Has("x")) {
		k.Fail("t, T or x", payload.ErrMissing)
	}
	candle.End = candle.End.Add(time.Millisecond) // the venue states the last millisecond
	return candle, k.Err()
}

func decodeMark(parser *fastjson.Parser, data []byte, symbol, venueSymbol string) (venues.MarkPrice, error) {
	o, err := eventOf(parser, data, "markPriceUpdate", venueSymbol)
	if err != nil {
		return venues.MarkPrice{}, err
	}
	mark := venues.MarkPrice{Symbol: symbol, Price: o.PositiveDecimal("p"), VenueTime: o.Time("E")}
	return mark, o.Err()
}

// eventOf parses a message and checks its kind and symbol.
func eventOf(parser *fastjson.Parser, data []byte, kind, venueSymbol string) (*payload.Object, error) {
	o, err := payload.Parse(parser, data)
	if err != nil {
		return nil, err
	}
	o.Expect("e", kind)
	o.Expect("s", venueSymbol)
	return o, o.Err()
}
