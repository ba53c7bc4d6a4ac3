package binance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// snapshotLimit is the depth of the deepest book that the venue provides.
const snapshotLimit = 1000

// Snapshot reads a book by REST. The instruments must have been read.
func (c *Connector) Snapshot(ctx context.Context, symbol string) (*venues.BookUpdate, error) {
	i, err := c.instruments.Get(symbol)
	if err != nil {
		return nil, err
	}
	r := request{
		method: http.MethodGet, path: "/fapi/v1/depth", priority: restclient.PriorityReconcile, weight: 20,
		params: restclient.Params{{"symbol", i.VenueSymbol}, {"limit", strconv.Itoa(snapshotLimit)}},
	}
	var answer bookRecord
	if err := c.call(ctx, r, &answer); err != nil {
		return nil, err
	}
	update, err := answer.update(i.Symbol, i.Scale(), time.Now())
	if err != nil {
		return nil, malformed(r, err)
	}
	return update, nil
}

// bookRecord is GET /fapi/v1/depth.
type bookRecord struct {
	LastUpdateID uint64     `json:"lastUpdateId"`
	Time         int64      `json:"T"`
	Bids         [][]string `json:"bids"`
	Asks         [][]string `json:"asks"`
}

// update returns the snapshot in fixed-point numbers, in an update of the pool.
func (d *bookRecord) update(symbol string, scale venues.Scale, received time.Time) (*venues.BookUpdate, error) {
	if d.LastUpdateID == 0 {
		return nil, payload.Missing("lastUpdateId")
	}
	book := payload.Book{Symbol: symbol, Seq: d.LastUpdateID, Time: payload.Millis(d.Time), Bids: d.Bids, Asks: d.Asks}
	return book.Snapshot(received, func(price, qty string) (venues.Level, error) { return payload.Level(price, qty, scale) })
}

// candlesMax is the maximum number of candles in one answer.
const candlesMax = 1500

// Candles returns the selected candles, oldest first, at most 1500.
func (c *Connector) Candles(ctx context.Context, q venues.CandlesQuery) ([]venues.Candle, error) {
	if _, known := venues.Timeframes()[q.Timeframe]; !known {
		return nil, venues.UnknownTimeframe(q.Timeframe)
	}
	limit := min(max(q.Limit, 1), candlesMax)
	r := request{
		method: http.MethodGet, path: "/fapi/v1/klines", priority: restclient.PriorityHistory, weight: klineWeight(limit),
		params: restclient.Params{
			{"symbol", c.venueSymbol(q.Symbol)}, {"interval", string(q.Timeframe)}, {"limit", strconv.Itoa(limit)},
		},
	}
	if !q.Before.IsZero() {
		r.params = r.params.With("endTime", strconv.FormatInt(q.Before.UnixMilli()-1, 10)) // inclusive
	}
	now := c.Clock.Now() // before the answer: a candle that ends on its way is not complete in it
	var rows []klineRow
	if err := c.call(ctx, r, &rows); err != nil {
		return nil, err
	}
	candles := make([]venues.Candle, 0, len(rows))
	for n := range rows {
		candle, err := rows[n].candle(q.Symbol, q.Timeframe, now)
		if err != nil {
			return nil, malformed(r, err)
		}
		candles = append(candles, candle)
	}
	return candles, nil
}

func klineWeight(limit int) int {
	switch {
	case limit < 100:
		return 1
	case limit < 500:
		return 2
	case limit <= 1000:
		return 5
	default:
		return 10
	}
}

// klineRow is one row of GET /fapi/v1/klines: open time, prices, volume, close time,
// quote volume and unused columns.
type klineRow []json.RawMessage

func (k klineRow) candle(symbol string, tf venues.Timeframe, now time.Time) (venues.Candle, error) {
	var opened, closed int64
	var open, high, low, last, volume, turnover payload.Number
	if err := payload.Columns(k, &opened, &open, &high, &low, &last, &volume, &closed, &turnover); err != nil {
		return venues.Candle{}, fmt.Errorf("kline: %w", err)
	}
	if payload.Millis(opened).IsZero() || payload.Millis(closed).IsZero() {
		return venues.Candle{}, payload.Missing("kline time")
	}
	end := payload.Millis(closed + 1)
	return venues.Candle{
		Symbol: symbol, Timeframe: tf, Start: payload.Millis(opened), End: end,
		Open: open.Decimal, High: high.Decimal, Low: low.Decimal, Close: last.Decimal,
		Volume: volume.Decimal, Turnover: turnover.Decimal,
		Closed: !now.Before(end),
	}, nil
}

// lastPrice returns the last traded price, which triggers refer to.
func (c *Connector) lastPrice(ctx context.Context, symbol string) (decimal.Decimal, error) {
	r := request{
		method: http.MethodGet, path: "/fapi/v1/ticker/price", priority: restclient.PriorityOrder, weight: 1,
		params: restclient.Params{{"symbol", c.venueSymbol(symbol)}},
	}
	var answer struct {
		Price payload.Number `json:"price"`
	}
	if err := c.call(ctx, r, &answer); err != nil {
		return decimal.Decimal{}, err
	}
	if !answer.Price.Decimal.IsPositive() {
		return decimal.Decimal{}, malformed(r, payload.Missing("price"))
	}
	return answer.Price.Decimal, nil
}
