package main

import (
	"venuegate/transport/api"
	"venuegate/venues"
)

// Readiness reports whether trading is possible: the store takes commits, the records of
// the customers have been read, and at least one venue can be traded on.
func (e *engine) Readiness() api.Readiness {
	counts, loaded := e.tree.CustomerCounts()
	r := api.Readiness{
		Store:     storeReadiness(e.store),
		Venues:    e.venueReadiness(),
		Customers: api.CustomerCounts{Loading: counts.Loading, Halted: counts.Halted},
	}
	r.Ready = r.Store.Ready && loaded && e.tree.Ready() == nil
	return r
}

// checkableStore is the health of the store.
type checkableStore interface {
	Ready() error
	IsChecking() bool
}

func storeReadiness(store checkableStore) api.StoreReadiness {
	var reason string
	err := store.Ready()
	switch {
	case err != nil:
		reason = err.Error()
	case store.IsChecking():
		reason = "its tables are still being checked"
	default:
		return api.StoreReadiness{Ready: true}
	}
	return api.StoreReadiness{Ready: err == nil, Reason: &reason}
}

// Venues returns the state of each venue.
func (e *engine) Venues() []api.VenueState {
	list := make([]api.VenueState, 0, len(e.venueStats))
	for _, exchange := range venues.All() {
		source, connected := e.venueStats[exchange]
		if !connected {
			continue
		}
		s, configured := source.Stats(), e.config.Venues[exchange]
		v := api.VenueState{
			Exchange: exchange, Status: string(s.Status), Since: venues.At(s.Since),
			OrderEntry: configured.OrderEntry, Environment: configured.Environment,
		}
		if s.Maintenance {
			v.Status = api.VenueMaintenance
		}
		if s.Reason != "" {
			v.Reason = &s.Reason
		}
		if !s.ClockAt.IsZero() {
			offset := s.ClockOffset.Milliseconds()
			v.ClockOffsetMillis = &offset
		}
		list = append(list, v)
	}
	return list
}

func (e *engine) venueReadiness() []api.VenueReadiness {
	list := make([]api.VenueReadiness, 0, len(e.venueStats))
	for _, exchange := range venues.All() {
		source, connected := e.venueStats[exchange]
		if !connected {
			continue
		}
		s := source.Stats()
		v := api.VenueReadiness{
			Exchange: exchange, Status: string(s.Status), Since: venues.At(s.Since),
			Streams: api.StreamCounts{Wanted: s.Feed.Topics, Connected: s.Feed.Topics - s.Feed.Interrupted},
			Private: api.StreamCounts{Wanted: s.Private.Wanted, Connected: s.Private.Connected},
		}
		if s.Reason != "" {
			v.Reason = &s.Reason
		}
		list = append(list, v)
	}
	return list
}
