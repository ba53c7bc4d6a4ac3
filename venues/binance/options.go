package binance

import (
	"cmp"
	"errors"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
)

// Names of the environments; see Preset.
const (
	Live    = "live"
	Testnet = "testnet"
)

// Options of a Connector. The zero value of a duration means its default.
type Options struct {
	connector.Settings

	// PrivatePath is appended to StreamURL for the private stream. {listenKey} and
	// {events} are replaced.
	PrivatePath string
	// TradeURL is scheme and host of the WebSocket API, for order entry by WebSocket.
	TradeURL string
	// KeyURL is the host that reports the permissions of an API key; empty if there is
	// none.
	KeyURL string
	// RecvWindow is the receive window of requests without a deadline of their own, 5 s;
	// at most 60 s.
	RecvWindow time.Duration
	// ConnLifetime is the age at which a stream connection is renewed, 23 h: the venue
	// closes it after 24 h.
	ConnLifetime time.Duration
	// RenewOverlap is how long the old connection is read besides the new one, 3 s.
	// Subscriptions must be in effect by then.
	RenewOverlap time.Duration
}

// privatePathDefault has the listen key and the events in the query, the form that works
// in production. Without the list of events the stream may stay silent.
const privatePathDefault = "/private/ws?listenKey={listenKey}&events={events}"

// Preset returns the options for an environment of the venue, Live or Testnet.
func Preset(name string) (Options, bool) {
	o, ok := map[string]Options{
		Live: {
			Settings: connector.Hosts("https://fapi.binance.com", "wss://fstream.binance.com"),
			TradeURL: "wss://ws-fapi.binance.com",
			KeyURL:   "https://api.binance.com",
		},
		Testnet: {
			Settings: connector.Hosts("https://demo-fapi.binance.com", "wss://fstream.binancefuture.com"),
			TradeURL: "wss://testnet.binancefuture.com",
		},
	}[name]
	return o, ok
}

// Sim returns the options for a simulated venue: restURL such as "http://127.0.0.1:8001",
// streamURL such as "ws://127.0.0.1:8001".
func Sim(restURL, streamURL string) Options {
	return Options{Settings: connector.Hosts(restURL, streamURL), TradeURL: streamURL}
}

// Validate returns an error that names the first invalid setting.
func (o Options) Validate() error {
	if err := o.Settings.Validate(venues.Binance); err != nil {
		return err
	}
	if o.OrderEntry == venues.OrderEntryWebSocket && o.TradeURL == "" {
		return errors.New("binance: TradeURL is empty")
	}
	return connector.ValidateRecvWindow(venues.Binance, o.RecvWindow)
}

func (o Options) withDefaults() Options {
	o.PrivatePath = cmp.Or(o.PrivatePath, privatePathDefault)
	o.RecvWindow = cmp.Or(o.RecvWindow, connector.RecvWindowDefault)
	o.SetDefaults(30*time.Second, 15*time.Second)
	o.ConnLifetime = cmp.Or(o.ConnLifetime, 23*time.Hour)
	return o
}
