package account

import "venuegate/venues"

// triggerDirection returns the direction in which the price reaches the trigger of a stop:
// against the position for a stop loss, with it for a take profit, and upwards to buy or
// downwards to sell for other stops. It is empty for stops that were placed outside the
// service, which may be of either kind.
func (o *order) triggerDirection() venues.TriggerDirection {
	if !o.Type.IsStop() || o.Protects == "" && o.Source == venues.SourceVenue {
		return ""
	}
	return directionOf(o.Side, o.Protects)
}

func directionOf(side venues.Side, protects venues.LegKind) venues.TriggerDirection {
	if (side == venues.Sell) == (protects != venues.LegTakeProfit) {
		return venues.TriggerFalling
	}
	return venues.TriggerRising
}

// checkNewTrigger rejects a stop whose trigger the price has already reached. The venue
// decides where the mark price is not known, or differs from the last price, to which the
// triggers of orders refer.
func checkNewTrigger(spec *venues.OrderSpec, mark venues.Optional) *venues.Error {
	if !spec.Type.IsStop() {
		return nil
	}
	return checkTrigger(spec.TriggerPrice, directionOf(spec.Side, ""), mark)
}

// checkMovedTrigger is checkNewTrigger for the trigger of an order that is amended. The old
// trigger of an order that was placed outside the service has its direction.
func checkMovedTrigger(o *order, trigger, mark venues.Optional) *venues.Error {
	direction := o.triggerDirection()
	if direction == "" && mark.Valid {
		direction = venues.TriggerFalling
		if o.TriggerPrice.Decimal.GreaterThanOrEqual(mark.Decimal) {
			direction = venues.TriggerRising
		}
	}
	return checkTrigger(trigger, direction, mark)
}

func checkTrigger(trigger venues.Optional, direction venues.TriggerDirection, mark venues.Optional) *venues.Error {
	if !trigger.Valid || !mark.Valid {
		return nil
	}
	allowed := "above "
	isReached := trigger.Decimal.LessThanOrEqual(mark.Decimal)
	if direction == venues.TriggerFalling {
		allowed, isReached = "below ", trigger.Decimal.GreaterThanOrEqual(mark.Decimal)
	}
	if !isReached {
		return nil
	}
	return venues.InvalidFields(venues.FieldError{
		Field: "triggerPrice", Rule: venues.ReasonWouldTrigger, Given: venues.FormatDecimal(trigger.Decimal),
		Allowed: allowed + venues.FormatDecimal(mark.Decimal),
	})
}
