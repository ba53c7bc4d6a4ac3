package venues

import "github.com/shopspring/decimal"

// CheckOrder checks an order against the instrument's rules: CheckStatus, then CheckTerms.
func (i *Instrument) CheckOrder(r *OrderSpec, mark Optional) *Error {
	if status := i.CheckStatus(r.ReduceOnly); status.Rejection != nil {
		return status.Rejection
	}
	return i.CheckTerms(r, mark)
}

// CheckTerms checks tick size, quantity step, bounds of the quantity, and notional of an
// order. It rounds nothing; an error names the nearest valid values. mark is used for the
// notional of orders without a price and may be unknown.
func (i *Instrument) CheckTerms(r *OrderSpec, mark Optional) *Error {
	var fields []FieldError
	fields = append(fields, i.checkQty("qty", r.Qty, r.Type.IsMarket())...)
	for _, p := range []struct {
		field string
		value Optional
	}{{"price", r.Price}, {"triggerPrice", r.TriggerPrice}, {"stopLoss", r.StopLoss}, {"takeProfit", r.TakeProfit}} {
		if p.value.Valid {
			fields = append(fields, i.checkPrice(p.field, p.value.Decimal)...)
		}
	}
	if len(fields) == 0 && !r.ReduceOnly {
		fields = i.checkNotional(r, mark)
	}
	if len(fields) > 0 {
		return InvalidFields(fields...)
	}
	return nil
}

// CheckStatus checks whether the status of the instrument permits an order.
func (i *Instrument) CheckStatus(reduceOnly bool) RuleCheck {
	check := RuleCheck{Rule: string(CodeSymbolNotTradable), Limit: string(InstrumentTrading), Given: string(i.Status)}
	if i.Status == InstrumentTrading || (reduceOnly && i.Status == InstrumentRestricted) {
		return check
	}
	check.Rejection = Errorf(CodeSymbolNotTradable, "%s is %s on %s", i.Symbol, i.Status, i.Exchange).
		With("symbol", i.Symbol).With("status", string(i.Status))
	return check
}

func (i *Instrument) checkQty(field string, qty decimal.Decimal, market bool) []FieldError {
	limit := i.MaxQty
	if market && i.MaxMarketQty.Valid {
		limit = i.MaxMarketQty
	}
	switch {
	case qty.LessThan(i.MinQty):
		return []FieldError{{field, "below_minimum", FormatDecimal(qty), FormatDecimal(i.MinQty)}}
	case limit.Valid && qty.GreaterThan(limit.Decimal):
		return []FieldError{{field, "above_maximum", FormatDecimal(qty), FormatDecimal(limit.Decimal)}}
	case !IsMultiple(qty, i.QtyStep):
		return []FieldError{{field, "not_a_multiple_of_step", FormatDecimal(qty), nearest(qty, i.QtyStep)}}
	}
	return nil
}

func (i *Instrument) checkPrice(field string, price decimal.Decimal) []FieldError {
	switch {
	case !price.IsPositive():
		return []FieldError{{field, "not_positive", FormatDecimal(price), FormatDecimal(i.TickSize)}}
	case !IsMultiple(price, i.TickSize):
		return []FieldError{{field, "not_a_multiple_of_tick", FormatDecimal(price), nearest(price, i.TickSize)}}
	case i.MinPrice.Valid && price.LessThan(i.MinPrice.Decimal):
		return []FieldError{{field, "below_minimum", FormatDecimal(price), FormatDecimal(i.MinPrice.Decimal)}}
	case i.MaxPrice.Valid && price.GreaterThan(i.MaxPrice.Decimal):
		return []FieldError{{field, "above_maximum", FormatDecimal(price), FormatDecimal(i.MaxPrice.Decimal)}}
	}
	return nil
}

func (i *Instrument) checkNotional(r *OrderSpec, mark Optional) []FieldError {
	price := mark
	if r.Price.Valid {
		price = r.Price
	} else if r.TriggerPrice.Valid {
		price = r.TriggerPrice
	}
	if !i.MinNotional.Valid || !price.Valid || !price.Decimal.IsPositive() {
		return nil
	}
	if r.Qty.Mul(price.Decimal).GreaterThanOrEqual(i.MinNotional.Decimal) {
		return nil
	}
	least := CeilTo(i.MinNotional.Decimal.DivRound(price.Decimal, DecimalDigitsMax), i.QtyStep)
	if least.Mul(price.Decimal).LessThan(i.MinNotional.Decimal) {
		least = least.Add(i.QtyStep) // the quotient was rounded down
	}
	return []FieldError{{
		"qty", "below_minimum_notional", FormatDecimal(r.Qty),
		"at least " + FormatDecimal(least) + " (notional " + FormatDecimal(i.MinNotional.Decimal) + ")",
	}}
}

// nearest returns the valid neighbours of value, such as "64000 or 64000.1".
func nearest(value, step decimal.Decimal) string {
	low := FloorTo(value, step)
	high := FormatDecimal(low.Add(step))
	if !low.IsPositive() {
		return high
	}
	return FormatDecimal(low) + " or " + high
}
