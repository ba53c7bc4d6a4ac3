package hooks

import (
	"context"
	"net/netip"

	"venuegate/persistence"
	"venuegate/transport/signing"
	"venuegate/venues"
)

// Channel is an inbound channel with what proves its senders.
type Channel struct {
	persistence.Channel
	// Keys are those of a webhook channel that are good now: one, or two while
	// its secret is being changed.
	Keys []*signing.Key
}

// Channels finds the channels that exist, by their id. It does not wait.
type Channels interface {
	Channel(id string) (Channel, bool)
}

// Signals takes a signal whose sender is proven. No error means that it is
// durable; refusals are *venues.Error. Safe for concurrent use.
type Signals interface {
	Accept(ctx context.Context, s venues.Signal) (venues.SignalAnswer, error)
}

// Failures counts requests whose sender was not proven; *auth.Authenticator does.
type Failures interface {
	// Fail is the answer to one from source: unauthorized, or rate_limited past
	// the limit of that address.
	Fail(ctx context.Context, source netip.Addr) *venues.Error
}
