package account

import (
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Config identifies an account and configures it.
type Config struct {
	Customer     string
	Exchange     venues.Venue
	Capabilities venues.Capabilities
	// ClientIDPrefix identifies the installation in every client order id. It has
	// ClientIDPrefixLength characters of [a-z0-9].
	ClientIDPrefix string
	Protection     ProtectionPolicy
}

// Deps are the collaborators of the account.
type Deps struct {
	Config
	Fence persistence.Fence
	Venue venues.Account
	Store Store
	// Journal is the commit queue of the account. After a batch that failed it rejects all
	// batches until an empty one is submitted. A rejected batch that only creates an order
	// does not count as failed.
	Journal persistence.Submitter
	Market  Market
	Updates Updates
	NewID   func(prefix string, at time.Time) string
	Pools
	// Monitor publishes the account's health; nil publishes it nowhere.
	Monitor *Monitor
	// TraceEvent is called before the commit of an event about an order whose client has
	// named the trace; nil traces nothing. It must not block.
	TraceEvent func(eventID, traceparent string)
	// Private returns the child actor that maintains the private connection.
	Private func(events Observer) actors.Child
}

// Store is what the account reads.
type Store interface {
	persistence.Reader
	// Full returns an error while the store takes nothing that increases exposure.
	Full() error
}

// Market returns the rules and prices of instruments. Methods must not block.
type Market interface {
	Instrument(symbol string) (*venues.Instrument, bool)
	// Mark returns the newest known mark price, LiveMark none while a newer one may have been
	// missed.
	Mark(symbol string) venues.Optional
	LiveMark(symbol string) venues.Optional
	// LiveLast returns the price of the newest public trade like LiveMark.
	LiveLast(symbol string) venues.Optional
}

// Updates receives changes once they are durable. Methods must not block.
type Updates interface {
	// Reconciled receives everything that is open, once after each start. It replaces
	// everything that was published before.
	Reconciled(exchange venues.Venue, orders []venues.Order, positions []venues.Position, balances []venues.Balance)
	OrderChanged(venues.Order)
	PositionChanged(venues.Position)
	BalancesChanged(venues.Venue, []venues.Balance)
}

// Pools run the requests of the accounts at one venue.
type Pools struct {
	// OrderPool runs orders, amends and cancels, QueryPool the queries of unknown outcomes.
	OrderPool *actors.Pool
	QueryPool *actors.Pool
	// StartPool runs the first readings of accounts, ReconcilePool the urgent and RoutinePool
	// the routine reconciliations. Their requests may wait long for the venue's limit.
	StartPool     *actors.Pool
	ReconcilePool *actors.Pool
	RoutinePool   *actors.Pool
	// ReadPool runs all other requests.
	ReadPool *actors.Pool
}
