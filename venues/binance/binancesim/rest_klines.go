package binancesim

import (
	"time"

	"venuegate/venues/simcore"
)

const (
	klinesLimitDefault = 500
	klinesLimitMax     = 1500
)

func (s *Sim) klines(c *call) (any, *apiError) { return s.klinesOf(c, "symbol", (*listing).klineRow) }

// continuousKlines takes a pair and a contract type; only perpetuals are simulated.
func (s *Sim) continuousKlines(c *call) (any, *apiError) {
	if c.params.text("contractType") != "PERPETUAL" {
		return nil, errMandatory("contractType")
	}
	return s.klinesOf(c, "pair", (*listing).klineRow)
}

// markKlines and indexKlines follow the traded price: the prices differ by a
// few hundredths of a percent.
func (s *Sim) markKlines(c *call) (any, *apiError) {
	return s.klinesOf(c, "symbol", (*listing).priceRow)
}

func (s *Sim) indexKlines(c *call) (any, *apiError) {
	return s.klinesOf(c, "pair", (*listing).priceRow)
}

func (s *Sim) klinesOf(c *call, by string, row func(*listing, simcore.Candle) [12]any) (any, *apiError) {
	l, interval := s.listingBy(&c.params, by), simcore.Interval(c.params.need("interval"))
	if !interval.Valid() {
		c.params.refuse(errInvalidInterval)
	}
	limit := c.params.limit(klinesLimitDefault, klinesLimitMax)
	from, to := c.span()
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	candles := s.candles(l.Symbol, interval, from, to, limit)
	rows := make([][12]any, len(candles))
	for i, candle := range candles {
		rows[i] = row(l, candle)
	}
	return rows, nil
}

// candles returns the first limit candles from a start, or the last ones where no
// start is given. Both bounds are inclusive.
func (s *Sim) candles(symbol string, interval simcore.Interval, from, to time.Time, limit int) []simcore.Candle {
	if !to.IsZero() {
		to = to.Add(time.Millisecond)
	}
	if !from.IsZero() {
		if full := interval.Add(interval.From(from), limit); to.IsZero() || full.Before(to) {
			to = full
		}
	}
	return s.Exchange().Candles(symbol, interval, from, to, limit)
}

func (l *listing) klineRow(c simcore.Candle) [12]any {
	quotePlaces := l.pricePlaces + l.qtyPlaces
	return [12]any{
		millis(c.Start), l.price(c.Open), l.price(c.High), l.price(c.Low), l.price(c.Close), l.qty(c.Volume),
		millis(c.End) - 1, c.QuoteVolume.StringFixed(quotePlaces), c.Trades,
		l.qty(c.TakerVolume), c.TakerQuoteVolume.StringFixed(quotePlaces), "0",
	}
}

// priceRow is a row of prices alone.
func (l *listing) priceRow(c simcore.Candle) [12]any {
	return [12]any{
		millis(c.Start), l.price(c.Open), l.price(c.High), l.price(c.Low), l.price(c.Close), "0",
		millis(c.End) - 1, "0", c.Trades, "0", "0", "0",
	}
}
