package rows

import (
	"fmt"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// checkValue finds what would be printed and could not be read again: decimals
// and moments out of bounds.
func checkValue(v any) error {
	switch r := v.(type) {
	case persistence.OrderRecord:
		return checkOrder(&r)
	case persistence.FillRecord:
		optionals := []venues.Optional{venues.Some(r.Qty), venues.Some(r.Price), r.Fee, r.RealizedPnl, r.FeeWorth}
		return firstError(checkDecimals(optionals...), checkTimes(r.ExecutedAt))
	case persistence.Customer:
		return checkTimes(r.CreatedAt)
	case persistence.APIKey:
		return checkTimes(r.CreatedAt, r.ExpiresAt, r.RevokedAt)
	case persistence.VenueAccount:
		return firstError(checkDecimals(r.Limits.DailyLoss, r.Limits.MaxOrderNotional), checkTimes(r.CreatedAt, r.RemovedAt, r.HaltedAt))
	case persistence.RiskRecord:
		return checkRisk(&r)
	case persistence.PositionRecord:
		return firstError(checkLife(r.Long), checkLife(r.Short), checkTimes(r.CutAt, r.KnownSince))
	case persistence.IdempotencyRecord:
		return checkTimes(r.FirstReceived, r.FreedAt)
	case persistence.AccountState:
		for _, until := range r.FillsUntil {
			if err := checkTimes(until); err != nil {
				return err
			}
		}
		return checkTimes(r.TradedUntil)
	case persistence.Setting, persistence.EndpointCursor:
		return nil
	case persistence.Channel:
		return firstError(checkDecimals(r.Rules.MaxQty), checkTimes(r.PreviousUntil, r.CreatedAt, r.RemovedAt))
	case persistence.SignalRecord:
		return firstError(checkDecimals(r.Qty, r.Price, r.StopLoss, r.TakeProfit),
			checkTimes(r.SentAt, r.ReceivedAt, r.ExpiresAt, r.UpdatedAt))
	case persistence.Endpoint:
		return checkTimes(r.NextFrom, r.CreatedAt, r.RemovedAt)
	case persistence.Delivery:
		return checkTimes(r.DueAt, r.CreatedAt, r.UpdatedAt)
	case persistence.Alert:
		return firstError(checkDecimals(venues.Some(r.Condition.Value)), checkTimes(r.FiredAt, r.CreatedAt, r.RemovedAt))
	case persistence.Event:
		return checkTimes(r.CreatedAt)
	case persistence.JournalEntry:
		return checkTimes(r.At)
	default:
		return fmt.Errorf("%w: %T is no record", ErrInvalid, v)
	}
}

func checkOrder(r *persistence.OrderRecord) error {
	optionals := []venues.Optional{
		venues.Some(r.Qty), r.Price, r.TriggerPrice, r.StopLoss, r.TakeProfit,
		venues.Some(r.FilledQty), r.AvgPrice, r.Fee, venues.Some(r.ReleasedQty),
	}
	return firstError(checkDecimals(optionals...), checkDecimals(legPrices(r.Protection)...),
		checkTimes(r.CreatedAt, r.UpdatedAt, r.Deadline, r.UnknownSince), checkAmendment(r.Amend))
}

func checkAmendment(a *persistence.Amendment) error {
	if a == nil {
		return nil
	}
	return firstError(checkDecimals(venues.Some(a.Qty), a.Price, a.TriggerPrice, a.StopLoss, a.TakeProfit),
		checkDecimals(legPrices(a.Before)...), checkTimes(a.Deadline))
}

func legPrices(p *venues.Protection) (prices []venues.Optional) {
	for _, kind := range []venues.Protecting{venues.ProtectingStopLoss, venues.ProtectingTakeProfit} {
		if leg := p.Leg(kind); leg != nil {
			prices = append(prices, venues.Some(leg.Price))
		}
	}
	return prices
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	// decimalDigitsMax is what venues.ParseVenueDecimal takes on each side of
	// the point.
	decimalDigitsMax = 2 * venues.DecimalDigitsMax
	// decimalExponentMin bounds the text that a decimal with superfluous zeros
	// may print before it is parsed to see.
	decimalExponentMin = -1024
)

func checkDecimals(optionals ...venues.Optional) error {
	for _, o := range optionals {
		if o.Valid && !storable(o.Decimal) {
			return fmt.Errorf("%w: a decimal of more than %d digits", ErrInvalid, decimalDigitsMax)
		}
	}
	return nil
}

func storable(d decimal.Decimal) bool {
	exponent := int(d.Exponent())
	if exponent > decimalDigitsMax || exponent < decimalExponentMin {
		return false
	}
	if exponent >= -decimalDigitsMax {
		return d.NumDigits()+exponent <= decimalDigitsMax
	}
	_, err := venues.ParseVenueDecimal(d.String())
	return err == nil
}

const yearMax = 9999

func checkTimes(times ...venues.Time) error {
	for _, t := range times {
		if year := t.UTC().Year(); year < 0 || year > yearMax {
			return fmt.Errorf("%w: a moment in the year %d", ErrInvalid, year)
		}
	}
	return nil
}
