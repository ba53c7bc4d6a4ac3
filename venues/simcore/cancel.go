package simcore

import (
	"sort"
	"time"
)

// OrderRef identifies an order by the venue's order id or, where that is zero, by
// its client order id.
type OrderRef struct {
	ID       int64
	ClientID string
}

// Cancel cancels an open order and returns it. The error is a *Rejection, with
// ReasonUnknownOrder where the order is not open.
func (x *Exchange) Cancel(accountID, symbolName string, ref OrderRef) (Order, error) {
	x.lockToWrite()
	defer x.unlock()
	a, s, o, rejection := x.openOrder(accountID, symbolName, ref)
	if rejection != nil {
		return Order{}, rejection
	}
	x.end(a, s, o, StatusCancelled, EndByUser)
	x.settle()
	return *o, nil
}

// CancelAll cancels all open orders of an account in a symbol, or in all symbols
// where it is empty, and returns them. It does not cancel conditional orders.
func (x *Exchange) CancelAll(accountID, symbolName string) ([]Order, error) {
	x.lockToWrite()
	defer x.unlock()
	a, rejection := x.account(accountID)
	if rejection != nil {
		return nil, rejection
	}
	cancelled := x.cancelOpen(a, symbolName, EndByUser)
	x.settle()
	return cancelled, nil
}

func (x *Exchange) cancelOpen(a *account, symbolName string, reason EndReason) []Order {
	open := a.openOrders(symbolName)
	cancelled := make([]Order, 0, len(open))
	for _, o := range open {
		x.end(a, x.symbols[o.Symbol], o, StatusCancelled, reason)
		cancelled = append(cancelled, *o)
	}
	return cancelled
}

func (x *Exchange) expireDeadlines(now time.Time) {
	for _, id := range x.ids {
		a := x.accounts[id]
		if len(a.open) == 0 {
			continue
		}
		for _, o := range a.openOrders("") {
			if o.TimeInForce == GTD && !now.Before(o.ExpireAt) {
				x.end(a, x.symbols[o.Symbol], o, StatusExpired, EndDeadline)
			}
		}
	}
}

// trimReducing expires resting reduce-only orders of the positions that changed,
// beyond what better priced ones already close, and the conditional orders of closed
// positions. It reports whether any position had changed.
func (x *Exchange) trimReducing() bool {
	dirty := x.dirtyPositions
	x.dirtyPositions = nil
	for _, p := range dirty {
		x.expireExcess(p, Buy)
		x.expireExcess(p, Sell)
		if p.holding.position(p.side).lots == 0 {
			x.expireProtection(p)
		}
	}
	return len(dirty) > 0
}

// expireExcess expires the reduce-only orders of a side that exceed the position.
func (x *Exchange) expireExcess(p dirtyPosition, side Side) {
	reducing := p.account.reducingOrders(p.holding.symbol, p.side, side)
	uncovered := p.holding.position(p.side).reducible(side)
	for _, o := range reducing {
		if uncovered <= 0 {
			x.end(p.account, p.holding.symbol, o, StatusExpired, EndReduceOnly)
			continue
		}
		uncovered -= o.openLots()
	}
}

// reducingOrders returns the open reduce-only orders by priority of execution.
func (a *account) reducingOrders(s *symbol, side PositionSide, order Side) []*Order {
	var found []*Order
	for _, o := range a.open {
		if o.ReduceOnly && o.Symbol == s.Symbol && o.PosSide == side && o.Side == order {
			found = append(found, o)
		}
	}
	half := s.book.of(order)
	sort.Slice(found, func(i, j int) bool {
		if found[i].ticks != found[j].ticks {
			return half.better(found[i].ticks, found[j].ticks)
		}
		return found[i].ID < found[j].ID
	})
	return found
}

func (a *account) openOrders(symbolName string) []*Order {
	found := make([]*Order, 0, len(a.open))
	for _, o := range a.open {
		if symbolName == "" || o.Symbol == symbolName {
			found = append(found, o)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].ID < found[j].ID })
	return found
}

func (x *Exchange) openOrder(accountID, symbolName string, ref OrderRef) (*account, *symbol, *Order, *Rejection) {
	a, rejection := x.account(accountID)
	if rejection != nil {
		return nil, nil, nil, rejection
	}
	s, rejection := x.symbol(symbolName)
	if rejection != nil {
		return nil, nil, nil, rejection
	}
	o := a.find(symbolName, ref)
	if o == nil || !o.Status.Open() {
		return nil, nil, nil, reject(ReasonUnknownOrder)
	}
	return a, s, o, nil
}

func (a *account) find(symbolName string, ref OrderRef) *Order {
	var o *Order
	if ref.ID != 0 {
		o = a.orders[ref.ID]
	} else if ref.ClientID != "" {
		o = a.byClientID[ref.ClientID]
	}
	if o == nil || symbolName != "" && o.Symbol != symbolName {
		return nil
	}
	return o
}
