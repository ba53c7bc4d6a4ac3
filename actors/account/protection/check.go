package protection

import "venuegate/venues"

// Plan returns the protection that a new order begins with, pending; nil if it
// requests none.
func Plan(spec *venues.OrderSpec) *venues.Protection {
	if !spec.StopLoss.Valid && !spec.TakeProfit.Valid {
		return nil
	}
	leg := func(price venues.Optional) *venues.ProtectionLeg {
		if !price.Valid {
			return nil
		}
		return &venues.ProtectionLeg{Status: venues.ProtectionPending, Price: price.Decimal}
	}
	return &venues.Protection{StopLoss: leg(spec.StopLoss), TakeProfit: leg(spec.TakeProfit)}
}

// CheckPrices compares stop loss and take profit with the price at which the order
// would enter, its own or the mark price: they must lie on opposite sides of it. An
// order that only reduces may have neither.
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

// CheckLegQty compares the quantity of an order with what one leg can close: legs are
// market orders, unless the venue attaches them itself.
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

// requestedField names the protection that an order requests; empty if none.
func requestedField(spec *venues.OrderSpec) string {
	switch {
	case spec.StopLoss.Valid:
		return "stopLoss"
	case spec.TakeProfit.Valid:
		return "takeProfit"
	}
	return ""
}
