package okx

import (
	"context"
	"strconv"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// tradesMax is how many trades the venue provides in one answer.
const tradesMax = 500

// Trades returns the newest trades, newest first, at most limit and fewer than 500. As on
// the stream, matches of one side at one price and time are one trade with the id of the last:
// the venue lists each match here, without its taker order.
func (c *Connector) Trades(ctx context.Context, symbol string, limit int) ([]venues.Trade, error) {
	k, err := c.instrument(ctx, symbol)
	if err != nil {
		return nil, err
	}
	r := publicRead("/api/v5/market/trades", restclient.Params{{"instId", k.VenueSymbol}, {"limit", strconv.Itoa(tradesMax)}}, 100, restclient.PriorityHistory)
	var rows []publicTradeRecord
	if err := c.call(ctx, r, &rows); err != nil {
		return nil, err
	}
	trades := make([]venues.Trade, 0, len(rows))
	for n := range rows {
		t, err := rows[n].trade(k)
		if err != nil {
			return nil, malformed(r, err)
		}
		if n > 0 && rows[n].continues(&rows[n-1]) {
			of := &trades[len(trades)-1]
			of.Qty = of.Qty.Add(t.Qty)
			continue
		}
		trades = append(trades, t)
	}
	if len(rows) == tradesMax {
		trades = trades[:len(trades)-1] // its older matches may be missing
	}
	return trades[:min(limit, len(trades))], nil
}

// publicTradeRecord is a row of GET /api/v5/market/trades: one match.
type publicTradeRecord struct {
	Symbol string         `json:"instId"`
	ID     string         `json:"tradeId"`
	Price  payload.Number `json:"px"`
	Size   payload.Number `json:"sz"`
	Side   string         `json:"side"`
	Source string         `json:"source"`
	Time   milliTime      `json:"ts"`
}

// continues reports whether r is an older match of the same trade as newer.
func (r *publicTradeRecord) continues(newer *publicTradeRecord) bool {
	return r.Time.Equal(newer.Time.Time) && r.Side == newer.Side && r.Source == newer.Source && r.Price.Decimal.Equal(newer.Price.Decimal)
}

func (r *publicTradeRecord) trade(k *instrument) (venues.Trade, error) {
	side, err := parseSide(r.Side)
	t := venues.Trade{Symbol: k.Symbol, ID: r.ID, Price: r.Price.Decimal, Qty: k.toBase(r.Size.Decimal), Side: side, VenueTime: r.Time.Time}
	switch {
	case err != nil:
		return t, err
	case r.Symbol != k.VenueSymbol:
		return t, payload.UnknownValue("instId", r.Symbol)
	case t.ID == "" || !t.Price.IsPositive() || !t.Qty.IsPositive() || t.VenueTime.IsZero():
		return t, payload.Missing("tradeId, px, sz or ts")
	}
	return t, nil
}
