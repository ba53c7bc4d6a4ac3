package customer

import (
	"context"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Client is the client of a customer. It is safe for concurrent use.
type Client struct{ ref actors.Ref }

// NewClient returns a client of the customer at ref.
func NewClient(ref actors.Ref) Client { return Client{ref} }

// Connect stores and starts the customer's account at a venue, replacing one that was
// connected before.
func (c Client) Connect(ctx context.Context, account persistence.VenueAccount) error {
	_, err := actors.Ask(ctx, c.ref, func(r actors.Reply[struct{}]) any { return connectAccount{r, account} })
	return err
}

// Record stores a changed record of a connected account. It does not notify the
// account; that is up to the caller.
func (c Client) Record(ctx context.Context, account persistence.VenueAccount) error {
	_, err := actors.Ask(ctx, c.ref, func(r actors.Reply[struct{}]) any { return recordAccount{r, account} })
	return err
}

// Remove ends the customer's account at a venue.
func (c Client) Remove(ctx context.Context, exchange venues.Venue) error {
	_, err := actors.Ask(ctx, c.ref, func(r actors.Reply[struct{}]) any { return removeAccount{r, exchange} })
	return err
}

// Configure stores a Channel or an Endpoint with the journal row that explains it. It
// returns when the child that the record describes follows it, or will do so before
// anything that is sent to it later. If an error occurs after the record was stored,
// the record is kept and the next start follows it.
func (c Client) Configure(ctx context.Context, record persistence.Record, entry persistence.JournalEntry) error {
	_, err := actors.Ask(ctx, c.ref, func(r actors.Reply[struct{}]) any { return configure{Reply: r, record: record, entry: entry} })
	return err
}

// AddRow adds a row to the customer's journal, of something that others have stored. It does not
// wait; a row that cannot be stored is logged.
func (c Client) AddRow(entry persistence.JournalEntry) { c.ref.Tell(configure{entry: entry}) }

// Replace is Configure for a child that changes its own record. It does not wait, and
// does nothing if the stored record is no longer equal to was.
func (c Client) Replace(was, record persistence.Record, entry persistence.JournalEntry) {
	c.ref.Tell(configure{record: record, entry: entry, was: was})
}

// Stop starts the orderly stop of the customer and its children.
func (c Client) Stop(ctx context.Context) error {
	_, err := actors.Ask(ctx, c.ref, func(r actors.Reply[struct{}]) any { return stop{r} })
	return err
}

// Subscribe subscribes a sink to one of the customer's topics.
func (c Client) Subscribe(ctx context.Context, kind venues.TopicKind, sink venues.FrameSink) (venues.Subscription, error) {
	return actors.Ask(ctx, c.ref, func(r actors.Reply[venues.Subscription]) any { return subscribe{r, kind, sink} })
}

// Updates publishes the changes of an account on the customer's topics. It is safe for
// concurrent use and never blocks.
type Updates struct{ ref actors.Ref }

// Reconciled publishes everything that is open at a venue, replacing what was published
// before.
func (u Updates) Reconciled(exchange venues.Venue, orders []venues.Order, positions []venues.Position, balances []venues.Balance) {
	u.ref.Tell(reconciled{exchange: exchange, orders: orders, positions: positions, balances: balances})
}

// OrderChanged publishes the state of an order.
func (u Updates) OrderChanged(o venues.Order) { u.ref.Tell(orderChanged{order: o}) }

// PositionChanged publishes the state of a position; quantity zero means closed.
func (u Updates) PositionChanged(p venues.Position) { u.ref.Tell(positionChanged{position: p}) }

// BalancesChanged publishes all balances at a venue.
func (u Updates) BalancesChanged(exchange venues.Venue, balances []venues.Balance) {
	u.ref.Tell(balancesChanged{exchange: exchange, balances: balances})
}
