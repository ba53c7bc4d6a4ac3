package registry

import (
	"context"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// overviewUndeliveredMax bounds the undelivered events that are counted, newest first.
	overviewUndeliveredMax = persistence.PageSizeMax
	// A channel is in trouble if channelRefusedMin of its channelLastSignals last signals of
	// channelPeriod were refused, or if it had signals before and none for channelSilentAfter.
	channelLastSignals = 5
	channelRefusedMin  = 3
	channelPeriod      = 24 * time.Hour
	channelSilentAfter = 7 * 24 * time.Hour
	// keyEndsWithin is how long before its end a key is in an overview.
	keyEndsWithin = 7 * 24 * time.Hour
)

// OverviewEndpoint is an endpoint that is disabled or has undelivered events.
type OverviewEndpoint struct {
	ID   string                   `json:"id"`
	Kind persistence.EndpointKind `json:"kind"`
	// Name is the name, or the address of an endpoint without one.
	Name     string `json:"name"`
	Disabled string `json:"disabled"`
	// Undelivered are those among the overviewUndeliveredMax newest of the customer; Complete is
	// false if there are more. OldestAt is when the oldest of them was queued.
	Undelivered int         `json:"undelivered"`
	Complete    bool        `json:"complete"`
	OldestAt    venues.Time `json:"oldestAt"`
}

// OverviewChannel is a channel in trouble.
type OverviewChannel struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Refused are those of its Last newest signals that were rejected or have expired, within
	// channelPeriod. Reason is that of the newest of them.
	Refused int    `json:"refused"`
	Last    int    `json:"last"`
	Reason  string `json:"reason"`
	// SilentSince is when a channel that is silent received its last signal; null for others.
	SilentSince venues.Time `json:"silentSince"`
}

// OverviewKey is a key that ends soon.
type OverviewKey struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	ExpiresAt venues.Time `json:"expiresAt"`
}

// addEndpoints adds the endpoints that are disabled or have undelivered events.
func (o *Overviews) addEndpoints(ctx context.Context, customer string, _ time.Time, to *Overview) error {
	to.Endpoints = []OverviewEndpoint{}
	endpoints, err := o.store.Endpoints(ctx, customer)
	if err != nil {
		return err
	}
	undelivered, err := o.store.Deliveries(ctx, persistence.DeliveryQuery{
		Customer: customer, Status: persistence.DeliveryUndelivered, Limit: overviewUndeliveredMax,
	})
	if err != nil {
		return err
	}
	for i := range endpoints {
		e := &endpoints[i]
		if !e.RemovedAt.IsZero() {
			continue
		}
		to.Steps.Endpoint = true
		row := OverviewEndpoint{ID: e.ID, Kind: e.Kind, Name: e.Name, Disabled: e.Disabled, Complete: undelivered.Next == nil}
		if row.Name == "" {
			row.Name = e.Target
		}
		for j := range undelivered.Items {
			if d := &undelivered.Items[j]; d.Endpoint == e.ID { // newest first
				row.Undelivered, row.OldestAt = row.Undelivered+1, d.CreatedAt
			}
		}
		if row.Undelivered > 0 || row.Disabled != "" {
			to.Endpoints = append(to.Endpoints, row)
		}
	}
	return nil
}

// addChannels adds the channels in trouble.
func (o *Overviews) addChannels(ctx context.Context, customer string, now time.Time, to *Overview) error {
	to.Channels = []OverviewChannel{}
	channels, err := o.store.Channels(ctx, customer)
	for i := range channels {
		if err != nil {
			return err
		}
		if !channels[i].RemovedAt.IsZero() {
			continue
		}
		to.Steps.Channel = true
		if !channels[i].Paused {
			err = o.addChannel(ctx, &channels[i], now, to)
		}
	}
	return err
}

func (o *Overviews) addChannel(ctx context.Context, c *persistence.Channel, now time.Time, to *Overview) error {
	last, err := o.store.Signals(ctx, persistence.SignalQuery{Customer: c.Customer, Channel: c.ID, Limit: channelLastSignals})
	if err != nil || len(last.Items) == 0 {
		return err
	}
	row := OverviewChannel{ID: c.ID, Name: c.Name}
	for i := range last.Items {
		s := &last.Items[i]
		if now.Sub(s.ReceivedAt.Time) > channelPeriod {
			break
		}
		row.Last++
		if s.Status != persistence.SignalRejected && s.Status != persistence.SignalExpired {
			continue
		}
		if row.Refused++; row.Refused == 1 {
			row.Reason = rejectionOf(s)
		}
	}
	if now.Sub(last.Items[0].ReceivedAt.Time) > channelSilentAfter {
		row.SilentSince = last.Items[0].ReceivedAt
	}
	if row.Refused >= channelRefusedMin || !row.SilentSince.IsZero() {
		to.Channels = append(to.Channels, row)
	}
	return nil
}

// rejectionOf returns why a signal was rejected: the rule or reason, or the code.
func rejectionOf(s *persistence.SignalRecord) string {
	switch {
	case s.Error == nil:
		return string(s.Status)
	case s.Error.Reason != "":
		return s.Error.Reason
	}
	return string(s.Error.Code)
}

// addKeys adds the keys that end soon.
func (o *Overviews) addKeys(ctx context.Context, customer string, now time.Time, to *Overview) error {
	to.Keys = []OverviewKey{}
	keys, err := o.store.APIKeys(ctx, customer)
	for i := range keys {
		k := &keys[i]
		if left := k.ExpiresAt.Sub(now); k.RevokedAt.IsZero() && !k.ExpiresAt.IsZero() && left > 0 && left <= keyEndsWithin {
			to.Keys = append(to.Keys, OverviewKey{k.ID, k.Name, k.ExpiresAt})
		}
	}
	slices.SortFunc(to.Keys, func(a, b OverviewKey) int { return a.ExpiresAt.Compare(b.ExpiresAt.Time) })
	return err
}

// addSignals adds the last signals of all channels.
func (o *Overviews) addSignals(ctx context.Context, customer string, _ time.Time, to *Overview) error {
	to.LastSignals = []Signal{}
	last, err := o.store.Signals(ctx, persistence.SignalQuery{Customer: customer, Limit: overviewSignals})
	for i := range last.Items {
		to.LastSignals = append(to.LastSignals, signalOf(&last.Items[i]))
	}
	to.Steps.Signal = len(last.Items) > 0
	return err
}
