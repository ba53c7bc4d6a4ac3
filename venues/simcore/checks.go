package simcore

import "github.com/shopspring/decimal"

// placeChecks run in this order; the first refusal is the answer.
var placeChecks = []func(*Exchange, *intent) *Refusal{
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

func (x *Exchange) checkPrice(in *intent) *Refusal {
	if in.Type == Market {
		return nil
	}
	ticks, refusal := in.symbol.checkPrice(in.Price)
	in.ticks = ticks
	return refusal
}

func (t *terms) checkPrice(price decimal.Decimal) (int64, *Refusal) {
	switch {
	case !price.IsPositive():
		return 0, refuse(ReasonPriceNotPositive)
	case price.LessThan(t.PriceMin):
		return 0, refuseAt(ReasonPriceBelowMin, t.PriceMin)
	case t.PriceMax.IsPositive() && price.GreaterThan(t.PriceMax):
		return 0, refuseAt(ReasonPriceAboveMax, t.PriceMax)
	}
	ticks, ok := t.prices.count(price)
	if !ok {
		return 0, refuseAt(ReasonPriceOffTick, t.TickSize)
	}
	return ticks, nil
}

func (x *Exchange) checkQty(in *intent) *Refusal {
	limit := in.symbol.QtyMax
	if in.Type == Market {
		limit = in.symbol.MarketQtyMax
	}
	lots, refusal := in.symbol.checkQty(in.Qty, limit)
	in.lots = lots
	return refusal
}

func (t *terms) checkQty(qty, limit decimal.Decimal) (int64, *Refusal) {
	switch {
	case !qty.IsPositive():
		return 0, refuse(ReasonQtyNotPositive)
	case qty.LessThan(t.QtyMin):
		return 0, refuseAt(ReasonQtyBelowMin, t.QtyMin)
	case limit.IsPositive() && qty.GreaterThan(limit):
		return 0, refuseAt(ReasonQtyAboveMax, limit)
	}
	lots, ok := t.sizes.count(qty)
	if !ok {
		return 0, refuseAt(ReasonQtyOffStep, t.StepSize)
	}
	return lots, nil
}

// checkBand holds buyers below and sellers above the band around the mark
// price; the other direction is free.
func (x *Exchange) checkBand(in *intent) *Refusal {
	if in.Type == Market || in.symbol.PriceBand.IsZero() {
		return nil
	}
	return in.symbol.checkBand(in.Side, in.Price)
}

func (s *symbol) checkBand(side Side, price decimal.Decimal) *Refusal {
	upper := s.mark.Mul(one.Add(s.PriceBand))
	lower := s.mark.Mul(one.Sub(s.PriceBand))
	switch {
	case side == Buy && price.GreaterThan(upper):
		return refuseAt(ReasonPriceTooHigh, upper)
	case side == Sell && price.LessThan(lower):
		return refuseAt(ReasonPriceTooLow, lower)
	}
	return nil
}

var one = decimal.NewFromInt(1)

func (x *Exchange) checkNotional(in *intent) *Refusal {
	if in.ReduceOnly || in.closePosition {
		return nil
	}
	price := in.Price
	if in.Type == Market {
		price = in.symbol.mark
	}
	return in.symbol.checkNotional(price, in.lots)
}

func (t *terms) checkNotional(price decimal.Decimal, lots int64) *Refusal {
	if t.notional(price, lots).LessThan(t.NotionalMin) {
		return refuseAt(ReasonNotionalBelowMin, t.NotionalMin)
	}
	return nil
}

func (x *Exchange) checkPositionSide(in *intent) *Refusal {
	if (in.account.mode == Hedge) != (in.PosSide != PositionBoth) {
		return refuse(ReasonPositionSide)
	}
	return nil
}

// checkReduceOnly refuses where there is nothing to reduce, and for a resting
// order also where other reducing orders already cover the position. A market
// order knocks those out instead.
func (x *Exchange) checkReduceOnly(in *intent) *Refusal {
	if !in.ReduceOnly && !in.closesHedge() {
		return nil
	}
	room := in.holding.position(in.PosSide).reducible(in.Side)
	if in.Type == Limit {
		room -= in.account.reducingLots(in.symbol, in.PosSide, in.Side)
	}
	if room <= 0 {
		return refuse(ReasonReduceOnly)
	}
	return nil
}

func (x *Exchange) checkClientID(in *intent) *Refusal {
	if in.ClientID == "" || in.parent != nil {
		return nil
	}
	earlier, used := in.account.byClientID[in.ClientID]
	if used && (x.options.ClientIDs == UniqueForever || earlier.Status.Open()) {
		return refuse(ReasonDuplicateClientID)
	}
	return nil
}

func (x *Exchange) checkTradable(in *intent) *Refusal {
	if in.symbol.halted {
		return refuse(ReasonNotTradable)
	}
	return nil
}

func (x *Exchange) checkOpenOrders(in *intent) *Refusal {
	limit := in.symbol.OpenOrdersMax
	if limit > 0 && in.Type == Limit && in.holding.open >= limit {
		return refuseAt(ReasonTooManyOrders, decimal.NewFromInt(int64(limit)))
	}
	return nil
}

// marketSlippage is how much worse than the best price a market order is
// assumed to fill when its margin is checked.
var marketSlippage = decimal.New(5, -4)

func (x *Exchange) checkMargin(in *intent) *Refusal {
	if in.ReduceOnly || in.closesHedge() || in.closePosition {
		return nil
	}
	price := in.Price
	if in.Type == Market {
		best := in.symbol.book.of(in.Side.Opposite()).best()
		if best == nil {
			return refuse(ReasonNoLiquidity)
		}
		slip := one.Add(marketSlippage.Mul(decimal.NewFromInt(int64(in.Side))))
		price = in.symbol.prices.value(best.ticks).Mul(slip)
	}
	return in.account.checkMargin(in.holding, in.PosSide, in.Side, price, in.lots)
}

// checkMargin refuses an order whose margin and opening loss are not available,
// or which could grow the position beyond what the leverage allows.
func (a *account) checkMargin(h *holding, side PositionSide, order Side, price decimal.Decimal, lots int64) *Refusal {
	value := h.notional(price, lots)
	bid, ask := value, decimal.Zero
	if order == Sell {
		bid, ask = decimal.Zero, value
	}
	needed := h.initialMarginWith(side, bid, ask).Sub(h.initialMargin(side))
	if needed.IsPositive() {
		needed = needed.Add(openLoss(h, order, price, lots))
		if needed.GreaterThan(a.available(a.sums())) {
			return refuseAt(ReasonInsufficientMargin, needed)
		}
		limit := h.NotionalMax(h.leverage)
		if h.exposureWith(side, bid, ask).GreaterThan(limit) {
			return refuseAt(ReasonPositionTooLarge, limit)
		}
	}
	return nil
}

// openLoss is what the order would lose at once, measured at the mark price.
func openLoss(h *holding, side Side, price decimal.Decimal, lots int64) decimal.Decimal {
	worse := price.Sub(h.mark).Mul(decimal.NewFromInt(int64(side)))
	return decimal.Max(decimal.Zero, h.notional(worse, lots))
}

// checkCrossing is the last word of the book: post-only orders may not take,
// fill-or-kill orders must be filled whole, market orders need a counterparty
// within the bound.
func (x *Exchange) checkCrossing(in *intent) *Refusal {
	opposite := in.symbol.book.of(in.Side.Opposite())
	best := opposite.best()
	switch {
	case in.Type == Market:
		limit, bounded := x.marketLimit(in.symbol, in.Side)
		if best == nil || bounded && opposite.better(limit, best.ticks) {
			return refuse(ReasonNoLiquidity)
		}
	case in.TimeInForce == PostOnly:
		if in.symbol.crosses(in.Side, in.ticks) {
			return refuse(ReasonPostOnly)
		}
	case in.TimeInForce == FOK:
		if opposite.lotsWithin(in.ticks) < in.lots {
			return refuse(ReasonFillOrKill)
		}
	}
	return nil
}

// lotsWithin is how much stands at the limit or better.
func (b *bookSide) lotsWithin(limit int64) int64 {
	var lots int64
	for i := len(b.levels) - 1; i >= 0 && !b.better(limit, b.levels[i].ticks); i-- {
		lots += b.levels[i].lots
	}
	return lots
}

// marketLimit is the worst price at which a market order may fill.
func (x *Exchange) marketLimit(s *symbol, side Side) (ticks int64, limited bool) {
	if s.MarketBound.IsZero() {
		return 0, false
	}
	bound := one.Add(s.MarketBound.Mul(decimal.NewFromInt(int64(side))))
	return s.prices.floor(s.mark.Mul(bound)), true
}

// reducingLots is what resting orders of the account already close.
func (a *account) reducingLots(s *symbol, side PositionSide, order Side) int64 {
	var lots int64
	for _, o := range a.open {
		if o.ReduceOnly && o.Symbol == s.Symbol && o.PosSide == side && o.Side == order {
			lots += o.openLots()
		}
	}
	return lots
}
