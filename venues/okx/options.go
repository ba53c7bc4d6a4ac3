package okx

import (
	"cmp"
	"context"
	"errors"
	"net"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
)

// Names of the environments; see Preset. An account lives in one region, and its
// keys work on that region's hosts alone.
const (
	Live    = "live"
	Demo    = "demo"
	LiveEEA = "live_eea"
	DemoEEA = "demo_eea"
	LiveUS  = "live_us"
	DemoUS  = "demo_us"
)

// Options of a Connector. The zero value of a duration means its default.
type Options struct {
	// RESTURL is scheme and host of the REST interface, without a slash at the
	// end; a path prefix is allowed.
	RESTURL string
	// StreamURL is scheme and host of the streams; /ws/v5/public and its siblings
	// are appended.
	StreamURL string
	// Simulated sends the header that selects demo trading.
	Simulated bool

	// OrderEntry is how orders are placed, amended and cancelled; REST if empty.
	OrderEntry venues.OrderEntry
	// Timeout of one REST request, 10 s.
	Timeout time.Duration
	// BookSilenceMax and MarkSilenceMax are how long a stream of a trading
	// instrument may bring nothing before it counts as broken: 90 s and 45 s. The
	// venue repeats a quiet book every minute and a quiet mark price every 10 s.
	BookSilenceMax time.Duration
	MarkSilenceMax time.Duration
	// EventSilenceMax is how long after an acknowledged order the private stream
	// may bring no event, 10 s.
	EventSilenceMax time.Duration
	// PingInterval is how often streams are asked for a sign of life, 20 s: the
	// venue closes what was silent for 30.
	PingInterval time.Duration
	// RenewOverlap is how long the old connection is still read beside the new
	// one, 3 s: subscriptions must be in effect by then.
	RenewOverlap time.Duration
	// BackoffMin and BackoffMax bound the wait before a reconnect: 1 s and 30 s.
	BackoffMin time.Duration
	BackoffMax time.Duration

	// DialInterval is between two connections to the streams, 350 ms: the venue takes
	// three a second from one address.
	DialInterval time.Duration

	// Log gets what the streams notice; nothing if nil.
	Log *zap.Logger

	// tickInterval is how often streams are looked after, 1 s; tests hurry.
	tickInterval time.Duration
	// dial makes the network connections, the usual way if nil; those of tests are
	// pipes.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Preset gives the hosts of an environment of the venue.
func Preset(name string) (Options, bool) {
	o, ok := map[string]Options{
		Live:    {RESTURL: "https://openapi.okx.com", StreamURL: "wss://ws.okx.com:8443"},
		Demo:    {RESTURL: "https://openapi.okx.com", StreamURL: "wss://wspap.okx.com:8443", Simulated: true},
		LiveEEA: {RESTURL: "https://eea.okx.com", StreamURL: "wss://wseea.okx.com:8443"},
		DemoEEA: {RESTURL: "https://eea.okx.com", StreamURL: "wss://wseeapap.okx.com:8443", Simulated: true},
		LiveUS:  {RESTURL: "https://us.okx.com", StreamURL: "wss://wsus.okx.com:8443"},
		DemoUS:  {RESTURL: "https://us.okx.com", StreamURL: "wss://wsuspap.okx.com:8443", Simulated: true},
	}[name]
	return o, ok
}

// Sim gives the options for a simulated venue: restURL such as
// "http://127.0.0.1:8001", streamURL such as "ws://127.0.0.1:8001". It takes connections as they come.
func Sim(restURL, streamURL string) Options {
	return Options{RESTURL: restURL, StreamURL: streamURL, DialInterval: time.Millisecond}
}

// Validate names the first setting that cannot work.
func (o Options) Validate() error {
	switch {
	case o.RESTURL == "":
		return errors.New("okx: RESTURL is empty")
	case o.StreamURL == "":
		return errors.New("okx: StreamURL is empty")
	case !o.OrderEntry.Valid():
		return errors.New("okx: OrderEntry is neither rest nor websocket")
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.BookSilenceMax = cmp.Or(o.BookSilenceMax, 90*time.Second)
	o.MarkSilenceMax = cmp.Or(o.MarkSilenceMax, 45*time.Second)
	o.EventSilenceMax = cmp.Or(o.EventSilenceMax, 10*time.Second)
	o.PingInterval = cmp.Or(o.PingInterval, 20*time.Second)
	o.DialInterval = cmp.Or(o.DialInterval, 350*time.Millisecond)
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}
