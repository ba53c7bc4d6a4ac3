package venues

import (
	"time"

	"github.com/shopspring/decimal"
)

// Command is what every order to an owner of state carries: who asks, under
// which id, and until when an answer is of use. The id makes a repeat of the
// same command harmless; it is not the client's requestId.
type Command struct {
	ID       string
	Customer string
	// Deadline, if given, is when it is too late to begin: an order that has not
	// been sent to its venue by then never is.
	Deadline time.Time
	// ReceivedAt, if given, is when the request came in that the command is
	// carried out for: the window of its requestId begins there, not here.
	ReceivedAt Time
}

// PlaceOrder asks for one order.
type PlaceOrder struct {
	Command
	OrderSpec
	Exchange Venue
	// RequestID is the client's idempotency key, `[A-Za-z0-9._:-]{1,64}`, or
	// empty; Scope is where it counts (persistence.ScopeREST or a channel id)
	// and BodyHash is SHA-256 of the canonical body.
	RequestID string
	Scope     string
	BodyHash  []byte
	Source    Source
	ChannelID string
	Comment   string
	// ClosesAs is the reason of position.closed if the order closes a position
	// and is neither protection nor a liquidation; empty is ClosedManual.
	ClosesAs CloseReason
	// MaxPosition bounds the position, in base coin, that the order may lead to
	// together with the orders in flight; unknown does not limit. Past it the
	// order is risk_rejected, rule RuleMaxPosition.
	MaxPosition Optional
	// NotOpposite refuses the order, risk_rejected with rule RuleOpposite, while
	// a position on the other side is open.
	NotOpposite bool
}

// Rules that an order is held to for the sake of a channel; details.rule of
// risk_rejected.
const (
	RuleMaxPosition = "max_qty"
	RuleOpposite    = "opposite_position"
)

// AmendOrder changes an active order; unknown fields stay as they are. Qty is
// the new total including what is filled.
type AmendOrder struct {
	Command
	OrderID      string
	Qty          Optional
	Price        Optional
	TriggerPrice Optional
	StopLoss     Optional
	TakeProfit   Optional
	// DropStopLoss and DropTakeProfit remove what protects the order.
	DropStopLoss   bool
	DropTakeProfit bool
}

// ChangesProtection says whether stop loss or take profit are to change.
func (a *AmendOrder) ChangesProtection() bool {
	return a.StopLoss.Valid || a.TakeProfit.Valid || a.DropStopLoss || a.DropTakeProfit
}

// CancelOrder cancels one order.
type CancelOrder struct {
	Command
	OrderID string
}

// CancelOrders cancels every order that matches; empty fields match all.
type CancelOrders struct {
	Command
	Exchange Venue
	Symbol   string
}

// CancelResult is what became of one order of CancelOrders: cancelled,
// not_found, failed or unknown.
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

// ClosePosition asks for a reduce-only market order; an unknown Qty closes all.
type ClosePosition struct {
	Command
	Exchange  Venue
	Symbol    string
	Qty       Optional
	RequestID string
	BodyHash  []byte
	// Closes, if given, is the side of the order: a position that it would not
	// reduce is order_rejected, reason no_position.
	Closes Side
	// Scope, Source, ChannelID, Comment and ClosesAs are those of PlaceOrder;
	// empty ones are those of the REST API.
	Scope     string
	Source    Source
	ChannelID string
	Comment   string
	ClosesAs  CloseReason
}

// ChangeLeverage sets the leverage of an instrument.
type ChangeLeverage struct {
	Command
	Exchange Venue
	Symbol   string
	Leverage decimal.Decimal
}

// ReadAccount asks for balances or positions; empty fields match all.
type ReadAccount struct {
	Command
	Exchange Venue
	Symbol   string
	Currency string
}

// VenueFailure names a venue that did not answer a read over several.
type VenueFailure struct {
	Exchange Venue
	Error    *Error
}
