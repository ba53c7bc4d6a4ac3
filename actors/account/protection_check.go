package account

import "venuegate/venues"

// checkProtection holds stop loss and take profit against the price at which the
// order would enter: they must lie on their own sides of it. An order that only
// reduces enters nothing.
func checkProtection(spec *venues.OrderSpec, mark venues.Optional) *venues.Error {
	if field := protectedField(spec); spec.ReduceOnly && field != "" {
		return venues.InvalidFields(venues.FieldFault{Field: field, Rule: "not_applicable", Allowed: "none with reduceOnly"})
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
		return venues.InvalidFields(venues.FieldFault{
			Field: belowName, Rule: "wrong_side", Given: venues.FormatDecimal(below.Decimal), Allowed: "below " + price,
		})
	}
	if above.Valid && above.Decimal.LessThanOrEqual(entry.Decimal) {
		return venues.InvalidFields(venues.FieldFault{
			Field: aboveName, Rule: "wrong_side", Given: venues.FormatDecimal(above.Decimal), Allowed: "above " + price,
		})
	}
	return nil
}

// checkLegs holds the quantity of an order against what its legs can close: they are
// market orders, unless they are the venue's affair.
func checkLegs(i *venues.Instrument, spec *venues.OrderSpec, attached bool) *venues.Error {
	most := i.MaxMarketQty
	if attached || protectedField(spec) == "" || !most.Valid || spec.Qty.LessThanOrEqual(most.Decimal) {
		return nil
	}
	return venues.InvalidFields(venues.FieldFault{
		Field: "qty", Rule: "above_maximum", Given: venues.FormatDecimal(spec.Qty),
		Allowed: venues.FormatDecimal(most.Decimal) + " with stopLoss or takeProfit",
	})
}

// protectedField names what an order asks for of protection; empty if nothing.
func protectedField(spec *venues.OrderSpec) string {
	switch {
	case spec.StopLoss.Valid:
		return "stopLoss"
	case spec.TakeProfit.Valid:
		return "takeProfit"
	}
	return ""
}
