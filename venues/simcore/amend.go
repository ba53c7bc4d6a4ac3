package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// AmendRequest changes price and total quantity of a resting limit order. A
// zero price or quantity keeps the current one.
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

// Amend changes an open order, keeps its ids and matches it again at its new price.
// It cancels a post-only order that would take and, without
// [Options.AmendAboveFilled], an order whose new quantity is already filled; neither
// is an error. The error is a *Rejection, which leaves the order unchanged.
func (x *Exchange) Amend(request AmendRequest) (Order, error) {
	x.lockToWrite()
	defer x.unlock()
	if !request.Deadline.IsZero() && x.clock.Now().After(request.Deadline) {
		return Order{}, reject(ReasonDeadline)
	}
	a, s, o, rejection := x.openOrder(request.Account, request.Symbol, request.Order)
	if rejection != nil {
		return Order{}, rejection
	}
	in := amendment{account: a, symbol: s, order: o, clearSelfTrade: request.ClearSelfTrade}
	if rejection := x.checkAmend(&in, request); rejection != nil {
		return Order{}, rejection
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

func (x *Exchange) checkAmend(in *amendment, request AmendRequest) *Rejection {
	o, s := in.order, in.symbol
	switch {
	case o.Type != Limit:
		return reject(ReasonNotLimit)
	case s.halted:
		return reject(ReasonNotTradable)
	case o.Amendments >= x.options.AmendmentsMax:
		return reject(ReasonTooManyAmendments)
	}
	price, qty := request.Price, request.Qty
	if price.IsZero() {
		price = o.Price()
	}
	if qty.IsZero() {
		qty = o.Qty()
	}
	if rejection := in.parse(price, qty); rejection != nil {
		return rejection
	}
	switch {
	case in.ticks == o.ticks && in.lots == o.lots:
		return reject(ReasonNoChange)
	case x.options.AmendAboveFilled && in.lots <= o.filledLots:
		return rejectAt(ReasonQtyFilled, o.FilledQty())
	}
	return in.checkMargin(price)
}

func (in *amendment) parse(price, qty decimal.Decimal) *Rejection {
	var rejection *Rejection
	if in.ticks, rejection = in.symbol.checkPrice(price); rejection != nil {
		return rejection
	}
	if in.lots, rejection = in.symbol.checkQty(qty, in.symbol.QtyMax); rejection != nil {
		return rejection
	}
	if in.symbol.PriceBand.IsPositive() {
		if rejection := in.symbol.checkBand(in.order.Side, price); rejection != nil {
			return rejection
		}
	}
	if in.order.ReduceOnly {
		return nil
	}
	return in.symbol.checkNotional(price, in.lots)
}

// checkMargin checks the margin of the amended order without that of the old one.
func (in *amendment) checkMargin(price decimal.Decimal) *Rejection {
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
		x.removeResting(a, s, o)
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

// shrink lowers the quantity of a resting order, which keeps its place in the queue.
func (x *Exchange) shrink(a *account, s *symbol, o *Order, lots int64) {
	cut := o.lots - lots
	l := s.book.of(o.Side).find(o.ticks)
	a.holding(s).reserve(o, cut, -1)
	l.queue[l.indexOf(o)].lots -= cut
	l.lots -= cut
	o.lots = lots
	x.noteLevel(s, o.Side, o.ticks)
}

// crosses reports whether an order at a price would take.
func (s *symbol) crosses(side Side, ticks int64) bool {
	opposite := s.book.of(side.Opposite())
	best := opposite.best()
	return best != nil && !opposite.better(ticks, best.ticks)
}
