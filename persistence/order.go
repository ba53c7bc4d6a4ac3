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
	// Attempt is that of the order's idempotency record.
	Attempt int `json:"attempt,omitempty"`
	// Scope is the idempotency scope of RequestID: ScopeREST or a channel id.
	Scope string `json:"scope,omitempty"`
	// TriggerDirection is the direction in which the price reaches the trigger of a stop that
	// is not a leg; empty if it is not known.
	TriggerDirection venues.TriggerDirection `json:"triggerDirection,omitempty"`
	// ClosesAs is the reason in the event position.closed if the order closes a
	// position; if empty, the kind of order determines the reason.
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
	// SeenOpenAt is when the venue last reported an order as active, if its outcome became
	// unknown later or its record was changed much later; zero otherwise, and if it never did.
	SeenOpenAt venues.Time `json:"seenOpenAt,omitzero"`
	// NotFoundSince is the time when the venue first returned "not found" for an order of
	// unknown outcome. The proof that it does not exist needs another such answer, which a
	// later start may receive.
	NotFoundSince venues.Time `json:"notFoundSince,omitzero"`
	// Amend is the pending amend, if PendingAction is one. After a restart its outcome
	// is queried.
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
	// changes nothing else. A leg stays as it is if its trigger is unknown and it is
	// not dropped.
	StopLoss       venues.Optional `json:"stopLoss"`
	TakeProfit     venues.Optional `json:"takeProfit"`
	DropStopLoss   bool            `json:"dropStopLoss,omitempty"`
	DropTakeProfit bool            `json:"dropTakeProfit,omitempty"`
	// Before is the protection to restore if the venue rejects the change.
	Before *venues.Protection `json:"before,omitempty"`
	// Deadline is the time from which the venue can no longer execute the change.
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
	Source    venues.Source
	ChannelID string
	From, To  time.Time
	Limit     int
	After     *PagePosition
}

// ByOrigin reports whether the query filters by what an order was placed by, which no index
// contains.
func (q *OrderQuery) ByOrigin() bool { return q.Source != "" || q.ChannelID != "" }

// Matches reports whether an order has what the query selects, except for the time.
func (q *OrderQuery) Matches(o *venues.Order) bool {
	closed := o.Status.IsClosed()
	return (q.Exchange == "" || q.Exchange == o.Exchange) && (q.Symbol == "" || q.Symbol == o.Symbol) &&
		(q.RequestID == "" || q.RequestID == o.RequestID) &&
		(q.Source == "" || q.Source == o.Source) && (q.ChannelID == "" || q.ChannelID == o.ChannelID) &&
		(q.View != OrdersOpen || !closed) && (q.View != OrdersClosed || closed)
}
