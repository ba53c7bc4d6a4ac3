package hooks

import (
	"context"
	"net/netip"

	"venuegate/persistence"
	"venuegate/transport/signing"
	"venuegate/venues"
)

// Channel is an inbound channel with the keys of its senders.
type Channel struct {
	persistence.Channel
	// Keys are the valid keys of a webhook channel: two during the overlap of a
	// rotation, else one.
	Keys []*signing.Key
}

// Channels returns existing channels by their id. It does not block. The error is
// not_found, or maintenance while channels are still being loaded.
type Channels interface {
	Channel(id string) (Channel, error)
}

// Signals executes signals. It is safe for concurrent use.
type Signals interface {
	// Accept accepts a signal whose sender is authenticated and returns after it is
	// durable. Rejections are *venues.Error.
	Accept(ctx context.Context, s venues.Signal) (venues.SignalResponse, error)
}

// Failures counts requests whose sender is not authenticated; *auth.Authenticator
// implements it.
type Failures interface {
	// Fail returns the error for a request from source: unauthorized, or rate_limited
	// past the limit of the address.
	Fail(ctx context.Context, source netip.Addr) *venues.Error
}
