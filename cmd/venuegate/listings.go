package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/venues"
)

// formerKept is how long a delisted instrument is kept: venues report executions
// for three months.
const formerKept = 100 * 24 * time.Hour

// seedable is a connector that can read the executions in an instrument only if it
// knows the instrument. Seed passes it instruments that the venue no longer lists.
type seedable interface{ Seed([]venues.Instrument) }

// listings wraps a Connector and stores the venue's instruments, so that a later
// run knows instruments that were delisted while the service was down.
type listings struct {
	venues.Connector
	store settingStore
	name  string
	log   *zap.Logger

	mu sync.Mutex
	// kept is the stored list by venue symbol.
	kept map[string]venues.Instrument
}

// openListings wraps each connector that is seedable, and seeds it with the instruments
// that earlier runs stored.
func openListings(ctx context.Context, store settingStore, config Config, connectors map[venues.Venue]venues.Connector, log *zap.Logger) error {
	for code, connector := range connectors {
		seeded, ok := connector.(seedable)
		if !ok {
			continue
		}
		l := &listings{
			Connector: connector, store: store, log: log.Named(string(code)),
			name: "instruments/" + string(code) + "/" + config.Venues[code].Environment,
		}
		if err := l.load(ctx); err != nil {
			return fmt.Errorf("read the instruments of %s: %w", code, err)
		}
		seeded.Seed(slices.Collect(maps.Values(l.kept)))
		connectors[code] = l
	}
	return nil
}

func (l *listings) load(ctx context.Context) error {
	l.kept = map[string]venues.Instrument{}
	setting, err := l.store.Setting(ctx, l.name)
	if errors.Is(err, persistence.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var list []venues.Instrument
	if err := json.Unmarshal(setting.Value, &list); err != nil {
		return err
	}
	for _, i := range list {
		l.kept[i.VenueSymbol] = i
	}
	return nil
}

// Instruments reads the venue's list and stores its changes. Changes that cannot be
// stored now are stored with the next list.
func (l *listings) Instruments(ctx context.Context) ([]venues.Instrument, error) {
	list, err := l.Connector.Instruments(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := mergeListed(l.kept, list, time.Now()); !maps.EqualFunc(l.kept, known, sameListing) {
		if err := l.keep(ctx, known); err != nil {
			l.log.Warn("instruments not stored", zap.Error(err))
		}
	}
	return list, nil
}

func (l *listings) keep(ctx context.Context, known map[string]venues.Instrument) error {
	list := slices.SortedFunc(maps.Values(known), func(a, b venues.Instrument) int { return strings.Compare(a.VenueSymbol, b.VenueSymbol) })
	value, err := json.Marshal(list)
	if err != nil {
		return err
	}
	setting := persistence.Setting{Name: l.name, Value: value}
	if err := l.store.Commit(ctx, persistence.Batch{Puts: []persistence.Record{setting}}); err != nil {
		return err
	}
	l.kept = known
	return nil
}

// mergeListed returns the venue's list and, with status closed, the known
// instruments that are no longer on it, for as long as their executions can be
// read.
func mergeListed(known map[string]venues.Instrument, list []venues.Instrument, now time.Time) map[string]venues.Instrument {
	next := make(map[string]venues.Instrument, len(list))
	for _, i := range list {
		next[i.VenueSymbol] = i
	}
	for name, i := range known {
		if _, listed := next[name]; listed {
			continue
		}
		if i.Status != venues.InstrumentClosed {
			i.Status, i.UpdatedAt = venues.InstrumentClosed, venues.At(now)
		}
		if now.Sub(i.UpdatedAt.Time) < formerKept {
			next[name] = i
		}
	}
	return next
}

// sameListing reports whether two instruments agree in the fields that matter once
// they are delisted.
func sameListing(a, b venues.Instrument) bool {
	return a.Symbol == b.Symbol && a.Kind == b.Kind && (a.Status == venues.InstrumentClosed) == (b.Status == venues.InstrumentClosed) &&
		a.ContractSize.Equal(b.ContractSize) && a.QtyStep.Equal(b.QtyStep) && a.TickSize.Equal(b.TickSize)
}
