package main

import (
	"context"

	"venuegate/actors/delivery"
	"venuegate/persistence"
	"venuegate/transport/webhook"
)

// openSenders makes what carries events to each kind of endpoint.
func (e *engine) openSenders() map[persistence.EndpointKind]delivery.Sender {
	posts := webhook.NewSender(webhook.Options{
		Guard:        e.config.guard(),
		Secrets:      webhook.Secrets{Unseal: e.secrets().Open, Channel: e.channelRecord},
		HeaderPrefix: e.config.HeaderPrefix, UserAgent: "venuegate/" + version,
	})
	e.add(func() error { posts.Close(); return nil })
	return map[persistence.EndpointKind]delivery.Sender{persistence.EndpointWebhook: posts}
}

// targets says what may be an endpoint's target, for each kind that has a sender.
func (e *engine) targets() map[persistence.EndpointKind]func(string) error {
	return map[persistence.EndpointKind]func(string) error{persistence.EndpointWebhook: e.config.guard().CheckTarget}
}

// channelRecord finds a channel of the customer, the removed ones too.
func (e *engine) channelRecord(ctx context.Context, customer, id string) (persistence.Channel, error) {
	records, err := e.store.Channels(ctx, customer)
	if err != nil {
		return persistence.Channel{}, err
	}
	for _, c := range records {
		if c.ID == id {
			return c, nil
		}
	}
	return persistence.Channel{}, persistence.ErrNotFound
}
