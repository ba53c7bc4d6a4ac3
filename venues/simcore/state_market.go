package simcore

import (
	"math/rand/v2"
	"time"

	"github.com/shopspring/decimal"
)

// Kinds of the entries of markets.
const (
	kindBar     = "bar"
	kindFunding = "funding"
	kindMarket  = "market"
)

// storedMarket is a market without its public trades and the liquidity of the house.
type storedMarket struct {
	Symbol      string          `json:"symbol"`
	Halted      bool            `json:"halted,omitempty"`
	Last        int64           `json:"last"`
	TradeID     int64           `json:"tradeId"`
	Mark        decimal.Decimal `json:"mark"`
	Index       decimal.Decimal `json:"index"`
	FundingRate decimal.Decimal `json:"fundingRate"`
	NextFunding time.Time       `json:"nextFunding"`

	Fair      int64 `json:"fair"`
	Anchor    int64 `json:"anchor"`
	HouseMark int64 `json:"houseMark"`
	Depth     int   `json:"depth"`
	Steps     int   `json:"steps"`
	Paused    bool  `json:"paused,omitempty"`

	// OpenedAt and OpenedTicks are the end of the generated candles, Bars the bars that are
	// not closed.
	OpenedAt    time.Time                    `json:"openedAt"`
	OpenedTicks int64                        `json:"openedTicks"`
	Bars        [len(storedSeries)]barValues `json:"bars"`
}

// storedBar is a closed bar of one of the stored series.
type storedBar struct {
	Symbol string    `json:"symbol"`
	Series int       `json:"series"`
	Bar    barValues `json:"bar"`
}

type storedFunding struct {
	Symbol  string         `json:"symbol"`
	Payment FundingPayment `json:"payment"`
}

// barValues are the members of a bar in their order, the start in seconds.
type barValues [12]int64

func (b *bar) values() barValues {
	return barValues{
		b.start.Unix(), b.open, b.high, b.low, b.last, b.lots, b.quote, b.takerLots, b.takerQuote,
		int64(b.trades), b.firstID, b.lastID,
	}
}

func (v barValues) bar() bar {
	return bar{
		start: time.Unix(v[0], 0).UTC(), open: v[1], high: v[2], low: v[3], last: v[4], lots: v[5], quote: v[6],
		takerLots: v[7], takerQuote: v[8], trades: int(v[9]), firstID: v[10], lastID: v[11],
	}
}

func (k *stateKeeper) touchSymbol(s *symbol) {
	if k != nil {
		k.symbols.add(s)
	}
}

func (k *stateKeeper) addBar(s *symbol, series int, closed bar) {
	if k != nil {
		k.symbols.add(s)
		k.bars = append(k.bars, storedBar{s.Symbol, series, closed.values()})
	}
}

func (k *stateKeeper) addFunding(s *symbol, payment FundingPayment) {
	if k != nil {
		k.symbols.add(s)
		k.fundings = append(k.fundings, storedFunding{s.Symbol, payment})
	}
}

// touchMarket marks everything of a market.
func (k *stateKeeper) touchMarket(s *symbol) {
	for i := range s.candles.series {
		bars := s.candles.series[i].bars
		for n := range bars[:len(bars)-1] {
			k.addBar(s, i, bars[n])
		}
	}
	for _, payment := range s.fundings {
		k.addFunding(s, payment)
	}
	k.touchSymbol(s)
}

// touchMarkets marks the prices of all markets.
func (x *Exchange) touchMarkets() {
	for _, name := range x.names {
		x.state.touchSymbol(x.symbols[name])
	}
}

// touchMarketsIfDue marks the prices of all markets if the interval has passed.
func (x *Exchange) touchMarketsIfDue(base time.Time) {
	if x.state != nil && base.Sub(x.state.marketsAt) >= marketSaveInterval {
		x.state.marketsAt = base
		x.touchMarkets()
	}
}

func (k *stateKeeper) saveMarkets(put func(kind string, value any)) {
	for _, closed := range k.bars {
		put(kindBar, closed)
	}
	for _, payment := range k.fundings {
		put(kindFunding, payment)
	}
	for _, s := range k.symbols.list {
		put(kindMarket, s.stored())
	}
	k.bars, k.fundings, k.symbols = nil, nil, touched[*symbol]{}
}

func (s *symbol) stored() storedMarket {
	m := s.maker
	stored := storedMarket{
		Symbol: s.Symbol, Halted: s.halted, Last: s.lastTicks, TradeID: s.tradeID, Mark: s.mark, Index: s.index,
		FundingRate: s.FundingRate, NextFunding: s.nextFunding,
		Fair: m.fair, Anchor: m.anchor, HouseMark: m.mark, Depth: m.depth, Steps: m.steps, Paused: m.paused,
		OpenedAt: s.candles.history.end, OpenedTicks: s.candles.history.closing,
	}
	for i := range s.candles.series {
		bars := s.candles.series[i].bars
		stored.Bars[i] = bars[len(bars)-1].values()
	}
	return stored
}

// restoreMarket continues a market where it ended, with new liquidity of the house. The
// time since then has flat candles once the clock ticks.
func (x *Exchange) restoreMarket(s *symbol, stored *storedMarket) {
	s.halted, s.lastTicks, s.tradeID = stored.Halted, stored.Last, max(s.tradeID, stored.TradeID)
	s.mark, s.index, s.FundingRate, s.nextFunding = stored.Mark, stored.Index, stored.FundingRate, stored.NextFunding
	s.triggersDue, s.marginsDue = true, true
	m := s.maker
	m.fair, m.anchor, m.mark = stored.Fair, stored.Anchor, stored.HouseMark
	m.depth, m.steps, m.paused = stored.Depth, stored.Steps, stored.Paused
	closed := s.candles.series
	s.candles = newCandles(x.newPast(s, stored.OpenedTicks, stored.OpenedAt), stored.OpenedTicks, stored.OpenedAt)
	for i := range s.candles.series {
		s.candles.series[i].bars = append(closed[i].bars, stored.Bars[i].bar())
	}
}

// newPast returns the generated candles before the opening of a market.
func (x *Exchange) newPast(s *symbol, ticks int64, opening time.Time) *history {
	random := func(purpose string) *rand.Rand { return x.newRand("candles " + s.Canonical + " " + purpose) }
	return newHistory(random, s.maker.unit, ticks, opening)
}

// placeRestoredLadder places the liquidity of the house around its price, but not across
// the resting orders of accounts.
func (x *Exchange) placeRestoredLadder(s *symbol) {
	fair := s.maker.fair / milli
	bid, ask := fair-1, fair+1
	if best := s.book.asks.best(); best != nil {
		bid = min(bid, best.ticks-1)
	}
	if best := s.book.bids.best(); best != nil {
		ask = max(ask, best.ticks+1)
	}
	x.placeLadder(s, bid, ask)
}
