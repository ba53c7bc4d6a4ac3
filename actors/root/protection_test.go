package root_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"venuegate/actors"
	"venuegate/actors/root"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
	"venuegate/venues/binance"
	"venuegate/venues/binance/binancesim"
	"venuegate/venues/bybit"
	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/okx"
	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// simulator is one simulated venue with a connector to it.
type simulator struct {
	connector interface {
		venues.Connector
		Close()
	}
	control     *simcore.Control
	credentials simcore.Credentials
	close       func() error
}

func simulatedVenue(t *testing.T, venue venues.Venue) simulator {
	t.Helper()
	var s simulator
	switch venue {
	case venues.Bybit:
		sim, err := bybitsim.New(bybitsim.Options{Setup: simnet.Setup{Seed: 1, Quiet: true}})
		if err != nil {
			t.Fatal(err)
		}
		sim.Serve(listen(t), listen(t))
		ends := sim.Endpoints()
		s = simulator{bybit.New(bybit.Sim(ends.RestURL, ends.WsURL)), sim.Control(), sim.DemoAccount().Credentials, sim.Close}
	case venues.OKX:
		sim, err := okxsim.New(okxsim.Options{Setup: simnet.Setup{Seed: 1, Quiet: true}})
		if err != nil {
			t.Fatal(err)
		}
		sim.Serve(listen(t), listen(t))
		ends := sim.Endpoints()
		s = simulator{okx.New(okx.Sim(ends.RestURL, ends.WsURL)), sim.Control(), sim.DemoAccount().Credentials, sim.Close}
	default:
		sim, err := binancesim.New(binancesim.Options{Setup: simnet.Setup{Seed: 1, Quiet: true}})
		if err != nil {
			t.Fatal(err)
		}
		sim.Serve(listen(t), listen(t))
		ends := sim.Endpoints()
		s = simulator{binance.New(binance.Sim(ends.RestURL, ends.WsURL)), sim.Control(), sim.DemoAccount().Credentials, sim.Close}
	}
	t.Cleanup(func() { _ = s.close() })
	t.Cleanup(s.connector.Close)
	return s
}

// openAt opens a tree over one of the simulated venues.
func openAt(t *testing.T, venue venues.Venue) (*harness, simulator) {
	t.Helper()
	s := simulatedVenue(t, venue)
	return openOver(t, venue, s.connector, s), s
}

// openOver opens a tree over a connector to a simulated venue.
func openOver(t *testing.T, venue venues.Venue, connector venues.Connector, s simulator) *harness {
	t.Helper()
	list, err := connector.Instruments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := &harness{t: t, store: storetest.NewMemory(), exchange: venue, market: &fixedMarket{set: venues.NewInstrumentSet(list)}, system: actors.New(zaptest.NewLogger(t))}
	at := venues.At(time.Now())
	if err := d.store.Commit(t.Context(), persistence.Batch{Puts: []persistence.Record{persistence.Customer{ID: "c1", Name: "one", CreatedAt: at}}}); err != nil {
		t.Fatal(err)
	}
	d.tree, err = root.Start(t.Context(), root.Deps{
		System: d.system, Store: d.store, Encoder: noFrames{}, ClientIDPrefix: "test",
		Connectors: map[venues.Venue]venues.Connector{venue: connector},
		Markets:    map[venues.Venue]root.Market{venue: d.market},
		Unseal: func(persistence.VenueAccount) (venues.Credentials, error) {
			return venues.Credentials{
				APIKey: venues.Secret(s.credentials.APIKey), APISecret: venues.Secret(s.credentials.APISecret),
				Passphrase: venues.Secret(s.credentials.Passphrase),
			}, nil
		},
		NewID: func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		if err := d.system.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	if err := d.customer().Connect(t.Context(), persistence.VenueAccount{Customer: "c1", Exchange: venue, Environment: "sim", CreatedAt: at}); err != nil {
		t.Fatal(err)
	}
	return d
}

// entry opens a protected position and waits until both legs are open.
func (d *harness) entry(requestID string) persistence.OrderRecord {
	d.t.Helper()
	order := spec(venues.Buy, venues.TypeMarket, "0.05", "")
	order.StopLoss, order.TakeProfit = venues.Some(venues.MustDecimal("60000")), venues.Some(venues.MustDecimal("70000"))
	placed := d.becomes(venues.StatusFilled, requestID, order)
	return d.eventually(placed.OrderID, legsAre(venues.ProtectionLive, venues.ProtectionLive))
}

func legsAre(stop, profit venues.ProtectionStatus) func(persistence.OrderRecord) bool {
	return func(r persistence.OrderRecord) bool {
		return r.Protection.StopLoss.Status == stop && r.Protection.TakeProfit.Status == profit
	}
}

func eachVenue(t *testing.T, run func(t *testing.T, venue venues.Venue)) {
	for _, venue := range venues.All() {
		t.Run(string(venue), func(t *testing.T) {
			t.Parallel()
			run(t, venue)
		})
	}
}

// The record of an order reports the outcome of its protection, alike on every venue, and
// no order is left.
func TestOutcomeOfProtectionIsRecorded(t *testing.T) {
	for _, c := range []struct {
		name, price  string
		stop, profit venues.ProtectionStatus
	}{
		{"stop loss", "59000", venues.ProtectionTriggered, venues.ProtectionCancelled},
		{"take profit", "71000", venues.ProtectionCancelled, venues.ProtectionTriggered},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachVenue(t, func(t *testing.T, venue venues.Venue) {
				d, s := openAt(t, venue)
				entry := d.entry("r1")
				if _, err := s.control.Market(simcore.MarketRequest{Symbol: "BTCUSDT", Price: price(c.price)}); err != nil {
					t.Fatal(err)
				}
				d.eventually(entry.OrderID, legsAre(c.stop, c.profit))
				d.wantEvents(persistence.EventStopTriggered, 1)
				d.wantUnfinished(0)
			})
		})
	}
}

// wantEvents waits for a number of events of a kind.
func (d *harness) wantEvents(kind persistence.EventType, want int) {
	d.t.Helper()
	d.wait("events "+string(kind), func() bool {
		events, err := d.store.Events(d.t.Context(), "c1", "", 100)
		if err != nil {
			d.t.Fatal(err)
		}
		n := 0
		for _, e := range events {
			if e.Type == kind {
				n++
			}
		}
		return n == want
	})
}

func (d *harness) wantUnfinished(want int) {
	d.t.Helper()
	d.wait("end of the orders", func() bool {
		open, err := d.store.UnfinishedOrders(d.t.Context(), "c1", d.exchange)
		if err != nil {
			d.t.Fatal(err)
		}
		return len(open) == want
	})
}

func (d *harness) wait(what string, is func() bool) {
	d.t.Helper()
	deadline := time.Now().Add(testTimeout)
	for !is() {
		if time.Now().After(deadline) {
			d.t.Fatalf("timeout, want %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (d *harness) amend(cmd venues.AmendOrder) (venues.Order, error) {
	cmd.Customer = "c1"
	ctx, cancel := context.WithTimeout(d.t.Context(), testTimeout)
	defer cancel()
	return d.tree.Amend(ctx, cmd)
}

func legAt(kind venues.LegKind, status venues.ProtectionStatus, price string) func(persistence.OrderRecord) bool {
	return func(r persistence.OrderRecord) bool {
		leg := r.Protection.Leg(kind)
		return leg != nil && leg.Status == status && (price == "" || leg.Price.Equal(venues.MustDecimal(price)))
	}
}

// Protection of an open position is moved, removed and added, and triggers at its new
// price.
func TestProtectionIsMoved(t *testing.T) {
	eachVenue(t, func(t *testing.T, venue venues.Venue) {
		d, s := openAt(t, venue)
		entry := d.entry("r1")
		if _, err := d.amend(venues.AmendOrder{OrderID: entry.OrderID, StopLoss: venues.Some(venues.MustDecimal("99000"))}); venues.CodeOf(err) == "" || err == nil {
			t.Fatalf("a stop loss above the price: %v, want an error with a code", err)
		}
		moved, err := d.amend(venues.AmendOrder{OrderID: entry.OrderID, StopLoss: venues.Some(venues.MustDecimal("62000"))})
		if err != nil || !venues.EqualOptional(moved.StopLoss, venues.Some(venues.MustDecimal("62000"))) {
			t.Fatalf("changed order = %+v, error %v, want stopLoss 62000", moved, err)
		}
		d.eventually(entry.OrderID, legAt(venues.LegStopLoss, venues.ProtectionLive, "62000"))
		if _, err := d.amend(venues.AmendOrder{OrderID: entry.OrderID, RemoveTakeProfit: true}); err != nil {
			t.Fatal(err)
		}
		d.eventually(entry.OrderID, legAt(venues.LegTakeProfit, venues.ProtectionCancelled, ""))
		if _, err := d.amend(venues.AmendOrder{OrderID: entry.OrderID, TakeProfit: venues.Some(venues.MustDecimal("72000"))}); err != nil {
			t.Fatal(err)
		}
		d.eventually(entry.OrderID, legAt(venues.LegTakeProfit, venues.ProtectionLive, "72000"))
		d.eventually(entry.OrderID, legAt(venues.LegStopLoss, venues.ProtectionLive, "62000"))
		if _, err := s.control.Market(simcore.MarketRequest{Symbol: "BTCUSDT", Price: price("61500")}); err != nil {
			t.Fatal(err)
		}
		d.eventually(entry.OrderID, legsAre(venues.ProtectionTriggered, venues.ProtectionCancelled))
		d.wantEvents(persistence.EventStopTriggered, 1)
		d.wantUnfinished(0)
	})
}

// The protection of a resting order is moved before the order fills.
func TestProtectionOfARestingOrderIsMoved(t *testing.T) {
	eachVenue(t, func(t *testing.T, venue venues.Venue) {
		d, s := openAt(t, venue)
		order := spec(venues.Buy, venues.TypeLimit, "0.05", "64000")
		order.StopLoss = venues.Some(venues.MustDecimal("60000"))
		placed := d.becomes(venues.StatusOpen, "r1", order)
		if _, err := d.amend(venues.AmendOrder{OrderID: placed.OrderID, StopLoss: venues.Some(venues.MustDecimal("61000")), TakeProfit: venues.Some(venues.MustDecimal("70000"))}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.control.Market(simcore.MarketRequest{Symbol: "BTCUSDT", Price: price("63900")}); err != nil {
			t.Fatal(err)
		}
		d.eventually(placed.OrderID, legAt(venues.LegStopLoss, venues.ProtectionLive, "61000"))
		d.eventually(placed.OrderID, legAt(venues.LegTakeProfit, venues.ProtectionLive, "70000"))
	})
}
