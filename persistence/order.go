package persistence

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// OrderRecord is an order with the state that the service must not lose. A record
// with status pending is the intent: it is durable before the first byte of the
// request is sent to the venue.
type OrderRecord struct {
	venues.Order
	Customer      string `json:"customer"`
	ClientOrderID string `json:"clientOrderId"`
	// ConditionalID marks a VenueOrderID of the venue's conditional orders.
	ConditionalID bool `json:"conditionalId,omitempty"`
	// Deadline is the time from which the venue rejects the request. Only after it
	// can the order be confirmed absent.
	Deadline venues.Time `json:"deadline"`
	// Attempt is the attempt of the idempotency record that created the order.
	Attempt int `json:"attempt,omitempty"`
	// Scope is the idempotency scope of RequestID: ScopeREST or a channel id.
	Scope string `json:"scope,omitempty"`
	// EntryOrderID is the order that this one protects, Protects the leg that it is.
	EntryOrderID string         `json:"entryOrderId,omitempty"`
	Protects     venues.LegKind `json:"protects,omitempty"`
	// ClosesAs is the reason in position.closed if the order closes a position; empty
	// derives it from the kind of order.
	ClosesAs venues.CloseReason `json:"closesAs,omitempty"`
	// ClosePosition marks an order that protects the whole position.
	ClosePosition bool `json:"closePosition,omitempty"`
	// Unattached marks an order without attached protection at a venue that supports
	// it: protection added later is placed by the service.
	Unattached bool `json:"unattached,omitempty"`
	// ReleasedQty is the part of the filled quantity that protection no longer covers,
	// because its legs or other orders have closed it.
	ReleasedQty decimal.Decimal `json:"releasedQty,omitzero"`
	// Closing marks an order whose filled quantity cannot be protected and is being
	// closed.
	Closing bool `json:"closing,omitempty"`
	// UnknownSince is the time when the outcome became unknown.
	UnknownSince venues.Time `json:"unknownSince"`
	// Amend is the pending amend while PendingAction names one. After a restart its
	// outcome is queried.
	Amend *Amendment `json:"amend,omitempty"`
}

// Amendment is a requested change of an order: of its terms or of its protection.
type Amendment struct {
	Qty          decimal.Decimal `json:"qty"`
	Price        venues.Optional `json:"price"`
	TriggerPrice venues.Optional `json:"triggerPrice"`
	// Replaces marks an amend that cancels the order and places its remaining
	// quantity again.
	Replaces bool `json:"replaces,omitempty"`
	// StopLoss and TakeProfit are the new triggers in a change of protection, which
	// changes nothing else. A leg with an unknown trigger that is not dropped stays.
	StopLoss       venues.Optional `json:"stopLoss"`
	TakeProfit     venues.Optional `json:"takeProfit"`
	DropStopLoss   bool            `json:"dropStopLoss,omitempty"`
	DropTakeProfit bool            `json:"dropTakeProfit,omitempty"`
	// Before is the protection to restore if the venue rejects the change.
	Before *venues.Protection `json:"before,omitempty"`
	// Deadline is the time from which the venue can no longer execute it.
	Deadline venues.Time `json:"deadline"`
}

// Unfinished reports whether the order can still change or still has active
// protection. Such orders are loaded at start.
func (o *OrderRecord) Unfinished() bool {
	return !o.Status.IsClosed() || o.Protection.IsActive()
}

// OrderView selects open orders, closed orders or both.
type OrderView string

// Views of GET /v1/orders.
const (
	OrdersOpen   OrderView = "open"
	OrdersClosed OrderView = "closed"
	OrdersAll    OrderView = "all"
)

// OrderQuery selects orders of one customer, newest first by CreatedAt. Zero fields
// do not filter; From is inclusive, To exclusive.
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

// FillRecord is one execution. Its FillID is that of function FillID, so that a
// fill that is reported twice is one record.
type FillRecord struct {
	venues.Fill
	Customer string `json:"customer"`
	// Closes is the close reason if the execution has closed a position.
	Closes venues.CloseReason `json:"closes,omitempty"`
	// Comment is that of the order.
	Comment string `json:"comment,omitempty"`
	// FeeInSettlement is the value of a fee in another currency, in the settlement
	// currency, at the time when it was counted towards the daily loss; unknown if
	// there was no price.
	FeeInSettlement venues.Optional `json:"feeWorth,omitzero"`
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

// AccountState is the state that an account needs after a restart.
type AccountState struct {
	Customer string       `json:"customer"`
	Exchange venues.Venue `json:"exchange"`
	// FillsUntil is, per symbol, the time up to which executions were read by REST,
	// from which the next reconciliation continues.
	FillsUntil map[string]venues.Time `json:"fillsUntil,omitempty"`
	// TradedUntil is the time up to which the traded instruments were queried.
	TradedUntil venues.Time `json:"tradedUntil,omitzero"`
}

// ScopeREST is the idempotency scope of POST /v1/orders. The scope of a channel is
// its id.
const ScopeREST = "rest"

// IdempotencyWindow is the time, from first receipt, for which a request id is
// bound to its order.
const IdempotencyWindow = 24 * time.Hour

// IdempotencyRecord binds a request id to the order that it has created. If the
// order is confirmed absent, or the window has passed, the request id can be used
// again: for the next attempt, with a new order id.
type IdempotencyRecord struct {
	Customer  string `json:"customer"`
	Scope     string `json:"scope"`
	RequestID string `json:"requestId"`
	Attempt   int    `json:"attempt"`
	OrderID   string `json:"orderId"`
	// BodyHash is the SHA-256 of the canonical body.
	BodyHash      []byte      `json:"bodyHash"`
	FirstReceived venues.Time `json:"firstReceived"`
	FreedAt       venues.Time `json:"freedAt"`
}

// Holds reports whether the record still binds its request id at time now.
func (r *IdempotencyRecord) Holds(now time.Time) bool {
	return r.FreedAt.IsZero() && now.Before(r.FirstReceived.Add(IdempotencyWindow))
}
