package risk

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/deadline"
	"venuegate/actors/account/position"
	"venuegate/persistence"
	"venuegate/venues"
)

// FeePriceEvery is the time between two lookups of the price of a currency with uncounted
// fees.
const FeePriceEvery = 5 * time.Second

// uncounted has the sum of the day's fees in one currency without a known price.
type uncounted struct {
	amount decimal.Decimal
	// symbol is an instrument whose settlement currency is that of the limits.
	symbol string
}

// equalCurrencies are settlement currencies that count one to one; see persistence.RiskLimits.
var equalCurrencies = []string{"USDT", "USDC"}

// isOtherCurrency reports whether a fee was paid in another currency than the settlement currency.
func isOtherCurrency(f *venues.Fill) bool {
	base, _, _ := strings.Cut(f.Symbol, "-")
	return f.Fee.Valid && !f.Fee.Decimal.IsZero() && !strings.HasSuffix(base, f.FeeCurrency) && !slices.Contains(equalCurrencies, f.FeeCurrency)
}

// FeeInSettlement returns a fee in another currency in the settlement currency, at the current
// mark price; unknown if there is none, or the fee is in the settlement currency.
func FeeInSettlement(a Account, f *venues.Fill) venues.Optional {
	if !isOtherCurrency(f) {
		return venues.Optional{}
	}
	return inSettlement(a, f.Fee.Decimal, f.FeeCurrency, f.Symbol)
}

func inSettlement(a Account, amount decimal.Decimal, currency, symbol string) venues.Optional {
	price := a.Price(currency, symbol)
	if !price.Valid {
		return venues.Optional{}
	}
	return venues.Some(amount.Mul(price.Decimal).Round(position.FeeDecimals))
}

// countedFee returns the fee of an execution in the settlement currency; zero if its price is
// not known.
func countedFee(r *persistence.FillRecord) decimal.Decimal {
	if isOtherCurrency(&r.Fill) {
		return r.FeeInSettlement.Decimal
	}
	return r.Fee.Decimal
}

// isUncounted reports whether countedFee does not include the fee.
func isUncounted(r *persistence.FillRecord) bool {
	return isOtherCurrency(&r.Fill) && !r.FeeInSettlement.Valid
}

// noteUncounted stores the uncounted fees after another one was added. The first one of a
// currency is journaled.
func (s *State) noteUncounted(a Account, r *persistence.FillRecord, isFirst bool) {
	s.feesDue = deadline.Earlier(s.feesDue, a.Now().Add(FeePriceEvery))
	s.storeUncounted(a)
	if isFirst {
		a.Journal("risk.fee_uncounted",
			persistence.JournalField{Name: "currency", Value: r.FeeCurrency},
			persistence.JournalField{Name: "amount", Value: venues.FormatDecimal(r.Fee.Decimal)},
			persistence.JournalField{Name: "fill", Value: r.FillID})
	}
}

// priceFees counts the fees whose price has become known, at that price.
func (s *State) priceFees(a Account) {
	if len(s.today.uncounted) == 0 {
		s.feesDue = time.Time{}
		return
	}
	for _, currency := range slices.Sorted(maps.Keys(s.today.uncounted)) {
		fees := s.today.uncounted[currency]
		value := inSettlement(a, fees.amount, currency, fees.symbol)
		if !value.Valid {
			continue
		}
		delete(s.today.uncounted, currency)
		s.today.Earned = s.today.Earned.Sub(value.Decimal)
		s.today.Fees = s.today.Fees.Add(value.Decimal)
		s.storeUncounted(a)
		a.Journal("risk.fee_counted",
			persistence.JournalField{Name: "currency", Value: currency},
			persistence.JournalField{Name: "amount", Value: venues.FormatDecimal(fees.amount)},
			persistence.JournalField{Name: "worth", Value: venues.FormatDecimal(value.Decimal)})
	}
	if deadline.Passed(s.feesDue, a.Now()) || s.feesDue.IsZero() {
		s.feesDue = a.Now().Add(FeePriceEvery)
	}
}

// storeUncounted stores the fees that the daily loss does not include.
func (s *State) storeUncounted(a Account) {
	s.record.Uncounted = nil
	for _, currency := range slices.Sorted(maps.Keys(s.today.uncounted)) {
		s.record.Uncounted = append(s.record.Uncounted, persistence.UncountedFees{Currency: currency, Amount: s.today.uncounted[currency].amount})
	}
	s.store(a)
}
