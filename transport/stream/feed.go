package stream

import (
	"context"
	"net/netip"

	"venuegate/transport/auth"
	"venuegate/venues"
)

// Feed gives the frames of a topic to sinks. It is the door to whoever owns the
// topics: the hub knows neither books nor accounts.
//
// Subscribe is called from the goroutine of a session and may wait for the
// owner, but only up to a deadline of its own. customer is empty for market
// topics, which are the same for everyone and are shared. The error is a
// *venues.Error: not_found for an unknown symbol or an exchange that is not
// connected; others tell the client to try again later.
//
// The owner calls sink.Deliver in order; Deliver never blocks. The first frame
// is a snapshot where the topic has one. Resync and Close of the subscription
// must not block: they are called from the goroutine that serves many sockets.
type Feed interface {
	Subscribe(customer string, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error)
}

// Authenticator checks API keys; *auth.Authenticator is one. It is asked at auth
// and then every 30 s for as long as the connection lives, so it must be cheap.
// A *venues.Error unauthorized or rate_limited says that the key is not right
// (a right one is never limited) and ends the connection with 4001. Any other
// error ends it with 4012 at auth, so that the client comes again, and changes
// nothing later on.
type Authenticator interface {
	Authenticate(ctx context.Context, key string, source netip.Addr) (auth.Principal, error)
}
