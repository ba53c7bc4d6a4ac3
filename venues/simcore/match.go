package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// taker is the incoming side of a match: an order, or the house, for which account
// and order are nil.
type taker struct {
	account *account
	order   *Order
	side    Side
	// lots is what the house has left to take; that of an order is in the order.
	lots    int64
	limit   int64
	limited bool
}

// remaining returns the lots that the taker may still take.
func (t *taker) remaining() int64 {
	if t.order == nil {
		return t.lots
	}
	lots := t.order.openLots()
	if t.order.ReduceOnly {
		lots = min(lots, t.reducible())
	}
	return lots
}

func (t *taker) reducible() int64 {
	return t.account.holdings[t.order.Symbol].position(t.order.PosSide).reducible(t.side)
}

// take matches the taker with the opposite side in price-time priority until the
// taker is filled, the limit is reached or the side is empty.
func (x *Exchange) take(s *symbol, t *taker) {
	opposite := s.book.of(t.side.Opposite())
	for t.remaining() > 0 {
		best := opposite.best()
		if best == nil || t.limited && opposite.better(t.limit, best.ticks) {
			return
		}
		if !x.takeFrom(s, t, best) {
			return
		}
	}
	if t.order != nil && t.order.ReduceOnly && t.order.openLots() > 0 {
		x.end(t.account, s, t.order, StatusExpired, EndReduceOnly)
	}
}

// takeFrom matches with the oldest entry of a level. It returns false where that ends
// the match.
func (x *Exchange) takeFrom(s *symbol, t *taker, l *level) bool {
	head := l.queue[0]
	if head.order == nil {
		x.trade(s, t, l, nil, min(t.remaining(), head.lots))
		return true
	}
	maker := x.accounts[head.order.Account]
	if maker == t.account && t.order.SelfTrade != SelfTradeAllow {
		return x.preventSelfTrade(s, t, head.order)
	}
	lots := head.lots
	if head.order.ReduceOnly {
		held := maker.holdings[s.Symbol].position(head.order.PosSide)
		lots = min(lots, held.reducible(head.order.Side))
	}
	if lots == 0 {
		x.end(maker, s, head.order, StatusExpired, EndReduceOnly)
		return true
	}
	x.trade(s, t, l, maker, min(t.remaining(), lots))
	return true
}

// preventSelfTrade expires the orders that the taker's mode selects. It reports
// whether the taker continues to match.
func (x *Exchange) preventSelfTrade(s *symbol, t *taker, maker *Order) bool {
	mode := t.order.SelfTrade
	if mode == SelfTradeExpireMaker || mode == SelfTradeExpireBoth {
		x.end(t.account, s, maker, StatusExpired, EndSelfTrade)
	}
	if mode == SelfTradeExpireTaker || mode == SelfTradeExpireBoth {
		x.end(t.account, s, t.order, StatusExpired, EndSelfTrade)
		return false
	}
	return true
}

// trade executes lots at the level's price. maker is nil for the house.
func (x *Exchange) trade(s *symbol, t *taker, l *level, maker *account, lots int64) {
	ticks, makerOrder := l.ticks, l.queue[0].order
	if makerOrder != nil {
		maker.holding(s).reserve(makerOrder, lots, -1)
	}
	l.take(lots)
	if t.order == nil {
		t.lots -= lots
	}
	x.noteLevel(s, t.side.Opposite(), ticks)
	public := x.print(s, ticks, lots, t)
	if t.order != nil {
		x.fill(s, t.account, t.order, public, ticks, lots, false)
	}
	if makerOrder != nil {
		x.fill(s, maker, makerOrder, public, ticks, lots, true)
	}
}

// fill applies one execution to an account: position, wallet, order and ledger.
func (x *Exchange) fill(s *symbol, a *account, o *Order, public Trade, ticks, lots int64, isMaker bool) {
	now := x.clock.Now()
	quote := s.quote(ticks, lots)
	rate := a.feeTaker
	if isMaker {
		rate = a.feeMaker
	}
	fee := a.roundFee(quote.Mul(rate))
	h := a.holding(s)
	realized := a.move(h, o.PosSide, lots*int64(o.Side), quote, now)

	o.filledLots += lots
	o.quote = o.quote.Add(quote)
	o.UpdatedAt = now
	o.Status = StatusPartiallyFilled
	if o.openLots() == 0 {
		o.Status = StatusFilled
		x.closed(a, o)
	}
	f := &Fill{
		TradeID: public.ID, OrderID: o.ID, ClientID: o.ClientID, Account: a.id, Symbol: s.Symbol,
		Side: o.Side, PosSide: o.PosSide, Price: s.prices.value(ticks), Qty: s.sizes.value(lots), Quote: quote,
		Fee: fee, RealizedPnL: realized, Maker: isMaker, Time: now,
	}
	change := h.positionChange(CauseTrade, h.position(o.PosSide))
	change.Amount, change.Fill = realized.Sub(fee), f
	f.ChangeID = x.changeWallet(a, change)
	a.addFill(*f)
	x.markDirty(a, s, o.PosSide)
	x.ledger.updated(*o, f)
	x.emitOrder(OrderFilled, a, o, f)
	if o.Status == StatusFilled {
		x.finishConditional(a, o)
	}
}

// roundFee rounds or truncates a fee to the digits of money, as the venue does.
func (a *account) roundFee(fee decimal.Decimal) decimal.Decimal {
	if a.rules.FeesRound {
		return fee.Round(moneyDigits)
	}
	return fee.Truncate(moneyDigits)
}

// move changes a position and its isolated wallet, and returns the realised profit.
func (a *account) move(h *holding, side PositionSide, change int64, quote decimal.Decimal, now time.Time) decimal.Decimal {
	p := h.position(side)
	before := p.lots
	realized := p.apply(change, quote, now)
	if h.isolated {
		p.isolated = h.isolatedAfter(p, before, quote)
	}
	return realized
}
