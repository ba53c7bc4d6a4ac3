package protection

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/position"
	"venuegate/venues"
)

const (
	// SettleDelay gathers the fills of one burst before they are protected.
	SettleDelay = 100 * time.Millisecond
	// RetryDelay is the wait before a leg that failed is placed again.
	RetryDelay = time.Second
	// ExitRetryMax bounds the waits, each twice the one before, between exits that
	// did not close everything.
	ExitRetryMax = 30 * time.Second
	// PositionLag is how long after a fill the venue's list of positions may still
	// lack it.
	PositionLag = position.ListLag
)

// Rules are what does not change during the life of an account.
type Rules struct {
	// Attached reports that the venue attaches protection to an order.
	Attached bool
	Policy   Policy
	// RequestLife is how long after it was made the venue may carry out a request.
	RequestLife time.Duration
	// IsOurs reports whether a client order id was made by this service.
	IsOurs func(clientOrderID string) bool
}

// Step decides about protection within one step of the account. It reads no clock:
// the account sets the values of the step before it calls a method.
type Step struct {
	Rules Rules
	Port  Port

	Now time.Time
	// ReconciledAt is when the last successful reconciliation began, PositionsAt as of
	// when the venue's list of positions was read.
	ReconciledAt time.Time
	PositionsAt  time.Time
}

// Port is what the decisions need of the account. Its methods are carried out as part
// of the current step; what is sent to the venue leaves after the commit of the step.
type Port interface {
	// MarkDirty stores and publishes an order at the end of the step.
	MarkDirty(*Order)
	// Alarm writes a row into the journal of an entry and an error into the log.
	Alarm(entry *Order, kind, field, value string)

	// Place creates and sends an order that protects an entry or closes it. Exchange,
	// symbol and side follow from the entry; spec has the rest.
	Place(entry *Order, kind venues.LegKind, spec venues.OrderSpec) *Order
	// Withdraw cancels an order that is not closed.
	Withdraw(*Order)
	// Query requests the status of an order from the venue.
	Query(*Order)
	// Protect requests a change of the protection that the venue has attached, after
	// a delay. Step.MoveAnswered receives the answer.
	Protect(entry *Order, request venues.ProtectRequest, delay time.Duration)
	// EndMove ends the pending move of an entry and answers its callers: successfully
	// if cause is nil.
	EndMove(entry *Order, cause error)
	// Reconcile compares the account with its venue, ReadPositions reads its list of
	// positions; both happen soon.
	Reconcile()
	ReadPositions()

	// Ref names an order to its venue.
	Ref(*Order) venues.OrderRef
	// Order returns the order with an id, nil if it is not in memory.
	Order(id string) *Order
	// Live iterates, in no order, over the orders that can still change or have
	// protection in force.
	Live() iter.Seq[*Order]
	// Position describes what is open on a side of an instrument.
	Position(symbol string, side venues.PositionSide) Position
	// MaxMarketQty returns the quantity of the largest market order.
	MaxMarketQty(symbol string) venues.Optional
}

// Position is what is known of an open position.
type Position struct {
	// IsListed reports that the venue lists it.
	IsListed bool
	// Qty is what is open by the executions, or by the venue's list if there are none.
	Qty decimal.Decimal
}

// live returns the orders of Port.Live, oldest first.
func (s *Step) live() []*Order {
	return slices.SortedFunc(s.Port.Live(), func(a, b *Order) int { return cmp.Compare(a.OrderID, b.OrderID) })
}

// positionOf returns the position that an entry opens.
func (s *Step) positionOf(o *Order) Position { return s.Port.Position(o.Symbol, o.Side.Opens()) }

// isOurs reports whether an order was sent by this service.
func (s *Step) isOurs(o *Order) bool { return s.Rules.IsOurs(o.ClientOrderID) }

// placesLegs reports whether the service places the legs of an entry.
func (s *Step) placesLegs(o *Order) bool {
	return !s.Rules.Attached || o.Bracket.placedHere || o.Unattached
}

// Attaches reports whether the venue attaches to the order what protects it.
func (s *Step) Attaches(o *Order) bool {
	return s.Rules.Attached && !o.Unattached && !o.hasNothingAttached()
}
