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
		Store:     api.StoreReadiness{Ready: true},
		Venues:    e.venueReadiness(),
		Customers: api.CustomerCounts{Loading: counts.Loading, Halted: counts.Halted},
	}
	if err := e.store.Ready(); err != nil {
		reason := err.Error()
		r.Store = api.StoreReadiness{Reason: &reason}
	}
	r.Ready = r.Store.Ready && loaded && e.tree.Ready() == nil
	return r
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
