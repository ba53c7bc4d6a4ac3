package api

import (
	"slices"

	"venuegate/venues"
)

// The functions below decode the request bodies of the REST interface. They check
// what can be checked without the state of an account or an instrument; the
// account checks the rest. Symbols are returned in the spelling of the client,
// because the canonical symbol depends on the instruments of the venue.

// placeOrderFields is the body of POST /v1/orders.
var placeOrderFields = fieldsOf([]field[venues.PlaceOrder]{
	{"exchange", required, func(b *body, o *venues.PlaceOrder) { o.Exchange = b.exchange() }},
	{"symbol", required, func(b *body, o *venues.PlaceOrder) { o.Symbol = b.symbol() }},
	{"side", required, func(b *body, o *venues.PlaceOrder) { o.Side = oneOf(b, venues.Buy, venues.Sell) }},
	{"type", required, func(b *body, o *venues.PlaceOrder) {
		o.Type = oneOf(b, venues.TypeMarket, venues.TypeLimit, venues.TypeStopMarket, venues.TypeStopLimit)
	}},
	{"qty", required, func(b *body, o *venues.PlaceOrder) { o.Qty = b.positive().Decimal }},
	{"price", optional, func(b *body, o *venues.PlaceOrder) { o.Price = b.decimal() }},
	{"triggerPrice", optional, func(b *body, o *venues.PlaceOrder) { o.TriggerPrice = b.decimal() }},
	{"stopLoss", optional, func(b *body, o *venues.PlaceOrder) { o.StopLoss = b.decimal() }},
	{"takeProfit", optional, func(b *body, o *venues.PlaceOrder) { o.TakeProfit = b.decimal() }},
	{"reduceOnly", optional, func(b *body, o *venues.PlaceOrder) { o.ReduceOnly = b.boolean() }},
	{"postOnly", optional, func(b *body, o *venues.PlaceOrder) { o.PostOnly = b.boolean() }},
	{"timeInForce", optional, func(b *body, o *venues.PlaceOrder) {
		o.TimeInForce = oneOf(b, venues.GoodTillCancel, venues.ImmediateOrCancel, venues.FillOrKill)
	}},
	{"requestId", optional, func(b *body, o *venues.PlaceOrder) { o.RequestID = b.requestID() }},
	{"comment", optional, func(b *body, o *venues.PlaceOrder) { o.Comment = b.text(CommentCharsMax) }},
})

// DecodePlaceOrder decodes the body of POST /v1/orders.
func DecodePlaceOrder(data []byte) (venues.PlaceOrder, error) {
	o, b := decodePlaceOrder(data)
	if err := b.err(); err != nil {
		return venues.PlaceOrder{}, err
	}
	var err error
	o.BodyHash, err = b.hash()
	return o, err
}

// DecodeOrderCheck decodes the body of POST /v1/orders/check. faults are the invalid fields;
// err reports a body that cannot be read.
func DecodeOrderCheck(data []byte) (o venues.PlaceOrder, faults []venues.FieldError, err error) {
	o, b := decodePlaceOrder(data)
	if b.fatal != nil || len(b.list) > 0 {
		return venues.PlaceOrder{}, b.list, b.fatal
	}
	o.BodyHash, err = b.hash()
	return o, nil, err
}

func decodePlaceOrder(data []byte) (venues.PlaceOrder, *body) {
	var o venues.PlaceOrder
	b := placeOrderFields.open(data)
	placeOrderFields.decode(b, &o)
	if b.fatal == nil {
		checkOrder(&b.ValidationErrors, &o.OrderSpec)
	}
	return o, b
}

// amendOrderFields is the body of PATCH /v1/orders/:id.
var amendOrderFields = fieldsOf([]field[venues.AmendOrder]{
	{"price", optional, func(b *body, a *venues.AmendOrder) { a.Price = b.positive() }},
	{"qty", optional, func(b *body, a *venues.AmendOrder) { a.Qty = b.positive() }},
	{"triggerPrice", optional, func(b *body, a *venues.AmendOrder) { a.TriggerPrice = b.positive() }},
	{"stopLoss", optional, func(b *body, a *venues.AmendOrder) { a.StopLoss = b.positive() }},
	{"takeProfit", optional, func(b *body, a *venues.AmendOrder) { a.TakeProfit = b.positive() }},
})

// DecodeAmendOrder decodes the body of PATCH /v1/orders/:id. A stopLoss or
// takeProfit of null removes it; any other null counts as absent.
func DecodeAmendOrder(data []byte) (venues.AmendOrder, error) {
	var a venues.AmendOrder
	b := amendOrderFields.open(data)
	amendOrderFields.decode(b, &a)
	a.RemoveStopLoss, a.RemoveTakeProfit = b.is("stopLoss", null), b.is("takeProfit", null)
	if !slices.Contains(b.presence, present) && !a.RemoveStopLoss && !a.RemoveTakeProfit {
		b.Add("body", RuleMissing, "", "at least one of "+join(amendOrderFields.names, ", "))
	}
	if err := b.err(); err != nil {
		return venues.AmendOrder{}, err
	}
	return a, nil
}

// The filters of DELETE /v1/orders, in the body or in the query.
const cancelExchange, cancelSymbol = "exchange", "symbol"

// cancelOrdersFields is the body of DELETE /v1/orders.
var cancelOrdersFields = fieldsOf([]field[venues.CancelOrders]{
	{cancelExchange, optional, func(b *body, c *venues.CancelOrders) { c.Exchange = b.exchange() }},
	{cancelSymbol, optional, func(b *body, c *venues.CancelOrders) { c.Symbol = b.symbol() }},
})

// DecodeCancelOrders decodes the body of DELETE /v1/orders. Unknown fields are
// errors here: ignoring a misspelt filter would cancel more orders than intended.
func DecodeCancelOrders(data []byte) (venues.CancelOrders, error) {
	var c venues.CancelOrders
	b := cancelOrdersFields.open(data)
	cancelOrdersFields.decode(b, &c)
	for _, name := range b.ignored {
		b.Add(name, RuleUnknownName, name, join(cancelOrdersFields.names, ", "))
	}
	if err := b.err(); err != nil {
		return venues.CancelOrders{}, err
	}
	return c, nil
}

// CancelOrdersParameters returns the query parameters of DELETE /v1/orders.
func CancelOrdersParameters() []string { return slices.Clone(cancelOrdersFields.names) }

// ParseCancelOrders reads the filters of DELETE /v1/orders from a query string.
// given is false if it holds none.
func ParseCancelOrders(rawQuery string) (c venues.CancelOrders, given bool, err error) {
	q := ParseQuery(rawQuery, cancelOrdersFields.names...)
	c.Exchange = q.Exchange(cancelExchange)
	c.Symbol = q.Symbol(cancelSymbol)
	q.RejectUnknown()
	if err := q.Err(); err != nil {
		return venues.CancelOrders{}, false, err
	}
	return c, !q.Empty(), nil
}

// closePositionFields is the body of POST /v1/positions/close.
var closePositionFields = fieldsOf([]field[venues.ClosePosition]{
	{"exchange", required, func(b *body, c *venues.ClosePosition) { c.Exchange = b.exchange() }},
	{"symbol", required, func(b *body, c *venues.ClosePosition) { c.Symbol = b.symbol() }},
	{"qty", optional, func(b *body, c *venues.ClosePosition) { c.Qty = b.positive() }},
	{"requestId", optional, func(b *body, c *venues.ClosePosition) { c.RequestID = b.requestID() }},
})

// DecodeClosePosition decodes the body of POST /v1/positions/close.
func DecodeClosePosition(data []byte) (venues.ClosePosition, error) {
	var c venues.ClosePosition
	b := closePositionFields.open(data)
	closePositionFields.decode(b, &c)
	if err := b.err(); err != nil {
		return venues.ClosePosition{}, err
	}
	var err error
	c.BodyHash, err = b.hash()
	return c, err
}

// changeLeverageFields is the body of POST /v1/positions/leverage.
var changeLeverageFields = fieldsOf([]field[venues.ChangeLeverage]{
	{"exchange", required, func(b *body, c *venues.ChangeLeverage) { c.Exchange = b.exchange() }},
	{"symbol", required, func(b *body, c *venues.ChangeLeverage) { c.Symbol = b.symbol() }},
	{"leverage", required, func(b *body, c *venues.ChangeLeverage) { c.Leverage = b.positive().Decimal }},
})

// DecodeChangeLeverage decodes the body of POST /v1/positions/leverage.
func DecodeChangeLeverage(data []byte) (venues.ChangeLeverage, error) {
	var c venues.ChangeLeverage
	b := changeLeverageFields.open(data)
	changeLeverageFields.decode(b, &c)
	if err := b.err(); err != nil {
		return venues.ChangeLeverage{}, err
	}
	return c, nil
}
