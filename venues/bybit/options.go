package bybit

import (
	"cmp"
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
)

// Names of the environments; see Preset. The names of the sites of countries and
// unions are Live with an end, such as "live_eu".
const (
	Live    = "live"
	Testnet = "testnet"
	Demo    = "demo"
)

// sites are the domains for accounts of one country or union, by the end of their
// environment's name. Their hosts are called as those of Live.
var sites = map[string]string{
	"ae": "bybit.ae",
	"eu": "bybit.eu",
	"ge": "bybitgeorgia.ge",
	"id": "bybit.id",
	"jp": "manepa.jp",
	"kz": "bybit.kz",
	"nl": "bybit.nl",
	"tr": "bybit.tr",
}

// Environments are the names of which Preset knows the hosts.
func Environments() []string {
	names := make([]string, 0, len(sites))
	for site := range sites {
		names = append(names, Live+"_"+site)
	}
	slices.Sort(names)
	return append([]string{Live, Testnet, Demo}, names...)
}

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
	// Simulated says that the hosts are those of demo trading, whose maintenance the
	// venue announces apart.
	Simulated bool

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
	// dial makes the network connections, the usual way if nil; those of tests are
	// pipes.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Preset gives the hosts of one of Environments. Demo trades at the prices of Live
// and takes orders by REST alone. A key works in its own environment only.
func Preset(name string) (Options, bool) {
	switch name {
	case Live:
		return hostsOf("bybit.com", ""), true
	case Testnet:
		return hostsOf("bybit.com", "-testnet"), true
	case Demo:
		return Options{
			RESTURL:    "https://api-demo.bybit.com",
			StreamURL:  "wss://stream.bybit.com",
			PrivateURL: "wss://stream-demo.bybit.com",
			Simulated:  true,
		}, true
	}
	end, isSite := strings.CutPrefix(name, Live+"_")
	domain, known := sites[end]
	if !isSite || !known {
		return Options{}, false
	}
	return hostsOf(domain, ""), true
}

func hostsOf(domain, kind string) Options {
	stream := "wss://stream" + kind + "." + domain
	return Options{RESTURL: "https://api" + kind + "." + domain, StreamURL: stream, TradeURL: stream}
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
	o.PrivateURL = cmp.Or(o.PrivateURL, o.StreamURL)
	o.RecvWindow = cmp.Or(o.RecvWindow, 5*time.Second)
	o.BookSilenceMax = cmp.Or(o.BookSilenceMax, 5*time.Minute)
	o.MarkSilenceMax = cmp.Or(o.MarkSilenceMax, time.Minute)
	o.EventSilenceMax = cmp.Or(o.EventSilenceMax, 10*time.Second)
	o.PingInterval = cmp.Or(o.PingInterval, 20*time.Second)
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}
