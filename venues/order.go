package venues

import (
	"time"

	"github.com/shopspring/decimal"
)

// Side of an order, fill or trade.
type Side string

// Sides.
const (
	Buy  Side = "buy"
	Sell Side = "sell"
)

// Opposite returns the other side.
func (s Side) Opposite() Side {
	if s == Buy {
		return Sell
	}
	return Buy
}

// Opens returns the side of the position that an order of this side opens or increases.
func (s Side) Opens() PositionSide {
	if s == Buy {
		return Long
	}
	return Short
}

// Reduces returns the side of the position that an order of this side reduces.
func (s Side) Reduces() PositionSide { return s.Opposite().Opens() }

// OrderType is the type of an order in the public interface.
type OrderType string

// Order types. The stop types wait until TriggerPrice is reached.
const (
	TypeMarket     OrderType = "market"
	TypeLimit      OrderType = "limit"
	TypeStopMarket OrderType = "stop_market"
	TypeStopLimit  OrderType = "stop_limit"
)

// IsMarket reports whether the order, once active, executes at any price.
func (t OrderType) IsMarket() bool { return t == TypeMarket || t == TypeStopMarket }

// IsStop reports whether the order waits for a trigger.
func (t OrderType) IsStop() bool { return t == TypeStopMarket || t == TypeStopLimit }

// TimeInForce of an order. Post-only is a separate flag.
type TimeInForce string

// Times in force.
const (
	GoodTillCancel    TimeInForce = "gtc"
	ImmediateOrCancel TimeInForce = "ioc"
	FillOrKill        TimeInForce = "fok"
)

// Source is the origin of an order.
type Source string

// Sources. SourceVenue is an order placed outside this service and adopted by
// reconciliation.
const (
	SourceAPI        Source = "api"
	SourceWebhook    Source = "webhook"
	SourceChart      Source = "chart"
	SourceConsole    Source = "console"
	SourceProtection Source = "protection"
	SourceVenue      Source = "venue"
)

// Sources returns the sources.
func Sources() []Source {
	return []Source{SourceAPI, SourceWebhook, SourceChart, SourceConsole, SourceProtection, SourceVenue}
}

// OrderSpec is the specification of an order. Quantities are in base coin.
type OrderSpec struct {
	Symbol       string          `json:"symbol"`
	Side         Side            `json:"side"`
	Type         OrderType       `json:"type"`
	Qty          decimal.Decimal `json:"qty"`
	Price        Optional        `json:"price"`
	TriggerPrice Optional        `json:"triggerPrice"`
	StopLoss     Optional        `json:"stopLoss"`
	TakeProfit   Optional        `json:"takeProfit"`
	ReduceOnly   bool            `json:"reduceOnly,omitempty"`
	PostOnly     bool            `json:"postOnly,omitempty"`
	TimeInForce  TimeInForce     `json:"timeInForce"`
}

// OrderRequest is an OrderSpec as sent to a venue.
type OrderRequest struct {
	OrderSpec
	// ClientOrderID is the service's id at the venue, `[a-z0-9]{1,32}`, a pure function
	// of the order id.
	ClientOrderID string
	// Deadline is sent with the request in the venue's own form (recvWindow, expTime).
	// The venue must not execute the request after it.
	Deadline time.Time
	// ClosePosition requests a stop that closes the whole position at the trigger
	// (protection). Qty is ignored then.
	ClosePosition bool
	// TriggerDirection is the direction in which the price reaches the trigger, so that a
	// stop loss whose price has already passed is rejected and not taken for a take profit.
	// If empty, the market at the time of sending decides.
	TriggerDirection TriggerDirection
}

// TriggerDirection is the direction of the price towards a trigger.
type TriggerDirection string

// Trigger directions.
const (
	TriggerRising  TriggerDirection = "rising"
	TriggerFalling TriggerDirection = "falling"
)

// OrderRef identifies an order at its venue. ClientOrderID is always known for orders of
// this service, VenueOrderID once the venue has acknowledged the order; connectors prefer
// the client id. Type selects the endpoint where a venue keeps stops separately.
type OrderRef struct {
	Symbol        string
	ClientOrderID string
	VenueOrderID  string
	Type          OrderType
}

// AmendRequest changes price, quantity or trigger of an active order. Each field holds
// the new value, changed or not. Qty is the new total, including the filled part.
type AmendRequest struct {
	OrderRef
	Side         Side
	Qty          decimal.Decimal
	Price        Optional
	TriggerPrice Optional
	// TriggerDirection is that of the order, if it is known: a trigger that the price has
	// already reached is rejected, and does not turn a stop into a take profit.
	TriggerDirection TriggerDirection
	ReduceOnly       bool
	Deadline         time.Time
}

// ProtectionStatus is the status of one leg of a protection.
type ProtectionStatus string

// Statuses of a protection leg.
const (
	ProtectionPending   ProtectionStatus = "pending"
	ProtectionLive      ProtectionStatus = "live"
	ProtectionTriggered ProtectionStatus = "triggered"
	ProtectionCancelled ProtectionStatus = "cancelled"
	ProtectionFailed    ProtectionStatus = "failed"
)

// LegKind is the kind of a protection leg.
type LegKind string

// Kinds of protection leg.
const (
	LegStopLoss   LegKind = "stop_loss"
	LegTakeProfit LegKind = "take_profit"
)

// ProtectionLeg is a stop loss or a take profit attached to an order.
type ProtectionLeg struct {
	Status ProtectionStatus `json:"status"`
	Price  decimal.Decimal  `json:"price"`
	// OrderID is the service's own protecting order where the venue does not attach
	// protection; empty otherwise.
	OrderID string `json:"orderId,omitempty"`
}

// IsActive reports whether the leg is live or about to be placed. It is safe on nil.
func (l *ProtectionLeg) IsActive() bool {
	return l != nil && (l.Status == ProtectionPending || l.Status == ProtectionLive)
}

// Protection is the stop loss and take profit of an order.
type Protection struct {
	StopLoss   *ProtectionLeg `json:"stopLoss,omitempty"`
	TakeProfit *ProtectionLeg `json:"takeProfit,omitempty"`
}

// Leg returns the leg of a kind; nil if there is none. It is safe on nil.
func (p *Protection) Leg(kind LegKind) *ProtectionLeg {
	switch {
	case p == nil:
		return nil
	case kind == LegStopLoss:
		return p.StopLoss
	default:
		return p.TakeProfit
	}
}

// IsActive reports whether a leg is live or about to be placed. It is safe on nil.
func (p *Protection) IsActive() bool {
	return p.Leg(LegStopLoss).IsActive() || p.Leg(LegTakeProfit).IsActive()
}

// Clone returns a deep copy; nil for nil.
func (p *Protection) Clone() *Protection {
	if p == nil {
		return nil
	}
	clone := *p
	if p.StopLoss != nil {
		leg := *p.StopLoss
		clone.StopLoss = &leg
	}
	if p.TakeProfit != nil {
		leg := *p.TakeProfit
		clone.TakeProfit = &leg
	}
	return &clone
}

// PendingAction is a change that was requested from the venue and is not answered yet.
type PendingAction string

// Pending actions. The empty one means none.
const (
	PendingNone   PendingAction = ""
	PendingCancel PendingAction = "cancel"
	PendingAmend  PendingAction = "amend"
)

// RejectReason is why an order was rejected, expired or was cancelled by the venue.
type RejectReason struct {
	Code         Code   `json:"code"`
	Message      string `json:"message"`
	Reason       string `json:"reason,omitempty"`
	VenueCode    string `json:"venueCode,omitempty"`
	VenueMessage string `json:"venueMessage,omitempty"`
}

// Order is the service's record of one order. OrderID is the service's own, made before
// anything is sent. AvgPrice and Fee are unknown until the venue has reported them.
type Order struct {
	OrderID       string        `json:"orderId"`
	RequestID     string        `json:"requestId,omitempty"`
	Exchange      Venue         `json:"exchange"`
	Status        OrderStatus   `json:"status"`
	PendingAction PendingAction `json:"pendingAction,omitempty"`
	OrderSpec
	FilledQty    decimal.Decimal `json:"filledQty"`
	AvgPrice     Optional        `json:"avgPrice"`
	Fee          Optional        `json:"fee"`
	FeeCurrency  string          `json:"feeCurrency,omitempty"`
	Protection   *Protection     `json:"protection,omitempty"`
	Source       Source          `json:"source"`
	ChannelID    string          `json:"channelId,omitempty"`
	Comment      string          `json:"comment,omitempty"`
	VenueOrderID string          `json:"venueOrderId,omitempty"`
	Replaces     string          `json:"replaces,omitempty"`
	ReplacedBy   string          `json:"replacedBy,omitempty"`
	// EntryOrderID is the id of the order whose position this order protects, Protects the
	// leg of the protection; both are empty for orders that are not a leg.
	EntryOrderID string        `json:"entryOrderId,omitempty"`
	Protects     LegKind       `json:"protects,omitempty"`
	Error        *RejectReason `json:"error,omitempty"`
	CreatedAt    Time          `json:"createdAt"`
	UpdatedAt    Time          `json:"updatedAt"`
}

// RemainingQty returns what may still be filled; zero once the order is closed.
func (o *Order) RemainingQty() decimal.Decimal {
	if o.Status.IsClosed() {
		return decimal.Zero
	}
	return o.Qty.Sub(o.FilledQty)
}

// OpenOrdersReport counts the open orders of an account.
type OpenOrdersReport struct {
	// Open is the number of orders that are not closed, Unknown that of those among them whose
	// outcome is unknown.
	Open, Unknown int
	// Oldest are the oldest of the unknown ones.
	Oldest []UnknownOrder
}

// UnknownOrder is an order whose outcome is unknown since a time.
type UnknownOrder struct {
	OrderID  string
	Exchange Venue
	Symbol   string
	Side     Side
	Qty      decimal.Decimal
	Since    Time
}
