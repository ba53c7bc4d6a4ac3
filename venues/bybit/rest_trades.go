package bybit

import (
	"context"
	"strconv"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// tradesMax is the maximum number of trades in one answer.
const tradesMax = 1000

// Trades returns the newest trades, newest first, at most limit and at most 1000.
func (c *Connector) Trades(ctx context.Context, symbol string, limit int) ([]venues.Trade, error) {
	i, err := c.instruments.Get(symbol)
	if err != nil {
		return nil, err
	}
	r := get("/v5/market/recent-trade", restclient.Params{
		{"category", category}, {"symbol", i.VenueSymbol}, {"limit", strconv.Itoa(min(max(limit, 1), tradesMax))},
	}, nil, restclient.PriorityHistory)
	var answer struct {
		List []publicTradeRecord `json:"list"`
	}
	if err := c.call(ctx, r, &answer); err != nil {
		return nil, err
	}
	trades := make([]venues.Trade, len(answer.List))
	for n := range answer.List {
		if trades[n], err = answer.List[n].trade(i); err != nil {
			return nil, malformed(r, err)
		}
	}
	return trades, nil
}

// publicTradeRecord is a row of GET /v5/market/recent-trade.
type publicTradeRecord struct {
	ID     string         `json:"execId"`
	Symbol string         `json:"symbol"`
	Price  payload.Number `json:"price"`
	Qty    payload.Number `json:"size"`
	Side   string         `json:"side"`
	Time   integer        `json:"time"`
}

func (r *publicTradeRecord) trade(i *venues.Instrument) (venues.Trade, error) {
	side, err := parseSide(r.Side)
	t := venues.Trade{Symbol: i.Symbol, ID: r.ID, Price: r.Price.Decimal, Qty: r.Qty.Decimal, Side: side, VenueTime: r.Time.time()}
	switch {
	case err != nil:
		return t, err
	case r.Symbol != i.VenueSymbol:
		return t, payload.UnknownValue("symbol", r.Symbol)
	case t.ID == "" || !t.Price.IsPositive() || !t.Qty.IsPositive() || t.VenueTime.IsZero():
		return t, payload.Missing("execId, price, size or time")
	}
	return t, nil
}
