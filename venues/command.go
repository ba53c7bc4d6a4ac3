package venues

import (
	"time"

	"github.com/shopspring/decimal"
)

// Command is the common part of every command to an actor that owns state. The id makes a
// repeated command harmless; it is not the client's requestId.
type Command struct {
	ID       string
	Customer string
	// Deadline, if set, is when the command expires: an order that has not been sent to
	// its venue by then is never sent.
	Deadline time.Time
	// ReceivedAt, if set, is when the request behind the command was received. The
	// requestId is remembered from that time on.
	ReceivedAt Time
	// Origin is the request behind the command, as far as the client has named it.
	Origin Origin
	// Hops are those of the order that the command places; nil records none.
	Hops *Hops
}

// PlaceOrder places one order.
type PlaceOrder struct {
	Command
	OrderSpec
	Exchange Venue
	// RequestID is the client's idempotency key, `[A-Za-z0-9._:-]{1,64}`, or empty. Scope
	// is the namespace of the key (persistence.ScopeREST or a channel id). BodyHash is
	// the SHA-256 of the canonical body.
	RequestID string
	Scope     string
	BodyHash  []byte
	Source    Source
	ChannelID string
	Comment   string
	// CloseReason is the reason in position.closed if the order closes a position and is
	// neither protection nor a liquidation; empty means ClosedManual.
	CloseReason CloseReason
	// MaxPosition limits the position, in base coin, that the order may lead to together
	// with the orders in flight; unknown means no limit. An order above it is rejected
	// with risk_rejected, rule RuleMaxPosition.
	MaxPosition Optional
	// RejectOpposite rejects the order with risk_rejected, rule RuleOpposite, while a
	// position on the other side is open.
	RejectOpposite bool
}

// Rules that a channel imposes on its orders; details.rule of risk_rejected.
const (
	RuleMaxPosition = "max_qty"
	RuleOpposite    = "opposite_position"
)

// AmendOrder changes an active order. Unknown fields stay as they are. Qty is the new
// total, including the filled part.
type AmendOrder struct {
	Command
	OrderID      string
	Qty          Optional
	Price        Optional
	TriggerPrice Optional
	StopLoss     Optional
	TakeProfit   Optional
	// RemoveStopLoss and RemoveTakeProfit remove a leg of the order's protection.
	RemoveStopLoss   bool
	RemoveTakeProfit bool
}

// ChangesProtection reports whether stop loss or take profit change.
func (a *AmendOrder) ChangesProtection() bool {
	return a.StopLoss.Valid || a.TakeProfit.Valid || a.RemoveStopLoss || a.RemoveTakeProfit
}

// CancelOrder cancels one order.
type CancelOrder struct {
	Command
	OrderID string
}

// CancelOrders cancels every order that matches. Empty fields match all.
type CancelOrders struct {
	Command
	Exchange Venue
	Symbol   string
}

// CancelResult is the result for one order of CancelOrders: cancelled, not_found, failed
// or unknown.
type CancelResult struct {
	OrderID  string
	Exchange Venue
	Symbol   string
	Result   string
	Error    *Error
}

// Results of CancelOrders.
const (
	CancelDone     = "cancelled"
	CancelNotFound = "not_found"
	CancelFailed   = "failed"
	CancelUnknown  = "unknown"
)

// ClosePosition places a reduce-only market order. An unknown Qty closes the whole
// position.
type ClosePosition struct {
	Command
	Exchange  Venue
	Symbol    string
	Qty       Optional
	RequestID string
	BodyHash  []byte
	// Side, if set, is the side of the order. A position that such an order would not
	// reduce is order_rejected, reason no_position.
	Side Side
	// Scope, Source, ChannelID, Comment and CloseReason are those of PlaceOrder; empty
	// means the REST API.
	Scope       string
	Source      Source
	ChannelID   string
	Comment     string
	CloseReason CloseReason
}

// ChangeLeverage sets the leverage of an instrument.
type ChangeLeverage struct {
	Command
	Exchange Venue
	Symbol   string
	Leverage decimal.Decimal
}

// ReadAccount requests balances or positions. Empty fields match all.
type ReadAccount struct {
	Command
	Exchange Venue
	Symbol   string
	Currency string
}

// ReadCandles requests the candles of an instrument that begin in [From, To).
type ReadCandles struct {
	Exchange  Venue
	Symbol    string
	Timeframe Timeframe
	From, To  time.Time
}

// VenueFailure names a venue that failed in a read over several venues.
type VenueFailure struct {
	Exchange Venue
	Error    *Error
}

// RiskReport is the loss of an account since 00:00 UTC, by its parts. Amounts are in the
// settlement currency.
type RiskReport struct {
	// Day is 00:00 UTC.
	Day Time
	// Realized is the realized P&L of the day's executions, Fees the fees that are counted.
	Realized, Fees decimal.Decimal
	// UnrealizedChange is the change of the unrealized P&L of the open positions since the
	// beginning of the day. It is unknown if that of a position is.
	UnrealizedChange Optional
	// Forgiven is the loss that an unlock has forgiven.
	Forgiven decimal.Decimal
	// Loss is Fees - Realized - UnrealizedChange - Forgiven; a gain is negative.
	Loss Optional
	// Remaining is the daily loss limit less Loss; unset without a limit.
	Remaining Optional
	// AsOf is when the venue's list of positions was last read.
	AsOf Time
	// Halt is the progress of the halt; nil if the account is not halted.
	Halt *HaltReport
}

// HaltReport is the progress of a halt. Done means that the venue's own list of
// orders is empty, that no outcome is unknown and, where positions are to be
// closed, that their list is empty too. Else it has what was left when the halt
// gave up; the halt continues from time to time.
type HaltReport struct {
	Done          bool `json:"done"`
	OpenOrders    int  `json:"openOrders"`
	OpenPositions int  `json:"openPositions"`
}
