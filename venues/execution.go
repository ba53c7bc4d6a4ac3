package venues

import (
	"time"

	"github.com/shopspring/decimal"
)

// ExecutionReport is what a venue said about one order, as an answer or as an
// event. It is cumulative: FilledQty is the total so far, so that duplicates
// and late reports do no harm. Status is Pending where the venue answers before
// the order has reached the book (Capabilities.AsyncAck).
type ExecutionReport struct {
	Symbol        string
	ClientOrderID string
	VenueOrderID  string
	// ConditionalID says that VenueOrderID counts in the venue's list of
	// conditional orders and not in that of its engine: one number may name two
	// orders.
	ConditionalID bool
	// ParentID is the number, in the list of conditional orders, of the stop that
	// the engine's order came from, where the venue tells it.
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
	// Fault says why the order was rejected, expired or cancelled by the venue.
	Fault *OrderFault
	// Fill is the execution that this report carries, if any.
	Fill *Fill
	// Forced is set for liquidations and the like.
	Forced bool
	// Attachment is set for an order that the venue made to protect a position.
	Attachment *Attachment
	// VenueTime is when it happened by the venue's clock.
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
	// PositionSide names the position in hedge mode; in one-way mode it is empty
	// and the side alone decides.
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

// FillsQuery asks a venue for one instrument's executions in [From, To),
// oldest first. The connector hides the venue's own window and page limits.
type FillsQuery struct {
	Symbol string
	From   time.Time
	To     time.Time
}
