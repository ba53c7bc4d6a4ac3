package venues

import (
	"time"

	"github.com/shopspring/decimal"
)

// ExecutionReport is the state of one order as reported by its venue, in an answer or in
// an event. It is cumulative: FilledQty is the total so far, so duplicate and late
// reports are harmless. Status is Pending where the venue answers before the order has
// reached the book (Capabilities.AsyncAck).
type ExecutionReport struct {
	Symbol        string
	ClientOrderID string
	VenueOrderID  string
	// ConditionalID: VenueOrderID is an id of the venue's conditional orders and not of
	// its matching engine. One number may identify an order in each.
	ConditionalID bool
	// ParentID is the id of the conditional order that this order of the matching engine
	// came from, where the venue reports it.
	ParentID     string
	Side         Side
	Type         OrderType
	Status       OrderStatus
	Qty          decimal.Decimal
	FilledQty    decimal.Decimal
	Price        Optional
	TriggerPrice Optional
	AvgPrice     Optional
	ReduceOnly   bool
	PostOnly     bool
	TimeInForce  TimeInForce
	// RejectReason is why the order was rejected, expired or was cancelled by the venue.
	RejectReason *RejectReason
	// Fill is the execution that this report carries, if any.
	Fill *Fill
	// Forced marks liquidations and the like.
	Forced bool
	// Attachment is set for an order that the venue created to protect a position.
	Attachment *Attachment
	// VenueTime is when the event happened by the venue's clock.
	VenueTime time.Time
}

// Liquidity of a fill.
type Liquidity string

// Liquidities.
const (
	Maker Liquidity = "maker"
	Taker Liquidity = "taker"
)

// Fill is one execution. A rebate is a negative fee. VenueTradeID is unique
// per (exchange, symbol, order).
type Fill struct {
	FillID    string `json:"fillId"`
	OrderID   string `json:"orderId,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	Exchange  Venue  `json:"exchange"`
	Symbol    string `json:"symbol"`
	Side      Side   `json:"side"`
	// PositionSide identifies the position in hedge mode. It is empty in one-way mode,
	// where the side is sufficient.
	PositionSide PositionSide    `json:"positionSide,omitempty"`
	Qty          decimal.Decimal `json:"qty"`
	Price        decimal.Decimal `json:"price"`
	Fee          Optional        `json:"fee"`
	FeeCurrency  string          `json:"feeCurrency,omitempty"`
	Liquidity    Liquidity       `json:"liquidity,omitempty"`
	RealizedPnl  Optional        `json:"realizedPnl"`
	Source       Source          `json:"source"`
	VenueTradeID string          `json:"venueTradeId"`
	VenueOrderID string          `json:"venueOrderId,omitempty"`
	ExecutedAt   Time            `json:"executedAt"`
}

// FillsQuery selects one instrument's executions in [From, To), oldest first. Connectors
// hide the venue's limits of time span and page size.
type FillsQuery struct {
	Symbol string
	From   time.Time
	To     time.Time
}

// Attachment describes an order that a venue created to protect a position. One order may
// have both triggers; the first one reached counts.
type Attachment struct {
	// EntryClientID is the client order id of the order that the protection was attached
	// to; empty if the venue does not report it.
	EntryClientID string
	// WholePosition: the order protects the whole position, whichever order it was
	// attached to. A newer one replaces it.
	WholePosition bool
	// StopLoss and TakeProfit are the triggers of the order.
	StopLoss   Optional
	TakeProfit Optional
	// Triggered is the trigger that was reached; empty before that, and where the venue
	// does not report which of the two it was.
	Triggered LegKind
}

// Trigger returns the trigger price of a kind.
func (a *Attachment) Trigger(kind LegKind) Optional {
	if kind == LegStopLoss {
		return a.StopLoss
	}
	return a.TakeProfit
}
