package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// lister is a connector with a given instrument list.
type lister struct {
	venues.Connector
	list   []venues.Instrument
	err    error
	seeded []venues.Instrument
}

func (l *lister) Instruments(context.Context) ([]venues.Instrument, error) { return l.list, l.err }
func (l *lister) Seed(list []venues.Instrument)                            { l.seeded = list }

func swap(name, size string) venues.Instrument {
	return venues.Instrument{
		Symbol: strings.ReplaceAll(name, "-", ""), VenueSymbol: name, Exchange: venues.OKX, Kind: venues.KindPerpetual, Status: venues.InstrumentTrading,
		ContractSize: venues.MustDecimal(size), QtyStep: venues.MustDecimal(size), TickSize: venues.MustDecimal("0.1"), UpdatedAt: venues.At(time.Now()),
	}
}

// startOver starts the listings as the service does, with a venue that has these
// instruments.
func startOver(t *testing.T, store settingStore, environment string, list ...venues.Instrument) (venues.Connector, *lister) {
	t.Helper()
	l := &lister{list: list}
	connectors := map[venues.Venue]venues.Connector{venues.OKX: l}
	config := Config{Venues: map[venues.Venue]VenueConfig{venues.OKX: {Environment: environment}}}
	if err := openListings(t.Context(), store, config, connectors, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	return connectors[venues.OKX], l
}

func read(t *testing.T, connector venues.Connector) {
	t.Helper()
	if _, err := connector.Instruments(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// known describes the instruments that a new run is seeded with: names, sizes and
// whether they are closed.
func known(t *testing.T, store settingStore, environment string) string {
	t.Helper()
	_, l := startOver(t, store, environment)
	var all []string
	for _, i := range l.seeded {
		text := i.VenueSymbol + "=" + i.ContractSize.String()
		if i.Status == venues.InstrumentClosed {
			text += " closed"
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// TestListingsAreKept checks that the next run in the same environment knows the
// instruments that a venue has listed, for as long as executions can be read.
func TestListingsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory()
		first, _ := startOver(t, store, "live", swap("BTC-USDT", "0.01"), swap("ETH-USDT", "0.1"))
		if got := known(t, store, "live"); got != "" {
			t.Errorf("instruments before the first list = %s, want none", got)
		}
		read(t, first)
		if got, want := known(t, store, "live"), "BTC-USDT=0.01, ETH-USDT=0.1"; got != want {
			t.Errorf("instruments = %s, want %s", got, want)
		}
		if got := known(t, store, "demo"); got != "" {
			t.Errorf("instruments of another environment = %s, want none", got)
		}
		second, venue := startOver(t, store, "live", swap("ETH-USDT", "0.1"))
		read(t, second)
		time.Sleep(formerKept - time.Hour)
		read(t, second)
		if got, want := known(t, store, "live"), "BTC-USDT=0.01 closed, ETH-USDT=0.1"; got != want {
			t.Errorf("instruments = %s, want %s", got, want)
		}
		venue.list = []venues.Instrument{swap("ETH-USDT", "0.5"), swap("SOL-USDT", "1")}
		time.Sleep(time.Hour)
		read(t, second)
		if got, want := known(t, store, "live"), "ETH-USDT=0.5, SOL-USDT=1"; got != want {
			t.Errorf("instruments = %s, want %s", got, want)
		}
		venue.list = append(venue.list, swap("BTC-USDT", "0.001"))
		read(t, second)
		if got, want := known(t, store, "live"), "BTC-USDT=0.001, ETH-USDT=0.5, SOL-USDT=1"; got != want {
			t.Errorf("instruments after a new listing = %s, want %s", got, want)
		}
	})
}

// TestListingsAreWrittenOnce checks that an unchanged list is not written, that a
// failed write is repeated with the next list, and that a failed read changes
// nothing.
func TestListingsAreWrittenOnce(t *testing.T) {
	store := storetest.NewMemory()
	connector, venue := startOver(t, store, "live", swap("BTC-USDT", "0.01"))
	store.FailNext(persistence.ErrUnavailable)
	read(t, connector)
	if got := known(t, store, "live"); got != "" {
		t.Errorf("instruments after a failed write = %s, want none", got)
	}
	read(t, connector)
	if got, want := known(t, store, "live"), "BTC-USDT=0.01"; got != want {
		t.Errorf("instruments = %s, want %s", got, want)
	}
	before := store.Committed()
	venue.list[0].UpdatedAt, venue.list[0].MaxQty = venues.At(time.Now()), venues.Some(venues.MustDecimal("7"))
	read(t, connector)
	if store.Committed() != before {
		t.Errorf("commits = %d, want %d: an unchanged list is not written", store.Committed(), before)
	}
	venue.list, venue.err = nil, errors.New("away")
	if _, err := connector.Instruments(t.Context()); !errors.Is(err, venue.err) {
		t.Errorf("error %v, want %v", err, venue.err)
	}
	if got, want := known(t, store, "live"), "BTC-USDT=0.01"; got != want {
		t.Errorf("instruments = %s, want %s", got, want)
	}
}
