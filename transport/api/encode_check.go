package api

import "venuegate/venues"

// AppendOrderCheck appends the result of checking an order.
func AppendOrderCheck(dst []byte, c *venues.OrderCheck) []byte {
	dst = append(dst, '{')
	dst = boolField(dst, "ok", c.Passes())
	dst = appendCheckedOrder(dst, c.Order)
	dst = numberOrNullField(dst, "notional", c.Notional)
	dst = numberOrNullField(dst, "margin", c.Margin)
	dst = numberOrNullField(dst, "available", c.Available)
	dst = append(AppendArray(fieldName(dst, "faults"), c.Faults, appendFault), ',')
	dst = append(AppendArray(fieldName(dst, "rules"), c.Rules, appendRule), ',')
	return closeObject(dst)
}

// appendCheckedOrder appends the fields of a request, with defaults.
func appendCheckedOrder(dst []byte, o *venues.PlaceOrder) []byte {
	if o == nil {
		return nullField(dst, "order")
	}
	dst = append(fieldName(dst, "order"), '{')
	dst = textField(dst, "exchange", string(o.Exchange))
	dst = textField(dst, "symbol", o.Symbol)
	dst = textField(dst, "side", string(o.Side))
	dst = textField(dst, "type", string(o.Type))
	dst = numberField(dst, "qty", o.Qty)
	dst = numberOrNullField(dst, "price", o.Price)
	dst = numberOrNullField(dst, "triggerPrice", o.TriggerPrice)
	dst = numberOrNullField(dst, "stopLoss", o.StopLoss)
	dst = numberOrNullField(dst, "takeProfit", o.TakeProfit)
	dst = boolField(dst, "reduceOnly", o.ReduceOnly)
	dst = boolField(dst, "postOnly", o.PostOnly)
	dst = textField(dst, "timeInForce", string(o.TimeInForce))
	dst = textOrNullField(dst, "requestId", o.RequestID)
	dst = textOrNullField(dst, "comment", o.Comment)
	return append(closeObject(dst), ',')
}

func appendFault(dst []byte, f *venues.FieldError) []byte { return appendAny(dst, f) }

func appendRule(dst []byte, r *venues.RuleCheck) []byte {
	dst = append(dst, '{')
	dst = textField(dst, "rule", r.Rule)
	dst = textOrNullField(dst, "limit", r.Limit)
	dst = textOrNullField(dst, "given", r.Given)
	dst = boolField(dst, "passed", r.Rejection == nil)
	return closeObject(dst)
}
