package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// AmendRequest changes price and total quantity of a resting limit order. A
// zero price or quantity stays as it is.
type AmendRequest struct {
	Account string
	Symbol  string
	Order   OrderRef
	Price   decimal.Decimal
	Qty     decimal.Decimal
	// ClearSelfTrade ends the self-trade prevention of the order.
	ClearSelfTrade bool
	Deadline       time.Time
	// DryRun checks everything and changes nothing.
	DryRun bool
}

// Amend keeps the ids of the order. It is matched again at its new price. An
// order that would end below what is filled, unless [Options.AmendAboveFilled],
// and a post-only order that would take, is cancelled; that is no error. A
// *Refusal leaves the order as it was.
func (x *Exchange) Amend(request AmendRequest) (Order, error) {
	x.lockToWrite()
	defer x.mu.Unlock()
	if !request.Deadline.IsZero() && x.clock.Now().After(request.Deadline) {
		return Order{}, refuse(ReasonDeadline)
	}
	a, s, o, refusal := x.openOrder(request.Account, request.Symbol, request.Order)
	if refusal != nil {
		return Order{}, refusal
	}
	in := amendment{account: a, symbol: s, order: o, clearSelfTrade: request.ClearSelfTrade}
	if refusal := x.checkAmend(&in, request); refusal != nil {
		return Order{}, refusal
	}
	if request.DryRun {
		return *o, nil
	}
	x.amend(&in)
	x.settle()
	return *o, nil
}

type amendment struct {
	account        *account
	symbol         *symbol
	order          *Order
	ticks, lots    int64
	clearSelfTrade bool
}

func (x *Exchange) checkAmend(in *amendment, request AmendRequest) *Refusal {
	o, s := in.order, in.symbol
	switch {
	case o.Type != Limit:
		return refuse(ReasonNotLimit)
	case s.halted:
		return refuse(ReasonNotTradable)
	case o.Amendments >= x.options.AmendmentsMax:
		return refuse(ReasonTooManyAmendments)
	}
	price, qty := request.Price, request.Qty
	if price.IsZero() {
		price = o.Price()
	}
	if qty.IsZero() {
		qty = o.Qty()
	}
	if refusal := in.parse(price, qty); refusal != nil {
		return refusal
	}
	switch {
	case in.ticks == o.ticks && in.lots == o.lots:
		return refuse(ReasonNoChange)
	case x.options.AmendAboveFilled && in.lots <= o.filledLots:
		return refuseAt(ReasonQtyFilled, o.FilledQty())
	}
	return in.checkMargin(price)
}

func (in *amendment) parse(price, qty decimal.Decimal) *Refusal {
	var refusal *Refusal
	if in.ticks, refusal = in.symbol.checkPrice(price); refusal != nil {
		return refusal
	}
	if in.lots, refusal = in.symbol.checkQty(qty, in.symbol.QtyMax); refusal != nil {
		return refusal
	}
	if in.symbol.PriceBand.IsPositive() {
		if refusal := in.symbol.checkBand(in.order.Side, price); refusal != nil {
			return refusal
		}
	}
	if in.order.ReduceOnly {
		return nil
	}
	return in.symbol.checkNotional(price, in.lots)
}

// checkMargin asks for the margin of the amended order with the old one gone.
func (in *amendment) checkMargin(price decimal.Decimal) *Refusal {
	o, rest := in.order, in.lots-in.order.filledLots
	if o.ReduceOnly || rest <= 0 {
		return nil
	}
	h := in.account.holding(in.symbol)
	h.reserve(o, o.openLots(), -1)
	defer h.reserve(o, o.openLots(), 1)
	return in.account.checkMargin(h, o.PosSide, o.Side, price, rest)
}

func (x *Exchange) amend(in *amendment) {
	a, s, o := in.account, in.symbol, in.order
	if in.lots <= o.filledLots {
		x.end(a, s, o, StatusCancelled, EndAmendedBelowFilled)
		return
	}
	if o.TimeInForce == PostOnly && s.crosses(o.Side, in.ticks) {
		x.end(a, s, o, StatusCancelled, EndPostOnlyAmended)
		return
	}
	keeps := x.options.AmendKeepsPriority && in.ticks == o.ticks && in.lots <= o.lots
	if keeps {
		x.shrink(a, s, o, in.lots)
	} else {
		x.unrest(a, s, o)
		o.ticks, o.lots = in.ticks, in.lots
	}
	o.Amendments++
	o.UpdatedAt = x.clock.Now()
	if in.clearSelfTrade {
		o.SelfTrade = SelfTradeAllow
	}
	x.ledger.updated(*o, nil)
	x.emitOrder(OrderAmended, a, o, nil)
	if !keeps {
		x.execute(a, s, o)
	}
}

// shrink lowers a resting order's quantity in place.
func (x *Exchange) shrink(a *account, s *symbol, o *Order, lots int64) {
	cut := o.lots - lots
	l := s.book.of(o.Side).find(o.ticks)
	a.holding(s).reserve(o, cut, -1)
	l.queue[l.indexOf(o)].lots -= cut
	l.lots -= cut
	o.lots = lots
	x.noteLevel(s, o.Side, o.ticks)
}

// crosses says whether an order at this price would take.
func (s *symbol) crosses(side Side, ticks int64) bool {
	opposite := s.book.of(side.Opposite())
	best := opposite.best()
	return best != nil && !opposite.better(ticks, best.ticks)
}
