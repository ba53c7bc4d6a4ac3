package account_test

import (
	"context"
	"time"

	"venuegate/actors"
	"venuegate/actors/account"
	"venuegate/actors/actortest"
	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// house is an account with its neighbours: a store in memory, a venue that
// keeps its own truth, a market that never moves.
type house struct {
	kit    *actortest.Kit
	store  *storetest.Memory
	venue  *ledgerVenue
	name   string
	ref    actors.Ref
	config account.Config
	client account.Client
}

// open starts an account on what a store and a venue hold.
func open(kit *actortest.Kit, store *storetest.Memory, venue venues.Account, name string) *house {
	return openWith(kit, store, venue, name, func(c account.Committer) account.Committer { return c })
}

// openWith is open with something between the account and its journal.
func openWith(kit *actortest.Kit, store *storetest.Memory, venue venues.Account, name string, through func(account.Committer) account.Committer) *house {
	h := &house{kit: kit, store: store, name: name}
	h.venue, _ = venue.(*ledgerVenue)
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
		Config: config, Fence: fence, Venue: venue, Store: store, Journal: through(log.Line("c1", name)), Market: still{}, Updates: silence{},
		NewID:     func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, &entropy) },
		OrderPool: kit.System.NewCallPool("orders", 8, 8), ReadPool: kit.System.NewCallPool("reads", 8, 64),
		InquiryPool: kit.System.NewCallPool("inquiries", 8, 64),
	})
	spec.Name = name
	h.ref, h.config = kit.Start(spec), config
	h.client = account.NewClient(h.ref, config, store, still{})
	kit.Advance(time.Second) // the first reconciliation
	return h
}

// place sends a limit order; its price is the body of the request.
func (h *house) place(requestID, price string) (venues.Order, error) {
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

// entropy is a counter: ids differ, that is all that is asked of them here.
var entropy counter

type counter struct{ n byte }

func (c *counter) Read(p []byte) (int, error) {
	c.n++
	for i := range p {
		p[i] = c.n
	}
	return len(p), nil
}

// still is a market of one instrument.
type still struct{}

func (still) Instrument(symbol string) (*venues.Instrument, bool) {
	if venues.NormalizeSymbol(symbol) != "BTCUSDT" {
		return nil, false
	}
	return &venues.Instrument{
		Symbol: "BTCUSDT", Exchange: venues.Binance, Status: venues.InstrumentTrading,
		TickSize: venues.MustDecimal("0.1"), QtyStep: venues.MustDecimal("0.001"), MinQty: venues.MustDecimal("0.001"),
	}, true
}
func (still) Mark(string) venues.Optional { return venues.Some(venues.MustDecimal("60000")) }

// silence hears of nothing.
type silence struct{}

func (silence) Reconciled(venues.Venue, []venues.Order, []venues.Position, []venues.Balance) {}
func (silence) OrderChanged(venues.Order)                                                    {}
func (silence) PositionChanged(venues.Position)                                              {}
func (silence) BalancesChanged(venues.Venue, []venues.Balance)                               {}
