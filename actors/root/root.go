// Package root builds the supervision tree: which actors there are, who supervises whom,
// and how they find each other. Actors know each other by interfaces that they declare;
// this package provides the implementations.
//
// Start starts the journal and the customers of the store; MarketData returns the subtree
// of a venue. A Tree is used through its Directory, which passes a request on to the
// customer, account, channel or endpoint that it concerns.
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

// Limits of the pools.
const (
	// orderCallsMax bounds the concurrent requests that change orders at one venue,
	// orderCallsWaiting the queued ones.
	orderCallsMax     = 64
	orderCallsWaiting = 256
	// queryCallsMax and queryCallsWaiting are the same for the queries whether orders
	// exist, which must not wait behind less urgent requests.
	queryCallsMax     = 16
	queryCallsWaiting = 2048
	// accountsReadMax bounds the accounts of one venue that are read at the same time for each
	// purpose: at a start, in reconciliations for which something waits, and in routine ones.
	// accountsReadShared bounds those that share the limit of their address: one after the
	// other, each is complete early. Further ones wait, up to accountsWaiting.
	accountsReadMax    = 16
	accountsReadShared = 2
	accountsWaiting    = 16384
	// readCallsMax and readCallsWaiting are the same for all other requests.
	readCallsMax     = 16
	readCallsWaiting = 1024
	// storeCallsMax bounds the concurrent reads of the store.
	storeCallsMax     = 8
	storeCallsWaiting = 1024
	// signalStepsMax bounds the concurrent steps of signals, each of which waits for an
	// account.
	signalStepsMax     = 128
	signalStepsWaiting = 4096
)

// Deps are the dependencies of the tree.
type Deps struct {
	System     *actors.System
	Store      persistence.Store
	Connectors map[venues.Venue]venues.Connector
	Markets    map[venues.Venue]Market
	Encoder    customer.Encoder
	// Unseal decrypts the credentials of a connected account.
	Unseal func(persistence.VenueAccount) (venues.Credentials, error)
	// UnsealSecret decrypts a secret that was sealed for the record with this key.
	UnsealSecret func(sealed []byte, of persistence.Key) (venues.Secret, error)
	// ClientIDPrefix identifies the installation; see account.Config.
	ClientIDPrefix string
	Protection     account.ProtectionPolicy
	// Streams counts the private connections of each venue; nil counts nothing.
	Streams map[venues.Venue]*private.Streams
	// ObserveOrder is called for each order of a command with hops, when it is answered; nil
	// observes nothing. It must not block. Hops may end later, if the answer was that the
	// order is pending.
	ObserveOrder func(exchange venues.Venue, orderID string, cmd *venues.Command)
	// TraceEvent is called before the commit of an event about an order whose client has
	// named the trace; nil traces nothing. It must not block.
	TraceEvent func(eventID, traceparent string)
	// Senders send events to endpoints of their kind, by Schedule.
	Senders     map[persistence.EndpointKind]delivery.Sender
	Schedule    delivery.Schedule
	NewID       func(prefix string, at time.Time) string
	EventsKeep  time.Duration
	JournalKeep time.Duration
	// OrdersKeep and FillsKeep apply to what is moved to Archive; see journal.Deps.
	OrdersKeep time.Duration
	FillsKeep  time.Duration
	Archive    persistence.Archive
}

// Tree is the running tree.
type Tree struct {
	*Directory
	Journal *journal.Client

	deps       Deps
	storePool  *actors.Pool
	signalPool *actors.Pool
	pools      map[venues.Venue]account.Pools
}

// newPools returns the pools of the accounts at one venue.
func newPools(system *actors.System, exchange venues.Venue, c venues.Capabilities) account.Pools {
	pool := func(name string, running, waiting int) *actors.Pool {
		return system.NewCallPool(name+"/"+string(exchange), running, waiting)
	}
	accounts := accountsReadMax
	if c.SharedReadLimit {
		accounts = accountsReadShared
	}
	return account.Pools{
		OrderPool: pool("orders", orderCallsMax, orderCallsWaiting), QueryPool: pool("inquiries", queryCallsMax, queryCallsWaiting),
		StartPool: pool("starts", accounts, accountsWaiting), ReconcilePool: pool("reconciliations", accounts, accountsWaiting),
		RoutinePool: pool("routine", accounts, accountsWaiting), ReadPool: pool("reads", readCallsMax, readCallsWaiting),
	}
}

// Start starts the journal and every customer of the store. The venues of Deps.Markets must
// have been started before.
func Start(ctx context.Context, d Deps) (*Tree, error) {
	t := &Tree{
		Directory: newDirectory(d.Store, d.Markets), Journal: journal.NewClient(d.Store), deps: d,
		storePool:  d.System.NewPool("store", storeCallsMax, storeCallsWaiting),
		signalPool: d.System.NewCallPool("signals", signalStepsMax, signalStepsWaiting),
		pools:      map[venues.Venue]account.Pools{},
	}
	t.observeOrder = d.ObserveOrder
	t.Journal.Listen(t.wake)
	for exchange, connector := range d.Connectors {
		t.pools[exchange] = newPools(d.System, exchange, connector.Capabilities())
	}
	keep := journal.Deps{
		Store: d.Store, Pool: t.storePool, EventsKeep: d.EventsKeep, JournalKeep: d.JournalKeep,
		OrdersKeep: d.OrdersKeep, FillsKeep: d.FillsKeep, Archive: d.Archive,
	}
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
	// It is added first: requests about it are rejected with maintenance until it is loaded.
	t.addCustomer(id, customer.NewClient(t.deps.System.Ref("customer/"+id)))
	_, err := t.deps.System.Start(customer.Child(customer.Deps{
		ID: id, Store: t.deps.Store, Journal: t.Journal, Encoder: t.deps.Encoder, Pool: t.storePool,
		OpenAccount:   t.openAccount,
		CloseAccount:  t.removeAccount,
		FixedChildren: t.fixedChildren, OpenFollower: t.openFollower,
		Loaded: t.customerLoaded,
	}))
	if err != nil {
		t.removeCustomer(id)
		return fmt.Errorf("start customer %s: %w", id, err)
	}
	return nil
}

// StopCustomer stops a customer that was disabled: its requests are rejected from now on.
// Its open orders stay at their venues.
func (t *Tree) StopCustomer(ctx context.Context, id string) error {
	c, err := t.Customer(id)
	if err != nil {
		return err
	}
	t.removeCustomer(id)
	return c.Stop(ctx)
}

// openAccount returns the account of a connected venue.
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
		Journal: t.Journal.CommitQueue(record.Customer, account.Name(record.Exchange)),
		Market:  market, Updates: updates, NewID: t.deps.NewID,
		Pools: t.pools[record.Exchange], Monitor: t.monitor(record.Customer, record.Exchange), TraceEvent: t.deps.TraceEvent,
		Private: func(events account.Observer) actors.Child {
			return private.Child(private.Deps{Open: port.OpenPrivate, Events: events, Streams: t.deps.Streams[record.Exchange]})
		},
	})
	ref := t.deps.System.Ref("customer/" + record.Customer).Child(child.Name)
	t.addAccount(record.Customer, record.Exchange, account.NewClient(ref, config, t.deps.Store, market))
	return child, nil
}

// accountMarket is the market of an account's venue.
type accountMarket struct{ Market }

// Instrument returns an instrument by any of its spellings.
func (m accountMarket) Instrument(symbol string) (*venues.Instrument, bool) {
	return m.Instruments().Find(symbol)
}
