package account

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// feePriceEvery is how often the price of a currency is looked for in which fees
// were paid that the daily loss does not hold yet.
const feePriceEvery = 5 * time.Second

// uncounted are the fees of the day in one currency of which nobody knows what
// they are worth.
type uncounted struct {
	amount decimal.Decimal
	// symbol is an instrument that is settled in the currency of the limits.
	symbol string
}

// alike are settlement currencies that count as one; see persistence.RiskLimits.
var alike = []string{"USDT", "USDC"}

// isForeign says whether a fee was paid in another currency than the settlement's,
// such as a venue's own token.
func isForeign(f *venues.Fill) bool {
	base, _, _ := strings.Cut(f.Symbol, "-")
	return f.Fee.Valid && !f.Fee.Decimal.IsZero() && !strings.HasSuffix(base, f.FeeCurrency) && !slices.Contains(alike, f.FeeCurrency)
}

// feeWorth is what a foreign fee is worth in the settlement currency, at the mark
// price of this moment; unknown if there is none.
func feeWorth(m moment, f *venues.Fill) venues.Optional {
	if !isForeign(f) {
		return venues.Optional{}
	}
	return worth(m, f.Fee.Decimal, f.FeeCurrency, f.Symbol)
}

func worth(m moment, amount decimal.Decimal, currency, symbol string) venues.Optional {
	price := m.price(currency, symbol)
	if !price.Valid {
		return venues.Optional{}
	}
	return venues.Some(amount.Mul(price.Decimal).Round(feeDecimals))
}

// earnedBy is what an execution brought, as far as that is known.
func earnedBy(r *persistence.FillRecord) decimal.Decimal {
	fee := r.Fee
	if isForeign(&r.Fill) {
		fee = r.FeeWorth
	}
	return r.RealizedPnl.Decimal.Sub(fee.Decimal)
}

// isUncounted says whether earnedBy lacks the fee.
func isUncounted(r *persistence.FillRecord) bool { return isForeign(&r.Fill) && !r.FeeWorth.Valid }

// add counts an execution of the day.
func (d *dayResult) add(r *persistence.FillRecord) {
	d.earned = d.earned.Add(earnedBy(r))
	if !isUncounted(r) {
		return
	}
	if d.uncounted == nil {
		d.uncounted = map[string]uncounted{}
	}
	sum := d.uncounted[r.FeeCurrency]
	d.uncounted[r.FeeCurrency] = uncounted{sum.amount.Add(r.Fee.Decimal), r.Symbol}
}

// countFill counts an execution of the day. A fee that the daily loss cannot hold
// yet is said.
func (s *state) countFill(m moment, r *persistence.FillRecord) {
	if r.ExecutedAt.Before(s.risk.day) {
		return
	}
	_, before := s.risk.uncounted[r.FeeCurrency]
	s.risk.add(r)
	if !isUncounted(r) {
		return
	}
	s.risk.feesDue = earlier(s.risk.feesDue, m.now.Add(feePriceEvery))
	s.putUncounted()
	if !before {
		s.journal(m, "risk.fee_uncounted", string(s.exchange),
			persistence.JournalField{Name: "currency", Value: r.FeeCurrency},
			persistence.JournalField{Name: "amount", Value: venues.FormatDecimal(r.Fee.Decimal)},
			persistence.JournalField{Name: "fill", Value: r.FillID})
	}
}

// countFees counts the fees whose price has become known, at that price.
func (s *state) countFees(m moment) {
	if len(s.risk.uncounted) == 0 {
		s.risk.feesDue = time.Time{}
		return
	}
	for _, currency := range slices.Sorted(maps.Keys(s.risk.uncounted)) {
		fees := s.risk.uncounted[currency]
		value := worth(m, fees.amount, currency, fees.symbol)
		if !value.Valid {
			continue
		}
		delete(s.risk.uncounted, currency)
		s.risk.earned = s.risk.earned.Sub(value.Decimal)
		s.putUncounted()
		s.journal(m, "risk.fee_counted", string(s.exchange),
			persistence.JournalField{Name: "currency", Value: currency},
			persistence.JournalField{Name: "amount", Value: venues.FormatDecimal(fees.amount)},
			persistence.JournalField{Name: "worth", Value: venues.FormatDecimal(value.Decimal)})
	}
	if isDue(s.risk.feesDue, m.now) || s.risk.feesDue.IsZero() {
		s.risk.feesDue = m.now.Add(feePriceEvery)
	}
}

// putUncounted shows what the daily loss lacks with the account's risk.
func (s *state) putUncounted() {
	s.risk.record.Uncounted = nil
	for _, currency := range slices.Sorted(maps.Keys(s.risk.uncounted)) {
		s.risk.record.Uncounted = append(s.risk.record.Uncounted, persistence.UncountedFees{Currency: currency, Amount: s.risk.uncounted[currency].amount})
	}
	s.putRisk()
}
