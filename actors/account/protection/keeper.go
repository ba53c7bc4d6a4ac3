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
	// GatherDelay gathers the fills of one burst before they are protected.
	GatherDelay = 100 * time.Millisecond
	// RetryDelay is the wait before a rejected leg is placed again.
	RetryDelay = time.Second
	// ExitRetryMax bounds the wait, which doubles each time, before another exit for a part
	// that is still open.
	ExitRetryMax = 30 * time.Second
	// PositionLag is how long after a fill the venue's list of positions may not include it.
	PositionLag = position.ListLag
)

// Policy configures what happens when a fill cannot be protected. The zero value is
// the default.
type Policy struct {
	// AlarmAfter is how long a fill may be without live protection before an alarm
	// is raised; 0 is DefaultAlarmAfter.
	AlarmAfter time.Duration
	// CloseAfter is how long after the fill a position that cannot be protected is
	// closed instead; 0 is DefaultCloseAfter.
	CloseAfter time.Duration
	// KeepOpen leaves such a position open: protection is retried without a limit,
	// and the alarm is repeated every CloseAfter.
	KeepOpen bool
}

// Defaults of Policy.
const (
	DefaultAlarmAfter = 5 * time.Second
	DefaultCloseAfter = 10 * time.Second
)

// OrDefault returns the policy with defaults in place of zero durations.
func (p Policy) OrDefault() Policy {
	p.AlarmAfter = cmp.Or(p.AlarmAfter, DefaultAlarmAfter)
	p.CloseAfter = cmp.Or(p.CloseAfter, DefaultCloseAfter)
	return p
}

// Rules are the constant properties of an account.
type Rules struct {
	// Attached is set if the venue attaches protection to orders.
	Attached bool
	Policy   Policy
	// RequestLife is how long after it was made a request may be executed by the venue.
	RequestLife time.Duration
	// IsOurs reports whether a client order id was made by this service.
	IsOurs func(clientOrderID string) bool
}

// Keeper decides about the protection of an account's orders. The account sets the values of
// the current step before it calls a method.
type Keeper struct {
	Rules   Rules
	Account Account

	Now time.Time
	// ReadingBegan is when the reading of the reports that the step applies began; zero if they
	// are new. The positions were read after them.
	ReadingBegan time.Time
	// ReconciledAt is when the newest successful complete reconciliation began, PositionsAt when
	// the newest successful reading of the venue's positions began.
	ReconciledAt time.Time
	PositionsAt  time.Time
}

// Account is the account as Keeper uses it. Its methods act as part of the current step; requests
// are sent to the venue after the commit of the step.
type Account interface {
	// MarkDirty stores and publishes an order at the end of the step.
	MarkDirty(*Order)
	// Alarm adds a row with one field to the journal of an entry, and logs an error.
	Alarm(entry *Order, kind, field, value string)

	// Place creates and sends a leg or an exit of an entry. Exchange, symbol and side follow
	// from the entry; spec has the rest.
	Place(entry *Order, kind venues.LegKind, spec venues.OrderSpec) *Order
	// Withdraw cancels an order that is not closed.
	Withdraw(*Order)
	// Query requests the status of an order from the venue.
	Query(*Order)
	// Protect requests a change of the protection that the venue has attached, after
	// a delay. Keeper.MoveAnswered receives the answer.
	Protect(entry *Order, request venues.ProtectRequest, delay time.Duration)
	// EndMove ends the pending move of an entry and answers its callers: successfully
	// if cause is nil.
	EndMove(entry *Order, cause error)
	// RequestReconciliation requests a reconciliation of the account, ReadPositions a reading
	// of the venue's list of positions.
	RequestReconciliation()
	ReadPositions()

	// Ref returns the ids under which the venue finds an order.
	Ref(*Order) venues.OrderRef
	// Order returns the order with an id; nil if it is not in memory.
	Order(id string) *Order
	// Live iterates, in no order, over the orders that can still change or have
	// protection in force.
	Live() iter.Seq[*Order]
	// Position returns the open position on a side of an instrument.
	Position(symbol string, side venues.PositionSide) Position
	// MaxMarketQty returns the quantity of the largest market order.
	MaxMarketQty(symbol string) venues.Optional
}

// Position is an open position.
type Position struct {
	// IsListed is set if the position is on the venue's list.
	IsListed bool
	// Qty is the open quantity by the executions or, if none is known, by the venue's list.
	Qty decimal.Decimal
}

// live returns the orders of Account.Live, oldest first.
func (k *Keeper) live() []*Order {
	return slices.SortedFunc(k.Account.Live(), func(a, b *Order) int { return cmp.Compare(a.OrderID, b.OrderID) })
}

// positionOf returns the position that an entry opens.
func (k *Keeper) positionOf(o *Order) Position { return k.Account.Position(o.Symbol, o.Side.Opens()) }

// isOurs reports whether an order was sent by this service.
func (k *Keeper) isOurs(o *Order) bool { return k.Rules.IsOurs(o.ClientOrderID) }

// placesLegs reports whether the service places the legs of an entry.
func (k *Keeper) placesLegs(o *Order) bool {
	return !k.Rules.Attached || o.Bracket.placedHere || o.Unattached
}

// Attaches reports whether the venue attaches the protection of an order.
func (k *Keeper) Attaches(o *Order) bool {
	return k.Rules.Attached && !o.Unattached && !o.hasNothingAttached()
}
