package simcore

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// FundingPayment is one funding of a symbol: its time, rate and mark price.
type FundingPayment struct {
	Time       time.Time
	Rate, Mark decimal.Decimal
}

// fundingsKept is how many funding payments of a symbol are kept.
const fundingsKept = 1000

// FundingPayments returns the funding payments of a symbol, oldest first.
func (x *Exchange) FundingPayments(symbolName string) []FundingPayment {
	payments, _ := readSymbol(x, symbolName, func(s *symbol) []FundingPayment { return slices.Clone(s.fundings) })
	return payments
}

// payFunding pays the funding of a symbol when it is due. After a jump of the clock
// over several funding times it is paid once.
func (x *Exchange) payFunding(s *symbol, now time.Time) {
	if now.Before(s.nextFunding) {
		return
	}
	due := now.Truncate(x.options.FundingInterval)
	s.nextFunding = due.Add(x.options.FundingInterval)
	if s.halted {
		return
	}
	payment := FundingPayment{Time: due, Rate: s.FundingRate, Mark: s.mark}
	s.fundings = appendBounded(s.fundings, payment, fundingsKept)
	x.state.addFunding(s, payment)
	if s.FundingRate.IsZero() {
		return
	}
	for _, id := range x.ids {
		if a := x.accounts[id]; a.holdings[s.Symbol] != nil {
			x.payFundingOf(a, a.holdings[s.Symbol])
		}
	}
}

// payFundingOf charges longs and pays shorts while the rate is positive.
func (x *Exchange) payFundingOf(a *account, h *holding) {
	for i := range h.positions {
		p := &h.positions[i]
		if p.lots == 0 {
			continue
		}
		amount := h.notional(h.mark, p.lots).Mul(h.FundingRate).Truncate(moneyDigits).Neg()
		change := h.positionChange(CauseFunding, p)
		change.Amount, change.FundingRate = amount, h.FundingRate
		event := AccountEvent{
			Account: a.id, Reason: AccountFunding, Symbol: h.Symbol, Change: amount, FundingRate: h.FundingRate,
			ChangeID: x.changeWallet(a, change),
		}
		if h.isolated {
			p.isolated = p.isolated.Add(amount)
		}
		event.Funded, event.Balance = a.positionView(h, p.side, a.sums()), a.balance()
		if h.isolated {
			event.Positions = []PositionView{event.Funded}
		}
		x.emit(event)
		h.marginsDue = true
	}
}
