package account

import "venuegate/venues"

// triggerDirection returns the direction in which the price reaches the trigger of a stop:
// against the position for a stop loss, with it for a take profit, that of the record for
// other stops.
func (o *order) triggerDirection() venues.TriggerDirection {
	switch {
	case !o.Type.IsStop():
		return ""
	case o.Protects == venues.LegTakeProfit:
		return stopDirection(o.Side.Opposite())
	case o.Protects == venues.LegStopLoss:
		return stopDirection(o.Side)
	}
	return o.TriggerDirection
}

// stopDirection returns the direction of a new stop: upwards to buy, downwards to sell.
func stopDirection(side venues.Side) venues.TriggerDirection {
	if side == venues.Buy {
		return venues.TriggerRising
	}
	return venues.TriggerFalling
}

// shownDirection returns the direction that the trigger of an active stop shows: it is that
// of an order whose direction is not known, because it was placed outside the service.
func shownDirection(trigger, last venues.Optional) venues.TriggerDirection {
	switch {
	case !trigger.Valid || !last.Valid:
		return ""
	case trigger.Decimal.GreaterThan(last.Decimal):
		return venues.TriggerRising
	}
	return venues.TriggerFalling
}

// checkTrigger rejects the replacement of a stop by one whose trigger the last price has already
// reached, because the venue would reject it after the order was cancelled. The venue decides
// where that price or the direction is not known, about every new stop, and about an amend that
// it carries out itself: its price may be newer than the one received here.
func checkTrigger(trigger venues.Optional, direction venues.TriggerDirection, last venues.Optional) *venues.Error {
	if !trigger.Valid || !last.Valid || direction == "" {
		return nil
	}
	allowed, isReached := "above ", trigger.Decimal.LessThanOrEqual(last.Decimal)
	if direction == venues.TriggerFalling {
		allowed, isReached = "below ", trigger.Decimal.GreaterThanOrEqual(last.Decimal)
	}
	if !isReached {
		return nil
	}
	return venues.InvalidFields(venues.FieldError{
		Field: "triggerPrice", Rule: venues.ReasonWouldTrigger, Given: venues.FormatDecimal(trigger.Decimal),
		Allowed: allowed + venues.FormatDecimal(last.Decimal),
	})
}
