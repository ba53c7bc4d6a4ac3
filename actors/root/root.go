// Package root holds the supervision tree as a table: which actors there are,
// who supervises whom, and how each finds the others. Actors know only
// interfaces; here they are joined.
package root

import (
	"context"
	"fmt"
	"time"

	"venuegate/actors"
	"venuegate/actors/account"
	"venuegate/actors/customer"
	"venuegate/actors/delivery"
	"venuegate/actors/journal"
	"venuegate/actors/private"
	"venuegate/persistence"
	"venuegate/venues"
)

// Limits of the pools that carry I/O.
const (
	// orderCallsMax is how many requests that change orders run at one venue
	// at the same time; orderCallsWaiting how many may wait for a place.
	orderCallsMax     = 64
	orderCallsWaiting = 256
	// inquiriesMax and inquiriesWaiting are the same for what finds out whether
	// orders exist, which must not wait behind what is only good to know.
	inquiriesMax     = 16
	inquiriesWaiting = 2048
	// readCallsMax and readCallsWaiting are the same for everything else.
	readCallsMax     = 16
	readCallsWaiting = 1024
	// storeCallsMax bounds what is read from the store at the same time.
	storeCallsMax     = 8
	storeCallsWaiting = 1024
	// signalStepsMax bounds the steps of signals that are under way at the same
	// time; each waits for an account.
	signalStepsMax     = 128
	signalStepsWaiting = 4096
)

// Deps are what the tree is made of.
type Deps struct {
	System     *actors.System
	Store      persistence.Store
	Connectors map[venues.Venue]venues.Connector
	Markets    map[venues.Venue]Market
	Encoder    customer.Encoder
	// Unseal opens the credentials of a connected account.
	Unseal func(persistence.VenueAccount) (venues.Credentials, error)
	// UnsealSecret opens a secret that was sealed for the record with this key.
	UnsealSecret func(sealed []byte, of persistence.Key) (venues.Secret, error)
	// ClientIDPrefix names the installation; see account.Config.
	ClientIDPrefix string
	Protection     account.ProtectionPolicy
	// Senders carry events to endpoints of their kind; Schedule says how often
	// each is tried.
	Senders     map[persistence.EndpointKind]delivery.Sender
	Schedule    delivery.Schedule
	NewID       func(prefix string, at time.Time) string
	EventsKeep  time.Duration
	JournalKeep time.Duration
}

// Tree is the running tree.
type Tree struct {
	*Directory
	Journal *journal.Client

	deps       Deps
	storePool  *actors.Pool
	signalPool *actors.Pool
	orderPool  map[venues.Venue]*actors.Pool
	inquiries  map[venues.Venue]*actors.Pool
	readPool   map[venues.Venue]*actors.Pool
}

// Start starts the journal and every customer of the store. The venues' markets
// are started before, by whoever made Deps.Markets.
func Start(ctx context.Context, d Deps) (*Tree, error) {
	t := &Tree{
		Directory: newDirectory(d.Store, d.Markets), Journal: journal.NewClient(d.Store), deps: d,
		storePool:  d.System.NewPool("store", storeCallsMax, storeCallsWaiting),
		signalPool: d.System.NewCallPool("signals", signalStepsMax, signalStepsWaiting),
		orderPool:  map[venues.Venue]*actors.Pool{}, inquiries: map[venues.Venue]*actors.Pool{}, readPool: map[venues.Venue]*actors.Pool{},
	}
	t.Journal.Listen(t.wake)
	for exchange := range d.Connectors {
		t.orderPool[exchange] = d.System.NewCallPool("orders/"+string(exchange), orderCallsMax, orderCallsWaiting)
		t.inquiries[exchange] = d.System.NewCallPool("inquiries/"+string(exchange), inquiriesMax, inquiriesWaiting)
		t.readPool[exchange] = d.System.NewCallPool("reads/"+string(exchange), readCallsMax, readCallsWaiting)
	}
	keep := journal.Deps{Store: d.Store, Pool: t.storePool, EventsKeep: d.EventsKeep, JournalKeep: d.JournalKeep}
	if _, err := d.System.Start(journal.Child(keep)); err != nil {
		return nil, fmt.Errorf("start journal: %w", err)
	}
	customers, err := d.Store.Customers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list customers: %w", err)
	}
	for _, c := range customers {
		if c.Disabled {
			continue
		}
		if err := t.StartCustomer(c.ID); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// StartCustomer starts a customer that is in the store.
func (t *Tree) StartCustomer(id string) error {
	ref, err := t.deps.System.Start(customer.Child(customer.Deps{
		ID: id, Store: t.deps.Store, Journal: t.Journal, Encoder: t.deps.Encoder, Pool: t.storePool,
		OpenAccount:  t.openAccount,
		CloseAccount: t.removeAccount,
		Standing:     t.standing, OpenPart: t.openPart,
	}))
	if err != nil {
		return fmt.Errorf("start customer %s: %w", id, err)
	}
	t.addCustomer(id, customer.NewClient(ref))
	return nil
}

// StopCustomer ends a customer that was disabled: nothing of it answers from here
// on. Its open orders stay at their venues.
func (t *Tree) StopCustomer(ctx context.Context, id string) error {
	c, err := t.Customer(id)
	if err != nil {
		return err
	}
	t.removeCustomer(id)
	return c.Stop(ctx)
}

// openAccount joins an account with its venue, its customer and the journal.
func (t *Tree) openAccount(fence persistence.Fence, record persistence.VenueAccount, updates customer.Updates) (actors.Child, error) {
	connector, known := t.deps.Connectors[record.Exchange]
	if !known {
		return actors.Child{}, fmt.Errorf("%s is not configured", record.Exchange)
	}
	credentials, err := t.deps.Unseal(record)
	if err != nil {
		return actors.Child{}, fmt.Errorf("unseal credentials: %w", err)
	}
	port, err := connector.OpenAccount(credentials)
	if err != nil {
		return actors.Child{}, fmt.Errorf("open account: %w", err)
	}
	config := account.Config{
		Customer: record.Customer, Exchange: record.Exchange,
		Capabilities: connector.Capabilities(), ClientIDPrefix: t.deps.ClientIDPrefix,
		Protection: t.deps.Protection,
	}
	market := accountMarket{t.deps.Markets[record.Exchange]}
	child := account.Child(account.Deps{
		Config: config, Fence: fence, Venue: port, Store: t.deps.Store,
		Journal: t.Journal.Line(record.Customer, account.Name(record.Exchange)),
		Market:  market, Updates: updates, NewID: t.deps.NewID,
		OrderPool: t.orderPool[record.Exchange], InquiryPool: t.inquiries[record.Exchange], ReadPool: t.readPool[record.Exchange],
		Private: func(events account.Observer) actors.Child {
			return private.Child(private.Deps{Open: port.OpenPrivate, Events: events})
		},
	})
	ref := t.deps.System.Ref("customer/" + record.Customer).Child(child.Name)
	t.addAccount(record.Customer, record.Exchange, account.NewClient(ref, config, t.deps.Store, market))
	return child, nil
}

// accountMarket is what an account asks of its venue's market.
type accountMarket struct{ Market }

// Instrument finds the rules of an instrument by any of its spellings.
func (m accountMarket) Instrument(symbol string) (*venues.Instrument, bool) {
	return m.Instruments().Find(symbol)
}
