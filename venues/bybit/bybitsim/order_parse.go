package bybitsim

import (
	"cmp"
	"regexp"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// createBody is the body of an order.
type createBody struct {
	Category         string `json:"category"`
	Symbol           string `json:"symbol"`
	Side             string `json:"side"`
	OrderType        string `json:"orderType"`
	Qty              amount `json:"qty"`
	Price            amount `json:"price"`
	TriggerDirection int    `json:"triggerDirection"`
	TriggerPrice     amount `json:"triggerPrice"`
	TriggerBy        string `json:"triggerBy"`
	TimeInForce      string `json:"timeInForce"`
	PositionIdx      int    `json:"positionIdx"`
	OrderLinkID      string `json:"orderLinkId"`
	TakeProfit       amount `json:"takeProfit"`
	StopLoss         amount `json:"stopLoss"`
	TpTriggerBy      string `json:"tpTriggerBy"`
	SlTriggerBy      string `json:"slTriggerBy"`
	ReduceOnly       bool   `json:"reduceOnly"`
	CloseOnTrigger   bool   `json:"closeOnTrigger"`
	SmpType          string `json:"smpType"`
	TpslMode         string `json:"tpslMode"`
}

// newOrder is a parsed order.
type newOrder struct {
	simcore.OrderRequest
	listing *listing
	detail  *orderDetail
	body    createBody
}

var linkIDPattern = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)

// parseOrder parses an order and checks what does not depend on the books, in the
// venue's order.
func (s *Sim) parseOrder(c *call, body createBody) (*newOrder, *apiError) {
	o := &newOrder{body: body, detail: &orderDetail{createType: createByUser}}
	if failed := category(body.Category); failed != nil {
		return o, failed
	}
	l, failed := s.listed(body.Symbol)
	if failed != nil {
		return o, failed
	}
	o.listing = l
	o.Account, o.Symbol, o.ClientID, o.Detail = c.account.ID, body.Symbol, body.OrderLinkID, o.detail
	for _, step := range []func() *apiError{
		o.parseEnums, o.linkID, func() *apiError { return o.position(c.account.Mode) },
		o.quantity, o.closing, o.stops,
	} {
		if failed := step(); failed != nil {
			return o, failed
		}
	}
	s.price(o)
	return o, s.fitPosition(o)
}

// parseEnums parses the enumerations.
func (o *newOrder) parseEnums() *apiError {
	var known bool
	if o.Side, known = sides[o.body.Side]; !known {
		return errSide
	}
	switch o.body.OrderType {
	case "Limit":
		o.Type = simcore.Limit
	case "Market":
		o.Type = simcore.Market
	default:
		return errOrderType
	}
	if o.TimeInForce, known = timesInForce[o.body.TimeInForce]; !known {
		return errParam("params error: timeInForce invalid")
	}
	if o.SelfTrade, known = selfTrades[o.body.SmpType]; !known {
		return errParam("params error: smpType invalid")
	}
	return nil
}

func (o *newOrder) linkID() *apiError {
	switch id := o.body.OrderLinkID; {
	case len(id) > linkIDLenMax:
		return errParam("order link id is longer than %d", linkIDLenMax)
	case !linkIDPattern.MatchString(id):
		return errParam("params error: orderLinkId invalid")
	}
	return nil
}

// position parses positionIdx, which must match the position mode.
func (o *newOrder) position(mode simcore.PositionMode) *apiError {
	side, failed := positionSide(o.body.PositionIdx, mode)
	o.PosSide = side
	return failed
}

func positionSide(idx int, mode simcore.PositionMode) (simcore.PositionSide, *apiError) {
	if idx < 0 || idx > 2 || (idx != 0) != (mode == simcore.Hedge) {
		return 0, errModeMismatch
	}
	return simcore.PositionSide(idx), nil
}

func (o *newOrder) quantity() *apiError {
	if !o.body.Qty.set {
		return errParam("params error: qty invalid")
	}
	o.Qty = o.body.Qty.Decimal
	if o.Type == simcore.Limit && !o.body.Price.set {
		return errParam("params error: price invalid")
	}
	return nil
}

func (o *newOrder) closing() *apiError {
	o.ReduceOnly, o.detail.closeOnTrigger = o.body.ReduceOnly, o.body.CloseOnTrigger
	if o.body.CloseOnTrigger && !o.body.ReduceOnly {
		return errParam("closeOnTrigger needs reduceOnly")
	}
	return nil
}

// stops parses the attached take profit and stop loss.
func (o *newOrder) stops() *apiError {
	o.detail.stops = stops{takeProfit: o.body.TakeProfit.Decimal, stopLoss: o.body.StopLoss.Decimal}
	attached := &o.detail.stops
	if attached.takeProfit.IsPositive() {
		attached.takeTriggerBy = orLastPrice(o.body.TpTriggerBy)
	}
	if attached.stopLoss.IsPositive() {
		attached.stopTrigger = orLastPrice(o.body.SlTriggerBy)
	}
	switch {
	case !attached.any():
		return nil
	case o.ReduceOnly:
		return errParam("reduceOnly order can not have take profit or stop loss")
	case o.body.TpslMode == "Partial":
		return errParam("tpslMode Partial is not simulated")
	}
	return nil
}

func orLastPrice(word string) string { return cmp.Or(word, triggerByLast) }

// price parses the price of a limit order or computes the cap of a market order.
// A limit price outside the band is moved to its edge; see priceInBand.
func (s *Sim) price(o *newOrder) {
	o.detail.lastPrice = s.Exchange().LastPrice(o.Symbol)
	if o.Type == simcore.Limit {
		o.Price = o.body.Price.Decimal
		return
	}
	mark, _ := s.Exchange().Mark(o.Symbol)
	bound := o.listing.MarketBound.Mul(decimal.NewFromInt(int64(o.Side)))
	o.detail.slippageCap = o.listing.roundTo(mark.Mark.Mul(one.Add(bound)), o.Side == simcore.Sell)
}

var one = decimal.NewFromInt(1)

// fitPosition reduces a reduce-only order to the position that it may close. Quantity
// zero with closeOnTrigger means the whole position.
func (s *Sim) fitPosition(o *newOrder) *apiError {
	if !o.ReduceOnly || o.body.TriggerPrice.set {
		return nil
	}
	view, failed := s.position(o.Account, o.Symbol, o.PosSide)
	if failed != nil {
		return failed
	}
	held := view.Qty.Abs()
	if o.Qty.IsZero() && o.detail.closeOnTrigger {
		limit := o.listing.QtyMax
		if o.Type == simcore.Market {
			limit = o.listing.MarketQtyMax
		}
		if o.Qty = decimal.Min(held, limit); o.Qty.IsZero() {
			return bad(110017, "current position is zero, cannot fix reduce-only order qty")
		}
		return nil
	}
	if view.Qty.Sign() == -int(o.Side) {
		o.Qty = decimal.Min(o.Qty, held)
	}
	return nil
}

// condition returns the conditional order; ok is false where there is no trigger.
func (o *newOrder) condition() (simcore.ConditionalRequest, bool, *apiError) {
	request := simcore.ConditionalRequest{OrderRequest: o.OrderRequest}
	if !o.body.TriggerPrice.set || o.body.TriggerPrice.IsZero() {
		return request, false, nil
	}
	watch, known := triggerPrices[o.body.TriggerBy]
	switch {
	case o.body.TriggerDirection != 1 && o.body.TriggerDirection != 2:
		return request, true, errParam("params error: triggerDirection invalid")
	case !known:
		return request, true, errParam("params error: triggerBy invalid")
	}
	request.Rising, request.TriggerBy, request.TriggerPrice = o.body.TriggerDirection == 1, watch, o.body.TriggerPrice.Decimal
	request.ClosePosition = o.Qty.IsZero() && o.ReduceOnly && o.detail.closeOnTrigger
	d := o.detail
	d.conditional, d.rising, d.triggerPrice, d.triggerBy = true, request.Rising, request.TriggerPrice, orLastPrice(o.body.TriggerBy)
	d.stopOrderType, d.createType = stopType, "CreateByStopOrder"
	return request, true, nil
}
