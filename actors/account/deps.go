package account

import (
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Config names the account.
type Config struct {
	Customer     string
	Exchange     venues.Venue
	Capabilities venues.Capabilities
	// ClientIDPrefix names the installation in every client order id:
	// ClientIDPrefixLength characters of [a-z0-9].
	ClientIDPrefix string
	Protection     ProtectionPolicy
}

// Deps are what the account works with.
type Deps struct {
	Config
	Fence   persistence.Fence
	Venue   venues.Account
	Store   persistence.Reader
	Journal Committer
	Market  Market
	Updates Updates
	NewID   func(prefix string, at time.Time) string
	// OrderPool carries orders, amends and cancels, InquiryPool what finds out
	// their outcome where that is not known, ReadPool everything else.
	OrderPool   *actors.Pool
	InquiryPool *actors.Pool
	ReadPool    *actors.Pool
	// Private makes the child that keeps the private connection.
	Private func(events Observer) actors.Child
}

// Committer takes commits in order; done is called once, in order, and must not
// block. Nothing is stored behind a commit that failed, but for claims that were
// refused whole, until an empty batch is submitted. It is a line of the journal.
type Committer interface {
	Submit(b persistence.Batch, done func(error))
}

// Market tells an instrument's rules and mark price at this moment. Methods do
// not block.
type Market interface {
	Instrument(symbol string) (*venues.Instrument, bool)
	Mark(symbol string) venues.Optional
}

// Updates hears of what has become durable. Methods must not block.
type Updates interface {
	// Reconciled tells all that is open, once after each start: what was told
	// before it is void.
	Reconciled(exchange venues.Venue, orders []venues.Order, positions []venues.Position, balances []venues.Balance)
	OrderChanged(venues.Order)
	PositionChanged(venues.Position)
	BalancesChanged(venues.Venue, []venues.Balance)
}
