package main

import (
	"context"
	"net/url"

	"venuegate/persistence"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// DemoHook is the demo's signed channel.
type DemoHook struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Secret string `json:"secret"`
}

// DemoChart is the demo's channel for charting platforms.
type DemoChart struct {
	ID           string `json:"id"`
	URL          string `json:"url"`
	ChannelToken string `json:"channelToken"`
}

// DemoReceiver is the demo's endpoint. Its receiver is built in: GET URL lists the
// received events.
type DemoReceiver struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Secret string `json:"secret"`
}

// signals creates the channels and the endpoint, or returns those of an earlier
// run.
func (s demoSetup) signals(ctx context.Context, customer string, d *DemoFile) (err error) {
	if d.Hook, err = s.hook(ctx, customer); err != nil {
		return err
	}
	if d.Chart, err = s.chart(ctx, customer); err != nil {
		return err
	}
	d.Receiver, err = s.endpoint(ctx, customer)
	return err
}

func (s demoSetup) hook(ctx context.Context, customer string) (DemoHook, error) {
	hooks := s.registry.For(customer, registry.Author{}).Hooks
	if h, err := hooks.Get(ctx, s.previous.Hook.ID); err == nil {
		return DemoHook{h.ID, h.URL, s.previous.Hook.Secret}, nil
	}
	h, err := hooks.Create(ctx, registry.NewHook{Kind: persistence.ChannelWebhook, Name: "demo"})
	return DemoHook{h.ID, h.URL, h.Secret}, err
}

// chart returns the channel of an earlier run with its secret path on this run's
// listener, or creates one.
func (s demoSetup) chart(ctx context.Context, customer string) (DemoChart, error) {
	previous, hooks := s.previous.Chart, s.registry.For(customer, registry.Author{}).Hooks
	if _, err := hooks.Get(ctx, previous.ID); err == nil {
		if address, err := url.Parse(previous.URL); err == nil {
			return DemoChart{previous.ID, s.baseURL + address.Path, previous.ChannelToken}, nil
		}
	}
	h, err := hooks.Create(ctx, registry.NewHook{Kind: persistence.ChannelChart, Name: "demo charts"})
	return DemoChart{h.ID, h.URL, h.ChannelToken}, err
}

// endpoint points the endpoint of an earlier run to this run's receiver, or
// creates one.
func (s demoSetup) endpoint(ctx context.Context, customer string) (DemoReceiver, error) {
	address, endpoints := s.receiver.url(), s.registry.For(customer, registry.Author{}).Endpoints
	if e, err := endpoints.Get(ctx, s.previous.Receiver.ID); err == nil {
		current, err := s.secretOf(ctx, customer, e.ID)
		if err != nil {
			return DemoReceiver{}, err
		}
		s.setReceiverSecret(customer, e.ID, current.Reveal())
		_, err = endpoints.Change(ctx, e.ID, registry.EndpointChange{URL: &address})
		return DemoReceiver{e.ID, address, current.Reveal()}, err
	}
	e, err := endpoints.Create(ctx, registry.NewEndpoint{URL: address, Name: "demo"})
	s.setReceiverSecret(customer, e.ID, e.Secret)
	return DemoReceiver{e.ID, address, e.Secret}, err
}

// setReceiverSecret gives the receiver the secret of its endpoint, and the source
// of later ones.
func (s demoSetup) setReceiverSecret(customer, endpoint, secret string) {
	s.receiver.setSecret(secret)
	s.receiver.follow(func(ctx context.Context) (venues.Secret, error) { return s.secretOf(ctx, customer, endpoint) })
}
