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

// formerKeep is how long an instrument is known that its venue lists no more: venues
// tell of executions for three months.
const formerKeep = 100 * 24 * time.Hour

// rememberer is a connector that cannot read what was done in an instrument without
// having seen it on the venue's list.
type rememberer interface{ Remember([]venues.Instrument) }

// listings keeps what a venue lists, so that a run knows the instruments that left the
// list before it began. It is a Connector like the one that it stands before.
type listings struct {
	venues.Connector
	store settingStore
	name  string
	log   *zap.Logger

	mu sync.Mutex
	// kept is what the store has, by the venue's name.
	kept map[string]venues.Instrument
}

// keepListings lets the connectors that need it know what earlier runs have seen.
func keepListings(ctx context.Context, store settingStore, config Config, connectors map[venues.Venue]venues.Connector, log *zap.Logger) error {
	for code, connector := range connectors {
		forgetful, needs := connector.(rememberer)
		if !needs {
			continue
		}
		l := &listings{
			Connector: connector, store: store, log: log.Named(string(code)),
			name: "instruments/" + string(code) + "/" + config.Venues[code].Environment,
		}
		if err := l.load(ctx); err != nil {
			return fmt.Errorf("read the instruments of %s: %w", code, err)
		}
		forgetful.Remember(slices.Collect(maps.Values(l.kept)))
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

// Instruments reads the venue's list and keeps what is new about it. What cannot be
// kept now is kept with the next list.
func (l *listings) Instruments(ctx context.Context) ([]venues.Instrument, error) {
	list, err := l.Connector.Instruments(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := withListed(l.kept, list, time.Now()); !maps.EqualFunc(l.kept, known, sameListing) {
		if err := l.keep(ctx, known); err != nil {
			l.log.Warn("instruments not kept", zap.Error(err))
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

// withListed is what is known once the venue has listed these: they, and those that it
// has taken off its list, closed, for as long as their executions can be read.
func withListed(known map[string]venues.Instrument, list []venues.Instrument, now time.Time) map[string]venues.Instrument {
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
		if now.Sub(i.UpdatedAt.Time) < formerKeep {
			next[name] = i
		}
	}
	return next
}

// sameListing compares what a former instrument is known by.
func sameListing(a, b venues.Instrument) bool {
	return a.Symbol == b.Symbol && a.Kind == b.Kind && (a.Status == venues.InstrumentClosed) == (b.Status == venues.InstrumentClosed) &&
		a.ContractSize.Equal(b.ContractSize) && a.QtyStep.Equal(b.QtyStep) && a.TickSize.Equal(b.TickSize)
}
