package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// Trade is a public trade. Trades of one taker order have the same Group.
type Trade struct {
	ID int64
	// Taker is the side of the taker.
	Taker Side
	Group uint64
	// Insurance marks a liquidation taken over by the insurance fund.
	Insurance bool
	Time      time.Time

	terms       *terms
	ticks, lots int64
}

// Price returns the price of the trade.
func (t Trade) Price() decimal.Decimal { return t.terms.prices.value(t.ticks) }

// Qty returns the quantity of the trade in the venue's units.
func (t Trade) Qty() decimal.Decimal { return t.terms.sizes.value(t.lots) }

// Quote returns the value of the trade in the quote coin.
func (t Trade) Quote() decimal.Decimal { return t.terms.quote(t.ticks, t.lots) }

// tradesKept is how many public trades of a symbol are kept.
const tradesKept = 1000

// print creates and publishes the trade of a taker.
func (x *Exchange) print(s *symbol, ticks, lots int64, t *taker) Trade {
	trade := x.newTrade(s, ticks, lots, t.side)
	if t.order != nil {
		trade.Group = uint64(t.order.ID)
	}
	x.publish(s, trade)
	return trade
}

func (x *Exchange) newTrade(s *symbol, ticks, lots int64, taker Side) Trade {
	s.tradeID++
	return Trade{
		ID: s.tradeID, Taker: taker, Group: x.seq, Time: x.clock.Now(),
		terms: s.terms, ticks: ticks, lots: lots,
	}
}

func (x *Exchange) publish(s *symbol, trade Trade) {
	s.trades = appendBounded(s.trades, trade, tradesKept)
	if !trade.Insurance {
		s.lastTicks = trade.ticks
		s.triggersDue = true
		s.candles.add(trade)
	}
	x.emit(TradeEvent{Symbol: s.Symbol, Trade: trade})
}

// MarkPrice is the mark and index price of a symbol with its next funding.
type MarkPrice struct {
	Symbol      string
	Mark        decimal.Decimal
	Index       decimal.Decimal
	FundingRate decimal.Decimal
	NextFunding time.Time
}

func (x *Exchange) setMark(s *symbol, mark, index decimal.Decimal) {
	s.mark, s.index = mark, index
	s.triggersDue, s.marginsDue = true, true
	x.emit(MarkEvent{Mark: s.markPrice()})
}

func (s *symbol) markPrice() MarkPrice {
	return MarkPrice{
		Symbol: s.Symbol, Mark: s.mark, Index: s.index,
		FundingRate: s.FundingRate, NextFunding: s.nextFunding,
	}
}
