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
	candlesPath        = "/api/v5/market/candles"
	historyCandlesPath = "/api/v5/market/history-candles"
	// candlesRecent is how many of the newest candles the venue provides by candlesPath.
	// Older ones, all complete, come by the other path.
	candlesRecent = 1440
	// candlesMax is the maximum number of candles in the result, candlesPage and
	// historyPage that in one answer of each path.
	candlesMax  = 1500
	candlesPage = 300
	historyPage = 100
)

// bars maps timeframes to the venue's names. Without the suffix utc, candles of six hours
// and longer begin at midnight in Hong Kong (UTC+8).
var bars = map[venues.Timeframe]string{
	"1m": "1m", "3m": "3m", "5m": "5m", "15m": "15m", "30m": "30m", "1h": "1H", "2h": "2H", "4h": "4H",
	"6h": "6Hutc", "12h": "12Hutc", "1d": "1Dutc", "1w": "1Wutc",
}

// Candles returns the selected candles, oldest first, at most 1500.
func (c *Connector) Candles(ctx context.Context, q venues.CandlesQuery) ([]venues.Candle, error) {
	bar, known := bars[q.Timeframe]
	if !known {
		return nil, venues.UnknownTimeframe(q.Timeframe)
	}
	k, err := c.instrument(ctx, q.Symbol)
	if err != nil {
		return nil, err
	}
	limit := min(max(q.Limit, 1), candlesMax)
	// With the newest candle still open, and one more that may open on the way.
	recent := c.Clock.Now().Add(-(candlesRecent - 2) * venues.Timeframes()[q.Timeframe])
	candles := make([]venues.Candle, 0, limit)
	p := restclient.Params{{"instId", k.VenueSymbol}, {"bar", bar}}
	for before := q.Before; len(candles) < limit; {
		r, size := candlesPageRequest(p, before, recent, q.Timeframe, limit-len(candles))
		page, err := c.candlesPage(ctx, r, k, q.Timeframe, before)
		if err != nil {
			return nil, err
		}
		candles = append(candles, page...)
		if len(page) < size {
			break
		}
		before = page[len(page)-1].Start
	}
	slices.Reverse(candles)
	return candles, nil
}

// candlesPageRequest returns the request of the newest candles before a time, if that is
// not zero, and how many a full answer has. Candles that begin after recent are read by the
// path for those.
func candlesPageRequest(p restclient.Params, before, recent time.Time, tf venues.Timeframe, limit int) (request, int) {
	path, perWindow, size := candlesPath, 40, min(limit, candlesPage)
	if !before.IsZero() {
		p = p.With("after", strconv.FormatInt(before.UnixMilli(), 10))
		if before.Add(-time.Duration(size) * venues.Timeframes()[tf]).Before(recent) {
			path, perWindow, size = historyCandlesPath, 20, min(limit, historyPage)
		}
	}
	return publicRead(path, p.With("limit", strconv.Itoa(size)), perWindow, restclient.PriorityHistory), size
}

// candlesPage reads one page, newest first. All candles must begin before a time, if that
// is not zero.
func (c *Connector) candlesPage(ctx context.Context, r request, k *instrument, tf venues.Timeframe, before time.Time) ([]venues.Candle, error) {
	var rows []candleRow
	if err := c.call(ctx, r, &rows); err != nil {
		return nil, err
	}
	candles := make([]venues.Candle, 0, len(rows))
	for _, row := range rows {
		candle, err := row.candle(k.Symbol, tf)
		if err == nil && !before.IsZero() && !candle.Start.Before(before) {
			err = errCandleOrder
		}
		if err != nil {
			return nil, malformed(r, err)
		}
		candles, before = append(candles, candle), candle.Start
	}
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
