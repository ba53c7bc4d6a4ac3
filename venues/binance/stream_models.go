package binance

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
)

// Categories of the venue's streams: the host path that has them.
const (
	categoryPublic = "/public"
	categoryMarket = "/market"
)

// category is the host path of a kind of stream.
func category(kind venues.FeedKind) string {
	if kind == venues.FeedBook {
		return categoryPublic
	}
	return categoryMarket
}

// streamName is the venue's name of a stream; symbols are lower case there.
func streamName(channel venues.FeedChannel, venueSymbol string) string {
	symbol := strings.ToLower(venueSymbol)
	switch channel.Kind {
	case venues.FeedBook:
		return symbol + "@depth@100ms"
	case venues.FeedTrades:
		return symbol + "@aggTrade"
	case venues.FeedCandles:
		return symbol + "@kline_" + string(channel.Timeframe)
	default:
		return symbol + "@markPrice@1s"
	}
}

// decodeAggTrade reads a trade. m says that the buyer was the maker, so the taker
// sold.
func decodeAggTrade(parser *fastjson.Parser, data []byte, symbol, venueSymbol string) (trade venues.Trade, id uint64, err error) {
	o, err := eventOf(parser, data, "aggTrade", venueSymbol)
	if err != nil {
		return trade, 0, err
	}
	// The oldest recordings lack the aggregate id; their first trade id serves.
	name := "a"
	if !o.has(name) {
		name = "f"
	}
	id = o.sequence(name)
	trade = venues.Trade{
		Symbol: symbol, ID: strconv.FormatUint(id, 10),
		Price: o.decimal("p"), Qty: o.decimal("q"),
		Side: venues.Buy, VenueTime: o.time("T"),
	}
	if !o.has("m") {
		o.fail("m", errMissing)
	}
	if o.flag("m") {
		trade.Side = venues.Sell
	}
	if o.err == nil && (!trade.Price.IsPositive() || !trade.Qty.IsPositive()) {
		o.fail("p or q", errMissing)
	}
	return trade, id, o.err
}

// decodeKline reads a state of a candle.
func decodeKline(parser *fastjson.Parser, data []byte, channel venues.FeedChannel, venueSymbol string) (venues.Candle, error) {
	o, err := eventOf(parser, data, "kline", venueSymbol)
	if err != nil {
		return venues.Candle{}, err
	}
	k := o.object("k")
	if tf := k.text("i"); k.err == nil && tf != string(channel.Timeframe) {
		return venues.Candle{}, fmt.Errorf("interval %q: %w", bounded(tf), errForeign)
	}
	candle := venues.Candle{
		Symbol: channel.Symbol, Timeframe: channel.Timeframe,
		Start: k.time("t"), End: k.time("T"),
		Open: k.decimal("o"), High: k.decimal("h"), Low: k.decimal("l"), Close: k.decimal("c"),
		Volume: k.decimal("v"), Turnover: k.decimal("q"),
		Closed: k.flag("x"), VenueTime: o.time("E"),
	}
	if k.err == nil && (candle.Start.IsZero() || candle.End.IsZero()) {
		k.fail("t or T", errMissing)
	}
	candle.End = candle.End.Add(time.Millisecond) // the venue names the last millisecond
	return candle, k.err
}

// decodeMark reads a mark price.
func decodeMark(parser *fastjson.Parser, data []byte, symbol, venueSymbol string) (venues.MarkPrice, error) {
	o, err := eventOf(parser, data, "markPriceUpdate", venueSymbol)
	if err != nil {
		return venues.MarkPrice{}, err
	}
	mark := venues.MarkPrice{Symbol: symbol, Price: o.decimal("p"), VenueTime: o.time("E")}
	if o.err == nil && !mark.Price.IsPositive() {
		o.fail("p", errMissing)
	}
	return mark, o.err
}

// eventOf parses a message and holds its kind and symbol against what is meant.
func eventOf(parser *fastjson.Parser, data []byte, kind, venueSymbol string) (*event, error) {
	o, err := parseEvent(parser, data)
	if err != nil {
		return nil, err
	}
	if word := o.text("e"); o.err == nil && word != kind {
		return nil, unknownWord("event", word)
	}
	if name := o.text("s"); o.err == nil && name != venueSymbol {
		return nil, fmt.Errorf("symbol %q: %w", bounded(name), errForeign)
	}
	return o, o.err
}
