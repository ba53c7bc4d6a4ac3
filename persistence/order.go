package persistence

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// OrderRecord is an order and what the service must remember of it. A record
// with status pending is the intent: it is durable before the first byte of the
// request leaves.
type OrderRecord struct {
	venues.Order
	Customer      string `json:"customer"`
	ClientOrderID string `json:"clientOrderId"`
	// ConditionalID is that of the venue's report which VenueOrderID is from.
	ConditionalID bool `json:"conditionalId,omitempty"`
	// Deadline is when the venue must refuse to execute the request; absence
	// can be proven only after it.
	Deadline venues.Time `json:"deadline"`
	// Attempt is the idempotency attempt that made the order.
	Attempt int `json:"attempt,omitempty"`
	// Scope is the idempotency scope of RequestID: ScopeREST or a channel id.
	Scope string `json:"scope,omitempty"`
	// EntryOrderID names the order that this one protects, Protects how.
	EntryOrderID string            `json:"entryOrderId,omitempty"`
	Protects     venues.Protecting `json:"protects,omitempty"`
	// ClosesAs is the reason of position.closed if the order closes a position;
	// empty leaves it to the order's kind.
	ClosesAs venues.CloseReason `json:"closesAs,omitempty"`
	// ClosePosition marks protection of a whole position.
	ClosePosition bool `json:"closePosition,omitempty"`
	// Unattached says that the order has none of its protection with it at a venue that
	// would attach it: what was added later is placed from here.
	Unattached bool `json:"unattached,omitempty"`
	// ReleasedQty is how much of what was filled protection no longer covers: its
	// legs have closed it, or something else has while the order could still fill.
	ReleasedQty decimal.Decimal `json:"releasedQty,omitzero"`
	// Closing says that what the order has opened cannot be protected, and is closed.
	Closing bool `json:"closing,omitempty"`
	// UnknownSince is when the outcome became unknown.
	UnknownSince venues.Time `json:"unknownSince"`
	// Amend is the amend on its way while PendingAction names one: the next start
	// finds out what became of it.
	Amend *Amendment `json:"amend,omitempty"`
}

// Amendment is what an amend asks for: terms, or protection.
type Amendment struct {
	Qty          decimal.Decimal `json:"qty"`
	Price        venues.Optional `json:"price"`
	TriggerPrice venues.Optional `json:"triggerPrice"`
	// Replaces says that the order is cancelled, and what is left of it placed anew.
	Replaces bool `json:"replaces,omitempty"`
	// StopLoss and TakeProfit are the triggers of a change of protection, which is
	// about nothing else. One that is unknown and not dropped stays.
	StopLoss       venues.Optional `json:"stopLoss"`
	TakeProfit     venues.Optional `json:"takeProfit"`
	DropStopLoss   bool            `json:"dropStopLoss,omitempty"`
	DropTakeProfit bool            `json:"dropTakeProfit,omitempty"`
	// Before is the protection to go back to if the venue refuses.
	Before *venues.Protection `json:"before,omitempty"`
	// Deadline is when the venue can no longer carry it out.
	Deadline venues.Time `json:"deadline"`
}

// Unfinished says whether the order can still change or still has protection to
// look after: such orders are loaded at start.
func (o *OrderRecord) Unfinished() bool {
	return !o.Status.IsClosed() || o.Protection.Awake()
}

// OrderView selects orders by whether they can still change.
type OrderView string

// Views of GET /v1/orders.
const (
	OrdersOpen   OrderView = "open"
	OrdersClosed OrderView = "closed"
	OrdersAll    OrderView = "all"
)

// OrderQuery selects orders of one customer, newest first by the time of their
// making. Zero fields do not filter; From is inclusive, To exclusive.
type OrderQuery struct {
	Customer  string
	View      OrderView
	Exchange  venues.Venue
	Symbol    string
	RequestID string
	From, To  time.Time
	Limit     int
	After     *Position
}

// FillRecord is one execution. FillID is a pure function of exchange, symbol,
// venue order and venue trade, so that a fill told twice is one record.
type FillRecord struct {
	venues.Fill
	Customer string `json:"customer"`
	// Closes is why a position ended if this execution ended it.
	Closes venues.CloseReason `json:"closes,omitempty"`
	// Comment is its order's.
	Comment string `json:"comment,omitempty"`
	// FeeWorth is what a fee in another currency than the settlement's was worth
	// when it was counted in the daily loss; unknown if no price was known.
	FeeWorth venues.Optional `json:"feeWorth,omitzero"`
}

// FillQuery selects fills of one customer, newest first by execution time.
type FillQuery struct {
	Customer string
	Exchange venues.Venue
	Symbol   string
	OrderID  string
	From, To time.Time
	Limit    int
	After    *Position
}

// AccountState is what an account must find again after a restart.
type AccountState struct {
	Customer string       `json:"customer"`
	Exchange venues.Venue `json:"exchange"`
	// FillsUntil says, per symbol, up to when executions were read by REST:
	// the next reconciliation begins there.
	FillsUntil map[string]venues.Time `json:"fillsUntil,omitempty"`
	// TradedUntil is up to when the venue was asked which instruments were traded.
	TradedUntil venues.Time `json:"tradedUntil,omitzero"`
}

// ScopeREST is the idempotency scope of POST /v1/orders; a channel's scope is
// its id.
const ScopeREST = "rest"

// IdempotencyWindow is how long a request id is held, from first receipt.
const IdempotencyWindow = 24 * time.Hour

// IdempotencyRecord binds a request id to the order that it made. A key freed
// by proof that nothing was placed, or one that is past its window, is followed
// by the next attempt, with a new order id.
type IdempotencyRecord struct {
	Customer  string `json:"customer"`
	Scope     string `json:"scope"`
	RequestID string `json:"requestId"`
	Attempt   int    `json:"attempt"`
	OrderID   string `json:"orderId"`
	// BodyHash is SHA-256 of the canonical body.
	BodyHash      []byte      `json:"bodyHash"`
	FirstReceived venues.Time `json:"firstReceived"`
	FreedAt       venues.Time `json:"freedAt"`
}

// Holds says whether the record still binds its request id at the moment now.
func (r *IdempotencyRecord) Holds(now time.Time) bool {
	return r.FreedAt.IsZero() && now.Before(r.FirstReceived.Add(IdempotencyWindow))
}
