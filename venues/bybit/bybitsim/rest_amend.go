package bybitsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// amendBody is the body of an amendment; what is absent stays.
type amendBody struct {
	refBody
	Qty          amount `json:"qty"`
	Price        amount `json:"price"`
	TriggerPrice amount `json:"triggerPrice"`
	TakeProfit   amount `json:"takeProfit"`
	StopLoss     amount `json:"stopLoss"`
	TpTriggerBy  string `json:"tpTriggerBy"`
	SlTriggerBy  string `json:"slTriggerBy"`
}

func (s *Sim) amendOrder(c *call) (any, *apiError) {
	var body amendBody
	if failed := c.decode(&body); failed != nil {
		return nil, failed
	}
	l, ref, failed := body.check(s)
	if failed != nil {
		return nil, failed
	}
	o, err := s.Exchange().Order(c.account.ID, l.Symbol, ref)
	if err != nil {
		return s.amendWaiting(c, l, ref, body)
	}
	if !o.Status.Open() {
		return nil, errTooLate
	}
	if failed := s.amend(c, &o, l, body); failed != nil {
		return nil, failed
	}
	return ack{OrderID: uuidOf(o.ID), OrderLinkID: o.ClientID}, nil
}

// amendWaiting changes a conditional order that has not triggered.
func (s *Sim) amendWaiting(c *call, l *listing, ref simcore.OrderRef, body amendBody) (any, *apiError) {
	waiting, err := s.Exchange().Conditional(c.account.ID, ref)
	if err != nil || !waiting.Open() || waiting.Request.Symbol != l.Symbol {
		return nil, errTooLate
	}
	restopped := false
	if body.TakeProfit.set || body.StopLoss.set {
		detail := detailOf(waiting.Request.Detail)
		base := waiting.Request.Price
		if base.IsZero() {
			base = waiting.Request.TriggerPrice
		}
		var failed *apiError
		if restopped, failed = s.amendStops(waiting.Request.Side, base, detail, body); failed != nil {
			return nil, failed
		}
	}
	if !body.Qty.set && !body.Price.set && !body.TriggerPrice.set {
		if restopped {
			return ack{OrderID: uuidOf(waiting.ID), OrderLinkID: waiting.Request.ClientID}, nil
		}
		return nil, errUnchanged
	}
	amended, err := s.Exchange().AmendConditional(simcore.ConditionalAmendment{
		Account: c.account.ID, Order: simcore.OrderRef{ID: waiting.ID}, Rising: waiting.Request.Rising,
		TriggerPrice: body.TriggerPrice.Decimal, Price: body.Price.Decimal, Qty: body.Qty.Decimal,
	})
	switch {
	case err == nil:
		detailOf(waiting.Request.Detail).setTrigger(amended.Request.TriggerPrice)
		return ack{OrderID: uuidOf(waiting.ID), OrderLinkID: waiting.Request.ClientID}, nil
	case simcore.ReasonOf(err) == simcore.ReasonUnknownOrder:
		return nil, errTooLate
	}
	return nil, s.refusedTrigger(l.Symbol, waiting.Request.Rising, body.TriggerPrice.Decimal, err)
}

func (s *Sim) amend(c *call, o *simcore.Order, l *listing, body amendBody) *apiError {
	detail := detailOf(o.Detail)
	restopped, failed := s.amendStops(o.Side, o.Price(), detail, body)
	if failed != nil {
		return failed
	}
	request := simcore.AmendRequest{
		Account: c.account.ID, Symbol: l.Symbol, Order: simcore.OrderRef{ID: o.ID}, Qty: body.Qty.Decimal, Price: body.Price.Decimal,
	}
	if request.Qty.IsPositive() && request.Qty.LessThanOrEqual(o.FilledQty()) {
		return bad(110064, "The modified contract quantity cannot be less than or equal to the filled quantity.")
	}
	if request.Price.IsPositive() {
		if request.Price, failed = s.priceInBand(c.account.ID, l, o.Side, request.Price); failed != nil {
			return failed
		}
	}
	_, err := s.Exchange().Amend(request)
	switch {
	case err == nil || restopped && simcore.ReasonOf(err) == simcore.ReasonNoChange:
		return nil
	case simcore.ReasonOf(err) == simcore.ReasonUnknownOrder:
		return errTooLate
	}
	return refused(err)
}

// amendStops changes the stops that the order brings along; "0" removes one.
func (s *Sim) amendStops(side simcore.Side, price decimal.Decimal, detail *orderDetail, body amendBody) (bool, *apiError) {
	wanted, _, _ := detail.read()
	if body.TakeProfit.set {
		wanted.takeProfit, wanted.takeTriggerBy = body.TakeProfit.Decimal, orLast(body.TpTriggerBy)
	}
	if body.StopLoss.set {
		wanted.stopLoss, wanted.stopTrigger = body.StopLoss.Decimal, orLast(body.SlTriggerBy)
	}
	if body.Price.set {
		price = body.Price.Decimal
	}
	if failed := checkStopSides(side, wanted, price, "OrderPrice"); failed != nil {
		return false, failed
	}
	detail.mu.Lock()
	defer detail.mu.Unlock()
	changed := !detail.stops.takeProfit.Equal(wanted.takeProfit) || !detail.stops.stopLoss.Equal(wanted.stopLoss)
	detail.stops = wanted
	return changed, nil
}
