package stream

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"time"

	"go.uber.org/zap"

	"venuegate/transport/auth"
	"venuegate/venues"
)

// Deps are the dependencies of a hub. All are required.
type Deps struct {
	Feed Feed
	Auth Authenticator
	Log  *zap.Logger
}

// Feed delivers the frames of topics to sinks. It is the port to the owners of the
// topics: the hub knows neither order books nor accounts.
//
// Subscribe is called from the goroutine of a session and may block on the owner, but
// only up to a deadline of its own. customer is empty for market topics, which are the
// same for all customers and shared. The error is a *venues.Error: not_found for an
// unknown symbol or an exchange that is not connected; any other makes the client
// retry later.
//
// The owner calls sink.Deliver in order; Deliver never blocks. The first frame is a
// snapshot where the topic has one. Resync and Close of the subscription must not
// block: they are called from the goroutine of a shard.
type Feed interface {
	Subscribe(customer string, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error)
}

// Authenticator checks API keys; *auth.Authenticator implements it. It is called at
// auth and then every 30 s while the connection is open, so it must be cheap. A
// *venues.Error unauthorized or rate_limited means that the key is invalid (a valid
// one is never limited) and closes the connection with 4001. Any other error closes it
// with 4012 at auth, so that the client reconnects, and is ignored later.
type Authenticator interface {
	Authenticate(ctx context.Context, key string, source netip.Addr) (auth.Principal, error)
}

// Options configure a hub. Zero selects the default that a field names.
type Options struct {
	// Shards is the number of goroutines that own the connections; default
	// GOMAXPROCS. More shards use more cores, and more upstream subscriptions.
	Shards int
	// AllowedOrigins lists the values of Origin that may connect, "*" for any; default
	// none. Clients other than browsers send no Origin and may always connect: they
	// need a key anyway, and cookies are never read.
	AllowedOrigins []string
	// Compression negotiates permessage-deflate with clients that offer it; default
	// off. A frame is compressed once per shard, which still costs more than the rest
	// of its delivery.
	Compression bool
	// ConnsMax bounds the connections of this process; default 16384.
	ConnsMax int
	// ConnsPerKeyMax bounds the connections of one API key; default 1024.
	ConnsPerKeyMax int
	// UnauthenticatedPerAddressMax bounds the unauthenticated connections from one
	// address (IPv6: one /64); default 64.
	UnauthenticatedPerAddressMax int
	// MarketQueueBytesMax and MarketQueueFramesMax bound the queued market data of a
	// connection, beyond which a topic is conflated; default 256 KiB and 256 frames.
	MarketQueueBytesMax  int
	MarketQueueFramesMax int
	// QueueBytesMax bounds all other queued frames of a connection, beyond which it is
	// closed with 4009; default 1 MiB.
	QueueBytesMax int
	// SendBufferBytes is the size of the kernel's send buffer of a connection; default
	// 256 KiB. Frames in it can no longer be conflated.
	SendBufferBytes int
	// AgeMax is how long market data may wait to be written before it is dropped and clients get
	// a gap or a new snapshot instead; default AgeMaxDefault.
	AgeMax time.Duration
}

// AgeMaxDefault is the default of Options.AgeMax.
const AgeMaxDefault = 250 * time.Millisecond

// Fixed limits.
const (
	// opsPerSecond is the rate, and the burst, at which the messages of a client are
	// read. Further ones wait unread.
	opsPerSecond = 20
	// authCheckMax bounds one call of the Authenticator at auth.
	authCheckMax = 5 * time.Second
	// recheckInterval is the interval between two checks of a key in use.
	recheckInterval = 30 * time.Second
	// writeStallMax is how long one write of writeBytesMax may take: below that rate
	// (6.4 KiB/s) the client counts as stalled.
	writeStallMax = 10 * time.Second
	// closeFlushMax bounds the time until the close frame is written.
	closeFlushMax = time.Second
	// lingerMax bounds the time until the client closes its side, including the
	// flush.
	lingerMax = time.Second

	// writeBytesMax is the maximum size of one write of coalesced frames. A single
	// frame may be larger.
	writeBytesMax = 64 << 10
	// A round of a shard ends when a session without a background write has
	// roundFramesMax frames to write, or after roundEventsMax events. At the first, the
	// cost of a write per frame no longer matters; the second bounds how long a frame
	// waits for others. A round does not wait for frames.
	roundFramesMax = 128
	roundEventsMax = 1024
	// inboxEventsMax and inboxBytesMax bound the inbox of a shard. Frames beyond are
	// lost, and their topics restart from a snapshot.
	inboxEventsMax = 8192
	inboxBytesMax  = 32 << 20
)

func (o Options) withDefaults() (Options, error) {
	for _, f := range []struct {
		name     string
		value    *int
		fallback int
	}{
		{"Shards", &o.Shards, runtime.GOMAXPROCS(0)},
		{"ConnsMax", &o.ConnsMax, 16384},
		{"ConnsPerKeyMax", &o.ConnsPerKeyMax, 1024},
		{"UnauthenticatedPerAddressMax", &o.UnauthenticatedPerAddressMax, 64},
		{"MarketQueueBytesMax", &o.MarketQueueBytesMax, 256 << 10},
		{"MarketQueueFramesMax", &o.MarketQueueFramesMax, 256},
		{"QueueBytesMax", &o.QueueBytesMax, 1 << 20},
		{"SendBufferBytes", &o.SendBufferBytes, 256 << 10},
	} {
		switch {
		case *f.value < 0:
			return o, fmt.Errorf("stream: %s is %d; it must not be negative", f.name, *f.value)
		case *f.value == 0:
			*f.value = f.fallback
		}
	}
	if o.AgeMax < 0 {
		return o, fmt.Errorf("stream: AgeMax is %v; it must not be negative", o.AgeMax)
	}
	o.AgeMax = cmp.Or(o.AgeMax, AgeMaxDefault)
	return o, nil
}
