package account_test

import (
	"context"
	"crypto/rand"
	"strconv"
	"testing"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/account"
	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// discardingStore confirms each batch and forgets it: the order of a benchmark must not
// become dearer with the number of orders before it.
type discardingStore struct{ *storetest.Memory }

func (discardingStore) Submit(_ persistence.Batch, done func(error)) { done(nil) }

// fillingVenue is a venue that fills each order. The private stream reports the order, its
// execution, the position and the balances before the request is answered.
type fillingVenue struct {
	*ledgerVenue
	stream account.Observer
	trades int
}

func (v *fillingVenue) Place(_ context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	v.trades++
	trade, price := strconv.Itoa(v.trades), venues.MustDecimal("60000.1")
	at := time.Now()
	ack := venues.ExecutionReport{
		Symbol: r.Symbol, ClientOrderID: r.ClientOrderID, VenueOrderID: trade, Side: r.Side, Type: r.Type,
		Status: venues.StatusOpen, Qty: r.Qty, VenueTime: at,
	}
	v.stream.Report(ack)
	filled := ack
	filled.Status, filled.FilledQty, filled.AvgPrice = venues.StatusFilled, r.Qty, venues.Some(price)
	filled.Fill = &venues.Fill{
		Symbol: r.Symbol, Side: r.Side, Qty: r.Qty, Price: price, Fee: venues.Some(venues.MustDecimal("0.021")), FeeCurrency: "USDT",
		VenueTradeID: trade, VenueOrderID: trade, ExecutedAt: venues.At(at),
	}
	v.stream.Report(filled)
	position := venues.Position{Exchange: venues.Binance, Symbol: r.Symbol, Side: venues.Long, UpdatedAt: venues.At(at)}
	if r.Side == venues.Buy {
		position.Qty, position.EntryPrice = r.Qty, venues.Some(price)
		v.setPositions(position)
	} else {
		v.setPositions()
	}
	v.stream.Position(position)
	v.stream.BalancesChanged()
	return ack, nil
}

// oneInstrument is a market that keeps its instrument and mark price.
type oneInstrument struct {
	instrument *venues.Instrument
	mark       venues.Optional
}

func (m oneInstrument) Instrument(string) (*venues.Instrument, bool) { return m.instrument, true }
func (m oneInstrument) Mark(string) venues.Optional                  { return m.mark }
func (m oneInstrument) LiveMark(string) venues.Optional              { return m.mark }
func (m oneInstrument) LiveLast(string) venues.Optional              { return m.mark }

// BenchmarkOrder places market orders that fill at once, one after the other: intent, answer of
// the venue, private stream, outcome. Every second one closes the position of the one before.
func BenchmarkOrder(b *testing.B) {
	system := actors.New(zap.NewNop())
	store := discardingStore{storetest.NewMemory()}
	log := journal.NewClient(store)
	fence, err := log.Own(b.Context(), "c1")
	if err != nil {
		b.Fatal(err)
	}
	instrument, _ := fixedMarket{}.Instrument("BTCUSDT")
	market := oneInstrument{instrument, fixedMarket{}.Mark("BTCUSDT")}
	venue := &fillingVenue{ledgerVenue: newVenue()}
	config := account.Config{
		Customer: "c1", Exchange: venues.Binance, ClientIDPrefix: "test",
		Capabilities: venues.Capabilities{AbsenceAfter: 10 * time.Second, UnfilledRetention: 72 * time.Hour},
	}
	ref, err := system.Start(account.Child(account.Deps{
		Config: config, Fence: fence, Venue: venue, Store: store, Journal: log.CommitQueue("c1", "account"), Market: market, Updates: discardUpdates{},
		NewID: func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) },
		Pools: newPools(system),
		Private: func(stream account.Observer) actors.Child {
			venue.stream = stream
			return actors.Child{Name: "private", Producer: func() actors.Behaviour { return ignore{} }}
		},
	}))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	client := account.NewClient(ref, config, store, market)
	for client.Ready(ctx) != nil {
		time.Sleep(time.Millisecond)
	}
	order := venues.PlaceOrder{
		OrderSpec: venues.OrderSpec{Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeMarket, Qty: venues.MustDecimal("0.05"), TimeInForce: venues.ImmediateOrCancel},
		Scope:     persistence.ScopeREST, BodyHash: make([]byte, 32), Source: venues.SourceAPI,
	}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		order.RequestID = "r" + strconv.Itoa(n)
		placed, err := client.Place(ctx, order)
		if err != nil || placed.Status != venues.StatusFilled {
			b.Fatalf("Place = %+v, %v, want a filled order", placed, err)
		}
		order.Side = order.Side.Opposite()
	}
	b.StopTimer()
	if err := system.Stop(ctx); err != nil {
		b.Error(err)
	}
}

// ignore is a Behaviour that ignores all messages.
type ignore struct{}

// Receive implements actors.Behaviour.
func (ignore) Receive(*actors.Context, any) {}
