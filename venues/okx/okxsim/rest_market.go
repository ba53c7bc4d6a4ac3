package okxsim

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// level is price, contracts, an obsolete zero, and the number of orders.
type level [4]string

func levelOf(l simcore.Level) level {
	orders := "1"
	if l.Qty.IsZero() {
		orders = "0"
	}
	return level{l.Price.String(), l.Qty.String(), "0", orders}
}

func levelsOf(levels []simcore.Level) []level {
	out := make([]level, len(levels))
	for i := range levels {
		out[i] = levelOf(levels[i])
	}
	return out
}

type bookBody struct {
	Asks  []level `json:"asks"`
	Bids  []level `json:"bids"`
	TS    string  `json:"ts"`
	SeqID int64   `json:"seqId"`
}

const booksDepthMax = 400

func (s *Sim) books(c *call) (any, *apiError) {
	l, depth := s.instrument(c), c.count("sz", 1, booksDepthMax)
	if c.invalid != nil {
		return nil, c.invalid
	}
	book, _ := s.Exchange().Book(l.Symbol, depth)
	return []bookBody{{Asks: levelsOf(book.Asks), Bids: levelsOf(book.Bids), TS: millis(book.Time), SeqID: book.UpdateID}}, nil
}

// refuse records the error of a parameter, unless an earlier one has an error.
func (c *call) refuse(failed *apiError) {
	if c.invalid == nil {
		c.invalid = failed
	}
}

// instrument returns the instrument of a query, or nil.
func (s *Sim) instrument(c *call) *listing {
	l, failed := s.listing(c.query("instId"))
	c.refuse(failed)
	return l
}

// count parses a whole number of a query between one and most.
func (c *call) count(name string, otherwise, most int) int {
	text := c.query(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		c.refuse(errParameter(name))
	}
	return min(n, most)
}

// number parses an integer of a query, zero where it is absent.
func (c *call) number(name string) int64 {
	text := c.query(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		c.refuse(errParameter(name))
	}
	return n
}

// timeOf parses a time of a query in milliseconds, zero where it is absent.
func (c *call) timeOf(name string) time.Time {
	ms := c.number(name)
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

type tradeBody struct {
	InstID  string `json:"instId"`
	Px      string `json:"px"`
	Side    string `json:"side"`
	Sz      string `json:"sz"`
	Source  string `json:"source"`
	TradeID string `json:"tradeId"`
	TS      string `json:"ts"`
	Count   string `json:"count,omitempty"`
	SeqID   int64  `json:"seqId,omitempty"`
}

func tradeOf(symbol string, t simcore.Trade) tradeBody {
	return tradeBody{
		InstID: symbol, Px: t.Price().String(), Side: t.Taker.String(), Sz: t.Qty().String(), Source: "0",
		TradeID: idText(t.ID), TS: millis(t.Time),
	}
}

func (s *Sim) trades(c *call) (any, *apiError) {
	return s.publicTrades(c, c.count("limit", 100, 500), func(simcore.Trade) bool { return true })
}

// historyTrades returns trades before or after a trade, or a time where type is 2.
func (s *Sim) historyTrades(c *call) (any, *apiError) {
	const byID, byTime = "1", "2"
	kind := cmp.Or(c.query("type"), byID)
	if kind != byID && kind != byTime {
		return nil, errParameter("type")
	}
	p := c.page()
	return s.publicTrades(c, p.limit, func(t simcore.Trade) bool {
		at := t.ID
		if kind == byTime {
			at = t.Time.UnixMilli()
		}
		return p.holds(at, t.Time)
	})
}

// publicTrades returns the trades of an instrument that keep accepts, newest first.
// Those of liquidations are not public.
func (s *Sim) publicTrades(c *call, limit int, keep func(simcore.Trade) bool) (any, *apiError) {
	l := s.instrument(c)
	if c.invalid != nil {
		return nil, c.invalid
	}
	body := []tradeBody{}
	all := s.Exchange().Trades(l.Symbol, math.MaxInt)
	for n := len(all) - 1; n >= 0 && len(body) < limit; n-- {
		if !all[n].Insurance && keep(all[n]) {
			body = append(body, tradeOf(l.Symbol, all[n]))
		}
	}
	return body, nil
}

// candleRow is time, open, high, low, close, contracts, base coin, quote coin,
// and whether it is confirmed.
type candleRow [9]string

func (l *listing) candle(c simcore.Candle) candleRow {
	confirm := "0"
	if c.Closed {
		confirm = "1"
	}
	return candleRow{
		millis(c.Start), c.Open.String(), c.High.String(), c.Low.String(), c.Close.String(),
		c.Volume.String(), l.baseQty(c.Volume).String(), c.QuoteVolume.String(), confirm,
	}
}

// intervalOf parses the venue's name of an interval. Hours and longer units are capital
// letters, and intervals of six hours and longer may end in utc.
func intervalOf(bar string) (simcore.Interval, bool) {
	if bar == "" {
		return "1m", true
	}
	bar, isUTC := strings.CutSuffix(bar, "utc")
	unit := strings.TrimLeft(bar, "0123456789")
	if unit == "h" || unit == "d" || unit == "w" {
		return "", false
	}
	if unit == "H" || unit == "D" || unit == "W" {
		bar = strings.ToLower(bar)
	}
	interval := simcore.Interval(bar)
	short := interval.End(time.Unix(0, 0)).Before(time.Unix(0, 0).Add(6 * time.Hour))
	return interval, interval.Valid() && interval != "8h" && !(isUTC && short)
}

const (
	// recentCandles is how many of the newest candles the call candles returns.
	recentCandles = 1440
	candlesLimit  = 300
	// historyLimit is the limit of the call history-candles.
	historyLimit = 100
)

// candles returns recent candles, the last of which is not complete.
func (s *Sim) candles(c *call) (any, *apiError) {
	return s.candlesOf(c, candlesLimit, func(k *simcore.Candle, interval simcore.Interval) bool {
		return !k.Start.Before(interval.Add(interval.Start(c.now), 1-recentCandles))
	})
}

// historyCandles returns complete candles of any age.
func (s *Sim) historyCandles(c *call) (any, *apiError) {
	return s.candlesOf(c, historyLimit, func(k *simcore.Candle, _ simcore.Interval) bool { return k.Closed })
}

// candlesOf returns the candles that keep accepts, newest first. after and before bound
// their start times, both exclusive.
func (s *Sim) candlesOf(c *call, most int, keep func(*simcore.Candle, simcore.Interval) bool) (any, *apiError) {
	l := s.instrument(c)
	interval, ok := intervalOf(c.query("bar"))
	if !ok {
		c.refuse(errParameter("bar"))
	}
	limit, older, newer := c.count("limit", 100, most), c.timeOf("after"), c.timeOf("before")
	if c.invalid != nil {
		return nil, c.invalid
	}
	if !newer.IsZero() {
		newer = newer.Add(time.Millisecond)
	}
	found := s.Exchange().Candles(l.Symbol, interval, newer, older, limit+1)
	slices.Reverse(found)
	body := make([]candleRow, 0, len(found))
	for i := range found {
		if keep(&found[i], interval) && len(body) < limit {
			body = append(body, l.candle(found[i]))
		}
	}
	return body, nil
}

type tickerBody struct {
	InstType  string `json:"instType"`
	InstID    string `json:"instId"`
	Last      string `json:"last"`
	LastSz    string `json:"lastSz"`
	AskPx     string `json:"askPx"`
	AskSz     string `json:"askSz"`
	BidPx     string `json:"bidPx"`
	BidSz     string `json:"bidSz"`
	Open24h   string `json:"open24h"`
	High24h   string `json:"high24h"`
	Low24h    string `json:"low24h"`
	SodUTC0   string `json:"sodUtc0"`
	SodUTC8   string `json:"sodUtc8"`
	VolCcy24h string `json:"volCcy24h"`
	Vol24h    string `json:"vol24h"`
	TS        string `json:"ts"`
}

func (s *Sim) ticker(c *call) (any, *apiError) {
	l, failed := s.listing(c.query("instId"))
	if failed != nil {
		return nil, failed
	}
	return []tickerBody{s.tickerOf(l)}, nil
}

func (s *Sim) tickers(c *call) (any, *apiError) {
	found, failed := s.swaps(c)
	if failed != nil {
		return nil, failed
	}
	body := make([]tickerBody, 0, len(found))
	for _, l := range found {
		body = append(body, s.tickerOf(l))
	}
	return body, nil
}

// tickerOf returns the ticker, with the last 24 hours in quarters of an hour.
func (s *Sim) tickerOf(l *listing) tickerBody {
	now := s.Clock.Now()
	book, _ := s.Exchange().Book(l.Symbol, 1)
	bid, ask := first(book.Bids), first(book.Asks)
	last := s.Exchange().LastPrice(l.Symbol)
	body := tickerBody{
		InstType: instTypeSwap, InstID: l.Symbol, Last: last.String(), LastSz: "0",
		AskPx: orEmpty(ask.Price), AskSz: ask.Qty.String(), BidPx: orEmpty(bid.Price), BidSz: bid.Qty.String(), TS: millis(now),
	}
	if newest := s.Exchange().Trades(l.Symbol, 1); len(newest) == 1 {
		body.LastSz = newest[0].Qty().String()
	}
	open, high, low, volume := last, last, last, decimal.Zero
	for i, c := range s.Exchange().Candles(l.Symbol, "15m", now.Add(-24*time.Hour), time.Time{}, 97) {
		if i == 0 {
			open = c.Open
		}
		high, low, volume = decimal.Max(high, c.High), decimal.Min(low, c.Low), volume.Add(c.Volume)
	}
	body.Open24h, body.High24h, body.Low24h = open.String(), high.String(), low.String()
	body.SodUTC0, body.SodUTC8 = open.String(), open.String()
	body.Vol24h, body.VolCcy24h = volume.String(), l.baseQty(volume).String()
	return body
}

func first(levels []simcore.Level) simcore.Level {
	if len(levels) == 0 {
		return simcore.Level{}
	}
	return levels[0]
}
