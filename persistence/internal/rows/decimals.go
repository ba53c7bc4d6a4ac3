package rows

import (
	"fmt"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// strictDecimal is a decimal on its way in: a JSON string in plain notation.
// The decimal library itself would also take bare numbers and exponents.
type strictDecimal decimal.Decimal

// UnmarshalJSON reads a quoted plain decimal.
func (d *strictDecimal) UnmarshalJSON(data []byte) error {
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return venues.ErrDecimal
	}
	parsed, err := venues.ParseVenueDecimal(string(data[1 : len(data)-1]))
	*d = strictDecimal(parsed)
	return err
}

// strictOptional is a strictDecimal or null.
type strictOptional venues.Optional

// UnmarshalJSON reads a quoted plain decimal or null.
func (o *strictOptional) UnmarshalJSON(data []byte) error {
	*o = strictOptional{}
	if string(data) == "null" {
		return nil
	}
	o.Valid = true
	return (*strictDecimal)(&o.Decimal).UnmarshalJSON(data)
}

// orderRow is an OrderRecord on its way in. Its fields hide the decimals of the
// record of the same JSON names.
type orderRow struct {
	persistence.OrderRecord
	Qty          strictDecimal  `json:"qty"`
	Price        strictOptional `json:"price"`
	TriggerPrice strictOptional `json:"triggerPrice"`
	StopLoss     strictOptional `json:"stopLoss"`
	TakeProfit   strictOptional `json:"takeProfit"`
	FilledQty    strictDecimal  `json:"filledQty"`
	AvgPrice     strictOptional `json:"avgPrice"`
	Fee          strictOptional `json:"fee"`
	Protection   *protectionRow `json:"protection"`
}

type protectionRow struct {
	StopLoss   *protectionLegRow `json:"stopLoss"`
	TakeProfit *protectionLegRow `json:"takeProfit"`
}

type protectionLegRow struct {
	venues.ProtectionLeg
	Price strictDecimal `json:"price"`
}

func decodeOrder(value []byte) (persistence.OrderRecord, error) {
	row, err := decode[orderRow](value)
	if err != nil {
		return persistence.OrderRecord{}, err
	}
	record := row.OrderRecord
	record.Qty = decimal.Decimal(row.Qty)
	record.Price = venues.Optional(row.Price)
	record.TriggerPrice = venues.Optional(row.TriggerPrice)
	record.StopLoss = venues.Optional(row.StopLoss)
	record.TakeProfit = venues.Optional(row.TakeProfit)
	record.FilledQty = decimal.Decimal(row.FilledQty)
	record.AvgPrice = venues.Optional(row.AvgPrice)
	record.Fee = venues.Optional(row.Fee)
	if row.Protection != nil {
		record.Protection = &venues.Protection{
			StopLoss:   row.Protection.StopLoss.leg(),
			TakeProfit: row.Protection.TakeProfit.leg(),
		}
	}
	return record, nil
}

func (r *protectionLegRow) leg() *venues.ProtectionLeg {
	if r == nil {
		return nil
	}
	leg := r.ProtectionLeg
	leg.Price = decimal.Decimal(r.Price)
	return &leg
}

// fillRow is a FillRecord on its way in.
type fillRow struct {
	persistence.FillRecord
	Qty         strictDecimal  `json:"qty"`
	Price       strictDecimal  `json:"price"`
	Fee         strictOptional `json:"fee"`
	RealizedPnl strictOptional `json:"realizedPnl"`
}

func decodeFill(value []byte) (persistence.FillRecord, error) {
	row, err := decode[fillRow](value)
	if err != nil {
		return persistence.FillRecord{}, err
	}
	record := row.FillRecord
	record.Qty = decimal.Decimal(row.Qty)
	record.Price = decimal.Decimal(row.Price)
	record.Fee = venues.Optional(row.Fee)
	record.RealizedPnl = venues.Optional(row.RealizedPnl)
	return record, nil
}

// checkValue finds what would be printed and could not be read again: decimals
// and moments out of bounds.
func checkValue(v any) error {
	switch r := v.(type) {
	case persistence.OrderRecord:
		return checkOrder(&r)
	case persistence.FillRecord:
		optionals := []venues.Optional{venues.Some(r.Qty), venues.Some(r.Price), r.Fee, r.RealizedPnl}
		return firstError(checkDecimals(optionals...), checkTimes(r.ExecutedAt))
	case persistence.Customer:
		return checkTimes(r.CreatedAt)
	case persistence.APIKey:
		return checkTimes(r.CreatedAt, r.ExpiresAt, r.RevokedAt)
	case persistence.VenueAccount:
		return checkTimes(r.CreatedAt, r.RemovedAt)
	case persistence.IdempotencyRecord:
		return checkTimes(r.FirstReceived, r.FreedAt)
	case persistence.AccountState:
		for _, until := range r.FillsUntil {
			if err := checkTimes(until); err != nil {
				return err
			}
		}
		return nil
	case persistence.Setting:
		return nil
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
		venues.Some(r.FilledQty), r.AvgPrice, r.Fee,
	}
	if r.Protection != nil {
		for _, leg := range []*venues.ProtectionLeg{r.Protection.StopLoss, r.Protection.TakeProfit} {
			if leg != nil {
				optionals = append(optionals, venues.Some(leg.Price))
			}
		}
	}
	return firstError(checkDecimals(optionals...), checkTimes(r.CreatedAt, r.UpdatedAt, r.Deadline, r.UnknownSince))
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
