package root

import (
	"context"
	"time"

	"venuegate/venues"
)

// Candles returns the candles of an instrument that begin in [from, to), oldest first.
func (x *Exchange) Candles(ctx context.Context, symbol string, tf venues.Timeframe, from, to time.Time) ([]venues.Candle, error) {
	return x.candles.Read(ctx, symbol, tf, from, to)
}

// Candles returns the requested candles, oldest first. The symbol may have any spelling.
func (d *Directory) Candles(ctx context.Context, q venues.ReadCandles) ([]venues.Candle, error) {
	m, known := d.markets[q.Exchange]
	if !known {
		return nil, venues.Errorf(venues.CodeNotFound, "%s is not connected", q.Exchange).With("exchange", string(q.Exchange))
	}
	set := m.Instruments()
	if set == nil {
		return nil, venues.Errorf(venues.CodeExchangeUnavailable, "the instruments of %s are not known yet", q.Exchange).
			With("exchange", string(q.Exchange))
	}
	i, listed := set.Find(q.Symbol)
	if !listed {
		return nil, venues.Errorf(venues.CodeSymbolNotTradable, "%s is not an instrument of %s", q.Symbol, q.Exchange).With("symbol", q.Symbol)
	}
	return m.Candles(ctx, i.Symbol, q.Timeframe, q.From, q.To)
}
