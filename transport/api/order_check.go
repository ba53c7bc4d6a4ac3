package api

import "venuegate/venues"

// checkOrder checks the fields of an order against each other and sets the
// default of TimeInForce. Errors name the fields of POST /v1/orders. The quantity
// is not checked here.
func checkOrder(v *ValidationErrors, o *venues.OrderSpec) {
	if o.Type == "" {
		return // which prices are required depends on the type
	}
	checkPrice(v, "price", o.Price, !o.Type.IsMarket(), o.Type)
	checkPrice(v, "triggerPrice", o.TriggerPrice, o.Type.IsStop(), o.Type)
	v.requirePositive("stopLoss", o.StopLoss)
	v.requirePositive("takeProfit", o.TakeProfit)
	checkTimeInForce(v, o)
	checkProtection(v, o)
}

// checkPrice records a price that the order type requires and the order lacks,
// or the reverse. A price that was malformed is not reported as missing too.
func checkPrice(v *ValidationErrors, field string, value venues.Optional, required bool, t venues.OrderType) {
	switch {
	case required && !value.Valid && !v.has(field):
		v.Add(field, RuleMissing, "", "a price, for type "+string(t))
	case !required && value.Valid:
		v.Add(field, RuleNotApplicable, venues.FormatDecimal(value.Decimal), "none, for type "+string(t))
	default:
		v.requirePositive(field, value)
	}
}

// checkTimeInForce records a time in force that contradicts the type of the order
// or postOnly. A market order is immediate-or-cancel, whatever the venue calls it:
// it never rests. A post-only order must be able to rest.
func checkTimeInForce(v *ValidationErrors, o *venues.OrderSpec) {
	market := o.Type.IsMarket()
	switch {
	case o.TimeInForce == "" && market:
		o.TimeInForce = venues.ImmediateOrCancel
	case o.TimeInForce == "":
		o.TimeInForce = venues.GoodTillCancel
	case market && o.TimeInForce != venues.ImmediateOrCancel:
		v.Add("timeInForce", RuleNotApplicable, string(o.TimeInForce), "ioc or none, for type "+string(o.Type))
	}
	switch {
	case o.PostOnly && market:
		v.Add("postOnly", RuleNotApplicable, "true", "false, for type "+string(o.Type))
	case o.PostOnly && o.TimeInForce != venues.GoodTillCancel:
		v.Add("postOnly", RuleNotApplicable, "true", "false, for timeInForce "+string(o.TimeInForce))
	}
}

// checkProtection records a stop loss that is not on the losing side of the entry
// and a take profit that is not on the winning side. The entry price of a market
// order is not known here, but the two must still lie on either side of it.
func checkProtection(v *ValidationErrors, o *venues.OrderSpec) {
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
	wrongSide := func(field string, value venues.Optional, allowed string, bound venues.Optional) {
		v.Add(field, RuleWrongSide, venues.FormatDecimal(value.Decimal), allowed+" "+venues.FormatDecimal(bound.Decimal))
	}
	if entry.Valid {
		if low.Valid && low.Decimal.GreaterThanOrEqual(entry.Decimal) {
			wrongSide(lowField, low, "below", entry)
		}
		if high.Valid && high.Decimal.LessThanOrEqual(entry.Decimal) {
			wrongSide(highField, high, "above", entry)
		}
	} else if low.Valid && high.Valid && low.Decimal.GreaterThanOrEqual(high.Decimal) {
		wrongSide(lowField, low, "below "+highField, high)
	}
}
