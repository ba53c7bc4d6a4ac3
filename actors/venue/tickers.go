package venue

import (
	"context"
	"slices"
	"strings"
	"time"

	"venuegate/venues"
)

// tickerKept and tickersKept are how long the ticker of an instrument and those of all are
// answered again. The latter cost several times the request weight.
const (
	tickerKept  = time.Second
	tickersKept = 5 * time.Second
)

// Tickers returns the ticker of a symbol, or those of all instruments, sorted, if it is empty.
// They are read from the venue, once for all callers. They must not be changed. Errors are
// those of Subscribe and of the venue's answer.
func (c *Client) Tickers(ctx context.Context, symbol string) ([]venues.Ticker, error) {
	reads := &c.tickers
	if symbol != "" {
		i, err := c.served(symbol)
		if err != nil {
			return nil, err
		}
		reads, symbol = &c.ticker, i.Symbol
	} else if c.Instruments() == nil {
		return nil, c.unavailable("the instruments of %s are not known yet", c.deps.Venue)
	}
	tickers, err := reads.get(ctx, symbol, func(ctx context.Context) ([]venues.Ticker, error) {
		list, err := c.deps.Connector.Tickers(ctx, symbol)
		slices.SortFunc(list, func(a, b venues.Ticker) int { return strings.Compare(a.Symbol, b.Symbol) })
		return list, err
	})
	return tickers, c.clientError(symbol, err)
}
