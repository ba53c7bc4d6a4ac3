package simcore

import (
	"sort"
	"time"
)

// OrderRef names an order by the venue's id or, where that is zero, by the
// client's.
type OrderRef struct {
	ID       int64
	ClientID string
}

// Cancel ends an open order. The error is a *Refusal with ReasonUnknownOrder
// where it does not work.
func (x *Exchange) Cancel(accountID, symbolName string, ref OrderRef) (Order, error) {
	x.lockToWrite()
	defer x.mu.Unlock()
	a, s, o, refusal := x.openOrder(accountID, symbolName, ref)
	if refusal != nil {
		return Order{}, refusal
	}
	x.end(a, s, o, StatusCancelled, EndByUser)
	x.settle()
	return *o, nil
}

// CancelAll ends all open orders of an account in a symbol, or in all symbols
// where it is empty, and answers them. Conditional orders are not touched.
func (x *Exchange) CancelAll(accountID, symbolName string) ([]Order, error) {
	x.lockToWrite()
	defer x.mu.Unlock()
	a, refusal := x.account(accountID)
	if refusal != nil {
		return nil, refusal
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

// trimReducing keeps the resting reduce-only orders of touched positions within
// the position: those that better ones already cover are knocked out. It says
// whether it did anything.
func (x *Exchange) trimReducing() bool {
	touched := x.touched
	x.touched = nil
	for _, t := range touched {
		x.knockOut(t, Buy)
		x.knockOut(t, Sell)
		if t.holding.position(t.side).lots == 0 {
			x.expireGuards(t)
		}
	}
	return len(touched) > 0
}

func (x *Exchange) knockOut(t touchedHolding, side Side) {
	reducing := t.account.reducingOrders(t.holding.symbol, t.side, side)
	room := t.holding.position(t.side).reducible(side)
	for _, o := range reducing {
		if room <= 0 {
			x.end(t.account, t.holding.symbol, o, StatusExpired, EndReduceOnly)
			continue
		}
		room -= o.openLots()
	}
}

// reducingOrders are the open reduce-only orders by priority of execution.
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

func (x *Exchange) openOrder(accountID, symbolName string, ref OrderRef) (*account, *symbol, *Order, *Refusal) {
	a, refusal := x.account(accountID)
	if refusal != nil {
		return nil, nil, nil, refusal
	}
	s, refusal := x.symbol(symbolName)
	if refusal != nil {
		return nil, nil, nil, refusal
	}
	o := a.find(symbolName, ref)
	if o == nil || !o.Status.Open() {
		return nil, nil, nil, refuse(ReasonUnknownOrder)
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
