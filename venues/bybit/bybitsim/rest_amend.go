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

// amendOrder acknowledges what looks possible now. The engine does it later, and
// the order stream tells what became of it.
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
	wanted, failed := s.amendmentOf(&o, l, body)
	if failed != nil {
		return nil, failed
	}
	s.Later(s.options.EngineDelay, func() { s.amendFound(wanted, body) })
	return ack{OrderID: uuidOf(o.ID), OrderLinkID: o.ClientID}, nil
}

// amendmentOf reads an amendment and holds it against the order as it is now.
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
	rehearsal := wanted
	rehearsal.DryRun = true
	_, err := s.Exchange().Amend(rehearsal)
	switch reason := simcore.ReasonOf(err); {
	case err == nil, restopped && reason == simcore.ReasonNoChange:
		return wanted, nil
	case reason == simcore.ReasonUnknownOrder:
		return wanted, errTooLate
	}
	return wanted, refused(err)
}

// amendFound does an amendment that was acknowledged. One that the engine refuses
// is told with why, in the order as it stays.
func (s *Sim) amendFound(wanted simcore.AmendRequest, body amendBody) {
	o, err := s.Exchange().Order(wanted.Account, wanted.Symbol, wanted.Order)
	if err != nil {
		return
	}
	detail := detailOf(o.Detail)
	attached, restopped, _ := body.stops(o.Side, o.Price(), detail)
	before := detail.swapStops(attached)
	_, err = s.Exchange().Amend(wanted)
	switch reason := simcore.ReasonOf(err); {
	case err == nil:
	case restopped && reason == simcore.ReasonNoChange:
		s.users.tellAgain(&o, wordUnknown, wordNoError)
	default:
		detail.swapStops(before)
		s.tellRefused(wanted.Account, wanted.Order, reason)
	}
}

// tellRefused tells an order, which works still or has filled, with why the engine
// did not amend it.
func (s *Sim) tellRefused(account string, ref simcore.OrderRef, reason simcore.Reason) {
	if o, err := s.Exchange().Order(account, "", ref); err == nil {
		if o.Status.Open() || o.Status == simcore.StatusFilled {
			s.users.tellAgain(&o, wordUnknown, amendRefusal(reason))
		}
		return
	}
	if c, err := s.Exchange().Conditional(account, ref); err == nil && c.Open() {
		record := recordOfConditional(&c)
		record.RejectReason = amendRefusal(reason)
		s.users.tell(account, &record)
	}
}

// amendRefusals are the venue's words for why the engine refused an amendment.
var amendRefusals = map[simcore.Reason]string{
	simcore.ReasonUnknownOrder:     wordNoSuchOrder,
	simcore.ReasonNotTradable:      "EC_InvalidSymbolStatus",
	simcore.ReasonQtyFilled:        "EC_EcInvalidQty",
	simcore.ReasonPriceTooHigh:     "EC_ReachRiskPriceLimit",
	simcore.ReasonPriceTooLow:      "EC_ReachRiskPriceLimit",
	simcore.ReasonTriggering:       wordNoSuchOrder,
	simcore.ReasonWouldTrigger:     "EC_LimitOrderInvalidPrice",
	simcore.ReasonPriceOffTick:     "EC_InvalidPriceScale",
	simcore.ReasonQtyBelowMin:      "EC_EcInvalidQty",
	simcore.ReasonNotionalBelowMin: "EC_InvalidAmount",
}

func amendRefusal(reason simcore.Reason) string {
	if word, known := amendRefusals[reason]; known {
		return word
	}
	return "EC_Others"
}

// amendWaiting changes a conditional order that has not triggered.
func (s *Sim) amendWaiting(c *call, l *listing, ref simcore.OrderRef, body amendBody) (any, *apiError) {
	waiting, err := s.Exchange().Conditional(c.account.ID, ref)
	if err != nil || !waiting.Open() || waiting.Request.Symbol != l.Symbol {
		return nil, errTooLate
	}
	wanted, failed := s.conditionalAmendmentOf(&waiting, body)
	if failed != nil {
		return nil, failed
	}
	s.Later(s.options.EngineDelay, func() { s.amendConditional(wanted, body) })
	return ack{OrderID: uuidOf(waiting.ID), OrderLinkID: waiting.Request.ClientID}, nil
}

// conditionalAmendmentOf is amendmentOf for an order that waits for its trigger.
func (s *Sim) conditionalAmendmentOf(waiting *simcore.Conditional, body amendBody) (wanted simcore.ConditionalAmendment, failed *apiError) {
	request := &waiting.Request
	wanted = simcore.ConditionalAmendment{
		Account: request.Account, Order: simcore.OrderRef{ID: waiting.ID}, Rising: request.Rising,
		TriggerPrice: body.TriggerPrice.Decimal, Price: body.Price.Decimal, Qty: body.Qty.Decimal,
	}
	_, restopped, failed := body.conditionalStops(request)
	switch {
	case failed != nil:
		return wanted, failed
	case !body.Qty.set && !body.Price.set && !body.TriggerPrice.set && !restopped:
		return wanted, errUnchanged
	}
	rehearsal := wanted
	rehearsal.DryRun = true
	_, err := s.Exchange().AmendConditional(rehearsal)
	switch {
	case err == nil:
		return wanted, nil
	case simcore.ReasonOf(err) == simcore.ReasonUnknownOrder:
		return wanted, errTooLate
	}
	return wanted, s.refusedTrigger(request.Symbol, request.Rising, wanted.TriggerPrice, err)
}

// amendConditional is amendFound for an order that waited when its amendment was
// acknowledged.
func (s *Sim) amendConditional(wanted simcore.ConditionalAmendment, body amendBody) {
	waiting, err := s.Exchange().Conditional(wanted.Account, wanted.Order)
	if err != nil {
		return
	}
	detail := detailOf(waiting.Request.Detail)
	attached, _, _ := body.conditionalStops(&waiting.Request)
	before := detail.swapStops(attached)
	amended, err := s.Exchange().AmendConditional(wanted)
	if err != nil {
		detail.swapStops(before)
		s.tellRefused(wanted.Account, wanted.Order, simcore.ReasonOf(err))
		return
	}
	detail.setTrigger(amended.Request.TriggerPrice)
}

// conditionalStops is stops for an order that opens at its price or, without one,
// at its trigger.
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

// stops are those that the order is to bring along, and whether they are others
// than now; "0" removes one.
func (b *amendBody) stops(side simcore.Side, price decimal.Decimal, detail *orderDetail) (stops, bool, *apiError) {
	now, _, _ := detail.read()
	wanted := now
	if b.TakeProfit.set {
		wanted.takeProfit, wanted.takeTriggerBy = b.TakeProfit.Decimal, orLast(b.TpTriggerBy)
	}
	if b.StopLoss.set {
		wanted.stopLoss, wanted.stopTrigger = b.StopLoss.Decimal, orLast(b.SlTriggerBy)
	}
	if b.Price.set {
		price = b.Price.Decimal
	}
	changed := !now.takeProfit.Equal(wanted.takeProfit) || !now.stopLoss.Equal(wanted.stopLoss)
	return wanted, changed, checkStopSides(side, wanted, price, "OrderPrice")
}
