package venue

import (
	"context"
	"time"

	"venuegate/venues"
)

const (
	// tradesKept is how long trades that were read from the venue are answered again.
	tradesKept = time.Second
	// tradesRead is how many are read, for all callers, whatever their limit.
	tradesRead = 1000
)

// Trades returns the newest public trades of a symbol, newest first, at most limit: those that
// its book has received, or, if these are fewer, those that the venue lists, which may be a
// second old. Errors are those of Subscribe and of the venue's answer.
func (c *Client) Trades(ctx context.Context, symbol string, limit int) ([]venues.Trade, error) {
	i, err := c.served(symbol)
	if err != nil {
		return nil, err
	}
	if b := (*c.books.Load())[i.Symbol]; b != nil {
		if trades, err := b.Trades(ctx, limit); err == nil && len(trades) == limit {
			return trades, nil
		}
	}
	trades, err := c.trades.get(ctx, i.Symbol, func(ctx context.Context) ([]venues.Trade, error) {
		return c.deps.Connector.Trades(ctx, i.Symbol, tradesRead)
	})
	if err != nil {
		return nil, c.clientError(i.Symbol, err)
	}
	return trades[:min(limit, len(trades))], nil
}
