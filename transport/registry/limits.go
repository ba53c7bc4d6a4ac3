package registry

import (
	"strconv"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// openOrdersMax bounds the limit on open orders: more than any account may have.
const openOrdersMax = 1_000_000

// Limits are the limits of an account; null is no limit. Amounts are decimal strings in
// the settlement currency.
type Limits struct {
	DailyLoss        *string `json:"dailyLoss"`
	MaxOrderNotional *string `json:"maxOrderNotional"`
	MaxOpenOrders    *int    `json:"maxOpenOrders"`
}

// parse validates limits.
func (l *Limits) parse() (persistence.RiskLimits, error) {
	var limits persistence.RiskLimits
	for _, amount := range []struct {
		field string
		text  *string
		into  *venues.Optional
	}{
		{"limits.dailyLoss", l.DailyLoss, &limits.DailyLoss},
		{"limits.maxOrderNotional", l.MaxOrderNotional, &limits.MaxOrderNotional},
	} {
		if amount.text == nil {
			continue
		}
		d, err := parsePositive(amount.field, *amount.text, "such as 500")
		if err != nil {
			return limits, err
		}
		*amount.into = venues.Some(d)
	}
	if n := l.MaxOpenOrders; n != nil {
		if *n < 1 || *n > openOrdersMax {
			return limits, api.FieldError("limits.maxOpenOrders", api.RuleOutOfRange, strconv.Itoa(*n), "1 to "+strconv.Itoa(openOrdersMax))
		}
		limits.MaxOpenOrders = *n
	}
	return limits, nil
}

// fields returns the limits for the journal.
func (l *Limits) fields() []persistence.JournalField {
	open := "none"
	if l.MaxOpenOrders != nil {
		open = strconv.Itoa(*l.MaxOpenOrders)
	}
	return []persistence.JournalField{
		field("daily_loss", orNone(l.DailyLoss)), field("max_order_notional", orNone(l.MaxOrderNotional)), field("max_open_orders", open),
	}
}

func orNone(text *string) string {
	if text == nil {
		return "none"
	}
	return *text
}

func limitsOf(r persistence.RiskLimits) Limits {
	l := Limits{DailyLoss: formatOptional(r.DailyLoss), MaxOrderNotional: formatOptional(r.MaxOrderNotional)}
	if r.MaxOpenOrders > 0 {
		l.MaxOpenOrders = &r.MaxOpenOrders
	}
	return l
}

func formatOptional(o venues.Optional) *string {
	if !o.Valid {
		return nil
	}
	text := venues.FormatDecimal(o.Decimal)
	return &text
}

// parsePositive parses a decimal above zero in a field of a request.
func parsePositive(field, text, example string) (decimal.Decimal, error) {
	d, err := venues.ParseDecimal(text)
	if err != nil {
		return d, api.FieldError(field, api.RuleNotADecimal, text, example)
	}
	if !d.IsPositive() {
		return d, api.FieldError(field, api.RuleNotPositive, text, example)
	}
	return d, nil
}
