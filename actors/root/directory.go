package root

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"venuegate/actors/account"
	"venuegate/actors/customer"
	"venuegate/persistence"
	"venuegate/venues"
)

// Directory finds the owner of what a request is about: the customer, the
// account, the venue. It is the one way by which the edges reach the actors;
// everything that crosses it is a plain value, so that a client of another node
// fits behind it. Safe for concurrent use.
//
// A customer or an exchange that is not connected is not_found. Nothing of one
// customer can be named by another: the customer of a command comes from its key.
type Directory struct {
	store   persistence.Reader
	markets map[venues.Venue]Market

	mu        sync.RWMutex
	customers map[string]customer.Client
	accounts  map[accountKey]account.Client
	channels  map[string]*Inbound
	endpoints map[string]queues
}

// Market is one venue's public side.
type Market interface {
	// Instruments is nil until the catalogue was read once.
	Instruments() *venues.InstrumentSet
	Mark(symbol string) venues.Optional
	Subscribe(ctx context.Context, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error)
	// WatchPrice calls hit each time when the condition comes to hold.
	WatchPrice(ctx context.Context, symbol string, condition venues.PriceCondition, hit func(venues.PriceHit)) (venues.PriceWatch, error)
	// Ready is nil, or says what is missing.
	Ready() error
}

// instrumentsRetry is told to callers who come before the instruments are known.
const instrumentsRetry = 2 * time.Second

type accountKey struct {
	customer string
	exchange venues.Venue
}

func newDirectory(store persistence.Reader, markets map[venues.Venue]Market) *Directory {
	return &Directory{
		store: store, markets: markets,
		customers: map[string]customer.Client{}, accounts: map[accountKey]account.Client{},
		channels: map[string]*Inbound{}, endpoints: map[string]queues{},
	}
}

func (d *Directory) addCustomer(id string, c customer.Client) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.customers[id] = c
}

func (d *Directory) removeCustomer(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.customers, id)
	for _, exchange := range venues.All() {
		delete(d.accounts, accountKey{id, exchange})
	}
	maps.DeleteFunc(d.channels, func(_ string, c *Inbound) bool { return c.Customer == id })
	delete(d.endpoints, id)
}

func (d *Directory) addAccount(id string, exchange venues.Venue, c account.Client) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.accounts[accountKey{id, exchange}] = c
}

func (d *Directory) removeAccount(id string, exchange venues.Venue) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.accounts, accountKey{id, exchange})
}

func (d *Directory) account(id string, exchange venues.Venue) (account.Client, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	c, known := d.accounts[accountKey{id, exchange}]
	if !known {
		return c, venues.Errorf(venues.CodeNotFound, "no %s account is connected", exchange).With("exchange", string(exchange))
	}
	return c, nil
}

// connected lists the customer's accounts, of one exchange or of all.
func (d *Directory) connected(id string, exchange venues.Venue) ([]account.Client, []venues.Venue, error) {
	if exchange != "" {
		c, err := d.account(id, exchange)
		return []account.Client{c}, []venues.Venue{exchange}, err
	}
	var clients []account.Client
	var exchanges []venues.Venue
	for _, exchange := range venues.All() {
		if c, err := d.account(id, exchange); err == nil {
			clients, exchanges = append(clients, c), append(exchanges, exchange)
		}
	}
	return clients, exchanges, nil
}

// Customer finds the client of a customer.
func (d *Directory) Customer(id string) (customer.Client, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	c, known := d.customers[id]
	if !known {
		return c, venues.Errorf(venues.CodeNotFound, "no customer %s", id)
	}
	return c, nil
}

// Instruments lists an exchange's instruments; false if it is not served.
func (d *Directory) Instruments(exchange venues.Venue) (*venues.InstrumentSet, bool) {
	m, known := d.markets[exchange]
	if !known {
		return nil, false
	}
	return m.Instruments(), true
}

// trading finds an account whose venue has told its instruments: without them
// nothing can be checked.
func (d *Directory) trading(id string, exchange venues.Venue) (account.Client, error) {
	c, err := d.account(id, exchange)
	if err != nil {
		return c, err
	}
	if m, known := d.markets[exchange]; !known || m.Instruments() == nil {
		e := venues.Errorf(venues.CodeMaintenance, "the instruments of %s are not known yet", exchange)
		e.RetryAfter = instrumentsRetry
		return c, e
	}
	return c, nil
}

// Place routes an order to its account.
func (d *Directory) Place(ctx context.Context, cmd venues.PlaceOrder) (venues.Order, error) {
	c, err := d.trading(cmd.Customer, cmd.Exchange)
	if err != nil {
		return venues.Order{}, err
	}
	return c.Place(ctx, cmd)
}

// Close routes the close of a position.
func (d *Directory) Close(ctx context.Context, cmd venues.ClosePosition) (venues.Order, error) {
	c, err := d.trading(cmd.Customer, cmd.Exchange)
	if err != nil {
		return venues.Order{}, err
	}
	return c.Close(ctx, cmd)
}

// SetLeverage routes a change of leverage.
func (d *Directory) SetLeverage(ctx context.Context, cmd venues.ChangeLeverage) (venues.LeverageChange, error) {
	c, err := d.trading(cmd.Customer, cmd.Exchange)
	if err != nil {
		return venues.LeverageChange{}, err
	}
	return c.SetLeverage(ctx, cmd)
}

// Amend routes a change to the account that holds the order.
func (d *Directory) Amend(ctx context.Context, cmd venues.AmendOrder) (venues.Order, error) {
	exchange, err := d.exchangeOf(ctx, cmd.Customer, cmd.OrderID)
	if err != nil {
		return venues.Order{}, err
	}
	c, err := d.trading(cmd.Customer, exchange)
	if err != nil {
		return venues.Order{}, err
	}
	return c.Amend(ctx, cmd)
}

// Cancel routes a cancel to the account that holds the order.
func (d *Directory) Cancel(ctx context.Context, cmd venues.CancelOrder) (venues.Order, error) {
	exchange, err := d.exchangeOf(ctx, cmd.Customer, cmd.OrderID)
	if err != nil {
		return venues.Order{}, err
	}
	c, err := d.account(cmd.Customer, exchange)
	if err != nil {
		return venues.Order{}, err
	}
	return c.Cancel(ctx, cmd)
}

func (d *Directory) exchangeOf(ctx context.Context, customer, orderID string) (venues.Venue, error) {
	record, err := d.store.Order(ctx, customer, orderID)
	if errors.Is(err, persistence.ErrNotFound) {
		return "", venues.Errorf(venues.CodeNotFound, "no order %s", orderID)
	}
	return record.Exchange, err
}

// Subscribe puts a sink on a topic: the venue's, or the customer's own.
func (d *Directory) Subscribe(ctx context.Context, id string, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error) {
	if topic.Private() {
		c, err := d.Customer(id)
		if err != nil {
			return nil, err
		}
		return c.Subscribe(ctx, topic.Kind, sink)
	}
	m, known := d.markets[topic.Venue]
	if !known {
		return nil, venues.Errorf(venues.CodeNotFound, "%s is not connected", topic.Venue).With("exchange", string(topic.Venue))
	}
	return m.Subscribe(ctx, topic, sink)
}

// WatchPrice watches a condition on the price of an instrument.
func (d *Directory) WatchPrice(ctx context.Context, exchange venues.Venue, symbol string, condition venues.PriceCondition, hit func(venues.PriceHit)) (venues.PriceWatch, error) {
	m, known := d.markets[exchange]
	if !known {
		return nil, venues.Errorf(venues.CodeNotFound, "%s is not connected", exchange).With("exchange", string(exchange))
	}
	return m.WatchPrice(ctx, symbol, condition, hit)
}

// Ready is nil when a market serves, or says what is missing of each: one venue
// that is down is no reason to turn the clients of the others away.
func (d *Directory) Ready() error {
	var missing []error
	for _, exchange := range venues.All() {
		m, known := d.markets[exchange]
		if !known {
			continue
		}
		err := m.Ready()
		if err == nil {
			return nil
		}
		missing = append(missing, err)
	}
	return errors.Join(missing...)
}
