package account_test

import (
	"context"
	"sync/atomic"
	"time"

	"venuegate/actors"
	"venuegate/actors/account"
	"venuegate/actors/actortest"
	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// harness runs an account with a store in memory, a ledgerVenue and a market whose price
// does not change.
type harness struct {
	kit    *actortest.Kit
	store  *storetest.Memory
	venue  *ledgerVenue
	name   string
	ref    actors.Ref
	config account.Config
	client account.Client
	// stream is the sink of the private stream; see openStreamed.
	stream venues.PrivateSink
}

// open starts an account from what its store and its venue have.
func open(kit *actortest.Kit, store *storetest.Memory, venue venues.Account, name string) *harness {
	return openWith(kit, store, venue, name, func(c persistence.Submitter) persistence.Submitter { return c })
}

func newPools(system *actors.System) account.Pools {
	pool := func(name string) *actors.Pool { return system.NewCallPool(name, 8, 64) }
	return account.Pools{
		OrderPool: system.NewCallPool("orders", 8, 8), QueryPool: pool("queries"),
		StartPool: pool("starts"), ReconcilePool: pool("reconciliations"), RoutinePool: pool("routine"), ReadPool: pool("reads"),
	}
}

// openWith is open with the Submitter that through returns in place of the account's journal.
func openWith(kit *actortest.Kit, store *storetest.Memory, venue venues.Account, name string, through func(persistence.Submitter) persistence.Submitter) *harness {
	h := &harness{kit: kit, store: store, name: name}
	h.venue, _ = venue.(*ledgerVenue)
	h.start(kit, venue, through, nil)
	return h
}

// openStreamed starts an account whose private stream is connected. The test is the venue's
// side of the stream.
func openStreamed(kit *actortest.Kit, venue venues.Account) *harness {
	h := &harness{kit: kit, store: storetest.NewMemory(), name: "account"}
	h.venue, _ = venue.(*ledgerVenue)
	h.start(kit, venue, func(c persistence.Submitter) persistence.Submitter { return c }, func(events account.Observer) actors.Child {
		h.stream = events
		return actors.Child{Name: "private", Producer: func() actors.Behaviour { return connected{events} }}
	})
	return h
}

// connected is a private connection that is connected when it starts.
type connected struct{ venues.PrivateSink }

func (c connected) Started(*actors.Context)    { c.Connected() }
func (connected) Receive(*actors.Context, any) {}

func (h *harness) start(kit *actortest.Kit, venue venues.Account, through func(persistence.Submitter) persistence.Submitter, private func(account.Observer) actors.Child) {
	store, name := h.store, h.name
	log := journal.NewClient(store)
	fence, err := log.Own(context.Background(), "c1")
	if err != nil {
		kit.T.Fatal(err)
	}
	config := account.Config{
		Customer: "c1", Exchange: venues.Binance, ClientIDPrefix: "test",
		Capabilities: venues.Capabilities{AbsenceAfter: 10 * time.Second, UnfilledRetention: 72 * time.Hour},
	}
	spec := account.Child(account.Deps{
		Config: config, Fence: fence, Venue: venue, Store: store, Journal: through(log.CommitQueue("c1", name)), Market: fixedMarket{}, Updates: discardUpdates{},
		NewID:   func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, &idEntropy) },
		Pools:   newPools(kit.System),
		Private: private,
	})
	spec.Name = name
	h.ref, h.config = kit.Start(spec), config
	h.client = account.NewClient(h.ref, config, store, fixedMarket{})
	kit.Advance(time.Second) // the first reconciliation
}

// place places a limit order. The price also stands for the body of the request, so that
// another price is another request.
func (h *harness) place(requestID, price string) (venues.Order, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return h.client.Place(ctx, venues.PlaceOrder{
		OrderSpec: venues.OrderSpec{
			Symbol: "BTC/USDT:USDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: venues.MustDecimal("1"),
			Price: venues.Some(venues.MustDecimal(price)), TimeInForce: venues.GoodTillCancel,
		},
		RequestID: requestID, Scope: persistence.ScopeREST, BodyHash: []byte(price), Source: venues.SourceAPI,
	})
}

// idEntropy makes distinct ids that are the same in each run. All accounts use it.
var idEntropy countingEntropy

type countingEntropy struct{ n atomic.Uint32 }

func (c *countingEntropy) Read(p []byte) (int, error) {
	n := byte(c.n.Add(1))
	for i := range p {
		p[i] = n
	}
	return len(p), nil
}

// fixedMarket is a market with one instrument and a constant mark price.
type fixedMarket struct{}

func (fixedMarket) Instrument(symbol string) (*venues.Instrument, bool) {
	if venues.NormalizeSymbol(symbol) != "BTCUSDT" {
		return nil, false
	}
	return &venues.Instrument{
		Symbol: "BTCUSDT", Exchange: venues.Binance, Status: venues.InstrumentTrading,
		TickSize: venues.MustDecimal("0.1"), QtyStep: venues.MustDecimal("0.001"), MinQty: venues.MustDecimal("0.001"),
	}, true
}

func (fixedMarket) Mark(string) venues.Optional     { return venues.Some(venues.MustDecimal("60000")) }
func (fixedMarket) LiveMark(string) venues.Optional { return venues.Optional{} }
func (fixedMarket) LiveLast(string) venues.Optional { return venues.Optional{} }

// discardUpdates ignores all updates.
type discardUpdates struct{}

func (discardUpdates) Reconciled(venues.Venue, []venues.Order, []venues.Position, []venues.Balance) {}

func (discardUpdates) OrderChanged(venues.Order) {}

func (discardUpdates) PositionChanged(venues.Position) {}

func (discardUpdates) BalancesChanged(venues.Venue, []venues.Balance) {}

// record returns the stored record of an order.
func (h *harness) record(ctx context.Context, orderID string) *persistence.OrderRecord {
	record, err := h.store.Order(ctx, "c1", orderID)
	if err != nil {
		panic(err)
	}
	return &record
}

func (h *harness) cancel(ctx context.Context, orderID string) (venues.Order, error) {
	return h.client.Cancel(ctx, h.record(ctx, orderID), venues.CancelOrder{OrderID: orderID})
}
