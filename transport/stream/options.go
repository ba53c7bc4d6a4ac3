package stream

import (
	"fmt"
	"runtime"
	"time"

	"go.uber.org/zap"
)

// Deps are what a hub works with. All are required.
type Deps struct {
	Feed Feed
	Auth Authenticator
	Log  *zap.Logger
}

// Options of a hub. Zero means the default that a field names.
type Options struct {
	// Shards is the number of goroutines that own the connections; default
	// GOMAXPROCS. More shards use more cores and subscribe upstream more often.
	Shards int
	// AllowedOrigins lists the values of Origin that may connect, "*" for every
	// one; default none. Clients that are no browser send no Origin and are
	// always let through: they need a key all the same, and cookies are never
	// read.
	AllowedOrigins []string
	// Compression negotiates permessage-deflate with clients that offer it;
	// default off. A frame is compressed once a shard, but that still costs more
	// than all the rest of its delivery.
	Compression bool
	// ConnsMax bounds the connections of this process; default 16384.
	ConnsMax int
	// ConnsPerKeyMax bounds the connections of one API key; default 1024.
	ConnsPerKeyMax int
	// UnauthenticatedPerAddressMax bounds the connections from one address (IPv6:
	// one /64) that have not authenticated yet; default 64.
	UnauthenticatedPerAddressMax int
	// MarketQueueBytesMax and MarketQueueFramesMax bound the market data that
	// waits for a slow reader, beyond which a channel is conflated; default 256
	// KiB and 256 frames.
	MarketQueueBytesMax  int
	MarketQueueFramesMax int
	// QueueBytesMax bounds everything else that waits for a slow reader, beyond
	// which the connection is closed with 4009; default 1 MiB.
	QueueBytesMax int
	// SendBufferBytes is what the kernel may hold for a connection; default 256
	// KiB. What lies there can no longer be conflated.
	SendBufferBytes int
}

// Fixed limits.
const (
	// opsPerSecond is how many messages of a client are taken a second; as many
	// may come at once. Further ones wait unread.
	opsPerSecond = 20
	// authCheckMax bounds one question to the Authenticator.
	authCheckMax = 5 * time.Second
	// recheckInterval is how often a key in use is checked again.
	recheckInterval = 30 * time.Second
	// writeStallMax is how long a socket may take one write of writeBytesMax:
	// below that rate (6.4 KiB/s) the reader counts as stalled.
	writeStallMax = 10 * time.Second
	// closeFlushMax bounds the wait until the close frame is written.
	closeFlushMax = time.Second
	// lingerMax bounds the wait for the client's side of a close, the flush
	// included.
	lingerMax = time.Second

	// writeBytesMax is what is coalesced into one write at most, a single
	// larger frame aside.
	writeBytesMax = 64 << 10
	// A shard takes events until a session that is not behind has
	// roundFramesMax frames to write, or roundEventsMax events were taken. The
	// first is where a write's cost no longer matters to its frames; the second
	// bounds what a frame waits for others.
	roundFramesMax = 32
	roundEventsMax = 1024
	// inboxEventsMax and inboxBytesMax bound what waits for a shard. Frames
	// beyond are lost, and their topics start again from a snapshot.
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
	return o, nil
}
