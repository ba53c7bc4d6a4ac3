package root

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"venuegate/actors/account"
	"venuegate/actors/customer"
	"venuegate/actors/delivery"
	"venuegate/persistence"
	"venuegate/venues"
)

// Directory finds the owner of the subject of a request: the customer, the account, the
// venue. It is the only way in which the edges reach the actors. Its parameters and
// results are plain values, so that an owner could run on another node. It is safe for
// concurrent use.
//
// The error for a customer or an exchange that is not connected is not_found. Until the
// accounts and channels of a customer are opened after a start, which of them there are is
// not known, and the error is maintenance. No customer can name anything of another: the
// customer of a command is taken from its API key.
type Directory struct {
	store   persistence.Reader
	markets map[venues.Venue]Market

	mu        sync.RWMutex
	customers map[string]customer.Client
	// loading are the customers whose accounts and channels are not opened yet.
	loading   map[string]struct{}
	accounts  map[accountKey]account.Client
	channels  map[string]*Inbound
	endpoints map[string]queues
	// observeOrder is Deps.ObserveOrder.
	observeOrder func(exchange venues.Venue, orderID string, cmd *venues.Command)
	// monitors are those of all accounts since the start.
	monitors map[accountKey]*account.Monitor
	counts   map[venues.Venue]*account.Counts
	// deliveries are those of all endpoints since the start, by id.
	deliveries     map[string]*delivery.Monitor
	deliveryCounts delivery.Counts
}

// Market is the public side of one venue.
type Market interface {
	// Instruments returns nil until the instruments were read once.
	Instruments() *venues.InstrumentSet
	// Mark returns the newest known mark price, LiveMark none while a newer one may have been
	// missed.
	Mark(symbol string) venues.Optional
	LiveMark(symbol string) venues.Optional
	LiveLast(symbol string) venues.Optional
	Subscribe(ctx context.Context, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error)
	// BookSnapshot returns the snapshot of a book for a customer; see venue.Client.
	BookSnapshot(ctx context.Context, customer, symbol string, depth int) (venues.Frame, error)
	// Trades returns the newest public trades, newest first.
	Trades(ctx context.Context, symbol string, limit int) ([]venues.Trade, error)
	// Tickers returns the ticker of a symbol, or of all if it is empty.
	Tickers(ctx context.Context, symbol string) ([]venues.Ticker, error)
	// WatchPrice calls hit each time when the condition begins to hold.
	WatchPrice(ctx context.Context, symbol string, condition venues.PriceCondition, hit func(venues.PriceHit)) (venues.PriceWatch, error)
	// Candles returns the candles of an instrument that begin in [from, to), oldest first.
	Candles(ctx context.Context, symbol string, tf venues.Timeframe, from, to time.Time) ([]venues.Candle, error)
	// Ready returns nil, or what is missing.
	Ready() error
}

const (
	// instrumentsRetry is the Retry-After until the instruments are known.
	instrumentsRetry = 2 * time.Second
	// loadingRetry is the Retry-After until a customer is loaded.
	loadingRetry = time.Second
)

// loadingError returns the error of requests whose subject may not be opened yet.
func loadingError() *venues.Error {
	e := venues.Errorf(venues.CodeMaintenance, "the service is starting")
	e.RetryAfter = loadingRetry
	return e
}

type accountKey struct {
	customer string
	exchange venues.Venue
}

func newDirectory(store persistence.Reader, markets map[venues.Venue]Market) *Directory {
	counts := make(map[venues.Venue]*account.Counts, len(venues.All()))
	for _, exchange := range venues.All() {
		counts[exchange] = &account.Counts{}
	}
	return &Directory{
		store: store, markets: markets, counts: counts, monitors: map[accountKey]*account.Monitor{},
		deliveries: map[string]*delivery.Monitor{},
		customers:  map[string]customer.Client{}, loading: map[string]struct{}{},
		accounts: map[accountKey]account.Client{}, channels: map[string]*Inbound{}, endpoints: map[string]queues{},
	}
}

// addCustomer adds a customer, which is loading until customerLoaded.
func (d *Directory) addCustomer(id string, c customer.Client) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.customers[id], d.loading[id] = c, struct{}{}
}

func (d *Directory) customerLoaded(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.loading, id)
}

// checkLoaded returns the error of requests about a customer that is loading.
func (d *Directory) checkLoaded(id string) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if _, loading := d.loading[id]; loading {
		return loadingError()
	}
	return nil
}

func (d *Directory) removeCustomer(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.customers, id)
	delete(d.loading, id)
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
	if _, loading := d.loading[id]; loading && !known {
		return c, loadingError()
	}
	if !known {
		return c, venues.Errorf(venues.CodeNotFound, "no %s account is connected", exchange).With("exchange", string(exchange))
	}
	return c, nil
}

// connected returns the customer's accounts at one exchange, or at all.
func (d *Directory) connected(id string, exchange venues.Venue) ([]account.Client, []venues.Venue, error) {
	if exchange != "" {
		c, err := d.account(id, exchange)
		return []account.Client{c}, []venues.Venue{exchange}, err
	}
	if err := d.checkLoaded(id); err != nil {
		return nil, nil, err
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

// Customer returns the client of a customer.
func (d *Directory) Customer(id string) (customer.Client, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	c, known := d.customers[id]
	if !known {
		return c, venues.Errorf(venues.CodeNotFound, "no customer %s", id)
	}
	return c, nil
}

// Instruments returns an exchange's instruments, or false if it is not configured.
func (d *Directory) Instruments(exchange venues.Venue) (*venues.InstrumentSet, bool) {
	m, known := d.markets[exchange]
	if !known {
		return nil, false
	}
	return m.Instruments(), true
}

// trading returns an account if the instruments of its venue are known, without which no
// order can be checked.
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

// Place passes an order to its account.
func (d *Directory) Place(ctx context.Context, cmd venues.PlaceOrder) (venues.Order, error) {
	c, err := d.trading(cmd.Customer, cmd.Exchange)
	if err != nil {
		return venues.Order{}, err
	}
	order, err := c.Place(ctx, cmd)
	d.placed(cmd.Exchange, &cmd.Command, &order, err)
	return order, err
}

// CheckOrder passes an order that is only checked to its account.
func (d *Directory) CheckOrder(ctx context.Context, cmd venues.PlaceOrder) (venues.OrderCheck, error) {
	c, err := d.trading(cmd.Customer, cmd.Exchange)
	if err != nil {
		return venues.OrderCheck{}, err
	}
	return c.Check(ctx, cmd)
}

// placed reports the hops of an order that was placed or that its venue has rejected.
func (d *Directory) placed(exchange venues.Venue, cmd *venues.Command, order *venues.Order, err error) {
	if d.observeOrder == nil || cmd.Hops == nil {
		return
	}
	id := order.OrderID
	if rejection, ok := errors.AsType[*venues.Error](err); ok {
		if rejected, recorded := rejection.Details["order"].(venues.Order); recorded && rejection.Code != venues.CodeDuplicateRequest {
			id = rejected.OrderID
		}
	}
	if id != "" {
		cmd.Hops.End(venues.HopAnswered, time.Now())
		d.observeOrder(exchange, id, cmd)
	}
}

// Close passes the close of a position to its account.
func (d *Directory) Close(ctx context.Context, cmd venues.ClosePosition) (venues.Order, error) {
	c, err := d.trading(cmd.Customer, cmd.Exchange)
	if err != nil {
		return venues.Order{}, err
	}
	order, err := c.Close(ctx, cmd)
	d.placed(cmd.Exchange, &cmd.Command, &order, err)
	return order, err
}

// SetLeverage passes a change of leverage to its account.
func (d *Directory) SetLeverage(ctx context.Context, cmd venues.ChangeLeverage) (venues.LeverageChange, error) {
	c, err := d.trading(cmd.Customer, cmd.Exchange)
	if err != nil {
		return venues.LeverageChange{}, err
	}
	return c.SetLeverage(ctx, cmd)
}

// Amend passes an amendment to the account of the order.
func (d *Directory) Amend(ctx context.Context, cmd venues.AmendOrder) (venues.Order, error) {
	record, err := d.order(ctx, cmd.Customer, cmd.OrderID)
	if err != nil {
		return venues.Order{}, err
	}
	c, err := d.trading(cmd.Customer, record.Exchange)
	if err != nil {
		return venues.Order{}, err
	}
	return c.Amend(ctx, &record, cmd)
}

// Cancel passes a cancel to the account of the order.
func (d *Directory) Cancel(ctx context.Context, cmd venues.CancelOrder) (venues.Order, error) {
	record, err := d.order(ctx, cmd.Customer, cmd.OrderID)
	if err != nil {
		return venues.Order{}, err
	}
	c, err := d.account(cmd.Customer, record.Exchange)
	if err != nil {
		return venues.Order{}, err
	}
	return c.Cancel(ctx, &record, cmd)
}

// AccountReady returns nil while an account accepts orders, else the error that an order
// would receive.
func (d *Directory) AccountReady(ctx context.Context, customer string, exchange venues.Venue) error {
	c, err := d.trading(customer, exchange)
	if err != nil {
		return err
	}
	return c.Ready(ctx)
}

// order returns the stored record of an order, or not_found.
func (d *Directory) order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error) {
	record, err := d.store.Order(ctx, customer, orderID)
	if errors.Is(err, persistence.ErrNotFound) {
		return record, venues.Errorf(venues.CodeNotFound, "no order %s", orderID)
	}
	return record, err
}

// Subscribe subscribes a sink to a topic of a venue or of the customer.
func (d *Directory) Subscribe(ctx context.Context, id string, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error) {
	if topic.Private() {
		c, err := d.Customer(id)
		if err == nil {
			err = d.checkLoaded(id)
		}
		if err != nil {
			return nil, err
		}
		return c.Subscribe(ctx, topic.Kind, sink)
	}
	m, err := d.market(topic.Venue)
	if err != nil {
		return nil, err
	}
	return m.Subscribe(ctx, topic, sink)
}

// market returns the market of an exchange, or not_found.
func (d *Directory) market(exchange venues.Venue) (Market, error) {
	m, known := d.markets[exchange]
	if !known {
		return nil, venues.Errorf(venues.CodeNotFound, "%s is not connected", exchange).With("exchange", string(exchange))
	}
	return m, nil
}

// BookSnapshot returns the snapshot of a book for a customer.
func (d *Directory) BookSnapshot(ctx context.Context, id string, exchange venues.Venue, symbol string, depth int) (venues.Frame, error) {
	m, err := d.market(exchange)
	if err != nil {
		return venues.Frame{}, err
	}
	return m.BookSnapshot(ctx, id, symbol, depth)
}

// Trades returns the newest public trades of an instrument, newest first.
func (d *Directory) Trades(ctx context.Context, exchange venues.Venue, symbol string, limit int) ([]venues.Trade, error) {
	m, err := d.market(exchange)
	if err != nil {
		return nil, err
	}
	return m.Trades(ctx, symbol, limit)
}

// Tickers returns the ticker of an instrument, or those of all if symbol is empty.
func (d *Directory) Tickers(ctx context.Context, exchange venues.Venue, symbol string) ([]venues.Ticker, error) {
	m, err := d.market(exchange)
	if err != nil {
		return nil, err
	}
	return m.Tickers(ctx, symbol)
}

// WatchPrice watches a condition on the price of an instrument.
func (d *Directory) WatchPrice(ctx context.Context, exchange venues.Venue, symbol string, condition venues.PriceCondition, hit func(venues.PriceHit)) (venues.PriceWatch, error) {
	m, err := d.market(exchange)
	if err != nil {
		return nil, err
	}
	return m.WatchPrice(ctx, symbol, condition, hit)
}

// Ready returns nil when at least one market is ready, otherwise what each of them is
// missing: a venue that is down does not affect the clients of the others.
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
