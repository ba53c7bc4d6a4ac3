package root

import (
	"context"
	"fmt"
	"time"

	"venuegate/actors"
	"venuegate/actors/delivery"
	"venuegate/persistence"
	"venuegate/venues"
)

// queues are the delivery queues of one customer's endpoints.
type queues map[string]delivery.Client

// endpoint returns the queue of an endpoint.
func (d *Directory) endpoint(customer, id string) (delivery.Client, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	c, known := d.endpoints[customer][id]
	if !known {
		return c, venues.Errorf(venues.CodeNotFound, "no such endpoint")
	}
	return c, nil
}

// Resend restarts the delivery of an event; see delivery.Client.
func (d *Directory) Resend(ctx context.Context, customer, endpoint, eventID string) error {
	c, err := d.endpoint(customer, endpoint)
	if err != nil {
		return err
	}
	return c.Resend(ctx, eventID)
}

// ResendUndelivered restarts undelivered deliveries of an endpoint; see delivery.Client.
func (d *Directory) ResendUndelivered(ctx context.Context, customer, endpoint string, since time.Time) (int, error) {
	c, err := d.endpoint(customer, endpoint)
	if err != nil {
		return 0, err
	}
	return c.ResendUndelivered(ctx, since)
}

// TestEndpoint sends a test event to an endpoint, once and immediately.
func (d *Directory) TestEndpoint(ctx context.Context, customer, endpoint string) (eventID string, attempt persistence.Attempt, took time.Duration, err error) {
	c, err := d.endpoint(customer, endpoint)
	if err != nil {
		return "", persistence.Attempt{}, 0, err
	}
	tested, err := c.Test(ctx)
	return tested.EventID, tested.Attempt, tested.Took, err
}

// wake notifies the customer's queues of events up to seq.
func (d *Directory) wake(customer string, seq uint64) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, c := range d.endpoints[customer] {
		c.Wake(seq)
	}
}

func (d *Directory) addEndpoint(customer, id string, c delivery.Client) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.endpoints[customer] == nil {
		d.endpoints[customer] = queues{}
	}
	d.endpoints[customer][id] = c
}

func (d *Directory) removeEndpoint(customer, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.endpoints[customer], id)
}

// openEndpoint returns the queue of an endpoint with the sender of its kind. The queue of a
// removed endpoint is not listed in the directory; it makes its pending deliveries
// undelivered and ends.
func (t *Tree) openEndpoint(fence persistence.Fence, record persistence.Endpoint) (*actors.Child, error) {
	removed := !record.RemovedAt.IsZero()
	sender, served := t.deps.Senders[record.Kind]
	if !served && !removed {
		t.removeEndpoint(record.Customer, record.ID)
		return nil, fmt.Errorf("nothing sends to an endpoint of kind %s", record.Kind)
	}
	child := delivery.Child(delivery.Deps{
		Endpoint: record, Fence: fence, Store: t.deps.Store, Sender: sender, Monitor: t.deliveryMonitor(record.ID),
		Journal:  t.Journal.CommitQueue(record.Customer, delivery.Name(record.ID)),
		Schedule: t.deps.Schedule, NewID: t.deps.NewID, Pool: t.storePool,
		Disable: func(disabled persistence.Endpoint, entry persistence.JournalEntry) {
			if owner, err := t.Customer(record.Customer); err == nil {
				owner.Replace(record, disabled, entry)
			}
		},
	})
	if removed {
		t.removeEndpoint(record.Customer, record.ID)
		return &child, nil
	}
	t.addEndpoint(record.Customer, record.ID, delivery.NewClient(t.childRef(record.Customer, delivery.Name(record.ID))))
	return &child, nil
}
