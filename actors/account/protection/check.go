package protection

import "venuegate/venues"

// CheckPrices checks that stop loss and take profit are on opposite sides of the price at which
// the order would enter: its own or the mark price. A reduce-only order may have neither.
func CheckPrices(spec *venues.OrderSpec, mark venues.Optional) *venues.Error {
	if field := requestedField(spec); spec.ReduceOnly && field != "" {
		return venues.InvalidFields(venues.FieldError{Field: field, Rule: "not_applicable", Allowed: "none with reduceOnly"})
	}
	entry := mark
	if spec.Price.Valid {
		entry = spec.Price
	} else if spec.TriggerPrice.Valid {
		entry = spec.TriggerPrice
	}
	if !entry.Valid {
		return nil
	}
	below, above := spec.StopLoss, spec.TakeProfit
	belowName, aboveName := "stopLoss", "takeProfit"
	if spec.Side == venues.Sell {
		below, above, belowName, aboveName = above, below, aboveName, belowName
	}
	price := venues.FormatDecimal(entry.Decimal)
	if below.Valid && below.Decimal.GreaterThanOrEqual(entry.Decimal) {
		return venues.InvalidFields(venues.FieldError{
			Field: belowName, Rule: "wrong_side", Given: venues.FormatDecimal(below.Decimal), Allowed: "below " + price,
		})
	}
	if above.Valid && above.Decimal.LessThanOrEqual(entry.Decimal) {
		return venues.InvalidFields(venues.FieldError{
			Field: aboveName, Rule: "wrong_side", Given: venues.FormatDecimal(above.Decimal), Allowed: "above " + price,
		})
	}
	return nil
}

// CheckLegQty checks that one leg can close the quantity of an order. Legs that the venue does
// not attach are subject to the limit of market orders.
func CheckLegQty(i *venues.Instrument, spec *venues.OrderSpec, attached bool) *venues.Error {
	limit := i.MaxMarketQty
	if attached || requestedField(spec) == "" || !limit.Valid || spec.Qty.LessThanOrEqual(limit.Decimal) {
		return nil
	}
	return venues.InvalidFields(venues.FieldError{
		Field: "qty", Rule: "above_maximum", Given: venues.FormatDecimal(spec.Qty),
		Allowed: venues.FormatDecimal(limit.Decimal) + " with stopLoss or takeProfit",
	})
}

// requestedField returns the field with which an order requests protection; empty if none.
func requestedField(spec *venues.OrderSpec) string {
	switch {
	case spec.StopLoss.Valid:
		return "stopLoss"
	case spec.TakeProfit.Valid:
		return "takeProfit"
	}
	return ""
}
