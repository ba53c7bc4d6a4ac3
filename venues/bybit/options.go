package bybit

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
)

// Names of the environments; see Preset. Sites of countries and unions are named Live
// with a suffix, such as "live_eu".
const (
	Live    = "live"
	Testnet = "testnet"
	Demo    = "demo"
)

// sites are the domains for accounts of one country or union, by the suffix of their
// environment. Their host names are those of Live.
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

// Environments returns the names that Preset accepts.
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
	connector.Settings

	PrivateURL string
	// TradeURL is scheme and host of order entry by WebSocket; empty where the
	// environment has none.
	TradeURL string
	// Simulated: the hosts are those of demo trading, whose maintenance the venue
	// announces separately.
	Simulated bool
	// RecvWindow is the receive window of requests without a deadline of their own, 5 s;
	// at most 60 s.
	RecvWindow time.Duration
	// PingInterval of the streams, 20 s: the venue closes idle connections.
	PingInterval time.Duration
}

// Preset returns the options for one of Environments. Demo trades at the prices of Live
// and accepts orders by REST only. A key is valid in its own environment only.
func Preset(name string) (Options, bool) {
	switch name {
	case Live:
		return hostsOf("bybit.com", ""), true
	case Testnet:
		return hostsOf("bybit.com", "-testnet"), true
	case Demo:
		return Options{
			Settings:   connector.Hosts("https://api-demo.bybit.com", "wss://stream.bybit.com"),
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
	return Options{Settings: connector.Hosts("https://api"+kind+"."+domain, stream), TradeURL: stream}
}

// Sim returns the options for a simulated venue: restURL such as "http://127.0.0.1:8001",
// streamURL such as "ws://127.0.0.1:8001".
func Sim(restURL, streamURL string) Options {
	return Options{Settings: connector.Hosts(restURL, streamURL), TradeURL: streamURL}
}

// Validate returns an error that names the first invalid setting.
func (o Options) Validate() error {
	if err := o.Settings.Validate(venues.Bybit); err != nil {
		return err
	}
	if o.OrderEntry == venues.OrderEntryWebSocket && o.TradeURL == "" {
		return errors.New("bybit: this environment accepts orders by REST only")
	}
	return connector.ValidateRecvWindow(venues.Bybit, o.RecvWindow)
}

func (o Options) withDefaults() Options {
	o.PrivateURL = cmp.Or(o.PrivateURL, o.StreamURL)
	o.RecvWindow = cmp.Or(o.RecvWindow, connector.RecvWindowDefault)
	o.SetDefaults(5*time.Minute, time.Minute)
	o.PingInterval = cmp.Or(o.PingInterval, 20*time.Second)
	return o
}
