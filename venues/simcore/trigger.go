package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// triggerPrice returns the current price of a kind.
func (s *symbol) triggerPrice(kind TriggerPrice) decimal.Decimal {
	switch kind {
	case TriggerOnMark:
		return s.mark
	case TriggerOnIndex:
		return s.index
	default:
		return s.prices.value(s.lastTicks)
	}
}

func reached(rising bool, price, trigger decimal.Decimal) bool {
	if rising {
		return price.GreaterThanOrEqual(trigger)
	}
	return price.LessThanOrEqual(trigger)
}

// checkTriggers triggers the conditional orders whose price was reached. It reports
// whether there were any.
func (x *Exchange) checkTriggers() bool {
	found := false
	for _, name := range x.names {
		s := x.symbols[name]
		if !s.triggersDue {
			continue
		}
		s.triggersDue = false
		waiting := append([]*Conditional(nil), s.conditionals...)
		for _, c := range waiting {
			if c.Status != ConditionalWaiting {
				continue
			}
			activated, extreme := c.activated, c.extreme
			if c.triggers(s.triggerPrice(c.Request.TriggerBy)) {
				x.trigger(s, c)
				found = true
			} else if c.activated != activated || !c.extreme.Equal(extreme) {
				x.state.touchConditional(c)
			}
		}
	}
	return found
}

// triggers reports whether a price triggers the order. A trailing stop also updates
// its extreme.
func (c *Conditional) triggers(price decimal.Decimal) bool {
	r := &c.Request
	if !r.trails() {
		return reached(r.Rising, price, r.TriggerPrice)
	}
	falling := !r.Rising
	if r.Activation.IsPositive() && !c.activated && !reached(falling, price, r.Activation) {
		return false
	}
	if !c.activated {
		c.activated, c.extreme = true, price
	}
	if r.Rising {
		c.extreme = decimal.Min(c.extreme, price)
		return price.GreaterThanOrEqual(c.extreme.Add(r.callback(c.extreme)))
	}
	c.extreme = decimal.Max(c.extreme, price)
	return price.LessThanOrEqual(c.extreme.Sub(r.callback(c.extreme)))
}

// callback returns how far the price moves back from an extreme before it triggers.
func (r *ConditionalRequest) callback(extreme decimal.Decimal) decimal.Decimal {
	return extreme.Mul(r.CallbackRate).Add(r.CallbackSpread)
}

func (x *Exchange) trigger(s *symbol, c *Conditional) {
	now := x.clock.Now()
	c.Status, c.TriggeredAt, c.UpdatedAt = ConditionalTriggering, now, now
	c.fireAt = x.clock.Base().Add(x.options.TriggerDelay)
	s.removeConditional(c)
	x.due = append(x.due, c)
	x.emitConditional(x.accounts[c.Request.Account], c)
}

func (s *symbol) removeConditional(c *Conditional) {
	for i, other := range s.conditionals {
		if other == c {
			s.conditionals = append(s.conditionals[:i], s.conditionals[i+1:]...)
			return
		}
	}
}

// fireDue places the orders of triggered conditional orders whose delay has ended. It
// reports whether there were any.
func (x *Exchange) fireDue() bool {
	now, fired := x.clock.Base(), false
	waiting := x.due
	x.due = nil
	for _, c := range waiting {
		if now.Before(c.fireAt) {
			x.due = append(x.due, c)
			continue
		}
		x.fire(c)
		fired = true
	}
	return fired
}

// fire places the order of a conditional order. The events of the placed order are
// published before those of the conditional order.
func (x *Exchange) fire(c *Conditional) {
	a := x.accounts[c.Request.Account]
	request := c.Request.OrderRequest
	request.parent = c
	request.Deadline = time.Time{}
	if c.Request.ClosePosition {
		held := a.holding(x.symbols[request.Symbol]).position(request.PosSide)
		lots := held.reducible(request.Side)
		if lots == 0 {
			x.endConditional(a, c, ConditionalExpired)
			return
		}
		request.Qty = x.symbols[request.Symbol].sizes.value(lots)
		request.ReduceOnly, request.closePosition = true, true
	}
	o, rejection := x.place(request)
	if rejection != nil {
		c.Rejected = rejection.Reason
		x.endConditional(a, c, ConditionalRejected)
		return
	}
	c.Status, c.UpdatedAt = ConditionalTriggered, x.clock.Now()
	x.emitConditional(a, c)
	x.finishConditional(a, o)
}

// finishConditional finishes the conditional order that placed a closed order.
func (x *Exchange) finishConditional(a *account, o *Order) {
	if o.Parent == 0 || o.Status.Open() {
		return
	}
	c := a.conditionals.byID[o.Parent]
	if c != nil && c.Status == ConditionalTriggered {
		x.endConditional(a, c, ConditionalFinished)
	}
}

func (x *Exchange) endConditional(a *account, c *Conditional, status ConditionalStatus) {
	s := x.symbols[c.Request.Symbol]
	s.removeConditional(c)
	c.Status, c.UpdatedAt = status, x.clock.Now()
	x.ledger.updatedConditional(*c)
	x.emitConditional(a, c)
}

func (x *Exchange) emitConditional(a *account, c *Conditional) {
	x.state.touchConditional(c)
	x.emit(ConditionalEvent{Conditional: a.copyConditional(c)})
}

// copyConditional returns a copy with the current state of the placed order.
func (a *account) copyConditional(c *Conditional) Conditional {
	copied := *c
	if o := a.orders[c.OrderID]; o != nil && c.OrderID != 0 {
		order := *o
		copied.Order = &order
	}
	return copied
}

// expireProtection expires the conditional orders that close or require the position,
// which is closed now.
func (x *Exchange) expireProtection(closed dirtyPosition) {
	waiting := append([]*Conditional(nil), closed.holding.conditionals...)
	for _, c := range waiting {
		r := &c.Request
		if r.Account == closed.account.id && r.PosSide == closed.side && (r.ClosePosition || r.RequiresPosition) {
			x.endConditional(closed.account, c, ConditionalExpired)
		}
	}
}
