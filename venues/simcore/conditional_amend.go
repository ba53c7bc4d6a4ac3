package simcore

import "github.com/shopspring/decimal"

// ConditionalAmendment changes a waiting conditional order. A zero price or
// quantity keeps the current one; Rising always replaces it.
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

// AmendConditional changes a waiting conditional order and keeps its id. The error is
// a *Rejection with ReasonUnknownOrder, ReasonTriggering, ReasonWouldTrigger or a
// reason of prices and quantities; it leaves the order unchanged.
func (x *Exchange) AmendConditional(request ConditionalAmendment) (Conditional, error) {
	x.lockToWrite()
	defer x.unlock()
	a, rejection := x.account(request.Account)
	if rejection != nil {
		return Conditional{}, rejection
	}
	c, rejection := a.conditionals.findWaiting(request.Order)
	if rejection != nil {
		return Conditional{}, rejection
	}
	amended := c.Request
	amended.Rising = request.Rising
	replace(&amended.TriggerPrice, request.TriggerPrice)
	replace(&amended.Price, request.Price)
	replace(&amended.Qty, request.Qty)
	if rejection := x.checkAmended(&amended); rejection != nil {
		return Conditional{}, rejection
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

func (x *Exchange) checkAmended(request *ConditionalRequest) *Rejection {
	order := request.OrderRequest
	in := &intent{OrderRequest: &order, symbol: x.symbols[request.Symbol]}
	if rejection := x.checkConditionalTerms(in, request); rejection != nil {
		return rejection
	}
	if !request.trails() && reached(request.Rising, in.symbol.triggerPrice(request.TriggerBy), request.TriggerPrice) {
		return reject(ReasonWouldTrigger)
	}
	return nil
}
