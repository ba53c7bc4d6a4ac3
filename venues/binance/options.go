package binance

import (
	"cmp"
	"context"
	"errors"
	"net"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
)

// Names of the environments; see Preset.
const (
	Live    = "live"
	Testnet = "testnet"
)

// Options of a Connector. The zero value of a duration means its default.
type Options struct {
	// RESTURL is scheme and host of the REST interface, without a slash at the
	// end; a path prefix is allowed.
	RESTURL string
	// StreamURL is scheme and host of the streams; /public, /market and /private
	// are appended.
	StreamURL string
	// PrivatePath is what follows StreamURL for the private stream.
	// {listenKey} and {events} are replaced.
	PrivatePath string
	// TradeURL is scheme and host of the WebSocket API, which takes orders where
	// OrderEntry asks for it.
	TradeURL string
	// KeyURL is the host that tells the permissions of an API key; empty where
	// there is none.
	KeyURL string

	// OrderEntry is how orders are placed, amended and cancelled; REST if empty.
	OrderEntry venues.OrderEntry
	// Timeout of one REST request, 10 s.
	Timeout time.Duration
	// RecvWindow of requests without a deadline of their own, 5 s; the venue
	// takes at most 60 s.
	RecvWindow time.Duration
	// BookSilenceMax and MarkSilenceMax are how long a stream of a trading
	// instrument may bring nothing before it counts as broken: 30 s and 15 s. A
	// shorter time notices more and asks more often for what is merely quiet.
	BookSilenceMax time.Duration
	MarkSilenceMax time.Duration
	// EventSilenceMax is how long after an acknowledged order the private stream
	// may bring no event, 10 s.
	EventSilenceMax time.Duration
	// ConnLifetime is when a stream connection is renewed, 23 h: the venue cuts
	// it after 24.
	ConnLifetime time.Duration
	// RenewOverlap is how long the old connection is still read beside the new
	// one, 3 s: subscriptions must be in effect by then.
	RenewOverlap time.Duration
	// BackoffMin and BackoffMax bound the wait before a reconnect: 1 s and 30 s.
	BackoffMin time.Duration
	BackoffMax time.Duration

	// Log gets what the streams notice; nothing if nil.
	Log *zap.Logger

	// tickInterval is how often streams are looked after, 1 s; tests hurry.
	tickInterval time.Duration
	// dial makes the network connections, the usual way if nil; those of tests are
	// pipes.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// privatePathDefault names the listen key and the events in the query, the form
// that works in production; without the list of events the stream may be silent.
const privatePathDefault = "/private/ws?listenKey={listenKey}&events={events}"

// Preset gives the hosts of an environment of the venue, Live or Testnet.
func Preset(name string) (Options, bool) {
	o, ok := map[string]Options{
		Live: {
			RESTURL:   "https://fapi.binance.com",
			StreamURL: "wss://fstream.binance.com",
			TradeURL:  "wss://ws-fapi.binance.com",
			KeyURL:    "https://api.binance.com",
		},
		Testnet: {
			RESTURL:   "https://demo-fapi.binance.com",
			StreamURL: "wss://fstream.binancefuture.com",
			TradeURL:  "wss://testnet.binancefuture.com",
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
		return errors.New("binance: RESTURL is empty")
	case o.StreamURL == "":
		return errors.New("binance: StreamURL is empty")
	case !o.OrderEntry.Valid():
		return errors.New("binance: OrderEntry is neither rest nor websocket")
	case o.OrderEntry == venues.OrderEntryWebSocket && o.TradeURL == "":
		return errors.New("binance: TradeURL is empty")
	case o.RecvWindow < 0 || o.RecvWindow > recvWindowMax:
		return errors.New("binance: RecvWindow is outside 0 to 60 s")
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.PrivatePath = cmp.Or(o.PrivatePath, privatePathDefault)
	o.RecvWindow = cmp.Or(o.RecvWindow, 5*time.Second)
	o.BookSilenceMax = cmp.Or(o.BookSilenceMax, 30*time.Second)
	o.MarkSilenceMax = cmp.Or(o.MarkSilenceMax, 15*time.Second)
	o.EventSilenceMax = cmp.Or(o.EventSilenceMax, 10*time.Second)
	o.ConnLifetime = cmp.Or(o.ConnLifetime, 23*time.Hour)
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}
