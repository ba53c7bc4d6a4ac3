package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// OrderRequest is a new order.
type OrderRequest struct {
	Account  string
	Symbol   string
	ClientID string
	Side     Side
	PosSide  PositionSide
	Type     OrderType
	// TimeInForce is ignored for a market order, which is immediate or cancel.
	TimeInForce TimeInForce
	Price       decimal.Decimal
	Qty         decimal.Decimal
	ReduceOnly  bool
	SelfTrade   SelfTrade
	// ExpireAt ends a GTD order.
	ExpireAt time.Time
	// Deadline is the latest time at which the order is accepted; zero means none.
	Deadline time.Time
	// DryRun checks everything and places nothing.
	DryRun bool
	Detail any

	parent        *Conditional
	closePosition bool
}

// Place checks an order, matches it and rests the remainder in the book. It returns
// the order after matching. The error is a *Rejection.
func (x *Exchange) Place(request OrderRequest) (Order, error) {
	x.lockToWrite()
	defer x.unlock()
	o, rejection := x.place(request)
	if rejection != nil {
		return Order{}, rejection
	}
	x.settle()
	return *o, nil
}

// intent is a request that is being checked, with the account, symbol and holding
// that it refers to.
type intent struct {
	*OrderRequest
	account *account
	symbol  *symbol
	holding *holding
	ticks   int64
	lots    int64
	now     time.Time
}

func (x *Exchange) place(request OrderRequest) (*Order, *Rejection) {
	in, rejection := x.newIntent(&request)
	if rejection != nil {
		return nil, rejection
	}
	end := EndNone
	for _, check := range placeChecks {
		rejection := check(x, in)
		if rejection == nil {
			continue
		}
		if end = crossingEnds[rejection.Reason]; end == EndNone || !x.options.CrossingCancels {
			return nil, rejection
		}
	}
	if request.DryRun {
		return x.newOrder(in), nil
	}
	o := x.newOrder(in)
	x.accept(in, o)
	if end != EndNone {
		x.end(in.account, in.symbol, o, StatusCancelled, end)
		return o, nil
	}
	x.execute(in.account, in.symbol, o)
	return o, nil
}

// crossingEnds are the rejections that [Options.CrossingCancels] turns into
// cancellations.
var crossingEnds = map[Reason]EndReason{ReasonPostOnly: EndPostOnly, ReasonFillOrKill: EndFillOrKill}

func (x *Exchange) newIntent(request *OrderRequest) (*intent, *Rejection) {
	now := x.clock.Now()
	if !request.Deadline.IsZero() && now.After(request.Deadline) {
		return nil, reject(ReasonDeadline)
	}
	a, rejection := x.account(request.Account)
	if rejection != nil {
		return nil, rejection
	}
	s, rejection := x.symbol(request.Symbol)
	if rejection != nil {
		return nil, rejection
	}
	return &intent{OrderRequest: request, account: a, symbol: s, holding: a.holding(s), now: now}, nil
}

func (x *Exchange) newOrder(in *intent) *Order {
	o := &Order{
		ClientID: in.ClientID, Account: in.account.id, Symbol: in.symbol.Symbol,
		Side: in.Side, PosSide: in.PosSide, Type: in.Type, TimeInForce: in.TimeInForce,
		SelfTrade: in.SelfTrade, ReduceOnly: in.ReduceOnly || in.closesHedge(), ClosePosition: in.closePosition,
		ExpireAt: in.ExpireAt, CreatedAt: in.now, UpdatedAt: in.now, Detail: in.Detail,
		terms: in.symbol.terms, ticks: in.ticks, lots: in.lots,
	}
	if in.parent != nil {
		o.Parent = in.parent.ID
	}
	return o
}

// closesHedge reports whether the order can only close, in hedge mode: a sale of the
// long side or a purchase of the short side.
func (in *intent) closesHedge() bool {
	return in.PosSide == PositionLong && in.Side == Sell || in.PosSide == PositionShort && in.Side == Buy
}

func (x *Exchange) accept(in *intent, o *Order) {
	if in.parent != nil && x.options.TriggeredKeepsID {
		o.ID = in.parent.ID
	} else {
		o.ID = x.nextOrderID(in.symbol)
	}
	if in.parent != nil {
		in.parent.OrderID = o.ID
	}
	in.account.addOrder(o)
	in.holding.open++
	x.ledger.accepted(*o)
	x.emitOrder(OrderAccepted, in.account, o, nil)
}

func (x *Exchange) nextOrderID(s *symbol) int64 {
	x.orderID++
	if s.ShortOrderIDs {
		return x.orderID
	}
	return x.orderID<<wideIDShift | wideIDEnd
}

func (x *Exchange) emitOrder(kind OrderEventKind, a *account, o *Order, fill *Fill) {
	x.state.touchOrder(o)
	x.state.touchAccount(a)
	if len(x.subscribers) == 0 {
		x.seq++
		return
	}
	h := a.holding(x.symbols[o.Symbol])
	x.emit(OrderEvent{
		Kind: kind, Order: *o, Fill: fill,
		Balance: a.balance(), Position: a.positionView(h, o.PosSide, a.sums()),
	})
}

// execute matches an order that is not in the book and rests or closes the remainder.
func (x *Exchange) execute(a *account, s *symbol, o *Order) {
	t := taker{account: a, order: o, side: o.Side, limit: o.ticks, limited: true}
	if o.Type == Market {
		t.limit, t.limited = x.marketLimit(s, o.Side)
	}
	x.take(s, &t)
	if !o.Status.Open() || o.openLots() == 0 {
		return
	}
	switch {
	case o.Type == Market:
		x.end(a, s, o, StatusExpired, EndMarketRemainder)
	case o.TimeInForce == IOC || o.TimeInForce == FOK:
		x.end(a, s, o, StatusExpired, EndImmediateRemainder)
	default:
		x.rest(a, s, o)
	}
}

// rest puts the open part of an order at the back of its level.
func (x *Exchange) rest(a *account, s *symbol, o *Order) {
	x.queueSeq++
	o.queued = x.queueSeq
	x.enqueue(a, s, o)
	if o.ReduceOnly {
		x.markDirty(a, s, o.PosSide)
	}
}

func (x *Exchange) enqueue(a *account, s *symbol, o *Order) {
	s.book.of(o.Side).findOrAdd(o.ticks).append(entry{order: o, lots: o.openLots()})
	a.holding(s).reserve(o, o.openLots(), 1)
	x.noteLevel(s, o.Side, o.ticks)
}

// removeResting removes an order from the book, if it rests there.
func (x *Exchange) removeResting(a *account, s *symbol, o *Order) {
	l := s.book.of(o.Side).find(o.ticks)
	if l == nil {
		return
	}
	i := l.indexOf(o)
	if i < 0 {
		return
	}
	l.removeAt(i)
	a.holding(s).reserve(o, o.openLots(), -1)
	x.noteLevel(s, o.Side, o.ticks)
}

// end closes an order that was not filled in full.
func (x *Exchange) end(a *account, s *symbol, o *Order, status OrderStatus, reason EndReason) {
	x.removeResting(a, s, o)
	o.Status, o.Reason, o.UpdatedAt = status, reason, x.clock.Now()
	kind := OrderCancelled
	if status == StatusExpired {
		kind = OrderExpired
	}
	x.closed(a, o)
	x.ledger.updated(*o, nil)
	x.emitOrder(kind, a, o, nil)
	x.finishConditional(a, o)
}

// closed removes an order from the open ones.
func (x *Exchange) closed(a *account, o *Order) {
	delete(a.open, o.ID)
	a.holdings[o.Symbol].open--
}

// markDirty records that a position or its reducing orders changed, for settle.
func (x *Exchange) markDirty(a *account, s *symbol, side PositionSide) {
	x.dirtyPositions = append(x.dirtyPositions, dirtyPosition{account: a, holding: a.holding(s), side: side})
}
