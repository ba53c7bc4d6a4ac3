package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// WalletCause is the cause of a change of a wallet.
type WalletCause uint8

// Causes of changes of a wallet.
const (
	CauseTrade WalletCause = iota
	CauseFunding
	CauseTransfer
	CauseLiquidationFee
	CauseInsurance
)

// WalletChange is one change of an account's wallet.
type WalletChange struct {
	// ID rises with every change of the exchange.
	ID    int64
	Cause WalletCause
	// Symbol and PosSide name the position, Qty is its signed quantity after the
	// change. Symbol is empty where there is none.
	Symbol   string
	PosSide  PositionSide
	Qty      decimal.Decimal
	Isolated bool
	// Mark is the mark price.
	Mark decimal.Decimal
	// Amount is negative for a cost. That of a trade is its realised profit less its
	// fee.
	Amount decimal.Decimal
	// Balance is the wallet after the change.
	Balance decimal.Decimal
	// Fill is the fill of a trade.
	Fill *Fill
	// FundingRate is that of a funding.
	FundingRate decimal.Decimal
	Time        time.Time
}

// positionChange returns a change of the wallet by a position, without its amount.
func (h *holding) positionChange(cause WalletCause, p *position) WalletChange {
	return WalletChange{
		Cause: cause, Symbol: h.Symbol, PosSide: p.side, Qty: h.sizes.value(p.lots), Isolated: h.isolated, Mark: h.mark,
	}
}

// changeWallet adds the amount of a change to the wallet, records the change and
// returns its id.
func (x *Exchange) changeWallet(a *account, change WalletChange) int64 {
	x.changeID++
	a.wallet = a.wallet.Add(change.Amount)
	a.updatedAt = x.clock.Now()
	change.ID, change.Time, change.Balance = x.changeID, a.updatedAt, a.wallet
	a.changes = appendBounded(a.changes, change, changesMax)
	x.state.addChange(a, change)
	return change.ID
}

// WalletChanges returns the changes of an account's wallet for which keep is true,
// oldest first.
func (x *Exchange) WalletChanges(accountID string, keep func(*WalletChange) bool) []WalletChange {
	return readAccount(x, accountID, func(a *account) []WalletChange { return filter(a.changes, keep) })
}
