package account_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/actors/account"
	"venuegate/actors/actortest"
	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// watchedVenue counts the requests that are sent or arrive after the lock has become durable.
type watchedVenue struct {
	*ledgerVenue
	store *storetest.Memory
	sent  atomic.Int64
	late  atomic.Int64
	// delay returns how long the nth request waits in the connector.
	delay func(n int64) time.Duration
}

func (v *watchedVenue) Place(ctx context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	n := v.sent.Add(1)
	v.look(ctx)
	time.Sleep(v.delay(n))
	v.look(ctx)
	return v.ledgerVenue.Place(ctx, r)
}

func (v *watchedVenue) look(ctx context.Context) {
	if risk, err := v.store.Risk(ctx, "c1", venues.Binance); err == nil && risk.Lock != nil {
		v.late.Add(1)
	}
}

// idleFeed is a private connection without events.
type idleFeed struct{}

func (idleFeed) Started(*actors.Context)      {}
func (idleFeed) Receive(*actors.Context, any) {}

// TestNothingIsSentAfterTheLockIsDurable: 500 orders are in the mailbox, the journal, the
// pool and the connector when the loss is reported.
func TestNothingIsSentAfterTheLockIsDurable(t *testing.T) {
	for seed := range int64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			actortest.Run(t, func(kit *actortest.Kit) { raceWithALock(kit, seed) })
		})
	}
}

func raceWithALock(kit *actortest.Kit, seed int64) {
	store := storetest.NewMemory()
	venue := &watchedVenue{ledgerVenue: newVenue(), store: store, delay: func(n int64) time.Duration {
		return time.Duration((n*7919+seed*104729)%40) * time.Millisecond
	}}
	client, events, _ := openWithLossLimit(kit, store, venue)
	var answered [3]atomic.Int64
	var wait sync.WaitGroup
	for i := range 500 {
		wait.Go(func() {
			time.Sleep(time.Duration(i%100) * time.Millisecond)
			_, err := client.Place(context.Background(), venues.PlaceOrder{
				OrderSpec: venues.OrderSpec{
					Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: venues.MustDecimal("1"),
					Price: venues.Some(venues.MustDecimal("60000")), TimeInForce: venues.GoodTillCancel,
				},
				RequestID: fmt.Sprintf("r%d", i), Scope: persistence.ScopeREST, Source: venues.SourceAPI,
			})
			switch {
			case err == nil:
				answered[0].Add(1)
			case venues.CodeOf(err) == venues.CodeTradingLocked:
				answered[1].Add(1)
			default:
				answered[2].Add(1)
			}
		})
	}
	time.Sleep(time.Duration(20+5*seed) * time.Millisecond)
	events.Report(lossOf("200"))
	wait.Wait()
	kit.Advance(10 * time.Second)
	risk, err := store.Risk(context.Background(), "c1", venues.Binance)
	if err != nil || risk.Lock == nil {
		kit.T.Fatalf("risk record = %+v, %v, want a lock", risk, err)
	}
	if venue.late.Load() != 0 {
		kit.T.Errorf("%d requests were sent after the lock was durable, want 0", venue.late.Load())
	}
	if answered[0].Load() != venue.sent.Load() || answered[0].Load() == 0 || answered[1].Load() == 0 || answered[2].Load() != 0 {
		kit.T.Errorf("placed %d of %d sent, locked %d, otherwise %d, want all sent ones placed, some locked, none otherwise", answered[0].Load(), venue.sent.Load(), answered[1].Load(), answered[2].Load())
	}
}

// openWithLossLimit starts an account with a daily loss limit of 100. The Observer
// reports private events to it.
func openWithLossLimit(kit *actortest.Kit, store *storetest.Memory, venue venues.Account) (account.Client, account.Observer, actors.Ref) {
	log := journal.NewClient(store)
	fence, err := log.Own(context.Background(), "c1")
	if err != nil {
		kit.T.Fatal(err)
	}
	control := persistence.VenueAccount{
		Customer: "c1", Exchange: venues.Binance, Limits: persistence.RiskLimits{DailyLoss: venues.Some(venues.MustDecimal("100"))},
	}
	if err := log.Commit(context.Background(), persistence.Batch{Fence: fence, Puts: []persistence.Record{control}}); err != nil {
		kit.T.Fatal(err)
	}
	config := account.Config{Customer: "c1", Exchange: venues.Binance, ClientIDPrefix: "test"}
	var events account.Observer
	pools := newPools(kit.System)
	pools.OrderPool = kit.System.NewCallPool("many orders", 16, 600)
	spec := account.Child(account.Deps{
		Config: config, Fence: fence, Venue: venue, Store: store, Journal: log.CommitQueue("c1", "account"), Market: fixedMarket{}, Updates: discardUpdates{},
		NewID: func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, &wide) },
		Pools: pools,
		Private: func(o account.Observer) actors.Child {
			events = o
			return actors.Child{Name: "private", Producer: func() actors.Behaviour { return idleFeed{} }}
		},
	})
	ref := kit.Start(spec)
	kit.Advance(time.Second)
	return account.NewClient(ref, config, store, fixedMarket{}), events, ref
}

// wide makes more different ids within a millisecond than idEntropy.
var wide wideEntropy

type wideEntropy struct{ n uint64 }

func (c *wideEntropy) Read(p []byte) (int, error) {
	c.n++
	for i := range p {
		p[i] = byte(c.n >> (8 * (i % 8)))
	}
	return len(p), nil
}

// lossOf returns the report of an order made elsewhere that has realized a loss.
func lossOf(amount string) venues.ExecutionReport {
	now := time.Now()
	return venues.ExecutionReport{
		Symbol: "BTCUSDT", ClientOrderID: "elsewhere", VenueOrderID: "77", Side: venues.Sell, Type: venues.TypeMarket,
		Status: venues.StatusFilled, Qty: venues.MustDecimal("1"), FilledQty: venues.MustDecimal("1"), VenueTime: now,
		Fill: &venues.Fill{
			Symbol: "BTCUSDT", Side: venues.Sell, Qty: venues.MustDecimal("1"), Price: venues.MustDecimal("60000"),
			RealizedPnl: venues.Some(venues.MustDecimal("-" + amount)), VenueTradeID: "1", VenueOrderID: "77", ExecutedAt: venues.At(now),
		},
	}
}

// quietMarket returns no mark price for the first two calls.
type quietMarket struct {
	fixedMarket
	calls atomic.Int64
}

func (m *quietMarket) Mark(symbol string) venues.Optional {
	if m.calls.Add(1) <= 2 {
		return venues.Optional{}
	}
	return m.fixedMarket.Mark(symbol)
}

// TestOrderWithoutAPriceWaitsForTheMark: its limited notional is computed with the mark
// price.
func TestOrderWithoutAPriceWaitsForTheMark(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		store := storetest.NewMemory()
		client, _, ref := openWithLossLimit(kit, store, newVenue())
		config := account.Config{Customer: "c1", Exchange: venues.Binance}
		limits := persistence.RiskLimits{MaxOrderNotional: venues.Some(venues.MustDecimal("60000"))}
		if err := client.Configure(context.Background(), persistence.VenueAccount{Limits: limits}); err != nil {
			t.Fatal(err)
		}
		order := func(qty string) venues.PlaceOrder {
			return venues.PlaceOrder{OrderSpec: venues.OrderSpec{
				Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeMarket, Qty: venues.MustDecimal(qty), TimeInForce: venues.ImmediateOrCancel,
			}}
		}
		patient := account.NewClient(ref, config, store, &quietMarket{})
		if _, err := patient.Place(context.Background(), order("1")); err != nil {
			t.Errorf("Place with a mark price = %v, want no error", err)
		}
		if _, err := patient.Place(context.Background(), order("2")); venues.CodeOf(err) != venues.CodeRiskRejected {
			t.Errorf("Place above the limit = %v, want %s", err, venues.CodeRiskRejected)
		}
	})
}
