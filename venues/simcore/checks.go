package simcore

import (
	"cmp"
	"sort"

	"github.com/shopspring/decimal"
)

// placeChecks are the checks of a new order. They run in this order, and the first
// rejection is returned.
var placeChecks = []func(*Exchange, *intent) *Rejection{
	(*Exchange).checkPrice,
	(*Exchange).checkQty,
	(*Exchange).checkBand,
	(*Exchange).checkNotional,
	(*Exchange).checkPositionSide,
	(*Exchange).checkReduceOnly,
	(*Exchange).checkClientID,
	(*Exchange).checkTradable,
	(*Exchange).checkOpenOrders,
	(*Exchange).checkMargin,
	(*Exchange).checkCrossing,
}

func (x *Exchange) checkPrice(in *intent) *Rejection {
	if in.Type == Market {
		return nil
	}
	ticks, rejection := in.symbol.checkPrice(in.Price)
	in.ticks = ticks
	return rejection
}

func (t *terms) checkPrice(price decimal.Decimal) (int64, *Rejection) {
	switch {
	case !price.IsPositive():
		return 0, reject(ReasonPriceNotPositive)
	case price.LessThan(t.PriceMin):
		return 0, rejectAt(ReasonPriceBelowMin, t.PriceMin)
	case t.PriceMax.IsPositive() && price.GreaterThan(t.PriceMax):
		return 0, rejectAt(ReasonPriceAboveMax, t.PriceMax)
	}
	ticks, ok := t.prices.count(price)
	if !ok {
		return 0, rejectAt(ReasonPriceOffTick, t.TickSize)
	}
	return ticks, nil
}

func (x *Exchange) checkQty(in *intent) *Rejection {
	limit := in.symbol.QtyMax
	if in.Type == Market {
		limit = in.symbol.MarketQtyMax
	}
	lots, rejection := in.symbol.checkQty(in.Qty, limit)
	in.lots = lots
	return rejection
}

func (t *terms) checkQty(qty, limit decimal.Decimal) (int64, *Rejection) {
	switch {
	case !qty.IsPositive():
		return 0, reject(ReasonQtyNotPositive)
	case qty.LessThan(t.QtyMin):
		return 0, rejectAt(ReasonQtyBelowMin, t.QtyMin)
	case limit.IsPositive() && qty.GreaterThan(limit):
		return 0, rejectAt(ReasonQtyAboveMax, limit)
	}
	lots, ok := t.sizes.count(qty)
	if !ok {
		return 0, rejectAt(ReasonQtyOffStep, t.StepSize)
	}
	return lots, nil
}

// checkBand rejects purchases above and sales below the band around the mark price.
// The other direction is not limited.
func (x *Exchange) checkBand(in *intent) *Rejection {
	if in.Type == Market || in.symbol.PriceBand.IsZero() {
		return nil
	}
	return in.symbol.checkBand(in.Side, in.Price)
}

func (s *symbol) checkBand(side Side, price decimal.Decimal) *Rejection {
	upper := s.mark.Mul(one.Add(s.PriceBand))
	lower := s.mark.Mul(one.Sub(s.PriceBand))
	switch {
	case side == Buy && price.GreaterThan(upper):
		return rejectAt(ReasonPriceTooHigh, upper)
	case side == Sell && price.LessThan(lower):
		return rejectAt(ReasonPriceTooLow, lower)
	}
	return nil
}

var one = decimal.NewFromInt(1)

func (x *Exchange) checkNotional(in *intent) *Rejection {
	if in.ReduceOnly || in.closePosition {
		return nil
	}
	price := in.Price
	if in.Type == Market {
		price = in.symbol.mark
	}
	return in.symbol.checkNotional(price, in.lots)
}

func (t *terms) checkNotional(price decimal.Decimal, lots int64) *Rejection {
	if t.notional(price, lots).LessThan(t.NotionalMin) {
		return rejectAt(ReasonNotionalBelowMin, t.NotionalMin)
	}
	return nil
}

func (x *Exchange) checkPositionSide(in *intent) *Rejection {
	if (in.account.mode == Hedge) != (in.PosSide != PositionBoth) {
		return reject(ReasonPositionSide)
	}
	return nil
}

// checkReduceOnly rejects a reducing order without a position to reduce, and a limit
// order also where other reducing orders already cover the position. A market order
// makes those expire instead.
func (x *Exchange) checkReduceOnly(in *intent) *Rejection {
	if !in.ReduceOnly && !in.closesHedge() {
		return nil
	}
	uncovered := in.holding.position(in.PosSide).reducible(in.Side)
	if in.Type == Limit {
		uncovered -= in.account.reducingLots(in.symbol, in.PosSide, in.Side)
	}
	if uncovered <= 0 {
		return reject(ReasonReduceOnly)
	}
	return nil
}

func (x *Exchange) checkClientID(in *intent) *Rejection {
	if in.ClientID == "" || in.parent != nil {
		return nil
	}
	earlier, used := in.account.byClientID[in.ClientID]
	if used && (x.options.ClientIDs == UniqueForever || earlier.Status.Open()) {
		return reject(ReasonDuplicateClientID)
	}
	return nil
}

func (x *Exchange) checkTradable(in *intent) *Rejection {
	if in.symbol.halted {
		return reject(ReasonNotTradable)
	}
	return nil
}

func (x *Exchange) checkOpenOrders(in *intent) *Rejection {
	limit := in.symbol.OpenOrdersMax
	if limit > 0 && in.Type == Limit && in.holding.open >= limit {
		return rejectAt(ReasonTooManyOrders, decimal.NewFromInt(int64(limit)))
	}
	return nil
}

// marketSlippage is the fraction beyond the best price at which the margin check
// assumes that a market order fills.
var marketSlippage = decimal.New(5, -4)

func (x *Exchange) checkMargin(in *intent) *Rejection {
	if in.ReduceOnly || in.closesHedge() || in.closePosition {
		return nil
	}
	price := in.Price
	if in.Type == Market {
		best := in.symbol.book.of(in.Side.Opposite()).best()
		if best == nil {
			return reject(ReasonNoLiquidity)
		}
		slip := one.Add(marketSlippage.Mul(decimal.NewFromInt(int64(in.Side))))
		price = in.symbol.prices.value(best.ticks).Mul(slip)
	}
	return in.account.checkMargin(in.holding, in.PosSide, in.Side, price, in.lots)
}

// checkMargin rejects an order whose margin and opening loss exceed the available
// balance, or which could increase the position beyond what the leverage allows.
func (a *account) checkMargin(h *holding, side PositionSide, order Side, price decimal.Decimal, lots int64) *Rejection {
	value := h.notional(price, lots)
	bid, ask := value, decimal.Zero
	if order == Sell {
		bid, ask = decimal.Zero, value
	}
	needed := h.initialMarginWith(side, bid, ask).Sub(h.initialMargin(side))
	if needed.IsPositive() {
		needed = needed.Add(openLoss(h, order, price, lots))
		if needed.GreaterThan(a.available(a.sums())) {
			return rejectAt(ReasonInsufficientMargin, needed)
		}
		limit := h.NotionalMax(h.leverage)
		if h.exposureWith(side, bid, ask).GreaterThan(limit) {
			return rejectAt(ReasonPositionTooLarge, limit)
		}
	}
	return nil
}

// MaxQty returns the largest quantity of an order that the margin and the leverage of
// an account allow at a price, in the venue's units. A leverage of zero is the present
// one. The error is a *Rejection.
func (x *Exchange) MaxQty(
	accountID, symbolName string, posSide PositionSide, side Side, price decimal.Decimal, leverage int,
) (decimal.Decimal, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	a, rejection := x.account(accountID)
	if rejection != nil {
		return decimal.Zero, rejection
	}
	s, rejection := x.symbol(symbolName)
	switch {
	case rejection != nil:
		return decimal.Zero, rejection
	case !price.IsPositive():
		return decimal.Zero, reject(ReasonPriceNotPositive)
	}
	h, held := a.holdings[symbolName]
	if !held { // a query does not add one to the account
		h = newHolding(a, s)
	}
	defer func(before int) { h.leverage = before }(h.leverage)
	h.leverage = cmp.Or(leverage, h.leverage)
	// No order may exceed the notional that the leverage allows, apart from what it
	// closes first.
	room := h.NotionalMax(h.leverage).Add(h.notional(h.mark, 2*abs(h.position(posSide).lots)))
	most := room.Div(h.notional(price, 1)).IntPart() + 1
	lots := sort.Search(int(most), func(n int) bool {
		return a.checkMargin(h, posSide, side, price, int64(n)+1) != nil
	})
	return s.sizes.value(int64(lots)), nil
}

// openLoss returns the loss of an order on opening, measured at the mark price.
func openLoss(h *holding, side Side, price decimal.Decimal, lots int64) decimal.Decimal {
	worse := price.Sub(h.mark).Mul(decimal.NewFromInt(int64(side)))
	return decimal.Max(decimal.Zero, h.notional(worse, lots))
}

// checkCrossing checks an order against the book: a post-only order must not take, a
// fill-or-kill order must be filled in full, and a market order requires a
// counterparty within its bound.
func (x *Exchange) checkCrossing(in *intent) *Rejection {
	opposite := in.symbol.book.of(in.Side.Opposite())
	best := opposite.best()
	switch {
	case in.Type == Market:
		limit, bounded := x.marketLimit(in.symbol, in.Side)
		if best == nil || bounded && opposite.better(limit, best.ticks) {
			return reject(ReasonNoLiquidity)
		}
	case in.TimeInForce == PostOnly:
		if in.symbol.crosses(in.Side, in.ticks) {
			return reject(ReasonPostOnly)
		}
	case in.TimeInForce == FOK:
		if opposite.lotsWithin(in.ticks) < in.lots {
			return reject(ReasonFillOrKill)
		}
	}
	return nil
}

// lotsWithin returns the lots that rest at the limit or better.
func (b *bookSide) lotsWithin(limit int64) int64 {
	var lots int64
	for i := len(b.levels) - 1; i >= 0 && !b.better(limit, b.levels[i].ticks); i-- {
		lots += b.levels[i].lots
	}
	return lots
}

// marketLimit returns the worst price at which a market order may fill.
func (x *Exchange) marketLimit(s *symbol, side Side) (ticks int64, limited bool) {
	if s.MarketBound.IsZero() {
		return 0, false
	}
	bound := one.Add(s.MarketBound.Mul(decimal.NewFromInt(int64(side))))
	return s.prices.floor(s.mark.Mul(bound)), true
}

// reducingLots returns the open lots of the account's reduce-only orders of a side.
func (a *account) reducingLots(s *symbol, side PositionSide, order Side) int64 {
	var lots int64
	for _, o := range a.open {
		if o.ReduceOnly && o.Symbol == s.Symbol && o.PosSide == side && o.Side == order {
			lots += o.openLots()
		}
	}
	return lots
}
