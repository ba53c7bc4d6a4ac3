package main

import (
	"context"
	"net/url"

	"venuegate/persistence"
	"venuegate/transport/admin"
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

// DemoReceiver is the demo's endpoint, whose other end is built in: GET URL
// shows what came.
type DemoReceiver struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Secret string `json:"secret"`
}

// signals makes the channels and the endpoint, or finds those of an earlier run.
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
	if h, err := s.registry.Hook(ctx, s.previous.Hook.ID); err == nil && h.Customer == customer {
		return DemoHook{h.ID, h.URL, s.previous.Hook.Secret}, nil
	}
	h, err := s.registry.CreateHook(ctx, admin.NewHook{Customer: customer, Kind: persistence.ChannelWebhook, Name: "demo"})
	return DemoHook{h.ID, h.URL, h.Secret}, err
}

// chart keeps the secret address of an earlier run, on the listener of this one.
func (s demoSetup) chart(ctx context.Context, customer string) (DemoChart, error) {
	previous := s.previous.Chart
	if h, err := s.registry.Hook(ctx, previous.ID); err == nil && h.Customer == customer {
		if address, err := url.Parse(previous.URL); err == nil {
			return DemoChart{previous.ID, s.baseURL + address.Path, previous.ChannelToken}, nil
		}
	}
	h, err := s.registry.CreateHook(ctx, admin.NewHook{Customer: customer, Kind: persistence.ChannelChart, Name: "demo charts"})
	return DemoChart{h.ID, h.URL, h.ChannelToken}, err
}

// endpoint follows the receiver to where it listens now.
func (s demoSetup) endpoint(ctx context.Context, customer string) (DemoReceiver, error) {
	address := s.receiver.url()
	if e, err := s.registry.Endpoint(ctx, s.previous.Receiver.ID); err == nil && e.Customer == customer {
		current, err := s.secretOf(ctx, customer, e.ID)
		if err != nil {
			return DemoReceiver{}, err
		}
		s.trust(customer, e.ID, current.Reveal())
		_, err = s.registry.ChangeEndpoint(ctx, e.ID, admin.EndpointChange{URL: &address})
		return DemoReceiver{e.ID, address, current.Reveal()}, err
	}
	e, err := s.registry.CreateEndpoint(ctx, admin.NewEndpoint{Customer: customer, URL: address, Name: "demo"})
	s.trust(customer, e.ID, e.Secret)
	return DemoReceiver{e.ID, address, e.Secret}, err
}

// trust gives the receiver the secret of its endpoint, and the way to the next.
func (s demoSetup) trust(customer, endpoint, secret string) {
	s.receiver.trust(secret)
	s.receiver.follow(func(ctx context.Context) (venues.Secret, error) { return s.secretOf(ctx, customer, endpoint) })
}
