package binancesim

import (
	"time"

	"github.com/shopspring/decimal"
)

// The venue pads decimals in REST answers to the precision of the symbol and
// trims them in user events.

// price pads a price of the symbol.
func (l *listing) price(d decimal.Decimal) string { return d.StringFixed(l.pricePlaces) }

// qty pads a quantity of the symbol.
func (l *listing) qty(d decimal.Decimal) string { return d.StringFixed(l.qtyPlaces) }

// money prints eight decimals and truncates the rest.
func money(d decimal.Decimal) string { return d.Truncate(8).StringFixed(8) }

// moneyOrZero prints eight decimals, or "0" for zero.
func moneyOrZero(d decimal.Decimal) string {
	if d.IsZero() {
		return "0"
	}
	return money(d)
}

// average prints an average price of a query.
func average(d decimal.Decimal) string { return d.StringFixed(5) }

// trimmed prints no superfluous zeros.
func trimmed(d decimal.Decimal) string { return d.String() }

// cumQuote prints a cumulative quote amount in its precision.
func (l *listing) cumQuote(d decimal.Decimal) string {
	return d.StringFixed(l.pricePlaces + l.qtyPlaces)
}

// entry prints an entry price: trimmed, but "0.0" where there is none.
func entry(d decimal.Decimal) string {
	if d.IsZero() {
		return "0.0"
	}
	return d.String()
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
