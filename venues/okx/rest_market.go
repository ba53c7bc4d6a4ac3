package okx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// snapshotDepth is the depth of the deepest book that the venue provides by REST and by
// stream.
const snapshotDepth = 400

// Snapshot reads a book by REST. The stream sends its own snapshots, so following a book
// does not require it.
func (c *Connector) Snapshot(ctx context.Context, symbol string) (*venues.BookUpdate, error) {
	k, err := c.instrument(ctx, symbol)
	if err != nil {
		return nil, err
	}
	r := publicRead("/api/v5/market/books", restclient.Params{{"instId", k.VenueSymbol}, {"sz", strconv.Itoa(snapshotDepth)}}, 40, restclient.PriorityReconcile)
	var rows []bookRecord
	if err := c.call(ctx, r, &rows); err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, malformed(r, payload.Missing("data"))
	}
	update, err := rows[0].update(k, time.Now())
	if err != nil {
		return nil, malformed(r, err)
	}
	return update, nil
}

const (
	// candlesMax is how many recent candles the venue provides, candlesPage how many an
	// answer contains.
	candlesMax  = 1440
	candlesPage = 300
)

// bars maps timeframes to the venue's names. Without the suffix utc, candles of six hours
// and longer begin at midnight in Hong Kong (UTC+8).
var bars = map[venues.Timeframe]string{
	"1m": "1m", "3m": "3m", "5m": "5m", "15m": "15m", "30m": "30m", "1h": "1H", "2h": "2H", "4h": "4H",
	"6h": "6Hutc", "12h": "12Hutc", "1d": "1Dutc", "1w": "1Wutc",
}

// Candles returns the newest candles, oldest first, at most limit and at most 1440.
func (c *Connector) Candles(ctx context.Context, symbol string, tf venues.Timeframe, limit int) ([]venues.Candle, error) {
	bar, known := bars[tf]
	if !known {
		return nil, venues.InvalidFields(venues.FieldError{Field: "timeframe", Rule: "unknown_value", Given: payload.Bounded(string(tf))})
	}
	k, err := c.instrument(ctx, symbol)
	if err != nil {
		return nil, err
	}
	limit = min(max(limit, 1), candlesMax)
	candles := make([]venues.Candle, 0, limit)
	p := restclient.Params{{"instId", k.VenueSymbol}, {"bar", bar}}
	for len(candles) < limit {
		size := min(limit-len(candles), candlesPage)
		page := p.With("limit", strconv.Itoa(size))
		if n := len(candles); n > 0 {
			page = page.With("after", strconv.FormatInt(candles[n-1].Start.UnixMilli(), 10))
		}
		r := publicRead("/api/v5/market/candles", page, 40, restclient.PriorityHistory)
		var rows []candleRow
		if err := c.call(ctx, r, &rows); err != nil {
			return nil, err
		}
		for _, row := range rows {
			candle, err := row.candle(k.Symbol, tf)
			if err == nil && len(candles) > 0 && !candle.Start.Before(candles[len(candles)-1].Start) {
				err = errCandleOrder
			}
			if err != nil {
				return nil, malformed(r, err)
			}
			candles = append(candles, candle)
		}
		if len(rows) < size {
			break
		}
	}
	slices.Reverse(candles)
	return candles, nil
}

var errCandleOrder = errors.New("candles are not in order")

// candleRow is a candle by REST and on streams: start, open, high, low, close, volume in
// contracts, in base coin and in quote currency, and "1" once it is final.
type candleRow []string

const (
	candleVolumeColumn   = 6
	candleTurnoverColumn = 7
	candleClosedColumn   = 8
	candleColumns        = 9
	// candleOpen and candleFinal are the values of candleClosedColumn.
	candleOpen  = "0"
	candleFinal = "1"
)

func (row candleRow) candle(symbol string, tf venues.Timeframe) (venues.Candle, error) {
	if len(row) < candleColumns {
		return venues.Candle{}, payload.Missing("candle column")
	}
	started, err := strconv.ParseInt(row[0], 10, 64)
	if err != nil || payload.Millis(started).IsZero() {
		return venues.Candle{}, payload.Missing("candle start")
	}
	confirmed := row[candleClosedColumn]
	if confirmed != candleOpen && confirmed != candleFinal {
		return venues.Candle{}, payload.UnknownValue("confirm", confirmed)
	}
	start := payload.Millis(started)
	candle := venues.Candle{
		Symbol: symbol, Timeframe: tf, Start: start, End: start.Add(venues.Timeframes()[tf]),
		Closed: confirmed == candleFinal,
	}
	for _, cell := range []struct {
		column int
		into   *decimal.Decimal
	}{
		{1, &candle.Open},
		{2, &candle.High},
		{3, &candle.Low},
		{4, &candle.Close},
		{candleVolumeColumn, &candle.Volume},
		{candleTurnoverColumn, &candle.Turnover},
	} {
		value, err := venues.ParseVenueDecimal(row[cell.column])
		if err != nil {
			return venues.Candle{}, fmt.Errorf("candle column %d: %w", cell.column, err)
		}
		*cell.into = value
	}
	return candle, nil
}

// lastPrice returns the last traded price, which triggers refer to.
func (c *Connector) lastPrice(ctx context.Context, k *instrument) (decimal.Decimal, error) {
	const path = "/api/v5/market/ticker"
	var rows []struct {
		Last payload.Number `json:"last"`
	}
	if err := c.call(ctx, publicRead(path, restclient.Params{{"instId", k.VenueSymbol}}, 20, restclient.PriorityOrder), &rows); err != nil {
		return decimal.Decimal{}, err
	}
	if len(rows) != 1 || !rows[0].Last.Decimal.IsPositive() {
		return decimal.Decimal{}, restclient.Unreadable("GET", path, payload.Missing("last"))
	}
	return rows[0].Last.Decimal, nil
}
