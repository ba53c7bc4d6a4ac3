package simcore

import "github.com/shopspring/decimal"

// ConditionalAmendment changes a waiting conditional order. A zero price or
// quantity stays as it is; Rising is taken as it stands.
type ConditionalAmendment struct {
	Account      string
	Order        OrderRef
	Rising       bool
	TriggerPrice decimal.Decimal
	Price        decimal.Decimal
	Qty          decimal.Decimal
	// DryRun checks everything and changes nothing.
	DryRun bool
}

// AmendConditional keeps the id of the conditional order. ReasonUnknownOrder,
// ReasonTriggering, ReasonWouldTrigger and the reasons of prices and quantities
// refuse and leave the order as it was.
func (x *Exchange) AmendConditional(request ConditionalAmendment) (Conditional, error) {
	x.lockToWrite()
	defer x.mu.Unlock()
	a, refusal := x.account(request.Account)
	if refusal != nil {
		return Conditional{}, refusal
	}
	c := a.conditionals.find(request.Order)
	switch {
	case c == nil || !c.Open():
		return Conditional{}, refuse(ReasonUnknownOrder)
	case c.Status == ConditionalTriggering:
		return Conditional{}, refuse(ReasonTriggering)
	}
	amended := c.Request
	amended.Rising = request.Rising
	replace(&amended.TriggerPrice, request.TriggerPrice)
	replace(&amended.Price, request.Price)
	replace(&amended.Qty, request.Qty)
	if refusal := x.checkAmended(&amended); refusal != nil {
		return Conditional{}, refusal
	}
	if request.DryRun {
		return a.copyConditional(c), nil
	}
	c.Request, c.UpdatedAt = amended, x.clock.Now()
	x.ledger.amendedConditional(*c, x.symbols[amended.Symbol].terms)
	x.emitConditional(a, c)
	return a.copyConditional(c), nil
}

func replace(old *decimal.Decimal, with decimal.Decimal) {
	if !with.IsZero() {
		*old = with
	}
}

func (x *Exchange) checkAmended(request *ConditionalRequest) *Refusal {
	order := request.OrderRequest
	in := &intent{OrderRequest: &order, symbol: x.symbols[request.Symbol]}
	if refusal := x.checkConditionalTerms(in, request); refusal != nil {
		return refusal
	}
	if !request.trails() && reached(request.Rising, in.symbol.watched(request.Watch), request.TriggerPrice) {
		return refuse(ReasonWouldTrigger)
	}
	return nil
}
