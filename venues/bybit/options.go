package bybit

import (
	"errors"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
)

// Names of the environments; see Preset.
const (
	Live    = "live"
	Testnet = "testnet"
	Demo    = "demo"
)

// Options of a Connector. The zero value of a duration means its default.
type Options struct {
	// RESTURL is scheme and host of the REST interface, without a slash at the
	// end; a path prefix is allowed.
	RESTURL string
	// StreamURL is scheme and host of the public streams, PrivateURL that of the
	// private ones; the same as StreamURL if empty.
	StreamURL  string
	PrivateURL string
	// TradeURL is scheme and host of order entry over WebSocket; empty where the
	// environment has none.
	TradeURL string

	// OrderEntry is how orders are placed, amended and cancelled; REST if empty.
	OrderEntry venues.OrderEntry
	// Timeout of one REST request, 10 s.
	Timeout time.Duration
	// RecvWindow of requests without a deadline of their own, 5 s; at most 60 s.
	RecvWindow time.Duration
	// BookSilenceMax and MarkSilenceMax are how long a stream of a trading
	// instrument may bring nothing before it is subscribed anew: 5 min and 60 s.
	// A quiet book is nothing unusual, and subscribing costs a snapshot.
	BookSilenceMax time.Duration
	MarkSilenceMax time.Duration
	// EventSilenceMax is how long after an acknowledged order the private stream
	// may bring no event, 10 s.
	EventSilenceMax time.Duration
	// PingInterval of the streams, 20 s: the venue cuts what is idle.
	PingInterval time.Duration
	// BackoffMin and BackoffMax bound the wait before a reconnect: 1 s and 30 s.
	BackoffMin time.Duration
	BackoffMax time.Duration

	// Log gets what the streams notice; nothing if nil.
	Log *zap.Logger

	// tickInterval is how often streams are looked after, 1 s; tests hurry.
	tickInterval time.Duration
}

// Preset gives the hosts of an environment of the venue: Live, Testnet or Demo.
// Demo trades at the prices of Live and takes orders by REST alone. A key works in
// its own environment only.
func Preset(name string) (Options, bool) {
	o, ok := map[string]Options{
		Live: {
			RESTURL:   "https://api.bybit.com",
			StreamURL: "wss://stream.bybit.com",
			TradeURL:  "wss://stream.bybit.com",
		},
		Testnet: {
			RESTURL:   "https://api-testnet.bybit.com",
			StreamURL: "wss://stream-testnet.bybit.com",
			TradeURL:  "wss://stream-testnet.bybit.com",
		},
		Demo: {
			RESTURL:    "https://api-demo.bybit.com",
			StreamURL:  "wss://stream.bybit.com",
			PrivateURL: "wss://stream-demo.bybit.com",
		},
	}[name]
	return o, ok
}

// Sim gives the options for a simulated venue: restURL such as
// "http://127.0.0.1:8001", streamURL such as "ws://127.0.0.1:8001".
func Sim(restURL, streamURL string) Options {
	return Options{RESTURL: restURL, StreamURL: streamURL, TradeURL: streamURL}
}

// Validate names the first setting that cannot work.
func (o Options) Validate() error {
	switch {
	case o.RESTURL == "":
		return errors.New("bybit: RESTURL is empty")
	case o.StreamURL == "":
		return errors.New("bybit: StreamURL is empty")
	case !o.OrderEntry.Valid():
		return errors.New("bybit: OrderEntry is neither rest nor websocket")
	case o.OrderEntry == venues.OrderEntryWebSocket && o.TradeURL == "":
		return errors.New("bybit: this environment takes orders by REST alone")
	case o.RecvWindow < 0 || o.RecvWindow > recvWindowMax:
		return errors.New("bybit: RecvWindow is outside 0 to 60 s")
	}
	return nil
}

func (o Options) withDefaults() Options {
	setDefault(&o.PrivateURL, o.StreamURL)
	setDefault(&o.RecvWindow, 5*time.Second)
	setDefault(&o.BookSilenceMax, 5*time.Minute)
	setDefault(&o.MarkSilenceMax, time.Minute)
	setDefault(&o.EventSilenceMax, 10*time.Second)
	setDefault(&o.PingInterval, 20*time.Second)
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
