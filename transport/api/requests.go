package api

import (
	"venuegate/venues"
)

// The functions below read the request bodies of the REST edge. What can be
// checked without the state of an account or an instrument is checked here; the
// rest is the account's. Symbols come back as given: their canonical name needs
// the catalogue.

// PlaceOrderMembers are the members of the body of POST /v1/orders.
func PlaceOrderMembers() []string {
	return []string{
		"exchange", "symbol", "side", "type", "qty", "price", "triggerPrice", "stopLoss", "takeProfit",
		"reduceOnly", "postOnly", "timeInForce", "requestId", "comment",
	}
}

// DecodePlaceOrder reads the body of POST /v1/orders.
func DecodePlaceOrder(data []byte) (venues.PlaceOrder, error) {
	var o venues.PlaceOrder
	var qty venues.Optional
	b := OpenBody(data, PlaceOrderMembers()...)
	for b.Next() {
		switch b.Name() {
		case "exchange":
			o.Exchange = b.Exchange()
		case "symbol":
			o.Symbol = b.Symbol()
		case "side":
			o.Side = OneOf(b, venues.Buy, venues.Sell)
		case "type":
			o.Type = OneOf(b, venues.TypeMarket, venues.TypeLimit, venues.TypeStopMarket, venues.TypeStopLimit)
		case "qty":
			qty = b.Decimal()
		case "price":
			o.Price = b.Decimal()
		case "triggerPrice":
			o.TriggerPrice = b.Decimal()
		case "stopLoss":
			o.StopLoss = b.Decimal()
		case "takeProfit":
			o.TakeProfit = b.Decimal()
		case "reduceOnly":
			o.ReduceOnly = b.Boolean()
		case "postOnly":
			o.PostOnly = b.Boolean()
		case "timeInForce":
			o.TimeInForce = OneOf(b, venues.GoodTillCancel, venues.ImmediateOrCancel, venues.FillOrKill)
		case "requestId":
			o.RequestID = b.RequestID()
		case "comment":
			o.Comment = b.Text(CommentCharsMax)
		}
	}
	b.Require("exchange", "symbol", "side", "type", "qty")
	o.Qty = qty.Decimal
	b.positive("qty", qty)
	if b.fatal == nil {
		CheckOrder(&b.Faults, &o.OrderSpec)
	}
	if err := b.Err(); err != nil {
		return venues.PlaceOrder{}, err
	}
	var err error
	o.BodyHash, err = BodyHash(data)
	return o, err
}

// CheckOrder holds the fields of an order against each other and gives
// TimeInForce its default. Faults are named as in POST /v1/orders. The quantity
// is not looked at.
func CheckOrder(f *Faults, o *venues.OrderSpec) {
	if o.Type == "" {
		return // what the type asks for is not known
	}
	checkPriceOf(f, "price", o.Price, !o.Type.IsMarket(), o.Type)
	checkPriceOf(f, "triggerPrice", o.TriggerPrice, o.Type.IsStop(), o.Type)
	f.positive("stopLoss", o.StopLoss)
	f.positive("takeProfit", o.TakeProfit)
	checkTimeInForce(f, o)
	checkProtection(f, o)
}

func checkPriceOf(f *Faults, field string, value venues.Optional, wanted bool, t venues.OrderType) {
	switch {
	case wanted && !value.Valid && !f.names(field):
		f.Add(field, RuleMissing, "", "a price, for type "+string(t))
	case !wanted && value.Valid:
		f.Add(field, RuleNotApplicable, venues.FormatDecimal(value.Decimal), "none, for type "+string(t))
	default:
		f.positive(field, value)
	}
}

// names says whether a fault of the field is noted already: a malformed price
// is not missing too.
func (f *Faults) names(field string) bool {
	for _, fault := range f.list {
		if fault.Field == field {
			return true
		}
	}
	return false
}

// checkTimeInForce: a market order takes what it gets at once, so it is
// immediate-or-cancel whatever the venue calls it; an order that must not take
// has to be able to wait.
func checkTimeInForce(f *Faults, o *venues.OrderSpec) {
	market := o.Type.IsMarket()
	switch {
	case o.TimeInForce == "" && market:
		o.TimeInForce = venues.ImmediateOrCancel
	case o.TimeInForce == "":
		o.TimeInForce = venues.GoodTillCancel
	case market && o.TimeInForce != venues.ImmediateOrCancel:
		f.Add("timeInForce", RuleNotApplicable, string(o.TimeInForce), "ioc or none, for type "+string(o.Type))
	}
	switch {
	case o.PostOnly && market:
		f.Add("postOnly", RuleNotApplicable, "true", "false, for type "+string(o.Type))
	case o.PostOnly && o.TimeInForce != venues.GoodTillCancel:
		f.Add("postOnly", RuleNotApplicable, "true", "false, for timeInForce "+string(o.TimeInForce))
	}
}

// checkProtection: the stop loss lies on the losing side of the entry and the
// take profit on the winning side. The entry of a market order is not known
// here, but the two still lie on either side of it.
func checkProtection(f *Faults, o *venues.OrderSpec) {
	if o.Side == "" {
		return
	}
	lowField, low, highField, high := "stopLoss", o.StopLoss, "takeProfit", o.TakeProfit
	if o.Side == venues.Sell {
		lowField, low, highField, high = highField, high, lowField, low
	}
	entry := o.Price
	if !entry.Valid {
		entry = o.TriggerPrice
	}
	wrong := func(field string, value venues.Optional, allowed string, bound venues.Optional) {
		f.Add(field, RuleWrongSide, venues.FormatDecimal(value.Decimal), allowed+" "+venues.FormatDecimal(bound.Decimal))
	}
	if entry.Valid {
		if low.Valid && low.Decimal.GreaterThanOrEqual(entry.Decimal) {
			wrong(lowField, low, "below", entry)
		}
		if high.Valid && high.Decimal.LessThanOrEqual(entry.Decimal) {
			wrong(highField, high, "above", entry)
		}
	} else if low.Valid && high.Valid && low.Decimal.GreaterThanOrEqual(high.Decimal) {
		wrong(lowField, low, "below "+highField, high)
	}
}

// AmendOrderMembers are the members of the body of PATCH /v1/orders/:id.
func AmendOrderMembers() []string {
	return []string{"price", "qty", "triggerPrice", "stopLoss", "takeProfit"}
}

// DecodeAmendOrder reads the body of PATCH /v1/orders/:id. A stopLoss or
// takeProfit of null removes it; any other null is as good as absent.
func DecodeAmendOrder(data []byte) (venues.AmendOrder, error) {
	var a venues.AmendOrder
	b := OpenBody(data, AmendOrderMembers()...)
	for b.Next() {
		switch b.Name() {
		case "price":
			a.Price = b.Decimal()
		case "qty":
			a.Qty = b.Decimal()
		case "triggerPrice":
			a.TriggerPrice = b.Decimal()
		case "stopLoss":
			a.StopLoss = b.Decimal()
		case "takeProfit":
			a.TakeProfit = b.Decimal()
		}
	}
	for i, value := range []venues.Optional{a.Price, a.Qty, a.TriggerPrice, a.StopLoss, a.TakeProfit} {
		b.positive(AmendOrderMembers()[i], value)
	}
	a.DropStopLoss, a.DropTakeProfit = b.IsNull("stopLoss"), b.IsNull("takeProfit")
	if b.Count() == 0 && !a.DropStopLoss && !a.DropTakeProfit {
		b.Add("body", RuleMissing, "", "at least one of "+list(AmendOrderMembers()))
	}
	if err := b.Err(); err != nil {
		return venues.AmendOrder{}, err
	}
	return a, nil
}

// CancelOrdersMembers are the filters of DELETE /v1/orders, in the query or in
// the body.
func CancelOrdersMembers() []string { return []string{"exchange", "symbol"} }

// DecodeCancelOrders reads the body of DELETE /v1/orders. A body whose members
// are all unknown is refused: to ignore a misspelt filter would cancel more
// than was meant.
func DecodeCancelOrders(data []byte) (venues.CancelOrders, error) {
	var c venues.CancelOrders
	b := OpenBody(data, CancelOrdersMembers()...)
	for b.Next() {
		switch b.Name() {
		case "exchange":
			c.Exchange = b.Exchange()
		case "symbol":
			c.Symbol = b.Symbol()
		}
	}
	for _, name := range b.Ignored() {
		b.Add(name, RuleUnknownName, name, list(CancelOrdersMembers()))
	}
	if err := b.Err(); err != nil {
		return venues.CancelOrders{}, err
	}
	return c, nil
}

// ParseCancelOrders reads the query of DELETE /v1/orders; given is false if it
// holds no filter.
func ParseCancelOrders(rawQuery string) (c venues.CancelOrders, given bool, err error) {
	q := ParseQuery(rawQuery, CancelOrdersMembers()...)
	c.Exchange = q.Exchange("exchange")
	c.Symbol = q.Symbol("symbol")
	q.RefuseUnknown(CancelOrdersMembers()...)
	if err := q.Err(); err != nil {
		return venues.CancelOrders{}, false, err
	}
	return c, !q.Empty(), nil
}

// ClosePositionMembers are the members of the body of POST /v1/positions/close.
func ClosePositionMembers() []string { return []string{"exchange", "symbol", "qty", "requestId"} }

// DecodeClosePosition reads the body of POST /v1/positions/close.
func DecodeClosePosition(data []byte) (venues.ClosePosition, error) {
	var c venues.ClosePosition
	b := OpenBody(data, ClosePositionMembers()...)
	for b.Next() {
		switch b.Name() {
		case "exchange":
			c.Exchange = b.Exchange()
		case "symbol":
			c.Symbol = b.Symbol()
		case "qty":
			c.Qty = b.Decimal()
		case "requestId":
			c.RequestID = b.RequestID()
		}
	}
	b.Require("exchange", "symbol")
	b.positive("qty", c.Qty)
	if err := b.Err(); err != nil {
		return venues.ClosePosition{}, err
	}
	var err error
	c.BodyHash, err = BodyHash(data)
	return c, err
}

// ChangeLeverageMembers are the members of the body of POST
// /v1/positions/leverage.
func ChangeLeverageMembers() []string { return []string{"exchange", "symbol", "leverage"} }

// DecodeChangeLeverage reads the body of POST /v1/positions/leverage.
func DecodeChangeLeverage(data []byte) (venues.ChangeLeverage, error) {
	var c venues.ChangeLeverage
	var leverage venues.Optional
	b := OpenBody(data, ChangeLeverageMembers()...)
	for b.Next() {
		switch b.Name() {
		case "exchange":
			c.Exchange = b.Exchange()
		case "symbol":
			c.Symbol = b.Symbol()
		case "leverage":
			leverage = b.Decimal()
		}
	}
	b.Require("exchange", "symbol", "leverage")
	b.positive("leverage", leverage)
	if err := b.Err(); err != nil {
		return venues.ChangeLeverage{}, err
	}
	c.Leverage = leverage.Decimal
	return c, nil
}
