package root

import (
	"context"
	"fmt"
	"time"

	"venuegate/actors"
	"venuegate/actors/alerts"
	"venuegate/actors/channel"
	"venuegate/actors/customer"
	"venuegate/actors/delivery"
	"venuegate/actors/lane"
	"venuegate/persistence"
	"venuegate/venues"
)

// Inbound is an inbound channel as its edge needs it. It is not changed: another
// one takes its place.
type Inbound struct {
	persistence.Channel
	// Secret signs, and Previous did before it, if it was good when this was
	// made; both are empty for a chart.
	Secret, Previous venues.Secret

	client channel.Client
}

// Channel finds an inbound channel that exists.
func (d *Directory) Channel(id string) (*Inbound, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	c, known := d.channels[id]
	return c, known
}

// Accept routes a signal whose sender is proven to its channel.
func (d *Directory) Accept(ctx context.Context, s venues.Signal) (venues.SignalAnswer, error) {
	c, known := d.Channel(s.ChannelID)
	if !known || c.Customer != s.Customer {
		return venues.SignalAnswer{}, venues.Errorf(venues.CodeNotFound, "no such channel")
	}
	return c.client.Accept(ctx, s)
}

// PutAlert stores an alert of a customer and watches it; see alerts.Client.
func (t *Tree) PutAlert(ctx context.Context, alert persistence.Alert, entry persistence.JournalEntry) (persistence.Alert, error) {
	if _, err := t.Customer(alert.Customer); err != nil {
		return persistence.Alert{}, err
	}
	return alerts.NewClient(t.part(alert.Customer, alerts.Name)).Put(ctx, alert, entry)
}

// ConfigurePart stores a Channel or an Endpoint and lets its actor follow.
func (t *Tree) ConfigurePart(ctx context.Context, record persistence.Record, entry persistence.JournalEntry) error {
	owner, err := t.Customer(record.Key().Customer)
	if err != nil {
		return err
	}
	return owner.Configure(ctx, record, entry)
}

func (t *Tree) part(customerID, name string) actors.Ref {
	return t.deps.System.Ref("customer/" + customerID).Child(name)
}

// standing are the children that a customer has whatever it has configured.
func (t *Tree) standing(fence persistence.Fence, channels []persistence.Channel) []actors.Child {
	holders := make([]string, 0, len(channels))
	for _, c := range channels {
		holders = append(holders, c.ID)
	}
	return []actors.Child{
		lane.Child(holders...),
		alerts.Child(alerts.Deps{
			Customer: fence.Customer, Fence: fence, Store: t.deps.Store,
			Journal: t.Journal.Line(fence.Customer, alerts.Name),
			Watch:   t.WatchPrice, NewID: t.deps.NewID, Pool: t.storePool,
		}),
	}
}

// openPart says what follows a record.
func (t *Tree) openPart(fence persistence.Fence, record persistence.Record) (customer.Part, error) {
	switch r := record.(type) {
	case persistence.Channel:
		return t.openChannel(fence, r)
	case persistence.Endpoint:
		child, err := t.openEndpoint(fence, r)
		return customer.Part{Name: delivery.Name(r.ID), Child: child}, err
	default:
		return customer.Part{}, fmt.Errorf("no actor follows %T", record)
	}
}

// openChannel joins a channel with its customer's accounts. Senders are answered
// from the new record as soon as it is durable. One that was removed, or whose
// secret cannot be read, has no senders any more, and finishes what it has taken.
// A channel that runs goes on with the new record: its inbox takes signals
// meanwhile.
func (t *Tree) openChannel(fence persistence.Fence, record persistence.Channel) (customer.Part, error) {
	child := channel.Child(channel.Deps{
		Channel: record, Fence: fence, Store: t.deps.Store, Desk: t.desk,
		Journal: t.Journal.Line(record.Customer, channel.Name(record.ID)),
		Lanes:   lane.NewClient(t.part(record.Customer, lane.Name)), NewID: t.deps.NewID, Pool: t.signalPool,
	})
	client := t.channelClient(&record)
	part := customer.Part{Name: channel.Name(record.ID), Child: &child, Follow: func() { client.Follow(record) }}
	in, err := t.inbound(record)
	if in == nil {
		t.removeChannel(record.ID)
		return part, err
	}
	t.addChannel(in)
	return part, nil
}

func (t *Tree) channelClient(record *persistence.Channel) channel.Client {
	return channel.NewClient(t.part(record.Customer, channel.Name(record.ID)), *record, t.deps.Store, t.Directory)
}

// inbound is what the edge gets to know of a channel; nil if it was removed.
func (t *Tree) inbound(record persistence.Channel) (*Inbound, error) {
	if !record.RemovedAt.IsZero() {
		return nil, nil //nolint:nilnil // nobody may find it
	}
	in := &Inbound{Channel: record}
	var err error
	if in.Secret, err = t.secret(record, record.Sealed); err != nil {
		return nil, err
	}
	if time.Now().Before(record.PreviousUntil.Time) {
		if in.Previous, err = t.secret(record, record.Previous); err != nil {
			return nil, err
		}
	}
	in.client = t.channelClient(&record)
	return in, nil
}

// desk of a channel in test mode holds nothing that can trade.
func (t *Tree) desk(record *persistence.Channel) channel.Desk {
	reader := deskReader{t.deps.Store, t.Directory}
	if record.TestMode {
		return channel.Rehearsal{Reader: reader}
	}
	return channel.Trading{Trader: t.Directory, Reader: reader}
}

// deskReader reads orders from the store and positions from the accounts.
type deskReader struct {
	persistence.Reader
	accounts interface {
		Positions(ctx context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error)
	}
}

func (r deskReader) Positions(ctx context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error) {
	return r.accounts.Positions(ctx, q)
}

// secret opens what is sealed for a record; nothing is in nothing.
func (t *Tree) secret(of persistence.Record, sealed []byte) (venues.Secret, error) {
	if len(sealed) == 0 {
		return "", nil
	}
	secret, err := t.deps.UnsealSecret(sealed, of.Key())
	if err != nil {
		return "", fmt.Errorf("unseal the secret of %s: %w", of.Key(), err)
	}
	return secret, nil
}

func (d *Directory) addChannel(in *Inbound) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.channels[in.ID] = in
}

func (d *Directory) removeChannel(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.channels, id)
}
