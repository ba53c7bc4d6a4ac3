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
	"venuegate/actors/signalqueue"
	"venuegate/persistence"
	"venuegate/venues"
)

// Inbound is an inbound channel as its edge needs it. It is immutable: a change replaces
// it.
type Inbound struct {
	persistence.Channel
	// Secret signs the signals. Previous is the secret before it, if that was still valid
	// when the Inbound was created. Both are empty for a chart.
	Secret, Previous venues.Secret

	client channel.Client
}

// Channel returns an inbound channel that is not removed. An unknown id may be a channel of
// any customer that is loading.
func (d *Directory) Channel(id string) (*Inbound, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	switch c, known := d.channels[id]; {
	case known:
		return c, nil
	case len(d.loading) > 0:
		return nil, loadingError()
	default:
		return nil, venues.Errorf(venues.CodeNotFound, "no such channel")
	}
}

// Accept passes a signal of an authenticated sender to its channel.
func (d *Directory) Accept(ctx context.Context, s venues.Signal) (venues.SignalResponse, error) {
	c, err := d.channelOf(&s)
	if err != nil {
		return venues.SignalResponse{}, err
	}
	return c.client.Accept(ctx, s)
}

// Preview returns what the channel of a signal would do with it; nothing is sent or stored.
func (d *Directory) Preview(ctx context.Context, s venues.Signal) (venues.SignalPreview, error) {
	c, err := d.channelOf(&s)
	if err != nil {
		return venues.SignalPreview{}, err
	}
	return c.client.Preview(ctx, s, d)
}

func (d *Directory) channelOf(s *venues.Signal) (*Inbound, error) {
	c, err := d.Channel(s.ChannelID)
	if err == nil && c.Customer != s.Customer {
		return nil, venues.Errorf(venues.CodeNotFound, "no such channel")
	}
	return c, err
}

// PutAlert stores an alert of a customer and watches it; see alerts.Client.
func (t *Tree) PutAlert(ctx context.Context, alert persistence.Alert, entry persistence.JournalEntry) (persistence.Alert, error) {
	if _, err := t.Customer(alert.Customer); err != nil {
		return persistence.Alert{}, err
	}
	return alerts.NewClient(t.childRef(alert.Customer, alerts.Name)).Put(ctx, alert, entry)
}

// ConfigurePart stores a Channel or an Endpoint, which its actor then follows.
func (t *Tree) ConfigurePart(ctx context.Context, record persistence.Record, entry persistence.JournalEntry) error {
	owner, err := t.Customer(record.Key().Customer)
	if err != nil {
		return err
	}
	return owner.Configure(ctx, record, entry)
}

// AddRow adds a row to the journal of a customer, and does not wait. There is none for a customer
// that is not running.
func (t *Tree) AddRow(id string, entry persistence.JournalEntry) {
	if owner, err := t.Customer(id); err == nil {
		owner.AddRow(entry)
	}
}

func (t *Tree) childRef(customerID, name string) actors.Ref {
	return t.deps.System.Ref("customer/" + customerID).Child(name)
}

// fixedChildren returns the children that every customer has.
func (t *Tree) fixedChildren(fence persistence.Fence, channels []persistence.Channel) []actors.Child {
	ids := make([]string, 0, len(channels))
	for _, c := range channels {
		ids = append(ids, c.ID)
	}
	return []actors.Child{
		signalqueue.Child(ids...),
		alerts.Child(alerts.Deps{
			Customer: fence.Customer, Fence: fence, Store: t.deps.Store,
			Journal: t.Journal.CommitQueue(fence.Customer, alerts.Name),
			Watch:   t.WatchPrice, NewID: t.deps.NewID, Pool: t.storePool,
		}),
	}
}

// openFollower returns the actor that follows a record.
func (t *Tree) openFollower(fence persistence.Fence, record persistence.Record) (customer.Follower, error) {
	switch r := record.(type) {
	case persistence.Channel:
		return t.openChannel(fence, r)
	case persistence.Endpoint:
		child, err := t.openEndpoint(fence, r)
		return customer.Follower{Name: delivery.Name(r.ID), Child: child}, err
	default:
		return customer.Follower{}, fmt.Errorf("no actor follows %T", record)
	}
}

// openChannel returns the actor of a channel. Senders are checked against the new record as
// soon as it is durable. A channel that was removed, or whose secret cannot be read, has no
// senders, and finishes its accepted signals. A running channel follows the new record and
// accepts signals meanwhile.
func (t *Tree) openChannel(fence persistence.Fence, record persistence.Channel) (customer.Follower, error) {
	child := channel.Child(channel.Deps{
		Channel: record, Fence: fence, Store: t.deps.Store, Executor: t.executor,
		Journal:     t.Journal.CommitQueue(record.Customer, channel.Name(record.ID)),
		SignalQueue: signalqueue.NewClient(t.childRef(record.Customer, signalqueue.Name)), NewID: t.deps.NewID, Pool: t.signalPool,
	})
	client := t.channelClient(&record)
	part := customer.Follower{Name: channel.Name(record.ID), Child: &child, Follow: func() { client.Follow(record) }}
	in, err := t.inbound(record)
	if in == nil {
		t.removeChannel(record.ID)
		return part, err
	}
	t.addChannel(in)
	return part, nil
}

func (t *Tree) channelClient(record *persistence.Channel) channel.Client {
	return channel.NewClient(t.childRef(record.Customer, channel.Name(record.ID)), *record, t.deps.Store, t.Directory)
}

// inbound returns a channel as the edge sees it, nil if it was removed.
func (t *Tree) inbound(record persistence.Channel) (*Inbound, error) {
	if !record.RemovedAt.IsZero() {
		return nil, nil //nolint:nilnil // a removed channel is not listed
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

// executor returns the executor of a channel. That of test mode has no access to trading.
func (t *Tree) executor(record *persistence.Channel) channel.Executor {
	reader := executorReader{t.deps.Store, t.Directory}
	if record.TestMode {
		return channel.DryRun{Reader: reader}
	}
	return channel.Live{Trader: t.Directory, Reader: reader}
}

// executorReader reads orders from the store and positions from the accounts.
type executorReader struct {
	persistence.Reader
	accounts interface {
		Positions(ctx context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error)
	}
}

func (r executorReader) Positions(ctx context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error) {
	return r.accounts.Positions(ctx, q)
}

// secret unseals a secret of a record, which may be empty.
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
