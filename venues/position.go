package venues

import (
	"time"

	"github.com/shopspring/decimal"
)

// PositionSide is the direction of a position.
type PositionSide string

// Position sides.
const (
	Long  PositionSide = "long"
	Short PositionSide = "short"
)

// ClosedBy returns the side of the orders that reduce a position of this side.
func (p PositionSide) ClosedBy() Side {
	if p == Short {
		return Buy
	}
	return Sell
}

// MarginMode of a position.
type MarginMode string

// Margin modes.
const (
	MarginCross    MarginMode = "cross"
	MarginIsolated MarginMode = "isolated"
)

// Position is an open position. Qty is positive, in base coin. A closed position is
// published once, with Qty zero and a CloseReason.
type Position struct {
	Exchange         Venue           `json:"exchange"`
	Symbol           string          `json:"symbol"`
	Side             PositionSide    `json:"side"`
	Qty              decimal.Decimal `json:"qty"`
	EntryPrice       Optional        `json:"entryPrice"`
	MarkPrice        Optional        `json:"markPrice"`
	LiquidationPrice Optional        `json:"liquidationPrice"`
	UnrealizedPnl    Optional        `json:"unrealizedPnl"`
	Leverage         Optional        `json:"leverage"`
	AccountType      string          `json:"accountType,omitempty"`
	MarginMode       MarginMode      `json:"marginMode,omitempty"`
	StopLoss         Optional        `json:"stopLoss"`
	TakeProfit       Optional        `json:"takeProfit"`
	OpenedAt         Time            `json:"openedAt"`
	UpdatedAt        Time            `json:"updatedAt"`
	Reason           CloseReason     `json:"reason,omitempty"`
}

// Key identifies a position within an account. In hedge mode an instrument has two
// positions.
func (p *Position) Key() string { return p.Symbol + "/" + string(p.Side) }

// Gain returns what the position gains by a change of the price.
func (p *Position) Gain(change decimal.Decimal) decimal.Decimal {
	if p.Side == Short {
		change = change.Neg()
	}
	return change.Mul(p.Qty)
}

// CloseReason is what closed a position.
type CloseReason string

// Close reasons of the event position.closed.
const (
	ClosedManual      CloseReason = "manual"
	ClosedTakeProfit  CloseReason = "take_profit"
	ClosedStopLoss    CloseReason = "stop_loss"
	ClosedLiquidation CloseReason = "liquidation"
	ClosedOpposite    CloseReason = "opposite_signal"
)

// Balance is one settlement currency of an account: the Account record of the public
// interface.
type Balance struct {
	Exchange      Venue           `json:"exchange"`
	AccountType   string          `json:"accountType"`
	Equity        decimal.Decimal `json:"equity"`
	Available     decimal.Decimal `json:"available"`
	UsedMargin    decimal.Decimal `json:"usedMargin"`
	UnrealizedPnl decimal.Decimal `json:"unrealizedPnl"`
	Currency      string          `json:"currency"`
}

// AccountMode is the configuration of an account at its venue. The service reads it and
// respects it; it never changes it without a request.
type AccountMode struct {
	AccountType string
	// NoDerivatives: an account of this type cannot trade derivatives.
	NoDerivatives bool
	Hedge         bool
	ReadAt        time.Time
}

// LeverageChange is the result of a change of leverage, read back after the change.
type LeverageChange struct {
	Exchange         Venue           `json:"exchange"`
	Symbol           string          `json:"symbol"`
	Leverage         decimal.Decimal `json:"leverage"`
	PreviousLeverage Optional        `json:"previousLeverage"`
}

// NoPosition returns the rejection of a close where nothing is open.
func NoPosition(symbol string) *Error {
	return Errorf(CodeOrderRejected, "no open position in %s", symbol).With("reason", ReasonNoPosition)
}
