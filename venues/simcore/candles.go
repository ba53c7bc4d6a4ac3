package simcore

import (
	"math/rand/v2"
	"time"

	"github.com/shopspring/decimal"
)

// Candle summarises the trades of one interval.
type Candle struct {
	Start, End time.Time
	Open       decimal.Decimal
	High       decimal.Decimal
	Low        decimal.Decimal
	Close      decimal.Decimal
	// Volume is in the venue's units, QuoteVolume in the quote coin. TakerVolume and
	// TakerQuoteVolume are those of trades whose taker bought.
	Volume           decimal.Decimal
	QuoteVolume      decimal.Decimal
	TakerVolume      decimal.Decimal
	TakerQuoteVolume decimal.Decimal
	Trades           int
	FirstID, LastID  int64
	Closed           bool
}

// bar is a candle in integers: ticks, lots, and ticks times lots.
type bar struct {
	start                              time.Time
	open, high, low, last              int64
	lots, quote, takerLots, takerQuote int64
	trades                             int
	firstID, lastID                    int64
}

func (b *bar) add(t Trade) {
	if b.trades == 0 {
		b.firstID = t.ID
	}
	b.lastID = t.ID
	b.trades++
	b.high, b.low, b.last = max(b.high, t.ticks), min(b.low, t.ticks), t.ticks
	b.lots += t.lots
	b.quote += t.ticks * t.lots
	if t.Taker == Buy {
		b.takerLots += t.lots
		b.takerQuote += t.ticks * t.lots
	}
}

// merge appends a later bar.
func (b *bar) merge(later bar) {
	b.high, b.low, b.last = max(b.high, later.high), min(b.low, later.low), later.last
	b.lots += later.lots
	b.quote += later.quote
	b.takerLots += later.takerLots
	b.takerQuote += later.takerQuote
	if b.trades == 0 {
		b.firstID = later.firstID
	}
	if later.trades > 0 {
		b.lastID = later.lastID
	}
	b.trades += later.trades
}

// series is one stored interval, oldest first. The last bar is not closed yet.
type series struct {
	interval Interval
	kept     int
	// swing is how many times wider a bar is than one of a minute.
	swing int64
	bars  []bar
	// hasHistory is set when the bars before the opening of the market are generated.
	hasHistory bool
}

// candleStore keeps four series from which all intervals are made. The history of a
// series is generated when it is first read, which few are.
type candleStore struct {
	series [4]series
	rng    *rand.Rand
	// unit is the smallest quantity of a generated trade, in lots.
	unit int64
}

var storedSeries = [4]series{
	{interval: "1m", kept: 1500, swing: 1},
	{interval: "15m", kept: 1000, swing: 4},
	{interval: "1h", kept: 1500, swing: 8},
	{interval: "1d", kept: 1000, swing: 38},
}

// newCandles returns the candles of a market that opens at a price. Its history is decided
// by the seed of rng.
func newCandles(rng *rand.Rand, unit, ticks int64, now time.Time) candleStore {
	c := candleStore{series: storedSeries, rng: rng, unit: unit}
	for i := range c.series {
		c.series[i].bars = []bar{flatBar(c.series[i].interval.Start(now), ticks)}
	}
	return c
}

func (c *candleStore) add(t Trade) {
	for i := range c.series {
		bars := c.series[i].bars
		bars[len(bars)-1].add(t)
	}
}

// of returns the bars from which an interval is made.
func (c *candleStore) of(interval Interval) []bar {
	r := &c.series[interval.base()]
	if !r.hasHistory {
		r.hasHistory = true
		r.bars = append(r.history(c.rng, c.unit), r.bars...)
	}
	return r.bars
}

// history returns random bars that end at the open of the first one.
func (r *series) history(rng *rand.Rand, unit int64) []bar {
	bars := make([]bar, max(0, r.kept-len(r.bars)))
	start, price := r.bars[0].start, r.bars[0].open
	swing := max(2, price*r.swing/minuteSwing)
	for i := len(bars) - 1; i >= 0; i-- {
		start = r.interval.Start(start.Add(-time.Nanosecond))
		b := flatBar(start, price)
		b.open = max(1, price+rng.Int64N(2*swing+1)-swing)
		b.high = max(b.open, price) + rng.Int64N(swing)
		b.low = max(1, min(b.open, price)-rng.Int64N(swing))
		b.trades = 20 + rng.IntN(200)
		b.lots = unit * int64(b.trades)
		b.quote = b.lots * ((b.high + b.low) / 2)
		b.takerLots, b.takerQuote = b.lots/2, b.quote/2
		bars[i] = b
		price = b.open
	}
	return bars
}

// minuteSwing divides a price to give the largest move of a generated minute.
const minuteSwing = 1200

func flatBar(start time.Time, ticks int64) bar {
	return bar{start: start, open: ticks, high: ticks, low: ticks, last: ticks}
}

// rollCandles closes the bars that have ended and publishes the candles that ended
// with them.
func (x *Exchange) rollCandles(s *symbol, now time.Time) {
	minutes := &s.candles.series[0]
	ended := minutes.bars[len(minutes.bars)-1].start
	if now.Before(ended.Add(time.Minute)) {
		return
	}
	for _, interval := range Intervals {
		if start := interval.Start(ended); len(x.subscribers) > 0 && !now.Before(interval.End(start)) {
			candle := s.candle(interval, start)
			candle.Closed = true
			x.emit(CandleEvent{Symbol: s.Symbol, Interval: interval, Candle: candle})
		}
	}
	for i := range s.candles.series {
		s.candles.series[i].roll(now)
	}
}

func (r *series) roll(now time.Time) {
	for i := 0; i < r.kept; i++ {
		current := &r.bars[len(r.bars)-1]
		end := r.interval.End(current.start)
		if now.Before(end) {
			return
		}
		if i == r.kept-1 {
			end = r.interval.Start(now)
		}
		next := flatBar(end, current.last)
		r.bars = appendBounded(r.bars, next, r.kept)
	}
}

// candle returns the candle of an interval that begins at start.
func (s *symbol) candle(interval Interval, start time.Time) Candle {
	candles := s.candleRange(interval, start, interval.End(start), 1)
	if len(candles) == 0 {
		return s.export(flatBar(start, s.lastTicks), interval)
	}
	return candles[0]
}

// candleRange returns the newest limit candles that begin within [from, to), oldest
// first.
func (s *symbol) candleRange(interval Interval, from, to time.Time, limit int) []Candle {
	var merged []bar
	bars := s.candles.of(interval)
	for i := len(bars) - 1; i >= 0; i-- {
		start := interval.Start(bars[i].start)
		if start.Before(from) {
			break
		}
		if !start.Before(to) {
			continue
		}
		if n := len(merged); n > 0 && merged[n-1].start.Equal(start) {
			earlier := bars[i]
			earlier.start = start
			earlier.merge(merged[n-1])
			merged[n-1] = earlier
			continue
		}
		if len(merged) == limit {
			break
		}
		b := bars[i]
		b.start = start
		merged = append(merged, b)
	}
	candles := make([]Candle, len(merged))
	for i := range merged {
		candles[len(merged)-1-i] = s.export(merged[i], interval)
	}
	return candles
}

func (s *symbol) export(b bar, interval Interval) Candle {
	return Candle{
		Start: b.start, End: interval.End(b.start),
		Open: s.prices.value(b.open), High: s.prices.value(b.high),
		Low: s.prices.value(b.low), Close: s.prices.value(b.last),
		Volume: s.sizes.value(b.lots), TakerVolume: s.sizes.value(b.takerLots),
		QuoteVolume:      decimal.NewFromInt(b.quote).Mul(s.quoteUnit),
		TakerQuoteVolume: decimal.NewFromInt(b.takerQuote).Mul(s.quoteUnit),
		Trades:           b.trades, FirstID: b.firstID, LastID: b.lastID,
	}
}
