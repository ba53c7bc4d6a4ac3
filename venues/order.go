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

// Opposite is the other side.
func (s Side) Opposite() Side {
	if s == Buy {
		return Sell
	}
	return Buy
}

// Opens is the side of the position that an order of this side opens or adds to.
func (s Side) Opens() PositionSide {
	if s == Buy {
		return Long
	}
	return Short
}

// Reduces is the side of the position that an order of this side can reduce.
func (s Side) Reduces() PositionSide { return s.Opposite().Opens() }

// OrderType of the public interface.
type OrderType string

// Order types. The stop types wait for TriggerPrice.
const (
	TypeMarket     OrderType = "market"
	TypeLimit      OrderType = "limit"
	TypeStopMarket OrderType = "stop_market"
	TypeStopLimit  OrderType = "stop_limit"
)

// IsMarket says whether the order takes whatever price there is once active.
func (t OrderType) IsMarket() bool { return t == TypeMarket || t == TypeStopMarket }

// IsStop says whether the order waits for a trigger.
func (t OrderType) IsStop() bool { return t == TypeStopMarket || t == TypeStopLimit }

// TimeInForce of an order. Post-only is a flag of its own.
type TimeInForce string

// Times in force.
const (
	GoodTillCancel    TimeInForce = "gtc"
	ImmediateOrCancel TimeInForce = "ioc"
	FillOrKill        TimeInForce = "fok"
)

// Source says who made an order.
type Source string

// Sources. SourceVenue is an order made outside this service and adopted by
// reconciliation.
const (
	SourceAPI        Source = "api"
	SourceWebhook    Source = "webhook"
	SourceChart      Source = "chart"
	SourceConsole    Source = "console"
	SourceProtection Source = "protection"
	SourceVenue      Source = "venue"
)

// OrderSpec is what an order asks for. Quantities are in base coin.
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

// OrderRequest is an OrderSpec on its way to a venue.
type OrderRequest struct {
	OrderSpec
	// ClientOrderID is ours: `[a-z0-9]{1,32}`, a pure function of the order id.
	ClientOrderID string
	// Deadline travels with the request in the venue's own form (recvWindow,
	// expTime): the venue must refuse to execute it later than this.
	Deadline time.Time
	// ClosePosition asks for a stop that closes whatever the position is at
	// the trigger (protection); Qty is ignored then.
	ClosePosition bool
	// TriggerWhen says which way the price must move to reach the trigger; if
	// empty the market at the moment of sending decides. Protection sets it, so
	// that a stop loss whose price has passed is refused and never taken for a
	// take profit.
	TriggerWhen TriggerDirection
}

// TriggerDirection is the way of the price to a trigger.
type TriggerDirection string

// Trigger directions.
const (
	TriggerRising  TriggerDirection = "rising"
	TriggerFalling TriggerDirection = "falling"
)

// OrderRef names an order at its venue. ClientOrderID is always known for our
// own orders, VenueOrderID once the venue acknowledged; connectors prefer the
// client id. Type decides the endpoint where a venue keeps stops apart.
type OrderRef struct {
	Symbol        string
	ClientOrderID string
	VenueOrderID  string
	Type          OrderType
}

// AmendRequest changes price, quantity or trigger of an active order. Each
// field holds the value wanted, changed or not; Qty is the new total including
// what is filled.
type AmendRequest struct {
	OrderRef
	Side         Side
	Qty          decimal.Decimal
	Price        Optional
	TriggerPrice Optional
	ReduceOnly   bool
	Deadline     time.Time
}

// ProtectionStatus is the state of one protecting order.
type ProtectionStatus string

// States of protection.
const (
	ProtectionPending   ProtectionStatus = "pending"
	ProtectionLive      ProtectionStatus = "live"
	ProtectionTriggered ProtectionStatus = "triggered"
	ProtectionCancelled ProtectionStatus = "cancelled"
	ProtectionFailed    ProtectionStatus = "failed"
)

// Protecting says how an order protects a position.
type Protecting string

// Ways to protect.
const (
	ProtectingStopLoss   Protecting = "stop_loss"
	ProtectingTakeProfit Protecting = "take_profit"
)

// ProtectionLeg is a stop loss or a take profit attached to an order.
type ProtectionLeg struct {
	Status ProtectionStatus `json:"status"`
	Price  decimal.Decimal  `json:"price"`
	// OrderID is the service's own order that does the protecting where the
	// venue attaches nothing itself; empty otherwise.
	OrderID string `json:"orderId,omitempty"`
}

// IsAwake says whether the leg is to be placed or is live. It is safe on nil.
func (l *ProtectionLeg) IsAwake() bool {
	return l != nil && (l.Status == ProtectionPending || l.Status == ProtectionLive)
}

// Protection of an order's position.
type Protection struct {
	StopLoss   *ProtectionLeg `json:"stopLoss,omitempty"`
	TakeProfit *ProtectionLeg `json:"takeProfit,omitempty"`
}

// Leg is the leg of a kind; nil if there is none. It is safe on nil.
func (p *Protection) Leg(kind Protecting) *ProtectionLeg {
	switch {
	case p == nil:
		return nil
	case kind == ProtectingStopLoss:
		return p.StopLoss
	default:
		return p.TakeProfit
	}
}

// Awake says whether a leg is to be placed or is live. It is safe on nil.
func (p *Protection) Awake() bool {
	return p.Leg(ProtectingStopLoss).IsAwake() || p.Leg(ProtectingTakeProfit).IsAwake()
}

// Clone is a deep copy; nil of nil.
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

// PendingAction is a change asked of the venue and not answered yet.
type PendingAction string

// Pending actions; none is empty.
const (
	PendingNone   PendingAction = ""
	PendingCancel PendingAction = "cancel"
	PendingAmend  PendingAction = "amend"
)

// OrderFault says why an order ended as it did.
type OrderFault struct {
	Code         Code   `json:"code"`
	Message      string `json:"message"`
	Reason       string `json:"reason,omitempty"`
	VenueCode    string `json:"venueCode,omitempty"`
	VenueMessage string `json:"venueMessage,omitempty"`
}

// Order is the service's record of one order. OrderID is the service's own,
// made before anything is sent. AvgPrice and Fee are unknown until the venue
// has told them.
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
	Error        *OrderFault     `json:"error,omitempty"`
	CreatedAt    Time            `json:"createdAt"`
	UpdatedAt    Time            `json:"updatedAt"`
}

// RemainingQty is what may still be filled: zero once the order is closed.
func (o *Order) RemainingQty() decimal.Decimal {
	if o.Status.IsClosed() {
		return decimal.Zero
	}
	return o.Qty.Sub(o.FilledQty)
}
