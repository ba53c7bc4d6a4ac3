package bybitsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// amendBody is the body of an amendment. Absent fields stay unchanged.
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

// amendOrder acknowledges an amendment that is possible now. The engine applies it
// later, and the order stream publishes the outcome.
func (s *Sim) amendOrder(c *call) (any, *apiError) {
	var body amendBody
	if failed := c.decode(&body); failed != nil {
		return nil, failed
	}
	l, ref, failed := body.check(s)
	if failed != nil {
		return nil, failed
	}
	if _, err := s.Exchange().Order(c.account.ID, l.Symbol, ref); err != nil {
		return s.amendUntriggered(c, l, ref, body)
	}
	return s.amendInBook(c, l, ref, body)
}

func (s *Sim) amendInBook(c *call, l *listing, ref simcore.OrderRef, body amendBody) (ack, *apiError) {
	o, err := s.Exchange().Order(c.account.ID, l.Symbol, ref)
	if err != nil || !o.Status.Open() {
		return ack{}, errTooLate
	}
	wanted, failed := s.amendmentOf(&o, l, body)
	if failed != nil {
		return ack{}, failed
	}
	s.After(s.options.EngineDelay, func() { s.amendFound(wanted, body) })
	return ack{OrderID: uuidOf(o.ID), OrderLinkID: o.ClientID}, nil
}

// amendmentOf parses an amendment and checks it against the order's present state.
func (s *Sim) amendmentOf(o *simcore.Order, l *listing, body amendBody) (wanted simcore.AmendRequest, failed *apiError) {
	wanted = simcore.AmendRequest{
		Account: o.Account, Symbol: o.Symbol, Order: simcore.OrderRef{ID: o.ID}, Qty: body.Qty.Decimal, Price: body.Price.Decimal,
	}
	_, restopped, failed := body.stops(o.Side, o.Price(), detailOf(o.Detail))
	if failed == nil && wanted.Price.IsPositive() {
		wanted.Price, failed = s.priceInBand(o.Account, l, o.Side, wanted.Price)
	}
	if failed != nil {
		return wanted, failed
	}
	dryRun := wanted
	dryRun.DryRun = true
	_, err := s.Exchange().Amend(dryRun)
	switch reason := simcore.ReasonOf(err); {
	case err == nil, restopped && reason == simcore.ReasonNoChange:
		return wanted, nil
	case reason == simcore.ReasonUnknownOrder:
		return wanted, errTooLate
	}
	return wanted, errorOf(err)
}

// amendFound applies an acknowledged amendment. After one that the engine rejects
// the unchanged order is published with the reason.
func (s *Sim) amendFound(wanted simcore.AmendRequest, body amendBody) {
	o, err := s.Exchange().Order(wanted.Account, wanted.Symbol, wanted.Order)
	if err != nil {
		return
	}
	detail := detailOf(o.Detail)
	attached, restopped, _ := body.stops(o.Side, o.Price(), detail)
	before := detail.replaceStops(attached)
	_, err = s.Exchange().Amend(wanted)
	switch reason := simcore.ReasonOf(err); {
	case err == nil:
	case restopped && reason == simcore.ReasonNoChange:
		s.Exchange().Touch(o.Account, o.ID)
		s.users.republish(&o, unknown, noError)
	default:
		detail.replaceStops(before)
		s.publishRejected(wanted.Account, wanted.Order, reason)
	}
}

// publishRejected publishes an open or filled order with the reason for which the
// engine did not amend it.
func (s *Sim) publishRejected(account string, ref simcore.OrderRef, reason simcore.Reason) {
	if o, err := s.Exchange().Order(account, "", ref); err == nil {
		if o.Status.Open() || o.Status == simcore.StatusFilled {
			s.users.republish(&o, unknown, amendRejectReason(reason))
		}
		return
	}
	if c, err := s.Exchange().Conditional(account, ref); err == nil && c.Open() {
		record := recordOfConditional(&c)
		record.RejectReason = amendRejectReason(reason)
		s.users.publish(account, &record)
	}
}

// amendRejectReasons are the values of rejectReason for rejected amendments.
var amendRejectReasons = map[simcore.Reason]string{
	simcore.ReasonUnknownOrder:     rejectNoSuchOrder,
	simcore.ReasonNotTradable:      "EC_InvalidSymbolStatus",
	simcore.ReasonQtyFilled:        "EC_EcInvalidQty",
	simcore.ReasonPriceTooHigh:     "EC_ReachRiskPriceLimit",
	simcore.ReasonPriceTooLow:      "EC_ReachRiskPriceLimit",
	simcore.ReasonTriggering:       rejectNoSuchOrder,
	simcore.ReasonWouldTrigger:     "EC_LimitOrderInvalidPrice",
	simcore.ReasonPriceOffTick:     "EC_InvalidPriceScale",
	simcore.ReasonQtyBelowMin:      "EC_EcInvalidQty",
	simcore.ReasonNotionalBelowMin: "EC_InvalidAmount",
}

func amendRejectReason(reason simcore.Reason) string {
	if word, known := amendRejectReasons[reason]; known {
		return word
	}
	return "EC_Others"
}

// amendUntriggered amends a conditional order that has not triggered.
func (s *Sim) amendUntriggered(c *call, l *listing, ref simcore.OrderRef, body amendBody) (any, *apiError) {
	untriggered, err := s.Exchange().Conditional(c.account.ID, ref)
	if err != nil || !untriggered.Open() || untriggered.Request.Symbol != l.Symbol {
		return nil, errTooLate
	}
	wanted, failed := s.conditionalAmendmentOf(&untriggered, body)
	if failed != nil {
		return nil, failed
	}
	s.After(s.options.EngineDelay, func() { s.amendConditional(wanted, body) })
	return ack{OrderID: uuidOf(untriggered.ID), OrderLinkID: untriggered.Request.ClientID}, nil
}

// conditionalAmendmentOf is amendmentOf for an untriggered order.
func (s *Sim) conditionalAmendmentOf(untriggered *simcore.Conditional, body amendBody) (wanted simcore.ConditionalAmendment, failed *apiError) {
	request := &untriggered.Request
	wanted = simcore.ConditionalAmendment{
		Account: request.Account, Order: simcore.OrderRef{ID: untriggered.ID}, Rising: request.Rising,
		TriggerPrice: body.TriggerPrice.Decimal, Price: body.Price.Decimal, Qty: body.Qty.Decimal,
	}
	_, restopped, failed := body.conditionalStops(request)
	switch {
	case failed != nil:
		return wanted, failed
	case !body.Qty.set && !body.Price.set && !body.TriggerPrice.set && !restopped:
		return wanted, errUnchanged
	}
	dryRun := wanted
	dryRun.DryRun = true
	_, err := s.Exchange().AmendConditional(dryRun)
	switch {
	case err == nil:
		return wanted, nil
	case simcore.ReasonOf(err) == simcore.ReasonUnknownOrder:
		return wanted, errTooLate
	}
	return wanted, s.triggerError(request.Symbol, request.Rising, wanted.TriggerPrice, err)
}

// amendConditional is amendFound for an order that was untriggered when its
// amendment was acknowledged.
func (s *Sim) amendConditional(wanted simcore.ConditionalAmendment, body amendBody) {
	untriggered, err := s.Exchange().Conditional(wanted.Account, wanted.Order)
	if err != nil {
		return
	}
	detail := detailOf(untriggered.Request.Detail)
	attached, _, _ := body.conditionalStops(&untriggered.Request)
	before := detail.replaceStops(attached)
	amended, err := s.Exchange().AmendConditional(wanted)
	if err != nil {
		detail.replaceStops(before)
		s.publishRejected(wanted.Account, wanted.Order, simcore.ReasonOf(err))
		return
	}
	detail.setTrigger(amended.Request.TriggerPrice)
	s.Exchange().Touch(wanted.Account, amended.ID)
}

// conditionalStops is stops for an order with the entry price of its limit or,
// without one, of its trigger.
func (b *amendBody) conditionalStops(request *simcore.ConditionalRequest) (stops, bool, *apiError) {
	base := request.Price
	switch {
	case base.IsZero() && b.TriggerPrice.set:
		base = b.TriggerPrice.Decimal
	case base.IsZero():
		base = request.TriggerPrice
	}
	return b.stops(request.Side, base, detailOf(request.Detail))
}

// stops returns the requested attached stops, and whether they differ from the
// present ones; "0" removes one.
func (b *amendBody) stops(side simcore.Side, price decimal.Decimal, detail *orderDetail) (stops, bool, *apiError) {
	now, _, _ := detail.read()
	wanted := now
	if b.TakeProfit.set {
		wanted.takeProfit, wanted.takeTriggerBy = b.TakeProfit.Decimal, orLastPrice(b.TpTriggerBy)
	}
	if b.StopLoss.set {
		wanted.stopLoss, wanted.stopTrigger = b.StopLoss.Decimal, orLastPrice(b.SlTriggerBy)
	}
	if b.Price.set {
		price = b.Price.Decimal
	}
	changed := !now.takeProfit.Equal(wanted.takeProfit) || !now.stopLoss.Equal(wanted.stopLoss)
	return wanted, changed, checkStopSides(side, wanted, price, "OrderPrice")
}
