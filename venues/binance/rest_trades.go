package binance

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// tradesMax is the maximum number of trades in one answer.
const tradesMax = 1000

// Trades returns the newest trades, newest first, at most limit and at most 1000. As on the
// stream, the trades of one taker at one price are one.
func (c *Connector) Trades(ctx context.Context, symbol string, limit int) ([]venues.Trade, error) {
	i, err := c.instruments.Get(symbol)
	if err != nil {
		return nil, err
	}
	r := request{
		method: http.MethodGet, path: "/fapi/v1/aggTrades", priority: restclient.PriorityHistory, weight: 20,
		params: restclient.Params{{"symbol", i.VenueSymbol}, {"limit", strconv.Itoa(min(max(limit, 1), tradesMax))}},
	}
	var rows []aggTradeRecord
	if err := c.call(ctx, r, &rows); err != nil {
		return nil, err
	}
	trades := make([]venues.Trade, 0, len(rows))
	for _, row := range slices.Backward(rows) { // the venue lists the oldest first
		trade, err := row.trade(i.Symbol)
		if err != nil {
			return nil, malformed(r, err)
		}
		trades = append(trades, trade)
	}
	return trades, nil
}

// aggTradeRecord is a row of GET /fapi/v1/aggTrades.
type aggTradeRecord struct {
	ID           uint64         `json:"a"`
	Price        payload.Number `json:"p"`
	Qty          payload.Number `json:"q"`
	Time         int64          `json:"T"`
	BuyerIsMaker *bool          `json:"m"`
}

func (r *aggTradeRecord) trade(symbol string) (venues.Trade, error) {
	t := venues.Trade{
		Symbol: symbol, ID: strconv.FormatUint(r.ID, 10), Price: r.Price.Decimal, Qty: r.Qty.Decimal,
		Side: venues.Buy, VenueTime: payload.Millis(r.Time),
	}
	if r.ID == 0 || !t.Price.IsPositive() || !t.Qty.IsPositive() || t.VenueTime.IsZero() || r.BuyerIsMaker == nil {
		return t, payload.Missing("a, p, q, T or m")
	}
	if *r.BuyerIsMaker {
		t.Side = venues.Sell
	}
	return t, nil
}
