package customer

import (
	"context"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Client is the way into a customer; safe for concurrent use.
type Client struct{ ref actors.Ref }

// NewClient makes the client of the customer that runs at ref.
func NewClient(ref actors.Ref) Client { return Client{ref} }

// Connect stores and starts the customer's account at a venue; one that was
// connected before is replaced.
func (c Client) Connect(ctx context.Context, account persistence.VenueAccount) error {
	_, err := actors.Ask(ctx, c.ref, func(r actors.Reply[struct{}]) any { return connectAccount{r, account} })
	return err
}

// Record stores what changed of a connected account. The account goes on as it
// is: whoever calls tells it.
func (c Client) Record(ctx context.Context, account persistence.VenueAccount) error {
	_, err := actors.Ask(ctx, c.ref, func(r actors.Reply[struct{}]) any { return recordAccount{r, account} })
	return err
}

// Remove ends the customer's account at a venue.
func (c Client) Remove(ctx context.Context, exchange venues.Venue) error {
	_, err := actors.Ask(ctx, c.ref, func(r actors.Reply[struct{}]) any { return removeAccount{r, exchange} })
	return err
}

// Configure stores a Channel or an Endpoint with the journal row that says why.
// It returns when the child that the record describes follows it, or is told of
// it before anything that is sent later: an error after that was stored leaves
// the record in place, and the next start follows it.
func (c Client) Configure(ctx context.Context, record persistence.Record, entry persistence.JournalEntry) error {
	_, err := actors.Ask(ctx, c.ref, func(r actors.Reply[struct{}]) any { return configure{Reply: r, record: record, entry: entry} })
	return err
}

// Replace is Configure for a child that changes its own record, and does not
// wait. It does nothing if the record is no longer what it was.
func (c Client) Replace(was, record persistence.Record, entry persistence.JournalEntry) {
	c.ref.Tell(configure{record: record, entry: entry, was: was})
}

// Stop begins the orderly end of the customer and its accounts.
func (c Client) Stop(ctx context.Context) error {
	_, err := actors.Ask(ctx, c.ref, func(r actors.Reply[struct{}]) any { return stop{r} })
	return err
}

// Subscribe puts a sink on one of the customer's own topics.
func (c Client) Subscribe(ctx context.Context, kind venues.TopicKind, sink venues.FrameSink) (venues.Subscription, error) {
	return actors.Ask(ctx, c.ref, func(r actors.Reply[venues.Subscription]) any { return subscribe{r, kind, sink} })
}

// Updates tells the customer what became of its accounts. Safe for concurrent
// use; never blocks.
type Updates struct{ ref actors.Ref }

// Reconciled tells all that is open at a venue, in place of what was told before.
func (u Updates) Reconciled(exchange venues.Venue, orders []venues.Order, positions []venues.Position, balances []venues.Balance) {
	u.ref.Tell(reconciled{exchange: exchange, orders: orders, positions: positions, balances: balances})
}

// OrderChanged tells the new state of an order.
func (u Updates) OrderChanged(o venues.Order) { u.ref.Tell(orderChanged{order: o}) }

// PositionChanged tells the new state of a position; quantity zero is its end.
func (u Updates) PositionChanged(p venues.Position) { u.ref.Tell(positionChanged{position: p}) }

// BalancesChanged tells all balances at a venue.
func (u Updates) BalancesChanged(exchange venues.Venue, balances []venues.Balance) {
	u.ref.Tell(balancesChanged{exchange: exchange, balances: balances})
}
