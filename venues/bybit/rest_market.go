package bybit

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// snapshotLimit is the depth of a book by REST, the same as on the stream.
const snapshotLimit = 200

// Snapshot reads a book by REST. Its sequence numbers are not those of the stream of 200
// levels. The instruments must have been read.
func (c *Connector) Snapshot(ctx context.Context, symbol string) (*venues.BookUpdate, error) {
	i, err := c.instruments.Get(symbol)
	if err != nil {
		return nil, err
	}
	r := get("/v5/market/orderbook", restclient.Params{
		{"category", category}, {"symbol", i.VenueSymbol}, {"limit", strconv.Itoa(snapshotLimit)},
	}, nil, restclient.PriorityReconcile)
	var answer bookRecord
	if err := c.call(ctx, r, &answer); err != nil {
		return nil, err
	}
	update, err := answer.update(i, time.Now())
	if err != nil {
		return nil, malformed(r, err)
	}
	return update, nil
}

// bookRecord is the result of GET /v5/market/orderbook.
type bookRecord struct {
	Symbol   string     `json:"s"`
	Bids     [][]string `json:"b"`
	Asks     [][]string `json:"a"`
	Time     integer    `json:"ts"`
	UpdateID integer    `json:"u"`
}

// update returns the book in fixed-point numbers, in an update of the pool.
func (b *bookRecord) update(i *venues.Instrument, received time.Time) (*venues.BookUpdate, error) {
	switch {
	case b.UpdateID <= 0:
		return nil, payload.Missing("u")
	case b.Symbol != i.VenueSymbol:
		return nil, payload.UnknownValue("symbol", b.Symbol)
	}
	scale := i.Scale()
	book := payload.Book{Symbol: i.Symbol, Seq: uint64(b.UpdateID), Time: b.Time.time(), Bids: b.Bids, Asks: b.Asks}
	return book.Snapshot(received, func(price, qty string) (venues.Level, error) { return payload.Level(price, qty, scale) })
}

// intervals are the venue's names of the timeframes.
var intervals = map[venues.Timeframe]string{
	"1m": "1", "3m": "3", "5m": "5", "15m": "15", "30m": "30",
	"1h": "60", "2h": "120", "4h": "240", "6h": "360", "12h": "720",
	"1d": "D", "1w": "W",
}

// candlesMax is the maximum number of candles in one answer.
const candlesMax = 1000

// Candles returns the selected candles, oldest first, at most 1000.
func (c *Connector) Candles(ctx context.Context, q venues.CandlesQuery) ([]venues.Candle, error) {
	interval, known := intervals[q.Timeframe]
	if !known {
		return nil, venues.UnknownTimeframe(q.Timeframe)
	}
	params := restclient.Params{
		{"category", category},
		{"symbol", c.venueSymbol(q.Symbol)},
		{"interval", interval},
		{"limit", strconv.Itoa(min(max(q.Limit, 1), candlesMax))},
	}
	if !q.Before.IsZero() {
		params = params.With("end", strconv.FormatInt(q.Before.UnixMilli()-1, 10)) // inclusive
	}
	r := get("/v5/market/kline", params, nil, restclient.PriorityHistory)
	now := c.Clock.Now() // before the answer: a candle that ends on its way is not complete in it
	var answer struct {
		List []klineRow `json:"list"`
	}
	if err := c.call(ctx, r, &answer); err != nil {
		return nil, err
	}
	candles := make([]venues.Candle, len(answer.List))
	for n := range answer.List { // the venue lists the newest first
		candle, err := answer.List[n].candle(q.Symbol, q.Timeframe, now)
		if err != nil {
			return nil, malformed(r, err)
		}
		candles[len(candles)-1-n] = candle
	}
	return candles, nil
}

// klineRow is one row of GET /v5/market/kline: start, open, high, low, close,
// volume, turnover.
type klineRow []json.RawMessage

func (k klineRow) candle(symbol string, tf venues.Timeframe, now time.Time) (venues.Candle, error) {
	var started integer
	var open, high, low, last, volume, turnover payload.Number
	if err := payload.Columns(k, &started, &open, &high, &low, &last, &volume, &turnover); err != nil {
		return venues.Candle{}, fmt.Errorf("kline: %w", err)
	}
	if started <= 0 {
		return venues.Candle{}, payload.Missing("start")
	}
	end := started.time().Add(venues.Timeframes()[tf])
	return venues.Candle{
		Symbol: symbol, Timeframe: tf, Start: started.time(), End: end,
		Open: open.Decimal, High: high.Decimal, Low: low.Decimal, Close: last.Decimal,
		Volume: volume.Decimal, Turnover: turnover.Decimal,
		Closed: !now.Before(end),
	}, nil
}

// lastPrice returns the last traded price, which triggers refer to.
func (c *Connector) lastPrice(ctx context.Context, symbol string) (decimal.Decimal, error) {
	r := get("/v5/market/tickers", restclient.Params{{"category", category}, {"symbol", c.venueSymbol(symbol)}}, nil, restclient.PriorityOrder)
	var answer struct {
		List []struct {
			LastPrice payload.Number `json:"lastPrice"`
		} `json:"list"`
	}
	if err := c.call(ctx, r, &answer); err != nil {
		return decimal.Decimal{}, err
	}
	if len(answer.List) != 1 || !answer.List[0].LastPrice.Decimal.IsPositive() {
		return decimal.Decimal{}, malformed(r, payload.Missing("lastPrice"))
	}
	return answer.List[0].LastPrice.Decimal, nil
}
