package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// IncomeKind is the cause of a change of a wallet.
type IncomeKind uint8

// Kinds of income.
const (
	IncomeRealized IncomeKind = iota
	IncomeCommission
	IncomeFunding
	IncomeTransfer
	IncomeInsurance
)

// Income is one change of an account's wallet; Amount is negative for a cost.
type Income struct {
	ID      int64
	Kind    IncomeKind
	Symbol  string
	Amount  decimal.Decimal
	TradeID int64
	Time    time.Time
}

func (x *Exchange) addIncome(a *account, income Income) {
	x.tranID++
	income.ID, income.Time = x.tranID, x.clock.Now()
	a.income = appendBounded(a.income, income, incomeMax)
}

func (x *Exchange) addFillIncome(a *account, f Fill) {
	if !f.RealizedPnL.IsZero() {
		x.addIncome(a, Income{Kind: IncomeRealized, Symbol: f.Symbol, Amount: f.RealizedPnL, TradeID: f.TradeID})
	}
	x.addIncome(a, Income{Kind: IncomeCommission, Symbol: f.Symbol, Amount: f.Fee.Neg(), TradeID: f.TradeID})
}

// payFunding pays the funding of a symbol when it is due. After a jump of the clock
// over several funding times it is paid once.
func (x *Exchange) payFunding(s *symbol, now time.Time) {
	if now.Before(s.nextFunding) {
		return
	}
	s.nextFunding = now.Truncate(x.options.FundingInterval).Add(x.options.FundingInterval)
	if s.halted || s.FundingRate.IsZero() {
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
		a.wallet = a.wallet.Add(amount)
		a.updatedAt = x.clock.Now()
		event := AccountEvent{Account: a.id, Reason: AccountFunding, Symbol: h.Symbol, Change: amount}
		if h.isolated {
			p.isolated = p.isolated.Add(amount)
			event.Positions = []PositionView{a.positionView(h, p.side, a.sums())}
		}
		x.addIncome(a, Income{Kind: IncomeFunding, Symbol: h.Symbol, Amount: amount})
		event.Balance = a.balance()
		x.emit(event)
		h.marginsDue = true
	}
}
